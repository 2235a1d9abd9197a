import type { Outlet } from '../../../gate/reach.ts'
import type { Db } from '../../connect.ts'

export type DeliveryState = 'pending' | 'sending' | 'ok' | 'failed' | 'unknown' | 'unreachable'

/** One slice of a broadcast. The arrays are parallel, with one element per recipient. */
export interface DeliveryRow {
  channel: Outlet
  slice: number
  members: string[]
  addresses: string[]
  states: DeliveryState[]
  provider_ids: string[]
  codes: string[]
  message: Record<string, string> | null
  attempt: number
  round: number
  attempted_at: Date
}

/** Splits an action's frozen recipients into slices, once. */
export async function layOutDeliveries(
  db: Db,
  account: string,
  id: number,
  sliceMax: Record<'slack' | 'email', number>,
): Promise<{ channel: Outlet; slices: number }[]> {
  return db.run(
    (sql) => sql`
      select channel, slices from gate.lay_out_deliveries(
        p_account => ${account}, p_id => ${id}, p_slack_max => ${sliceMax.slack}, p_email_max => ${sliceMax.email})`,
  )
}

/** The outcomes of one attempt, to be recorded. */
export type SliceRecord = Pick<DeliveryRow, 'slice' | 'attempt' | 'states' | 'provider_ids' | 'codes'>

export interface Step {
  account: string
  id: number
  channel: Outlet
  record: SliceRecord | null
  /**
   * The next slice to claim, with the message to store in it, and the slice size if there are no slices yet. Without a message
   * it is claimed only if an earlier attempt left it unfinished. Where its `claim` is an id of its own, a repeat after a lost
   * answer is no second attempt. `most`: how many of its recipients; absent: all.
   */
  claim: { slice: number; sliceMax: number; message: string | null; most?: number } | null
}

/** `look_up`: nothing is claimed; the delivery shows as `sending` whom a claim would send to. */
export type StepOutcome =
  | { outcome: 'send'; delivery: DeliveryRow; wasSending: boolean; isSuspended: boolean }
  | { outcome: 'look_up'; delivery: DeliveryRow }
  | { outcome: 'done' | 'suspended' }

type StepRow = DeliveryRow & {
  outcome: StepOutcome['outcome']
  was_sending: boolean
  is_suspended: boolean | null
}

/** Records one slice and claims another, in one statement. Claims of an action that come together share theirs. */
export async function stepDelivery(db: Db, s: Step): Promise<StepOutcome> {
  const { claim, record } = s
  if (!record && claim?.message)
    return claimTogether(db, { ...s, claim: { ...claim, message: claim.message } })
  const rows = await db.run<StepRow>(
    (sql) => sql`
      select r.outcome, r.was_sending, r.is_suspended, (r.delivery).* from gate.step_delivery(
        p_account => ${s.account}, p_id => ${s.id}, p_channel => ${s.channel},
        p_record => ${s.record?.slice ?? null}, p_attempt => ${s.record?.attempt ?? null},
        p_states => ${s.record?.states ?? null}, p_provider_ids => ${s.record?.provider_ids ?? null},
        p_codes => ${s.record?.codes ?? null},
        p_slice => ${s.claim?.slice ?? null}, p_slice_max => ${s.claim?.sliceMax ?? null}, p_message => ${s.claim?.message ?? null},
        p_most => ${s.claim?.most ?? null}) r`,
  )
  return stepOutcome(rows[0]!)
}

type Claim = Step & { claim: NonNullable<Step['claim']> & { message: string } }
interface Waiting {
  claim: Claim
  resolve(outcome: StepOutcome): void
  reject(error: unknown): void
}

const waitingOf = new WeakMap<Db, Map<string, Waiting[]>>()

/** Claims what is asked for one action until the event loop comes round: one commit for the channels of a small broadcast. */
function claimTogether(db: Db, claim: Claim): Promise<StepOutcome> {
  const ofDb = waitingOf.get(db) ?? new Map<string, Waiting[]>()
  waitingOf.set(db, ofDb)
  const action = `${claim.account} ${claim.id}`
  return new Promise((resolve, reject) => {
    const waiting = ofDb.get(action) ?? []
    waiting.push({ claim, resolve, reject })
    if (waiting.length > 1) return
    ofDb.set(action, waiting)
    setImmediate(() => {
      ofDb.delete(action)
      claimAll(
        db,
        waiting.map((one) => one.claim),
      ).then(
        (outcomes) => waiting.forEach((one, n) => one.resolve(outcomes[n]!)),
        (error: unknown) => waiting.forEach((one) => one.reject(error)),
      )
    })
  })
}

async function claimAll(db: Db, claims: Claim[]): Promise<StepOutcome[]> {
  const { account, id } = claims[0]!
  const rows = await db.run<StepRow>(
    (sql) => sql`
      select r.outcome, r.was_sending, r.is_suspended, (r.delivery).*
      from unnest(
        ${claims.map((c) => c.channel)}::text[], ${claims.map((c) => String(c.claim.slice))}::text[],
        ${claims.map((c) => String(c.claim.sliceMax))}::text[], ${claims.map((c) => c.claim.message)}::text[],
        ${claims.map((c) => String(c.claim.most ?? ''))}::text[]
      ) with ordinality c(channel, slice, slice_max, message, most, n),
      lateral gate.step_delivery(
        p_account => ${account}, p_id => ${id}, p_channel => c.channel, p_record => null, p_attempt => null, p_states => null,
        p_provider_ids => null, p_codes => null, p_slice => c.slice::integer, p_slice_max => c.slice_max::integer,
        p_message => c.message, p_most => nullif(c.most, '')::integer) r
      order by c.n`,
  )
  return rows.map(stepOutcome)
}

function stepOutcome({ outcome, was_sending, is_suspended, ...delivery }: StepRow): StepOutcome {
  if (outcome === 'send')
    return { outcome, delivery, wasSending: was_sending, isSuspended: is_suspended === true }
  return outcome === 'look_up' ? { outcome, delivery } : { outcome }
}

export interface DeliveryCount {
  channel: Outlet
  state: DeliveryState
  count: number
  is_stopped: boolean
}

/** Recipient counts by channel and state. */
export async function countDeliveries(
  db: Db,
  account: string,
  id: number,
  slices?: { channel: string; from: number; to: number },
): Promise<DeliveryCount[]> {
  return db.read(
    (sql) => sql`
      select d.* from gate.tenant(${account}) t(id),
      lateral (
        select d.channel, u.state, count(*) as count, bool_or(u.code = 'account_suspended') as is_stopped
        from gate.delivery d cross join unnest(d.states, d.codes) u(state, code)
        where d.account_id = t.id and d.action_id = ${id}
          ${slices ? sql`and d.channel = ${slices.channel} and d.slice >= ${slices.from} and d.slice < ${slices.to}` : sql``}
        group by d.channel, u.state
      ) d`,
  )
}

/** Appends a `delivered` entry, once per event id. */
export async function noteDelivered(
  db: Db,
  entry: { account: string; id: number; eventId: string; step: string },
): Promise<void> {
  await db.run(
    (sql) => sql`
      select gate.note_delivered(
        p_account => ${entry.account}, p_id => ${entry.id}, p_event => ${entry.eventId}, p_step => ${entry.step})`,
  )
}
