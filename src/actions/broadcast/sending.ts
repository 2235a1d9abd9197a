import type { StartedAction } from '../../db/queries/actions/execution.ts'
import type { Channel } from '../../gate/reach.ts'
import { limits } from '../../limits.ts'
import type { DeliveryChannel, UnreadableChannel, Waits } from '../../providers/ports.ts'
import type { KindDeps } from '../kind-deps.ts'
import type { StepContext } from '../kind.ts'

/** What all slices of a step share. */
export interface Sending {
  deps: KindDeps
  row: StartedAction
  channelName: Channel
  channel: AnyChannel
  context: StepContext
}

export type AnyChannel = DeliveryChannel | UnreadableChannel | undefined

export const isUnreadable = (channel: AnyChannel): channel is UnreadableChannel =>
  channel !== undefined && 'unreadable' in channel

/** How long a step may wait for a provider's rate limit. */
export const waitsOf = ({ signal, isBrief }: StepContext): Waits => ({
  signal,
  ...(isBrief ? { turnMs: limits.briefTurnMs } : {}),
})
