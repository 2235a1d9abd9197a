import type { ConsentChannel, RequestedStrength, WayToAsk } from '../../../gate/consent.ts'
import type { Db } from '../../connect.ts'
import { type ActionRow, type Outcome, outcomeOf } from './actions.ts'
import type { Claim, FactVersions } from './decide.ts'

/** What asks a member: a confirm that is not strong enough, and where they are asked. */
export interface ConsentAsk extends Pick<
  Claim,
  'account' | 'id' | 'eventId' | 'expireEventId' | 'dueMs' | 'idempotency'
> {
  versions: FactVersions
  required: RequestedStrength
  via: ConsentChannel
  address: string
  token: string
  tokenHash: Buffer
  /** A request that stands is not repeated within this time. */
  everyMs: number
  /** Requests to one member within an hour. */
  hourMax: number
  /** Requests to one member within a day. */
  dayMax: number
  /** Through what the confirm came. */
  source: string
  /** Hash of the API key of the confirm: it has a share of both. */
  apiKey: Buffer
}

export type AskOutcome =
  | 'asked'
  | 'standing'
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

/** Makes the request to a member to decide, if the facts still hold. Decides nothing. */
export async function recordConsentRequest(db: Db, a: ConsentAsk): Promise<Outcome<AskOutcome>> {
  const rows = await db.run<ActionRow & { outcome: string }>(
    (sql) => sql`
      select r.outcome, (r.action).* from gate.request_consent(
        p_account => ${a.account}, p_id => ${a.id}, p_event => ${a.eventId},
        p_expire_event => ${a.expireEventId}, p_due_ms => ${a.dueMs},
        p_member_version => ${a.versions.member}, p_curricula_version => ${a.versions.curricula},
        p_policy_version => ${a.versions.policy},
        p_required => ${a.required}, p_via => ${a.via}, p_address => ${a.address}, p_token => ${a.token},
        p_token_hash => ${a.tokenHash}, p_every_ms => ${a.everyMs},
        p_hour_max => ${a.hourMax}, p_day_max => ${a.dayMax}, p_source => ${a.source}, p_api_key => ${a.apiKey},
        p_key => ${a.idempotency?.key ?? null}, p_request => ${a.idempotency?.request ?? null}
      ) r`,
  )
  return outcomeOf(rows)
}

/** The ways by which the last request about a row failed. */
export async function readFailedWays(db: Db, account: string, id: number): Promise<WayToAsk[]> {
  return db.read<WayToAsk>(
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

/** A request that is not sent yet, or may not be. */
export interface UnsentRequest {
  n: number
  is_reminder: boolean
  via: ConsentChannel
  address: string
  token: string
  created_at: Date
}

/** The requests of a row that are still to be sent, the newest first. `after`: numbered beyond that alone. */
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
        select n, is_reminder, via, address, token, created_at from gate.consent_request
        where account_id = t.id and action_id = ${id} and state in ('pending', 'sending') and n > ${after}
        order by n desc
        limit ${rowsMax}
      ) q
      order by q.n desc`,
  )
}

/** A request's message as the provider is given it, stored before the call. */
type StoredMessage = Record<string, string>

/** What a request is sent as, and in Slack in which team. */
export interface FrozenRequest {
  message: StoredMessage
  card: Buffer
  team: string | null
}

export type BegunSend =
  | { outcome: 'send' | 'sending'; message: StoredMessage; attemptedAt: Date }
  /** Settled, or not to be sent any more. */
  | { outcome: 'done' }

/** Takes a request for being sent, freezing what is sent; `sending` with what was frozen by an attempt before. */
export async function beginConsentSend(
  db: Db,
  s: { account: string; id: number; n: number } & FrozenRequest,
): Promise<BegunSend> {
  const rows = await db.once<{
    outcome: BegunSend['outcome']
    message: StoredMessage | null
    attempted_at: Date | null
  }>(
    (sql) => sql`
      select r.outcome, (r.request).message, (r.request).attempted_at from gate.begin_consent_send(
        p_account => ${s.account}, p_id => ${s.id}, p_n => ${s.n}, p_message => ${JSON.stringify(s.message)},
        p_card => ${s.card}, p_team => ${s.team}) r`,
  )
  const { outcome, message, attempted_at } = rows[0]!
  return outcome === 'done' ? { outcome } : { outcome, message: message!, attemptedAt: attempted_at! }
}

/**
 * Writes down what became of a send. `pending`: it is tried again. `given_up`: it could not be tried, so it is `failed`, or
 * `unknown` where an attempt before began.
 */
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

/** Asks once more where its time has come. Returns when that is or was, or is to be looked at again; null where none is to come. */
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

/** A request as it was sent, found by what only its receiver has. */
export interface FoundRequest {
  account_id: string
  action_id: number
  via: ConsentChannel
  address: string
  card: Buffer | null
  team: string | null
}

/** Reads a request by the hash of its token; undefined where nobody made it. Changes nothing. */
export async function findConsentRequest(db: Db, tokenHash: Buffer): Promise<FoundRequest | undefined> {
  const rows = await db.read<FoundRequest>(
    (sql) => sql`select * from gate.find_consent_request(p_token => ${tokenHash})`,
  )
  return rows[0]
}

/** How the account and the member of a row are called now; undefined where there is no such row. */
export async function readCardNames(
  db: Db,
  account: string,
  id: number,
): Promise<{ account_name: string; member_name: string; integrations_version: number } | undefined> {
  const rows = await db.read<{ account_name: string; member_name: string; integrations_version: number }>(
    (sql) => sql`
      select n.* from gate.tenant(${account}) t(id),
      lateral (
        select c.name as account_name, m.name as member_name, c.integrations_version
        from gate.action a
        join gate.account c on c.account_id = a.account_id
        join gate.member m on m.account_id = a.account_id and m.member_id = a.member_id
        where a.account_id = t.id and a.id = ${id}
        offset 0
      ) n`,
  )
  return rows[0]
}

/** Forgets the tokens of requests that are long over. Returns how many. */
export async function forgetConsentTokens(db: Db, limitRows: number): Promise<number> {
  const rows = await db.run<{ forgotten: number }>(
    (sql) => sql`select gate.forget_consent_tokens(p_limit => ${limitRows}) as forgotten`,
  )
  return rows[0]!.forgotten
}
