import type { Db } from '../../connect.ts'
import { jsonArgument } from '../../json-argument.ts'

/** Where a device is told, and what messages to it are encrypted with. */
export interface PushTarget {
  device_id: string
  endpoint: string
  /** The browser's: a point on P-256, uncompressed. */
  public_key: Buffer
  auth: Buffer
}

export interface NewPushDevice {
  account: string
  /** Hash of the session's token. */
  session: Buffer
  eventId: string
  /** Of the entry where the browser was another member's device. */
  leftEventId: string
  deviceId: string
  endpoint: string
  publicKey: Buffer
  auth: Buffer
  devicesMax: number
}

/** Adds a device of the member of a session. */
export async function addPushDevice(db: Db, d: NewPushDevice): Promise<'added' | 'too_many'> {
  const device = jsonArgument({
    event: d.eventId,
    left_event: d.leftEventId,
    device: d.deviceId,
    endpoint: d.endpoint,
    public_key: d.publicKey,
    auth: d.auth,
    devices_max: d.devicesMax,
  })
  const rows = await db.run<{ outcome: 'added' | 'too_many' }>(
    (sql) => sql`
      select gate.add_push_device(
        p_account => ${d.account}, p_session => ${d.session}, p_device => ${device}::text::jsonb) as outcome`,
  )
  return rows[0]!.outcome
}

/** Removes a device of the member of a session. Returns whether it was theirs. */
export async function removePushDevice(
  db: Db,
  d: { account: string; session: Buffer; deviceId: string; eventId: string },
): Promise<boolean> {
  const rows = await db.run<{ isRemoved: boolean }>(
    (sql) => sql`
      select gate.remove_push_device(
        p_account => ${d.account}, p_session => ${d.session}, p_device => ${d.deviceId}, p_event => ${d.eventId}
      ) as "isRemoved"`,
  )
  return rows[0]!.isRemoved
}

/** Removes a device that its push service no longer knows. */
export async function dropPushDevice(
  db: Db,
  d: { account: string; deviceId: string; eventId: string },
): Promise<void> {
  await db.run(
    (sql) => sql`
      select gate.drop_push_device(p_account => ${d.account}, p_device => ${d.deviceId}, p_event => ${d.eventId})`,
  )
}

/** A device as its member sees it. */
export interface PushDeviceRow {
  device_id: string
  browser: string | null
  created_at: Date
  notified_at: Date | null
}

/** The devices of a member, oldest first. A member has a few. */
export async function listPushDevices(db: Db, account: string, memberId: string): Promise<PushDeviceRow[]> {
  return db.read(
    (sql) => sql`
      select d.* from gate.tenant(${account}) t(id),
      lateral (
        select device_id, browser, created_at, notified_at from gate.push_device
        where account_id = t.id and member_id = ${memberId}
        order by created_at, device_id
        limit 100
      ) d`,
  )
}

/** The devices to tell of a consent request about an action; none where it is no longer open. */
export async function readPushTargets(
  db: Db,
  account: string,
  { id, n }: { id: number; n: number },
): Promise<PushTarget[]> {
  return db.read(
    (sql) => sql`select * from gate.devices_to_tell(p_account => ${account}, p_id => ${id}, p_n => ${n})`,
  )
}

/** Records which devices were told of a request. @returns for how many ms its message is held from now on */
export async function holdConsentRequest(
  db: Db,
  h: { account: string; id: number; n: number; devices: string[]; holdMs: number },
): Promise<number> {
  const rows = await db.run<{ heldMs: number }>(
    (sql) => sql`
      select gate.hold_consent_request(
        p_account => ${h.account}, p_id => ${h.id}, p_n => ${h.n}, p_devices => ${h.devices}::text[],
        p_hold_ms => ${h.holdMs}) as "heldMs"`,
  )
  return rows[0]!.heldMs
}

/** Ends all sessions of the person of a session, and their devices. */
export async function signOutEverywhere(db: Db, account: string, session: Buffer): Promise<void> {
  await db.once(
    (sql) => sql`select gate.sign_out_everywhere(p_account => ${account}, p_session => ${session})`,
  )
}
