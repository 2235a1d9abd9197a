import type { ConsentChannel, RequestedStrength, ConsentRoute } from '../../../gate/consent.ts'
import type { Db } from '../../connect.ts'
import { jsonArgument } from '../../json-argument.ts'
import { type ActionRow, type Outcome, outcomeOf } from './actions.ts'
import type { Claim, FactVersions } from './decide.ts'

/** A consent request to a member, caused by a confirm that is not strong enough, or by a proposal. */
export interface NewConsentRequest extends Pick<
  Claim,
  'account' | 'id' | 'eventId' | 'expireEventId' | 'dueMs' | 'idempotency'
> {
  versions: FactVersions
  required: RequestedStrength
  via: ConsentChannel
  address: string
  token: string
  tokenHash: Buffer
  /** An open request is not repeated within this time. */
  everyMs: number
  /** Maximum requests to one member in an hour. */
  hourMax: number
  /** Maximum requests to one member in a day. */
  dayMax: number
  /** Maximum requests for a mandate from one key in a day. */
  mandatesMax: number
  /** The source of the confirm or proposal. */
  source: string
  /** Hash of the API key of the confirm or proposal, which may use up only a share of both. */
  apiKey: Buffer
  /** Caused by a proposal: not made while the member is asked about an identical action. */
  isOfProposal: boolean
  /** Why no mandate of the member covers the action, for its card. */
  outsideMandate?: string | undefined
}

export type ConsentRequestOutcome =
  | 'asked'
  | 'standing'
  /** The action of the outcome is the identical one that the member is asked about. */
  | 'duplicate'
  | 'too_many'
  | 'too_many_of_day'
  | 'too_many_of_key'
  | 'replayed'
  | 'reused'
  | 'missing'
  | 'lost'
  | 'expired'
  | 'suspended'
  | 'stale'

/** Records a consent request, if the facts have not changed. Decides nothing. `dueAt`: see Signalled. */
export async function recordConsentRequest(
  db: Db,
  a: NewConsentRequest,
): Promise<Outcome<ConsentRequestOutcome> & { dueAt: string | null }> {
  const ask = jsonArgument({
    event: a.eventId,
    expire_event: a.expireEventId,
    due_ms: a.dueMs,
    member_version: a.versions.member,
    curricula_version: a.versions.curricula,
    policy_version: a.versions.policy,
    required: a.required,
    via: a.via,
    address: a.address,
    token: a.token,
    token_hash: a.tokenHash,
    source: a.source,
    every_ms: a.everyMs,
    hour_max: a.hourMax,
    day_max: a.dayMax,
    mandates_max: a.mandatesMax,
    api_key: a.apiKey,
    of_proposal: a.isOfProposal,
    outside_mandate: a.outsideMandate ?? null,
    key: a.idempotency?.key ?? null,
    request: a.idempotency?.request ?? null,
  })
  const rows = await db.run<ActionRow & { outcome: string; due_at: string | null }>(
    (sql) => sql`
      select r.outcome, r.due_at, (r.action).*
      from gate.request_consent(p_account => ${a.account}, p_id => ${a.id}, p_ask => ${ask}::text::jsonb) r`,
  )
  const { due_at: dueAt, ...row } = rows[0]!
  return { ...outcomeOf<ConsentRequestOutcome>([row]), dueAt }
}

/** The channels whose last request about an action failed. */
export async function readFailedRoutes(db: Db, account: string, id: number): Promise<ConsentRoute[]> {
  return db.read<ConsentRoute>(
    (sql) => sql`
      select q.via, q.address from gate.tenant(${account}) t(id),
      lateral (
        select distinct on (via, address) via, address, state from gate.consent_request
        where account_id = t.id and action_id = ${id}
        order by via, address, n desc
      ) q
      where q.state = 'failed'`,
  )
}

/** A request that is not sent yet, or whose sending may have been interrupted. */
export interface UnsentRequest {
  n: number
  /** Who is asked; null: the member of the action. */
  member_id: string | null
  is_reminder: boolean
  via: ConsentChannel
  address: string
  token: string
  created_at: Date
  /** For how many ms it is held, because a device of the member was told: below 0 no longer. Null: none was tried yet. */
  held_ms: number | null
}

/** The unsent requests of an action with a number above `after`, newest first. */
export async function readUnsentRequests(
  db: Db,
  account: string,
  id: number,
  { after, rowsMax }: { after: number; rowsMax: number },
): Promise<UnsentRequest[]> {
  return db.read<UnsentRequest>(
    (sql) => sql`
      select q.* from gate.tenant(${account}) t(id),
      lateral (
        select n, member_id, is_reminder, via, address, token, created_at,
          extract(epoch from held_until - clock_timestamp())::double precision * 1000 as held_ms
        from gate.consent_request
        where account_id = t.id and action_id = ${id} and state in ('pending', 'sending') and n > ${after}
        order by n desc
        limit ${rowsMax}
      ) q
      order by q.n desc`,
  )
}

/** A request's message as the provider gets it, stored before the call. */
type StoredMessage = Record<string, string>

