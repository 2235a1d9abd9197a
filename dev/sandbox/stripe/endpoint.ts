import type { z } from 'zod'
import type { StripeObject } from './objects.ts'
import { type Form, readParameters } from './parameters.ts'
import type { StripeOperation, StripeStore } from './store.ts'

/** What a request contains besides its parameters. */
export interface StripeCall {
  /** The id in the address; '' without one. */
  id: string
  /** The origin of the request: `http://127.0.0.1:8799`. */
  origin: string
}

/** The result of a request, before anything is stored. */
export interface StripeOutcome {
  body: object
  /** Created or changed objects. */
  put?: StripeObject[]
  operation?: Omit<StripeOperation, 'at'>
}

export interface StripeEndpoint {
  method: 'GET' | 'POST' | 'DELETE'
  /** Below `/v1`. */
  path: string
  /**
   * Validates the parameters and returns a function that executes. Both throw StripeRefusal, with a difference for
   * repeated keys: errors of the execution are stored, errors of the validation are not.
   */
  check(form: Form): (call: StripeCall, store: StripeStore) => StripeOutcome
}

/** @param run computes the result without side effects; it is stored together with the answer */
export function endpoint<Schema extends z.ZodType>(
  method: StripeEndpoint['method'],
  path: string,
  parameters: Schema,
  run: (given: z.output<Schema>, call: StripeCall, store: StripeStore) => StripeOutcome,
): StripeEndpoint {
  return {
    method,
    path,
    check(form) {
      const given = readParameters(parameters, form)
      return (call, store) => run(given, call, store)
    },
  }
}
