import type { EventName, OffReason } from '../../../gate/event-types.ts'
import type { SealedSecret } from '../../../secrets/seal.ts'
import type { AdminWrite } from '../../admin-write.ts'
import type { Db } from '../../connect.ts'
import { jsonArgument } from '../../json-argument.ts'

export interface EndpointRow {
  endpoint_id: string
  url: string
  description: string
  /** Null: all. */
  types: EventName[] | null
  is_full: boolean
  /** Null: it is on. */
  off_reason: OffReason | null
  off_at: Date | null
  public_key: Buffer
  created_at: Date
  failing_since: Date | null
  paused_until: Date | null
  /** Until when replaced secrets sign, too; null: none do. */
  rotates_until: Date | null
  /** Deliveries that wait. */
  waiting: number
}

/** The endpoints of an account, oldest first. */
export async function listEndpoints(db: Db, account: string): Promise<EndpointRow[]> {
  return db.read<EndpointRow>(
    (sql) => sql`
      select e.*, s.*, w.* from gate.tenant(${account}) t(id),
      lateral (
        select endpoint_id, url, description, types, is_full, off_reason, off_at, public_key, created_at, failing_since,
          paused_until
        from gate.endpoint where account_id = t.id offset 0
      ) e,
      lateral (
        select max(s.valid_until) as rotates_until from gate.endpoint_secret s
        where s.account_id = t.id and s.endpoint_id = e.endpoint_id and s.valid_until > clock_timestamp()
      ) s,
      lateral (
        select count(*) as waiting from gate.event_delivery d
        where d.account_id = t.id and d.endpoint_id = e.endpoint_id and d.state = 'waiting'
      ) w
      order by e.created_at, e.endpoint_id`,
  )
}

/** What an endpoint is told, and where. */
export interface EndpointSettings {
  url: string
  description: string
  types: EventName[] | null
  isFull: boolean
}

/** What signs its events. */
export interface EndpointKeys {
  secretId: string
  sealed: SealedSecret
  publicKey: Buffer
}

const settingsFields = ({ url, description, types, isFull }: EndpointSettings) => ({
  url,
  description,
  types,
  full: isFull,
})

const keyFields = ({ secretId, sealed, publicKey }: EndpointKeys) => ({
  public_key: publicKey,
  secret: secretId,
  ciphertext: sealed.ciphertext,
  wrapped_key: sealed.wrappedKey,
  kid: sealed.kid,
})

export async function addEndpoint(
  db: Db,
  a: AdminWrite & EndpointSettings & EndpointKeys & { endpointId: string; endpointsMax: number },
): Promise<'added' | 'too_many'> {
  const given = {
    endpoint: a.endpointId,
    ...settingsFields(a),
    ...keyFields(a),
    endpoints_max: a.endpointsMax,
  }
  const rows = await db.run<{ outcome: 'added' | 'too_many' }>(
    (sql) => sql`
      select gate.add_endpoint(
        p_account => ${a.account}, p_session => ${a.session}, p_endpoint => ${jsonArgument(given)}::text::jsonb,
        p_event => ${a.eventId}) as outcome`,
  )
  return rows[0]!.outcome
}

export type EndpointChange = 'changed' | 'unchanged' | 'missing'

export async function changeEndpoint(
  db: Db,
  c: AdminWrite & EndpointSettings & { endpointId: string },
): Promise<EndpointChange> {
  const given = { endpoint: c.endpointId, ...settingsFields(c) }
  const rows = await db.run<{ outcome: EndpointChange }>(
    (sql) => sql`
      select gate.change_endpoint(
        p_account => ${c.account}, p_session => ${c.session}, p_endpoint => ${jsonArgument(given)}::text::jsonb,
        p_event => ${c.eventId}) as outcome`,
  )
  return rows[0]!.outcome
}

export async function turnEndpoint(
  db: Db,
  c: AdminWrite & { endpointId: string; isOn: boolean },
): Promise<EndpointChange> {
  const rows = await db.run<{ outcome: EndpointChange }>(
    (sql) => sql`
      select gate.turn_endpoint(
        p_account => ${c.account}, p_session => ${c.session}, p_endpoint => ${c.endpointId}, p_is_on => ${c.isOn},
        p_event => ${c.eventId}) as outcome`,
  )
  return rows[0]!.outcome
}

/** Gives an endpoint new secrets. Returns whether there is such an endpoint. */
export async function rotateEndpoint(
  db: Db,
  r: AdminWrite & EndpointKeys & { endpointId: string; overlapMs: number },
): Promise<boolean> {
  const given = { endpoint: r.endpointId, ...keyFields(r), overlap_ms: r.overlapMs }
  const rows = await db.run<{ is_rotated: boolean }>(
    (sql) => sql`
      select gate.rotate_endpoint(
        p_account => ${r.account}, p_session => ${r.session}, p_endpoint => ${jsonArgument(given)}::text::jsonb,
        p_event => ${r.eventId}) as is_rotated`,
  )
  return rows[0]!.is_rotated
}

/** Removes an endpoint with the log of its deliveries. Returns whether there was one. */
export async function removeEndpoint(db: Db, r: AdminWrite & { endpointId: string }): Promise<boolean> {
  const rows = await db.run<{ is_removed: boolean }>(
    (sql) => sql`
      select gate.remove_endpoint(
        p_account => ${r.account}, p_session => ${r.session}, p_endpoint => ${r.endpointId}, p_event => ${r.eventId}
      ) as is_removed`,
  )
  return rows[0]!.is_removed
}

/** Endpoints that fail, or were turned off for it. */
export interface FailingEndpoint {
  account_id: string
  endpoint_id: string
  failing_since: Date | null
  off_reason: OffReason | null
}

/** Those of all accounts that fail for longer than `afterMs`. */
export const listFailingEndpoints = (db: Db, afterMs: number): Promise<FailingEndpoint[]> =>
  db.read<FailingEndpoint>((sql) => sql`select * from gate.failing_endpoints(p_after_ms => ${afterMs})`)

export interface WrappedEndpointSecret {
  endpoint_id: string
  secret_id: string
  wrapped_key: Buffer
  kid: string
}

/** Every secret of an account that is wrapped under another key than `kid`. */
export const listEndpointSecretsElsewhere = (
  db: Db,
  account: string,
  kid: string,
): Promise<WrappedEndpointSecret[]> =>
  db.read<WrappedEndpointSecret>(
    (sql) => sql`
      select s.* from gate.tenant(${account}) t(id),
      lateral (
        select endpoint_id, secret_id, wrapped_key, kid from gate.endpoint_secret
        where account_id = t.id and kid <> ${kid} order by endpoint_id, secret_id offset 0
      ) s`,
  )

/** Stores a rewrapped data key. Returns whether no other process did so meanwhile. */
export async function rewrapEndpointSecret(
  db: Db,
  r: {
    account: string
    endpointId: string
    secretId: string
    oldKid: string
    kid: string
    wrappedKey: Buffer
  },
): Promise<boolean> {
  const rows = await db.run<{ is_moved: boolean }>(
    (sql) => sql`
      select gate.rewrap_endpoint_secret(
        p_account => ${r.account}, p_endpoint => ${r.endpointId}, p_secret => ${r.secretId}, p_old_kid => ${r.oldKid},
        p_kid => ${r.kid}, p_wrapped_key => ${r.wrappedKey}) as is_moved`,
  )
  return rows[0]!.is_moved
}