/** The message of a request, and for a chat the hash of its workspace: see `consentWorkspaceHash`. */
export interface FrozenRequest {
  message: StoredMessage
  card: Buffer
  workspace: Buffer | null
}

export type StartedSend =
  | { outcome: 'send' | 'sending'; message: StoredMessage; attemptedAt: Date }
  /** Settled, or no longer to be sent. */
  | { outcome: 'done' }

/** Claims a request for sending and stores its message; `sending`: an earlier attempt stored the message. */
export async function beginConsentSend(
  db: Db,
  s: { account: string; id: number; n: number } & FrozenRequest,
): Promise<StartedSend> {
  const rows = await db.once<{
    outcome: StartedSend['outcome']
    message: StoredMessage | null
    attempted_at: Date | null
  }>(
    (sql) => sql`
      select r.outcome, (r.request).message, (r.request).attempted_at from gate.begin_consent_send(
        p_account => ${s.account}, p_id => ${s.id}, p_n => ${s.n}, p_message => ${JSON.stringify(s.message)},
        p_card => ${s.card}, p_workspace => ${s.workspace}) r`,
  )
  const { outcome, message, attempted_at } = rows[0]!
  return outcome === 'done' ? { outcome } : { outcome, message: message!, attemptedAt: attempted_at! }
}

/** Records the outcome of a send. `pending`: it is retried. */
export async function endConsentSend(
  db: Db,
  s: {
    account: string
    id: number
    n: number
    state: 'pending' | 'sent' | 'unknown' | 'failed' | 'given_up'
    providerId: string | null
    code: string | null
  },
): Promise<void> {
  await db.run(
    (sql) => sql`
      select gate.end_consent_send(
        p_account => ${s.account}, p_id => ${s.id}, p_n => ${s.n}, p_state => ${s.state},
        p_provider_id => ${s.providerId}, p_code => ${s.code})`,
  )
}

/** Records a reminder if it is due. Returns its time, or the time to check again; null if there will be none. */
export async function remindConsent(
  db: Db,
  r: {
    account: string
    id: number
    eventId: string
    via: ConsentChannel
    token: string
    tokenHash: Buffer
    remindMs: number
  },
): Promise<Date | null> {
  const rows = await db.run<{ at: Date | null }>(
    (sql) => sql`
      select gate.remind_consent(
        p_account => ${r.account}, p_id => ${r.id}, p_event => ${r.eventId},
        p_via => ${r.via}, p_token => ${r.token}, p_token_hash => ${r.tokenHash}, p_remind_ms => ${r.remindMs}) as at`,
  )
  return rows[0]!.at
}

/** A sent request, found by the token that only its receiver has. */
export interface FoundRequest {
  account_id: string
  action_id: number
  via: ConsentChannel
  address: string
  card: Buffer | null
  workspace: Buffer | null
  /** Who was asked; null: the member of the action. */
  member_id: string | null
}

/** Reads a request by the hash of its token; undefined if it does not exist. Read-only. */
export async function findConsentRequest(db: Db, tokenHash: Buffer): Promise<FoundRequest | undefined> {
  const rows = await db.read<FoundRequest>(
    (sql) => sql`select * from gate.find_consent_request(p_token => ${tokenHash})`,
  )
  return rows[0]
}

/** The action that a message in a chat asks about, by its receiver and id there; undefined if none is known. Read-only. */
export async function findChatRequest(
  db: Db,
  message: { user: string; id: string },
): Promise<{ account_id: string; action_id: number } | undefined> {
  const rows = await db.read<{ account_id: string; action_id: number }>(
    (sql) => sql`select * from gate.find_chat_request(p_user => ${message.user}, p_message => ${message.id})`,
  )
  return rows[0]
}

/** What the card of an action has beside its row. */
interface CardNames {
  account_name: string
  member_name: string
  integrations_version: number
  /** Why no mandate of the member covered it when they were asked; null: none was for its agent. */
  outside_mandate: string | null
}

/** The current names of an action's account and member, and why they were asked; undefined if the action does not exist. */
export async function readCardNames(db: Db, account: string, id: number): Promise<CardNames | undefined> {
  const rows = await db.read<CardNames>(
    (sql) => sql`
      select n.* from gate.tenant(${account}) t(id),
      lateral (
        select c.name as account_name, m.name as member_name, c.integrations_version, (
          select q.outside_mandate from gate.consent_request q
          where q.account_id = a.account_id and q.action_id = a.id and q.n = 1) as outside_mandate
        from gate.action a
        join gate.account c on c.account_id = a.account_id
        join gate.member m on m.account_id = a.account_id and m.member_id = a.member_id
        where a.account_id = t.id and a.id = ${id}
        offset 0
      ) n`,
  )
  return rows[0]
}

/** Deletes the tokens of requests that ended long ago. Returns how many. */
export async function forgetConsentTokens(db: Db, limitRows: number): Promise<number> {
  const rows = await db.run<{ forgotten: number }>(
    (sql) => sql`select gate.forget_consent_tokens(p_limit => ${limitRows}) as forgotten`,
  )
  return rows[0]!.forgotten
}
