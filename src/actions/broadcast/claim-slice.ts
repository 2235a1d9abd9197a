import { type DeliveryRow, type SliceRecord, stepDelivery } from '../../db/queries/actions/deliveries.ts'
import type { StartedAction } from '../../db/queries/actions/execution.ts'
import { limits } from '../../limits.ts'
import type { NotDoneByAddress } from '../../providers/ports.ts'
import { type AnyChannel, type Sending, isUnreadable, waitsOf } from './sending.ts'

/** A slice to send. `wasSending`: an earlier send of it may have happened. */
export interface Claimed {
  delivery: DeliveryRow
  wasSending: boolean
  /** Recipients that cannot be sent to now. */
  notDone: NotDoneByAddress
}

/**
 * Claims a slice and records the one before it, in one statement. Where its addresses must be looked up first, another
 * statement goes before: a worker that dies during the lookup has claimed nothing, so nothing is unknown.
 * @returns what claims one slice; null where nothing is left of it to send
 */
export function claimOf(sending: Sending) {
  const { deps, row, channelName, channel, context } = sending
  const message = messageToFreeze(channel, row)
  const book = channel && !isUnreadable(channel) ? channel.addressBook : undefined
  const step = (slice: number, record: SliceRecord | null, frozen: string | null) =>
    stepDelivery(deps.db, {
      account: row.account_id,
      id: row.id,
      channel: channelName,
      record,
      claim: { slice, sliceMax: limits.sliceRecipientsMax[channelName], message: frozen },
    })
  return async (slice: number, record: SliceRecord | null): Promise<Claimed | null> => {
    const group = `${row.account_id} ${row.recipients?.toString('hex')} ${slice}`
    const isLookUp = book !== undefined && !book.knows(group)
    let notDone: NotDoneByAddress = new Map()
    let claimed = await step(slice, record, isLookUp ? null : message)
    if (claimed.outcome === 'look_up') {
      notDone = await book!.lookUp(group, addressesToSend(claimed.delivery), waitsOf(context))
      if (context.signal.aborted) return null
      claimed = await step(slice, null, message)
    }
    return claimed.outcome === 'send' ? { ...claimed, notDone } : null
  }
}

/** The places of a slice that are sent to now. */
export const placesToSend = ({ states }: DeliveryRow): number[] =>
  states.flatMap((state, place) => (state === 'sending' ? [place] : []))

const addressesToSend = (delivery: DeliveryRow): string[] =>
  placesToSend(delivery).map((place) => delivery.addresses[place]!)

/** The message as this channel sends it, with its credential; stored with the slice when it is claimed. */
function messageToFreeze(channel: AnyChannel, row: StartedAction): string {
  if (!channel || isUnreadable(channel)) return '{}'
  const text = String(row.payload['message'])
  const frozen = channel.freeze({
    text,
    proposerName: row.proposer_name,
    accountName: row.account_name,
    actionNumber: row.id,
  })
  return JSON.stringify({ ...frozen, credential: channel.credential })
}
