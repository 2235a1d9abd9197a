import { hashOf } from '../message-store.ts'
import { idempotencyError, invalidRequest } from './errors.ts'
import { canonicalForm, type Form } from './parameters.ts'
import type { KeptStripeAnswer, StripeStore } from './store.ts'
import { limits } from '../../../src/limits.ts'

interface Keyed {
  key: string
  path: string
  form: Form
}

/**
 * The keys in use and the stored answers of earlier keys.
 * @source Stripe's API reference, idempotent requests: a key belongs to one endpoint and its parameters; answers of
 * executed requests are stored, including errors; two concurrent requests conflict
 */
export function stripeKeys(store: StripeStore) {
  const holders = new Map<string, object>()
  return {
    /**
     * @param holder  owns the key from now on, unless an answer is returned
     * @returns the answer to replay; undefined where the request must be executed
     * @throws StripeRefusal for a key that is too long, in use, or was used for another request
     */
    claim({ key, path, form }: Keyed, holder: object): KeptStripeAnswer | undefined {
      if (key.length < 1 || key.length > limits.idempotencyKeyCharsMax)
        throw invalidRequest(`Idempotency keys must have 1 to ${limits.idempotencyKeyCharsMax} characters.`)
      if (holders.has(key))
        throw invalidRequest(
          `There is currently another in-progress request using this Idempotent Key (that probably means you submitted twice, and the other request is still going through): ${key}. Please try again later.`,
          { status: 409, code: 'idempotency_key_in_use' },
        )
      const kept = store.answerTo(key)
      if (!kept) return void holders.set(key, holder)
      const other = `Try using a key other than '${key}' if you meant to execute a different request.`
      if (kept.path !== path)
        throw idempotencyError(
          `Keys for idempotent requests can only be used for the same endpoint they were first used for ('${kept.path}' vs '${path}'). ${other}`,
        )
      if (kept.requestHash !== requestHash(form))
        throw idempotencyError(
          `Keys for idempotent requests can only be used with the same parameters they were first used with. ${other}`,
        )
      return kept
    },

    /** Call when the holder is answered. */
    release(key: string | undefined, holder: object): void {
      if (key !== undefined && holders.get(key) === holder) holders.delete(key)
    },
  }
}

export function requestHash(form: Form): string {
  return hashOf(canonicalForm(form))
}
