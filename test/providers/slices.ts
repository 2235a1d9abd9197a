import { randomUUID } from 'node:crypto'
import type { Fault } from '../support/fault-provider.ts'
import type { DeliveryChannel, DeliveryOutcome, SliceToSend } from '../../src/providers/ports.ts'

interface SliceParts {
  addresses?: string[]
  text?: string
  proposerName?: string
  key?: string
  attemptedAt?: Date
  signal?: AbortSignal
}

/** A slice as the delivery activity makes it, to one person unless addresses are given. */
export function sliceFor(channel: DeliveryChannel, parts: SliceParts = {}): SliceToSend {
  const { text = 'The office is closed on Friday.', proposerName = 'Ada', signal } = parts
  const addresses = parts.addresses ?? [channel.channel === 'slack' ? 'UADA' : 'ada@example.com']
  return {
    key: parts.key ?? `act_${randomUUID()}_${channel.channel}_0`,
    message: channel.freeze({ text, proposerName, accountName: 'Acme', actionNumber: 42 }),
    recipients: addresses.map((address) => ({ deliveryId: randomUUID(), address })),
    attemptedAt: parts.attemptedAt ?? new Date(),
    ...(signal ? { signal } : {}),
  }
}

export async function outcomesOf(
  answer: Promise<{ outcomes: DeliveryOutcome[] }>,
): Promise<DeliveryOutcome[]> {
  return (await answer).outcomes
}

export async function firstOutcome(
  answer: Promise<{ outcomes: DeliveryOutcome[] }>,
): Promise<DeliveryOutcome> {
  return (await answer).outcomes[0]!
}

/** The same outcome for so many recipients. */
export function times<T extends object>(count: number, outcome: T): T[] {
  return Array.from({ length: count }, () => ({ ...outcome }))
}

/** Long enough for a busy machine to answer, short where no answer will come. */
export function timeoutMsFor(fault: Fault): number {
  return fault.kind === 'hang' || fault.kind === 'drip' ? 1_000 : 20_000
}
