import type { StripeCall, StripeEndpoint, StripeOutcome } from './endpoint.ts'
import { errorBody, StripeRefusal } from './errors.ts'
import { expandAnswer } from './expand.ts'
import { requestHash, stripeKeys } from './idempotency.ts'
import type { Form } from './parameters.ts'
import type { StripeLine, StripeStore } from './store.ts'

export interface StripeRequest extends StripeCall {
  path: string
  form: Form
  requestId: string
  /** The idempotency key of a POST, if any. */
  key?: string | undefined
  /** Owns the key while the request is running. */
  holder: object
}

export interface StripeAnswer {
  status: number
  body: object
  /** The first request with this answer, where the answer is a replay. */
  originalRequest?: string
}

/** Answers requests. The created objects, the answer and the key are stored together or not at all. */
export function stripeAnswers(store: StripeStore) {
  const keys = stripeKeys(store)
  return { answer, release: keys.release }

  /** @throws StripeRefusal where the request is refused before it executes */
  function answer(endpoint: StripeEndpoint, request: StripeRequest): StripeAnswer {
    const { key, path, form, holder, requestId } = request
    if (key === undefined) return execute(endpoint, request)
    const kept = keys.claim({ key, path, form }, holder)
    if (kept) return { status: kept.status, body: kept.body as object, originalRequest: kept.requestId }
    return execute(endpoint, request, (given) => ({
      key,
      answer: { ...given, path, requestId, requestHash: requestHash(form) },
    }))
  }

  function execute(
    endpoint: StripeEndpoint,
    request: StripeRequest,
    keep: (answer: StripeAnswer) => StripeLine = () => ({}),
  ): StripeAnswer {
    const execute = endpoint.check(request.form)
    try {
      const outcome = execute(request, store)
      const given = { status: 200, body: answerBody(outcome, request.form) }
      commit(outcome, keep(given))
      return given
    } catch (error) {
      if (!(error instanceof StripeRefusal)) throw error
      const given = { status: error.status, body: errorBody(error.problem) }
      commit({}, keep(given))
      return given
    }
  }

  function answerBody({ body, put = [] }: StripeOutcome, form: Form): object {
    const paths = (form['expand'] ?? []) as string[]
    return expandAnswer(body, paths, (id) => put.find((object) => object.id === id) ?? store.findAny(id))
  }

  function commit({ put, operation }: Omit<StripeOutcome, 'body'>, kept: StripeLine): void {
    if (!put && !kept.key) return
    const made = put ? { put } : {}
    const shown = operation ? { operation: { ...operation, at: new Date().toISOString() } } : {}
    store.append({ ...made, ...shown, ...kept })
  }
}
