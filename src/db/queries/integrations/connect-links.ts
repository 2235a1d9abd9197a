import type { IntegrationProvider, IntegrationSettings } from '../../../gate/integration-provider.ts'
import type { Status } from '../../../gate/lifecycle.ts'
import type { Tier } from '../../../gate/tier.ts'
import type { SealedSecret } from '../../../secrets/seal.ts'
import type { Db } from '../../connect.ts'
import { type ActionRow, type Outcome, outcomeOf } from '../actions/actions.ts'
import type { Claim, ClaimOutcome, FactVersions } from '../actions/decide.ts'

/**
 * A connect link. One that an agent requested has an action, whose state it shares; one that an administrator began in the
 * console has none.
 */
export type ConnectLinkRow = LinkOfAction | LinkOfAdmin

/** The fields of both links. */
interface AnyLinkRow {
  account_id: string
  provider: IntegrationProvider
  expires_at: Date
  /** Whether it has expired, by the database's clock. */
  is_over: boolean
  /** How many credentials were tried with it. */
  tries: number
  account_name: string
  is_suspended: boolean
  /** Whether the member or the administrator still is one. */
  is_active: boolean
  /** The account's own connection of that use; null: the service's own credential, if any. */
  in_use: (KnownAccount & { provider: IntegrationProvider }) | null
  /** The checked and stored credential that will replace it; null if none was entered yet. */
  draft: (KnownAccount & { kid: string }) | null
}

export interface LinkOfAction extends AnyLinkRow {
  admin_id: null
  action_id: number
  uuid: string
  member_id: string
  /** The member's label in the action. */
  member: string
  member_name: string
  status: Status
  decision: ActionRow['decision']
  closed_reason: string | null
  denial_reason: string | null
}

export interface LinkOfAdmin extends AnyLinkRow {
  admin_id: string
  /** The administrator's address. */
  admin: string
  is_used: boolean
}

