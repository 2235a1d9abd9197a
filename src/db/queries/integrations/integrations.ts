import type { IntegrationProvider, IntegrationSettings } from '../../../gate/integration-provider.ts'
import type { AdminWrite } from '../../admin-write.ts'
import type { SealedSecret } from '../../../secrets/seal.ts'
import type { Db } from '../../connect.ts'

/** An active connection with its encrypted secrets. */
export interface ConnectedIntegration {
  integrationId: string
  provider: IntegrationProvider
  settings: IntegrationSettings
  fingerprint: string
  secrets: ({ field: string } & SealedSecret)[]
}

interface ConnectedRow {
  version: number
  integration_id: string | null
  provider: IntegrationProvider
  settings: IntegrationSettings
  fingerprint: string
  secrets: { field: string; ciphertext: string; wrapped_key: string; kid: string }[] | null
}

/**
 * The active connections of an account and their version. Connections are not read again if the version is `known`. An
 * account that does not exist has version 0.
 */
export async function readConnected(
  db: Db,
  account: string,
  known: number,
): Promise<{ version: number; integrations: ConnectedIntegration[] }> {
  const rows = await db.read<ConnectedRow>(
    (sql) => sql`
      select c.integrations_version as version, i.*
      from gate.tenant(${account}) t(id),
      lateral (select integrations_version from gate.account where account_id = t.id offset 0) c
      left join lateral (
        select n.integration_id, n.provider, n.settings, n.fingerprint, (
          select json_agg(json_build_object(
            'field', s.field, 'ciphertext', encode(s.ciphertext, 'base64'),
            'wrapped_key', encode(s.wrapped_key, 'base64'), 'kid', s.kid))
          from gate.integration_secret s
          where s.account_id = n.account_id and s.integration_id = n.integration_id
        ) as secrets
        from gate.integration n
        where n.account_id = t.id and n.state = 'connected' and c.integrations_version <> ${known}
        offset 0
      ) i on true`,
  )
  return {
    version: rows[0]?.version ?? 0,
    integrations: rows.flatMap((row) => (row.integration_id === null ? [] : [toConnected(row)])),
  }
}

function toConnected({
  integration_id,
  provider,
  settings,
  fingerprint,
  secrets,
}: ConnectedRow): ConnectedIntegration {
  return {
    integrationId: integration_id!,
    provider,
    settings,
    fingerprint,
    secrets: (secrets ?? []).map(({ field, ciphertext, wrapped_key, kid }) => ({
      field,
      ciphertext: Buffer.from(ciphertext, 'base64'),
      wrappedKey: Buffer.from(wrapped_key, 'base64'),
      kid,
    })),
  }
}

/** The public fields of a connection. */
export interface IntegrationRow {
  integration_id: string
  provider: IntegrationProvider
  state: 'pending' | 'connected' | 'disconnected'
  settings: IntegrationSettings
  created_at: Date
  connected_at: Date | null
  disconnected_at: Date | null
  /** The person who connected it: the member's label, or `admin:` and an address. */
  by: string
}

/** The connections of an account, active ones first, then newest first, up to `limitRows`. */
export async function listIntegrations(
  db: Db,
  account: string,
  limitRows: number,
): Promise<IntegrationRow[]> {
  return db.read<IntegrationRow>(
    (sql) => sql`
      select i.* from gate.tenant(${account}) t(id),
      lateral (
        select n.integration_id, n.provider, n.state, n.settings, n.created_at, n.connected_at, n.disconnected_at,
          coalesce(a.consent_by, a.member, 'admin:' || d.email) as by
        from gate.integration n
        left join gate.action a on a.account_id = n.account_id and a.id = n.action_id
        left join gate.admin d on d.account_id = n.account_id and d.admin_id = n.admin_id
        where n.account_id = t.id
        order by (n.state = 'connected') desc, n.created_at desc
        limit ${limitRows}
      ) i
      order by (i.state = 'connected') desc, i.created_at desc`,
  )
}

/** When the account's payment provider connection last changed; null: no change is known. */
export async function readStripeChangedAt(db: Db, account: string): Promise<Date | null> {
  const rows = await db.run<{ at: Date | null }>(
    (sql) => sql`
      select c.at from gate.tenant(${account}) t(id),
      lateral (select stripe_changed_at as at from gate.account where account_id = t.id offset 0) c`,
  )
  return rows[0]?.at ?? null
}

