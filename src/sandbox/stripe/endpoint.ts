import type { z } from 'zod'
import type { StripeObject } from './objects.ts'
import { type Form, readParameters } from './parameters.ts'
import type { StripeOperation, StripeStore } from './store.ts'

/** What a request gives apart from its parameters. */
export interface StripeCall {
  /** The object that the address names; '' where it names none. */
  id: string
  /** Where the stand-in was called: `http://127.0.0.1:8799`. */
  origin: string
}

/** What a request comes to, before anything is stored. */
export interface StripeOutcome {
  body: object
  /** Made or changed. */
  put?: StripeObject[]
  operation?: Omit<StripeOperation, 'at'>
}

export interface StripeEndpoint {
  method: 'GET' | 'POST' | 'DELETE'
  /** Below `/v1`. */
  path: string
  /**
   * Validates the parameters; what is returned executes. Both throw StripeRefusal, and the difference matters to
   * repeated keys: the answer of an execution is kept, that of a validation is not.
   */
  check(form: Form): (call: StripeCall, store: StripeStore) => StripeOutcome
}

/** @param run executes, without a change to anything: what it made is stored together with its answer */
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
