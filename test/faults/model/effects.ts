import type { System } from '../system/system.ts'
import type { Demand, Row, Stored } from './record.ts'
import { grouped, markerOf } from './writes.ts'

interface Effect {
  channel: 'slack' | 'email'
  to: string
  text: string
}

/** What the stand-ins have done: at most once, only for what was consented to, and exactly as the rows say. */
export function judgeEffects(system: System, { rows }: Stored, demand: Demand): void {
  const sent = messagesOf(system)
  const times = grouped(sent, ({ channel, to, text }) => `${channel} ${to} ${text}`)
  for (const [what, each] of times)
    demand(each.length === 1, 'no message arrives twice', () => [what, each.length])
  const byMarker = grouped(sent, ({ text }) => /mark-\d+-end/.exec(text)?.[0] ?? '')
  for (const row of rows.filter(({ kind }) => kind === 'broadcast'))
    judgeBroadcast(row, byMarker.get(markerOf(row)) ?? [], demand)
  const operations = grouped(operationsOf(system), ({ action }) => action)
  const known = new Set(rows.map(({ uuid }) => uuid))
  for (const [action, each] of operations) {
    demand(each.length === 1, 'no money moves twice', () => [action, each])
    demand(known.has(action), 'money moves only for a row', () => each)
  }
  for (const row of rows.filter(({ kind }) => moneyKinds.has(kind))) {
    const done = operations.get(row.uuid) ?? []
    judgeMoney(row, done.length, demand)
    // Of what a member lowered, too.
    for (const { cents } of row.kind === 'refund' || row.kind === 'payout' ? done : [])
      demand(cents === row.payload['amount_cents'], 'as much money moves as was consented to', () => [
        row,
        cents,
      ])
  }
}

const moneyKinds = new Set(['refund', 'payout', 'checkout', 'subscription_cancellation'])

/** Broadcasts that arrived; requests to decide are no effects. */
function messagesOf({ service: { provider } }: System): Effect[] {
  const isBroadcast = (text: string) => /mark-\d+-end to everybody\./.test(text)
  const slack = provider.slackMessages
    .filter(({ text, metadata }) => isBroadcast(text) && hasDelivery(metadata))
    .map(({ channel, text }) => ({ channel: 'slack' as const, to: channel, text }))
  const email = provider.emails
    .filter(({ text }) => isBroadcast(text) && !text.includes('/decide/'))
    .map(({ to, text }) => ({ channel: 'email' as const, to, text }))
  return [...slack, ...email]
}

const hasDelivery = (metadata: unknown) =>
  (metadata as { event_payload?: { delivery_id?: string } }).event_payload?.delivery_id !== undefined

/** What the members of this workload add to a message: see `changesOn`. */
const changed = (text: unknown) => / Changed \d+\./.exec(String(text))?.[0]

function judgeBroadcast(row: Row, sent: Effect[], demand: Demand): void {
  const name = [row.account_id, row.id, row.status, row.result, sent.length]
  const isSame = sent.every(({ text }) => changed(text) === changed(row.payload['message']))
  demand(isSame, 'the message that arrives is the one that was consented to', () => [row, sent])
  if (row.status !== 'executed') {
    const mayHave = row.status === 'proposed' && row.decision === 'confirm'
    demand(mayHave || sent.length === 0, 'nothing arrives of what was not executed', () => name)
    return
  }
  const { slack, email, unreachable, failed, unknown } = row.result!
  for (const [channel, counted] of Object.entries({ slack, email }) as ['slack' | 'email', number][]) {
    const arrived = sent.filter((one) => one.channel === channel).length
    const isHonest = arrived >= counted && arrived <= counted + unknown[channel]
    demand(
      isHonest,
      'what is counted as delivered arrived, and the rest is told as unknown or failed',
      () => [...name, channel, arrived],
    )
  }
  const total = slack + email + unreachable + failed.slack + failed.email + unknown.slack + unknown.email
  const reach = row.reach_slack + row.reach_email + row.reach_unreachable
  demand(total === reach, 'every recipient is counted once', () => name)
}

function judgeMoney(row: Row, done: number, demand: Demand): void {
  const name = () => [row.account_id, row.id, row.kind, row.status, row.decision, row.result, done]
  if (row.status === 'executed' && row.result!['outcome'] === 'done')
    return demand(done === 1, 'what is done was done exactly once', name)
  if (row.status === 'executed')
    return demand(row.result!['outcome'] === 'unknown', 'what was perhaps done is told as unknown', name)
  const mayHave = row.status === 'proposed' && row.decision === 'confirm'
  demand(mayHave || done === 0, 'no money moves for what was not executed', name)
}

/** What Stripe has done, by the row that it carries. */
function operationsOf({ stripe }: System): { action: string; id: string; cents?: number }[] {
  const created = ['refund', 'payout', 'checkout.session'].flatMap((type) =>
    stripe
      .ofType(type)
      .map(({ id, metadata, amount }) => ({ action: String(metadata.action_id), id, cents: amount })),
  )
  const cancelled = stripe.ofType('subscription').flatMap(({ id, metadata, cancellation_details }) => {
    const action = /[0-9a-f-]{36}/.exec(
      `${metadata?.action_id ?? ''} ${cancellation_details?.comment ?? ''}`,
    )?.[0]
    return action ? [{ action, id }] : []
  })
  return [...created, ...cancelled]
}
