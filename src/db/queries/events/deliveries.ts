import type { EventName, OffReason } from '../../../gate/event-types.ts'
import type { SealedSecret } from '../../../secrets/seal.ts'
import type { AdminWrite } from '../../admin-write.ts'
import type { Db } from '../../connect.ts'

/** An attempt that this process is to make now. */
export interface TakenEvent {
  account_id: string
  endpoint_id: string
  event_id: string
  type: EventName
  at: Date
  /** Null: a test. */
  seq: number | null
  action_id: number | null
  /** The number of the attempt in all, and since the event was last queued. */
  attempt: number
  tries: number
  url: string
  is_full: boolean
  /** The canonical JSON of its ledger entry; null where it is no entry, or that is archived. */
  entry: string | null
  /** Newest first. */
  secrets: ({ secretId: string } & SealedSecret)[]
}

type TakenRow = Omit<TakenEvent, 'secrets'> & {
  secrets: { secret_id: string; ciphertext: string; wrapped_key: string; kid: string }[] | null
}

/** Takes due attempts, each for `takeMs`. */
export async function takeEvents(
  db: Db,
  t: { limitRows: number; atOnce: number; takeMs: number },
): Promise<TakenEvent[]> {
  const rows = await db.once<TakenRow>(
    (sql) => sql`
      select * from gate.take_events(
        p_limit => ${t.limitRows}, p_at_once => ${t.atOnce}, p_take_ms => ${t.takeMs})`,
  )
  return rows.map(({ secrets, ...row }) => ({
    ...row,
    secrets: (secrets ?? []).map((one) => ({
      secretId: one.secret_id,
      ciphertext: Buffer.from(one.ciphertext, 'base64'),
      wrappedKey: Buffer.from(one.wrapped_key, 'base64'),
      kid: one.kid,
    })),
  }))
}

/** What an attempt came to. */
export interface AttemptRecord {
  outcome: 'delivered' | 'failed' | 'gone'
  /** When it is repeated; null: it is not. */
  againMs: number | null
  /** For how long nothing else is sent to the endpoint; null: it did not ask for time. */
  pauseMs: number | null
  status: number | null
  code: string | null
  ms: number
  answer: string | null
}

/** Records an attempt. @returns why its endpoint was turned off; null: it was not */
export async function recordAttempt(
  db: Db,
  r: Pick<TakenEvent, 'account_id' | 'endpoint_id' | 'event_id' | 'attempt'> &
    AttemptRecord & { offAfterMs: number },
): Promise<Exclude<OffReason, 'admin'> | null> {
  const rows = await db.run<{ off: Exclude<OffReason, 'admin'> | null }>(
    (sql) => sql`
      select gate.record_event_attempt(
        p_account => ${r.account_id}, p_endpoint => ${r.endpoint_id}, p_event_id => ${r.event_id},
        p_attempt => ${r.attempt}, p_outcome => ${r.outcome}, p_again_ms => ${r.againMs}, p_pause_ms => ${r.pauseMs},
        p_status => ${r.status}, p_code => ${r.code}, p_ms => ${r.ms}, p_answer => ${r.answer},
        p_off_after_ms => ${r.offAfterMs}) as off`,
  )
  return rows[0]!.off
}

/** Deletes what ended `keepMs` ago, of accounts that were not looked at for `everyMs`. Returns how many. */
export async function clearEvents(
  db: Db,
  c: { keepMs: number; everyMs: number; limitRows: number },
): Promise<number> {
  const rows = await db.once<{ cleared: number }>(
    (sql) => sql`
      select gate.clear_events(
        p_keep_ms => ${c.keepMs}, p_every_ms => ${c.everyMs}, p_limit => ${c.limitRows}) as cleared`,
  )
  return rows[0]!.cleared
}

/** An event for an endpoint, and its last attempt. */
export interface DeliveryRow {
  n: number
  event_id: string
  type: EventName
  at: Date
  action_id: number | null
  state: 'waiting' | 'delivered' | 'given_up'
  /** When it is sent next; of one that waits alone. */
  due_at: Date
  attempts: number
  attempted_at: Date | null
  status: number | null
  code: string | null
  ms: number | null
  answer: string | null
}

/** Deliveries to an endpoint, newest first, before the delivery `before`. */
export const listDeliveries = (
  db: Db,
  account: string,
  page: { endpointId: string; before: number | null; limitRows: number },
): Promise<DeliveryRow[]> =>
  db.read<DeliveryRow>(
    (sql) => sql`
      select d.*, a.* from gate.tenant(${account}) t(id),
      lateral (
        select n, event_id, type, at, action_id, state, due_at, attempts from gate.event_delivery
        where account_id = t.id and endpoint_id = ${page.endpointId} and (${page.before}::bigint is null or n < ${page.before})
        order by n desc
        limit ${page.limitRows}
      ) d
      left join lateral (
        select at as attempted_at, status, code, ms, answer from gate.event_attempt
        where account_id = t.id and endpoint_id = ${page.endpointId} and event_id = d.event_id
        order by n desc
        limit 1
      ) a on true
      order by d.n desc`,
  )

/** Queues a test. */
export async function testEndpoint(
  db: Db,
  w: AdminWrite & { endpointId: string },
): Promise<{ outcome: 'queued' | 'missing' | 'off'; event_id: string | null }> {
  const rows = await db.run<{ outcome: 'queued' | 'missing' | 'off'; event_id: string | null }>(
    (sql) => sql`
      select * from gate.test_endpoint(
        p_account => ${w.account}, p_session => ${w.session}, p_endpoint => ${w.endpointId}, p_event => ${w.eventId})`,
  )
  return rows[0]!
}

export interface Replayed {
  outcome: 'queued' | 'missing' | 'off' | 'unknown'
  queued: number
  /** Where to go on, if there is more. */
  next_from: Date | null
}

/** Queues one event again, or all since a moment. */
export async function replayEvents(
  db: Db,
  r: AdminWrite & { endpointId: string; limitRows: number } & (
      | { eventOfEndpoint: string; from: null }
      | { eventOfEndpoint: null; from: Date }
    ),
): Promise<Replayed> {
  const rows = await db.run<Replayed>(
    (sql) => sql`
      select * from gate.replay_events(
        p_account => ${r.account}, p_session => ${r.session}, p_endpoint => ${r.endpointId},
        p_event_id => ${r.eventOfEndpoint}, p_from => ${r.from}, p_limit => ${r.limitRows})`,
  )
  return rows[0]!
}
