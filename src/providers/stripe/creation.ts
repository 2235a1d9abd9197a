import type { Stripe } from 'stripe'
import type { BillingCall, BillingOutcome } from '../billing.ts'

export type CreatingCall = Exclude<BillingCall, { type: 'cancel_subscription' }>
export type CallOf<Type extends CreatingCall['type']> = Extract<CreatingCall, { type: Type }>
export type Created = Extract<BillingOutcome, { state: 'ok' }>

/** What a frozen call makes at Stripe: how it is made, where it is found again, and how it is known. */
export interface Creation {
  create(stripe: Stripe, options: { idempotencyKey: string }): Promise<unknown>
  /** A page of all that may be it, newest first. `since`: seconds since 1970. */
  list(stripe: Stripe, page: { limit: number; starting_after?: string }, since: number): Promise<unknown>
  /**
   * Reads an answer, made or found.
   * @throws UnexpectedAnswer unless it is, to the cent, what was asked for
   */
  readAnswer(answer: unknown): Created
}
