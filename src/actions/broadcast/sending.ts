import type { StartedAction } from '../../db/queries/actions/execution.ts'
import type { Outlet } from '../../gate/reach.ts'
import { type SliceRecord, stepDelivery } from '../../db/queries/actions/deliveries.ts'
import type { ClaimGate } from '../../providers/claim-gate.ts'
import type { DeliveryChannel, UnreadableChannel, Waits } from '../../providers/ports.ts'
import type { KindDeps } from '../kind-deps.ts'
import type { StepContext } from '../kind.ts'

/** How long a delivery inside a workflow task waits for the rate limit. */
const briefTurnMs = 5_000

/** What all slices of a step share. */
export interface Sending {
  deps: KindDeps
  row: StartedAction
  channelName: Outlet
  channel: AnyChannel
  context: StepContext
}

export type AnyChannel = DeliveryChannel | UnreadableChannel | undefined

export const isUnreadable = (channel: AnyChannel): channel is UnreadableChannel =>
  channel !== undefined && 'unreadable' in channel

/** How long a step may wait for a provider's rate limit. */
export const waitsOf = ({ signal, isBrief }: StepContext): Waits => ({
  signal,
  ...(isBrief ? { turnMs: briefTurnMs } : {}),
})

/** Where claims wait for their turn. A small broadcast is claimed at once: its slice waits for a few seconds at most. */
export const gateOf = ({ channel, context }: Sending): ClaimGate | undefined =>
  !channel || isUnreadable(channel) || context.isBrief ? undefined : channel.claimGate

/** Records a slice by itself. */
export async function write({ deps, row, channelName }: Sending, record: SliceRecord): Promise<void> {
  const { account_id: account, id } = row
  await stepDelivery(deps.db, { account, id, channel: channelName, record, claim: null })
}
