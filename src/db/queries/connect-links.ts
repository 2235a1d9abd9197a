import { type IntegrationProvider } from '../../integrations/provider.ts'
import { type Status } from '../../gate/lifecycle.ts'
import { type Db } from '../connect.ts'
import { type ActionRow, type Outcome, outcomeOf } from './actions.ts'
import { type Claim, type ClaimOutcome, type FactVersions } from './decide.ts'

/** A link, and the state of the action it decides. */
export interface ConnectLinkRow {
  account_id: string
  action_id: number
  uuid: string
  provider: IntegrationProvider
  expires_at: Date
  /** By the database's clock. */
  is_over: boolean
  /** Credentials that were tried with it. */
  tries: number
  account_name: string
  is_suspended: boolean
  member_id: string
  /** As in the action's row. */
  member: string
  member_name: string
  is_active: boolean
  status: Status
  decision: ActionRow['decision']
  closed_reason: string | null
  denial_reason: string | null
}

/** Stores a link by the hash of its token. */
export async function makeConnectLink(
  db: Db,
  l: { token: Buffer; account: string; id: number; provider: IntegrationProvider; expiresAt: Date },
): Promise<void> {
  await db.once(
    (sql) => sql`
      select gate.make_connect_link(
        p_token => ${l.token}, p_account => ${l.account}, p_action => ${l.id}, p_provider => ${l.provider},
        p_expires => ${l.expiresAt})`,
  )
}

/** Reads a link by the hash of its token; undefined where nobody made it. Changes nothing. */
export async function findConnectLink(db: Db, token: Buffer): Promise<ConnectLinkRow | undefined> {
  const rows = await db.read<ConnectLinkRow>((sql) => sql`select * from gate.find_connect_link(${token})`)
  return rows[0]
}

/**
 * Counts a try on a link, and keeps the state of an install that begins.
 * @returns whether the link had a try left
 */
export async function tryConnectLink(
  db: Db,
  t: { token: Buffer; triesMax: number; state: Buffer | null },
): Promise<boolean> {
  const rows = await db.once<{ isGood: boolean }>(
    (sql) => sql`
      select gate.try_connect_link(
        p_token => ${t.token}, p_tries_max => ${t.triesMax}, p_state => ${t.state}) as "isGood"`,
  )
  return rows[0]!.isGood
}

/** Takes the state of an install, once. Returns the hash of the token of its link; undefined where it is not known. */
export async function takeConnectState(db: Db, state: Buffer): Promise<Buffer | undefined> {
  const rows = await db.once<{ token: Buffer | null }>(
    (sql) => sql`select gate.take_connect_state(${state}) as token`,
  )
  return rows[0]?.token ?? undefined
}

/** What a claim carries, of a connection: a confirm without an Idempotency-Key. */
export interface ConnectionClaim extends Omit<
  Claim,
  'decision' | 'versions' | 'consent' | 'confirmed' | 'idempotency'
> {
  /** Hash of the link's token. */
  token: Buffer
  versions: FactVersions
  consent: NonNullable<Claim['consent']>
  integrationId: string
  /** JSON text. */
  settings: string
  fingerprint: string
  secrets: { field: string; ciphertext: Buffer; wrappedKey: Buffer; kid: string }[]
}

/** Claims the confirm, stores the credential and spends the link: all of it or nothing. */
export async function claimConnection(db: Db, c: ConnectionClaim): Promise<Outcome<ClaimOutcome>> {
  const secrets = JSON.stringify(
    c.secrets.map(({ field, ciphertext, wrappedKey, kid }) => ({
      field,
      ciphertext: ciphertext.toString('base64'),
      wrapped_key: wrappedKey.toString('base64'),
      kid,
    })),
  )
  const rows = await db.run<ActionRow & { outcome: string }>(
    (sql) => sql`
      select r.outcome, (r.action).* from gate.claim_connection(
        p_token => ${c.token}, p_account => ${c.account}, p_id => ${c.id}, p_command => ${c.commandId},
        p_event => ${c.eventId}, p_entry_tail => ${c.entryTail},
        p_expire_event => ${c.expireEventId}, p_expire_tail => ${c.expireEntryTail}, p_due_ms => ${c.dueMs},
        p_member_version => ${c.versions.member}, p_curricula_version => ${c.versions.curricula},
        p_policy_version => ${c.versions.policy}, p_consent_strength => ${c.consent.strength},
        p_consent_by => ${c.consent.by}, p_consent_channel => ${c.consent.channel},
        p_integration => ${c.integrationId}, p_settings => ${c.settings}, p_fingerprint => ${c.fingerprint},
        p_secrets => ${secrets}) r`,
  )
  return outcomeOf(rows)
}

/** Forgets links that are over for an hour, and what was stored by one whose action came to nothing. Returns how many. */
export async function forgetConnectLinks(db: Db, limitRows: number): Promise<number> {
  const rows = await db.run<{ forgotten: number }>(
    (sql) => sql`select gate.forget_connect_links(p_limit => ${limitRows}) as forgotten`,
  )
  return rows[0]!.forgotten
}
