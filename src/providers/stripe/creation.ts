import type { Stripe } from 'stripe'
import type { BillingCall, BillingOutcome } from '../billing.ts'

export type CreatingCall = Exclude<BillingCall, { type: 'cancel_subscription' }>
export type CallOf<Type extends CreatingCall['type']> = Extract<CreatingCall, { type: Type }>
export type Created = Extract<BillingOutcome, { state: 'ok' }>

/** An object that a frozen call creates at Stripe: how to create it, list it and read the answer. */
export interface Creation {
  create(stripe: Stripe, options: { idempotencyKey: string }): Promise<unknown>
  /** A page of candidates, newest first. `since`: seconds since 1970. */
  list(stripe: Stripe, page: { limit: number; starting_after?: string }, since: number): Promise<unknown>
  /**
   * Reads a created or found object.
   * @throws UnexpectedAnswer unless it matches the call to the cent
   */
  readAnswer(answer: unknown): Created
}