/** Activates a confirmed connection, which replaces the previous one. Idempotent. */
export async function activateIntegration(db: Db, account: string, id: number): Promise<void> {
  await db.run(
    (sql) => sql`
      select i.integration_id from gate.activate_integration(p_account => ${account}, p_action => ${id}) i`,
  )
}

/** The connection that an action created; undefined if it created none. */
export async function readIntegrationOf(
  db: Db,
  account: string,
  id: number,
): Promise<Pick<IntegrationRow, 'integration_id' | 'provider' | 'state' | 'settings'> | undefined> {
  const rows = await db.read<IntegrationRow>(
    (sql) => sql`
      select i.* from gate.tenant(${account}) t(id),
      lateral (
        select integration_id, provider, state, settings from gate.integration
        where account_id = t.id and action_id = ${id} offset 0
      ) i`,
  )
  return rows[0]
}

/** Disconnects a connection and deletes its secrets. Returns whether it was active. */
export async function disconnectIntegration(
  db: Db,
  d: AdminWrite & { integrationId: string },
): Promise<boolean> {
  const rows = await db.run<{ done: boolean }>(
    (sql) => sql`
      select gate.disconnect_integration(
        p_account => ${d.account}, p_session => ${d.session}, p_integration => ${d.integrationId}, p_event => ${d.eventId}
      ) as done`,
  )
  return rows[0]!.done
}

export interface WrappedSecretRow {
  integration_id: string
  field: string
  kid: string
  wrapped_key: Buffer
}

/** Secrets of an account that are wrapped under another key than `kid`, in order, up to `limitRows` after `after`. */
export async function listWrappedElsewhere(
  db: Db,
  account: string,
  kid: string,
  page: { after: Pick<WrappedSecretRow, 'integration_id' | 'field'> | undefined; limitRows: number },
): Promise<WrappedSecretRow[]> {
  const { integration_id: integration = '', field = '' } = page.after ?? {}
  return db.read<WrappedSecretRow>(
    (sql) => sql`
      select s.* from gate.tenant(${account}) t(id),
      lateral (
        select integration_id, field, kid, wrapped_key from gate.integration_secret
        where account_id = t.id and kid <> ${kid} and (integration_id, field) > (${integration}, ${field})
        order by integration_id, field
        limit ${page.limitRows}
      ) s`,
  )
}

/** Stores rewrapped data keys. Returns how many: keys that another process rewrapped meanwhile are not changed. */
export async function storeRewrapped(
  db: Db,
  r: {
    account: string
    kid: string
    secrets: { integrationId: string; field: string; oldKid: string; wrappedKey: Buffer }[]
  },
): Promise<number> {
  const secrets = JSON.stringify(
    r.secrets.map(({ integrationId, field, oldKid, wrappedKey }) => ({
      integration_id: integrationId,
      field,
      old_kid: oldKid,
      wrapped_key: wrappedKey.toString('base64'),
    })),
  )
  const rows = await db.run<{ rewrapped: number }>(
    (sql) => sql`
      select gate.rewrap_secrets(p_account => ${r.account}, p_kid => ${r.kid}, p_secrets => ${secrets}) as rewrapped`,
  )
  return rows[0]!.rewrapped
}

/** Whether an account has connected the bot of an app of Microsoft Teams. */
export async function knowsTeamsBot(db: Db, appId: string): Promise<boolean> {
  const rows = await db.read<{ known: boolean }>(
    (sql) => sql`select gate.knows_teams_bot(p_app_id => ${appId}) as known`,
  )
  return rows[0]!.known
}

/** The bot in Teams of an account, and how the requests ended that it sent lately. */
export interface TeamsBotRow {
  account_id: string
  app_id: string
  /** Active members whom it can ask. */
  members: number
  sent: number
  /** Requests that were not sent, or of which that is unknown. */
  failed: number
  /** Of the last of these. */
  code: string | null
  failed_at: Date | null
}

/** The bots of one account or of all, up to `limitRows`, with their requests of the last `sinceMs`. */
export async function listTeamsBots(
  db: Db,
  given: { account: string | null; limitRows: number; sinceMs: number },
): Promise<TeamsBotRow[]> {
  return db.read(
    (sql) => sql`
      select * from gate.list_teams_bots(
        p_account => ${given.account}, p_limit => ${given.limitRows}, p_since_ms => ${given.sinceMs})`,
  )
}
