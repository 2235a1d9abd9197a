/** The HTTP status of each error code. Over MCP every error is an `isError` result with the same sentence. */
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

interface ErrorOptions {
  param?: string | undefined
  retryAfterSeconds?: number | undefined
}

/**
 * An error for the caller: a code, and a sentence that says what to do next. Every other error is answered as an internal
 * error and logged.
 */
export class GateError extends Error {
  readonly code: ErrorCode
  readonly retryAfterSeconds: number | undefined
  /** The field that was wrong, as a dotted path such as `payload.message`. */
  readonly param: string | undefined

  constructor(code: ErrorCode, sentence: string, options: ErrorOptions = {}) {
    super(sentence)
    this.name = 'GateError'
    this.code = code
    this.retryAfterSeconds = options.retryAfterSeconds
    this.param = options.param
  }
}

/** A link that can no longer be used, and why. */
export class LinkGone extends GateError {
  readonly how: 'expired' | 'used' | 'decided' | 'invalid'

  constructor(how: LinkGone['how'], sentence: string) {
    super('gone', sentence)
    this.how = how
  }
}

/** A write whose answer was lost, so it may have been done: the caller must check before repeating it. */
export class OutcomeUnknown extends GateError {
  /**
   * @param what  the request, such as `this confirm`
   * @param advice  what to check, or how to repeat it safely
   */
  constructor(what = 'this request', advice = 'Check the current state before you repeat it.') {
    super('unavailable', `The database connection was lost. The outcome of ${what} is unknown. ${advice}`, {
      retryAfterSeconds: 1,
    })
  }
}