/** The public fields of an account at a provider. */
export interface KnownAccount {
  /** The id of the connection. */
  id: string
  settings: IntegrationSettings
  fingerprint: string
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

/** Stores a link that an administrator begins in the console, by the hash of its token. */
export async function makeConsoleLink(
  db: Db,
  l: { token: Buffer; account: string; session: Buffer; provider: IntegrationProvider; lastsMs: number },
): Promise<void> {
  await db.once(
    (sql) => sql`
      select gate.make_console_link(
        p_token => ${l.token}, p_account => ${l.account}, p_session => ${l.session}, p_provider => ${l.provider},
        p_lasts_ms => ${l.lastsMs})`,
  )
}

/** Reads a link by the hash of its token; undefined if it does not exist. Read-only. */
export async function findConnectLink(db: Db, token: Buffer): Promise<ConnectLinkRow | undefined> {
  const rows = await db.read<ConnectLinkRow>((sql) => sql`select * from gate.find_connect_link(${token})`)
  return rows[0]
}

/**
 * Counts an attempt on a link, and stores the state of a starting install with its session.
 * @returns whether the link had an attempt left
 */
export async function tryConnectLink(
  db: Db,
  t: { token: Buffer; triesMax: number; state: Buffer | null; session: Buffer },
): Promise<boolean> {
  const rows = await db.once<{ isGood: boolean }>(
    (sql) => sql`
      select gate.try_connect_link(
        p_token => ${t.token}, p_tries_max => ${t.triesMax}, p_state => ${t.state},
        p_session => ${t.session}) as "isGood"`,
  )
  return rows[0]!.isGood
}

/**
 * Consumes the state of an install, once.
 * @returns the token hashes of its link and session; undefined if the state is not known
 */
export async function takeConnectState(
  db: Db,
  state: Buffer,
): Promise<{ token: Buffer; session: Buffer } | undefined> {
  const rows = await db.once<{ token: Buffer; session: Buffer }>(
    (sql) => sql`select * from gate.take_connect_state(${state})`,
  )
  return rows[0]
}

/** Stores a checked credential, encrypted, until a signed-in person has reviewed the change. */
export async function keepConnectDraft(
  db: Db,
  d: {
    token: Buffer
    session: Buffer
    idleMs: number
    integrationId: string
    settings: string
    fingerprint: string
    secret: SealedSecret & { field: string }
  },
): Promise<'kept' | 'no_session' | 'missing'> {
  const rows = await db.once<{ outcome: 'kept' }>(
    (sql) => sql`
      select gate.keep_connect_draft(
        p_token => ${d.token}, p_session => ${d.session}, p_idle_ms => ${d.idleMs},
        p_integration => ${d.integrationId}, p_settings => ${d.settings}, p_fingerprint => ${d.fingerprint},
        p_field => ${d.secret.field}, p_ciphertext => ${d.secret.ciphertext},
        p_wrapped_key => ${d.secret.wrappedKey}, p_kid => ${d.secret.kid}) as outcome`,
  )
  return rows[0]!.outcome
}

/** What was shown to the person who connects, with their session. */
interface ShownConnection {
  /** Hash of the link's token. */
  token: Buffer
  /** Hash of the session's token. */
  session: Buffer
  idleMs: number
  /** The reviewed credential, by the id of its future connection. */
  draft: string
  /** The connection that was shown as active; empty: none. */
  replaces: string
}

/** Stores the reviewed credential, puts it into use and uses up the link, for the administrator who began it. */
export async function connectInConsole(
  db: Db,
  c: ShownConnection & { account: string; eventId: string },
): Promise<'connected' | 'missing' | 'suspended' | 'no_session' | 'no_draft' | 'replaced'> {
  const rows = await db.run<{ outcome: 'connected' }>(
    (sql) => sql`
      select gate.connect_in_console(
        p_token => ${c.token}, p_session => ${c.session}, p_idle_ms => ${c.idleMs}, p_account => ${c.account},
        p_draft => ${c.draft}, p_replaces => ${c.replaces}, p_event => ${c.eventId}) as outcome`,
  )
  return rows[0]!.outcome
}

/** The claim of a connection: a confirm by the signed-in person. The database composes consent and ledger entry. */
export interface ConnectionClaim
  extends
    ShownConnection,
    Pick<Claim, 'account' | 'id' | 'commandId' | 'eventId' | 'expireEventId' | 'dueMs'> {
  versions: FactVersions
  tier: Tier
}

export type ConnectionOutcome = ClaimOutcome | 'no_session' | 'no_draft' | 'replaced'

/** Claims the confirm, stores the reviewed credential and uses up the link, all in one transaction. */
export async function claimConnection(db: Db, c: ConnectionClaim): Promise<Outcome<ConnectionOutcome>> {
  const rows = await db.run<ActionRow & { outcome: string }>(
    (sql) => sql`
      select r.outcome, (r.action).* from gate.claim_connection(
        p_token => ${c.token}, p_session => ${c.session}, p_idle_ms => ${c.idleMs},
        p_account => ${c.account}, p_id => ${c.id}, p_command => ${c.commandId}, p_event => ${c.eventId},
        p_expire_event => ${c.expireEventId}, p_due_ms => ${c.dueMs},
        p_member_version => ${c.versions.member}, p_curricula_version => ${c.versions.curricula},
        p_policy_version => ${c.versions.policy}, p_tier => ${c.tier},
        p_draft => ${c.draft}, p_replaces => ${c.replaces}) r`,
  )
  return outcomeOf(rows)
}

/** Deletes links that ended an hour ago, and credentials of links whose action was not executed. Returns how many. */
export async function forgetConnectLinks(db: Db, limitRows: number): Promise<number> {
  const rows = await db.run<{ forgotten: number }>(
    (sql) => sql`select gate.forget_connect_links(p_limit => ${limitRows}) as forgotten`,
  )
  return rows[0]!.forgotten
}
