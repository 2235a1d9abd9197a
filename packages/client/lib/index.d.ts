import type { Client } from 'openapi-fetch'
import type { components, paths } from './api.d.ts'

type Schemas = components['schemas']

/** The member you act for: by e-mail address, or by the id at a provider. */
export type Actor = Schemas['Actor']
export type Capability = Schemas['Capability']
/** An action, with its state and result. `payload` and `result` are as `PayloadOf` and `ResultOf` say for its kind. */
export type Action = Schemas['ActionRequest']
export type ClaimedAction = Schemas['ClaimedAction']

/** What the payload of a kind holds. */
export interface PayloadOf {
  broadcast: Schemas['BroadcastPayload']
  refund: Schemas['RefundPayload']
  payout: Schemas['PayoutPayload']
  checkout: Schemas['CheckoutPayload']
  subscription_cancellation: Schemas['SubscriptionCancellationPayload']
}
/** What the result of a kind holds. */
export interface ResultOf {
  broadcast: Schemas['BroadcastResult']
  refund: Schemas['RefundResult']
  payout: Schemas['PayoutResult']
  checkout: Schemas['CheckoutResult']
  subscription_cancellation: Schemas['SubscriptionCancellationResult']
}

/** What you propose. The gate checks the payload by its kind. */
export interface Proposal {
  kind: string
  actor: Actor
  payload: Record<string, unknown>
  /** Why, for the member. */
  rationale?: string
  /** The id of the action that this one answers: the member declined it. */
  replaces?: number
  /** Ask the member at once. */
  ask?: boolean
}

export interface CallOptions {
  signal?: AbortSignal
}

export interface WriteOptions extends CallOptions {
  /** The same key with the same request changes nothing twice, for 24 hours. Default: a new one a call. */
  idempotencyKey?: string
}

export interface ActOptions extends WriteOptions {
  /**
   * Asks the member yourself, with the action's `card` or payload, where the policy takes the agent's word: true confirms, false
   * cancels. Without it the gate asks the member.
   */
  confirm?: ((action: Action) => boolean | Promise<boolean>) | undefined
  /** Called once the gate has asked the member. */
  onWaiting?: ((action: Action) => unknown) | undefined
  /** How long to wait for the decision and the execution, milliseconds. Default: until the action ends. */
  timeoutMs?: number
}

/** Why an action is not done; see `NotDone`. */
export type NotDoneReason =
  | 'denied'
  | 'declined'
  | 'expired'
  | 'cancelled'
  | 'refused'
  | 'partial'
  | 'unknown'
  | 'nobody_asked'
  | 'open'

export type GatedFunction = (
  payload: Record<string, unknown>,
  options: ActOptions & { actor: Actor; rationale?: string },
) => Promise<unknown>

export interface Gate {
  /** Every address, typed. */
  api: Client<paths>
  /** What a member may do. */
  capability(
    member: { email: string } | { provider: 'email' | 'slack'; external_id: string },
    options?: CallOptions,
  ): Promise<Capability>
  /** Proposes an action of any kind. A denial is no error: see `status`. @throws GateError */
  propose(proposal: Proposal, options?: WriteOptions): Promise<Action>
  /** Confirms what the member has seen: the `digest` of the action binds it. @throws GateError */
  confirm(action: Pick<Action, 'id' | 'digest'>, actor: Actor, options?: WriteOptions): Promise<Action>
  /** @throws GateError */
  cancel(action: Pick<Action, 'id'>, actor: Actor, options?: WriteOptions): Promise<Action>
  /** Reads an action; `wait`: for its end, at most 50 seconds. @throws GateError */
  get(id: number, options?: CallOptions & { wait?: number }): Promise<Action>
  /** Every action that the filters match, page by page. @throws GateError */
  list(
    filters?: NonNullable<paths['/api/v1/actions']['get']['parameters']['query']>,
    options?: CallOptions,
  ): AsyncGenerator<Action, void, void>
  /** Waits until an action is executed, denied or cancelled; `timeoutMs`: then it comes as it is. @throws GateError */
  wait(action: Pick<Action, 'id'>, options?: CallOptions & { timeoutMs?: number }): Promise<Action>
  /** Proposes, has the member asked, waits, and gives the action once it is done. @throws NotDone, GateError */
  act(proposal: Proposal, options?: ActOptions): Promise<Action>
  /** Takes a consented action to execute it, once. @throws GateError */
  claim(action: Pick<Action, 'id'>, options?: CallOptions): Promise<ClaimedAction>
  /** Reports the outcome of a claimed action. @throws GateError */
  report(
    claimed: Pick<ClaimedAction, 'id' | 'claim'>,
    report: { outcome: 'done' | 'refused' | 'failed' | 'unknown'; result?: Record<string, unknown> },
    options?: CallOptions,
  ): Promise<Action>
  /**
   * A function of yours that runs only with the member's consent to its payload, once for each consent. `kind` is declared with
   * `"executor": {"type": "claim"}`. It gets the payload that the member consented to, which they may have changed. Throw `Refused`
   * where nothing happened; another error is reported as `unknown`, and is not repeated. @throws NotDone, GateError, and what it throws
   */
  gated<Payload extends Record<string, unknown>, Value>(
    kind: string,
    run: (payload: Payload, action: ClaimedAction) => Value | Promise<Value>,
  ): (payload: Payload, options: ActOptions & { actor: Actor; rationale?: string }) => Promise<Value>
}

/**
 * @param options.url  the gate's address, such as `https://gate.example.com`
 * @throws {TypeError} where `url` is no address or `key` cannot be a key
 */
export function createGate(options: { url: string; key: string; fetch?: typeof fetch }): Gate

/** A request that the gate refused. `code` is for programs, the message for people. */
export class GateError extends Error {
  constructor(
    body: { error: string; code: string; param?: string; request_id?: string },
    status: number,
    retryAfterMs?: number,
  )
  code: string
  status: number
  param: string | undefined
  requestId: string | undefined
  retryAfterMs: number | undefined
}

/** An action that did not happen, or not as proposed, or of which that is not known. `action` is as it ended. */
export class NotDone extends Error {
  constructor(reason: NotDoneReason, action: Action, says?: string)
  reason: NotDoneReason
  action: Action
}

/** For a function of yours: nothing happened, and this is why. */
export class Refused extends Error {}
