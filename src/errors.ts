/** How each refusal reads over HTTP. Over MCP every one of them is an `isError` result with the same sentence. */
export const httpStatusOf = {
  malformed: 400,
  unauthenticated: 401,
  not_proposer: 403,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  conflict: 409,
  gone: 410,
  too_large: 413,
  unsupported_media: 415,
  invalid: 422,
  too_many: 429,
  unavailable: 503,
} as const

export type ErrorCode = keyof typeof httpStatusOf

/**
 * A refusal that the caller may read: a closed code and a sentence that says what to do next.
 * Anything else that is thrown is answered as an internal error and only logged.
 */
export class GateError extends Error {
  readonly code: ErrorCode
  readonly retryAfterSeconds: number | undefined

  constructor(code: ErrorCode, sentence: string, retryAfterSeconds?: number) {
    super(sentence)
    this.name = 'GateError'
    this.code = code
    this.retryAfterSeconds = retryAfterSeconds
  }
}

/** The refusal where a write may have been done, and its answer was lost: whoever repeats it must look first. */
export class OutcomeUnknown extends GateError {
  /**
   * @param what  as in `this confirm`
   * @param advice  where to look, or how to repeat it safely
   */
  constructor(what = 'this request', advice = 'Check the current state before you repeat it.') {
    super('unavailable', `The database connection was lost. The outcome of ${what} is unknown. ${advice}`, 1)
  }
}
