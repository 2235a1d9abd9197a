import { randomUUID } from 'node:crypto'
import {
  type DeliveryRow,
  type SliceRecord,
  type StepOutcome,
  stepDelivery,
} from '../../db/queries/actions/deliveries.ts'
import type { StartedAction } from '../../db/queries/actions/execution.ts'
import { canonical } from '../../gate/canonical.ts'
import { limits } from '../../limits.ts'
import type { ClaimGate } from '../../providers/claim-gate.ts'
import type { NotDoneByAddress } from '../../providers/ports.ts'
import { type AnyChannel, type Sending, gateOf, isUnreadable, waitsOf, write } from './sending.ts'

/** A slice to send. `wasSending`: an earlier send of it may have happened, which is only looked for while `isSuspended`. */
export interface Claimed {
  delivery: DeliveryRow
  wasSending: boolean
  isSuspended: boolean
  /** Its stored message is the one that the action has. Another one, which somebody may have put there, is not sent. */
  isOurs: boolean
  /** Recipients that cannot be sent to now. */
  notDone: NotDoneByAddress
}

/**
 * Claims a slice and records the one before it, in one statement. Where its addresses must be looked up first, another
 * statement goes before: a worker that dies during the lookup has claimed nothing, so nothing is unknown.
 * Under a rate limit, a large broadcast claims a slice in parts, each shortly before its turn.
 * @returns what claims one slice, or its next part; null where nothing is left of it to send
 */
export function claimOf(sending: Sending) {
  const { deps, row, channelName, channel, context } = sending
  const message = messageToFreeze(channel, row)
  const book = channel && !isUnreadable(channel) ? channel.addressBook : undefined
  const gate = gateOf(sending)
  /** The lookups of slices that are claimed in parts: a second lookup would tell nothing more. */
  const lookedUp = new Map<number, NotDoneByAddress>()
  const step = (slice: number, record: SliceRecord | null, frozen: string | null) =>
    stepDelivery(deps.db, {
      account: row.account_id,
      id: row.id,
      channel: channelName,
      record,
      claim: {
        slice,
        sliceMax: limits.sliceRecipientsMax[channelName],
        message: frozen,
        ...(gate && frozen !== null ? { most: gate.most } : {}),
      },
    })
  const claimedOf = (step: StepOutcome | null, notDone: NotDoneByAddress): Claimed | null =>
    step?.outcome === 'send'
      ? { ...step, notDone, isOurs: contentOf(step.delivery.message ?? {}) === contentOf(message) }
      : null
  return async (slice: number, given: SliceRecord | null): Promise<Claimed | null> => {
    const group = `${row.account_id} ${row.recipients?.toString('hex')} ${slice}`
    let record = given
    let notDone: NotDoneByAddress = lookedUp.get(slice) ?? new Map()
    if (book && !lookedUp.has(slice) && !book.knows(group)) {
      const found = await step(slice, record, null)
      record = null
      if (found.outcome !== 'look_up') return claimedOf(found, notDone)
      notDone = await book.lookUp(group, addressesToSend(found.delivery), waitsOf(context))
      if (context.signal.aborted) return null
      if (gate && isFinal(notDone)) lookedUp.set(slice, notDone)
    }
    const claim = () => step(slice, record, JSON.stringify({ ...message, claim: randomUUID() }))
    if (record && gate?.isShut()) {
      // Messages that have been sent are recorded before this waits.
      await write(sending, record)
      record = null
    }
    const claimed = await (gate ? within(gate, context.signal, claim) : claim())
    return claimedOf(claimed, notDone)
  }
}

/** Claims in turn. Those that are claimed leave the gate one by one, when they are sent to. */
async function within(
  gate: ClaimGate,
  signal: AbortSignal,
  claim: () => Promise<StepOutcome>,
): Promise<StepOutcome | null> {
  if (!(await gate.enter(signal))) return null
  let claimed = 0
  try {
    const outcome = await claim()
    if (outcome.outcome === 'send' && !outcome.wasSending) claimed = placesToSend(outcome.delivery).length
    return outcome
  } finally {
    gate.leave(gate.most - claimed)
  }
}

const isFinal = (notDone: NotDoneByAddress): boolean =>
  [...notDone.values()].every(({ retryAfterMs }) => retryAfterMs === undefined)

/** The places of a slice that are sent to now. */
export const placesToSend = ({ states }: DeliveryRow): number[] =>
  states.flatMap((state, place) => (state === 'sending' ? [place] : []))

const addressesToSend = (delivery: DeliveryRow): string[] =>
  placesToSend(delivery).map((place) => delivery.addresses[place]!)

/** All of a message but who claimed it. */
const contentOf = (message: Record<string, string>): string => canonical({ ...message, claim: undefined })

/** The message as this channel sends it, with its credential; stored with the slice when it is claimed. */
function messageToFreeze(channel: AnyChannel, row: StartedAction): Record<string, string> {
  if (!channel || isUnreadable(channel)) return {}
  const text = String(row.payload['message'])
  const frozen = channel.freeze({
    text,
    proposerName: row.proposer_name,
    accountName: row.account_name,
    actionNumber: row.id,
  })
  return { ...frozen, credential: channel.credential }
}
