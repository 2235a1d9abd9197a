/** The HTTP status of each error code. Over MCP every error is an `isError` result with the same fields. */
export const httpStatusOf = {
  malformed: 400,
  unauthenticated: 401,
  not_proposer: 403,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  request_timeout: 408,
  conflict: 409,
  gone: 410,
  too_large: 413,
  unsupported_media: 415,
  invalid: 422,
  too_many: 429,
  headers_too_large: 431,
  internal: 500,
  unavailable: 503,
} as const

export type ErrorCode = keyof typeof httpStatusOf

/**
 * Codes for programs that must tell errors of one status apart, with the error code of each. Where one applies, callers see
 * it as `code` instead.
 * @source docs/rest.md#handle-an-error
 */
export const codeOfDetail = {
  key_power_missing: 'forbidden',
  key_kind_not_allowed: 'forbidden',
  key_member_not_allowed: 'forbidden',
  key_network_not_allowed: 'forbidden',
  claim_not_held: 'forbidden',
  already_decided: 'conflict',
  expired: 'conflict',
  digest_mismatch: 'conflict',
  account_suspended: 'conflict',
  decided_by_link: 'conflict',
  identity_unsettled: 'conflict',
  provider_not_connected: 'conflict',
  provider_key_refused: 'conflict',
  not_sealed: 'conflict',
  already_claimed: 'conflict',
  not_claimable: 'conflict',
  claim_ended: 'conflict',
  idempotency_key_reused: 'invalid',
  rate_limited: 'too_many',
  open_proposals_limit: 'too_many',
  consent_requests_limit: 'too_many',
  previews_limit: 'too_many',
  admin_calls_limit: 'too_many',
  outcome_unknown: 'unavailable',
} as const satisfies Record<string, ErrorCode>

export type ErrorDetail = keyof typeof codeOfDetail

/** The `code` that callers see: a closed union. */
export const publishedCodes = [...keysOf(httpStatusOf), ...keysOf(codeOfDetail)] as const
export type PublishedCode = ErrorCode | ErrorDetail

/** The HTTP status of a published code. */
export const statusOf = (code: PublishedCode): number =>
  httpStatusOf[code in codeOfDetail ? codeOfDetail[code as ErrorDetail] : (code as ErrorCode)]

/** One invalid field of an input. */
export interface InputProblem {
  /** A dotted path such as `payload.message`; undefined where it concerns the whole input. */
  param: string | undefined
  /** What the sentence begins with: the field; undefined where `says` names it. */
  subject: string | undefined
  /** Such as `must have at most 80 characters`. */
  says: string
}

interface ErrorOptions {
  param?: string | undefined
  problems?: InputProblem[] | undefined
  detail?: ErrorDetail | undefined
  retryAfterSeconds?: number | undefined
}

/**
 * An error for the caller: a code, and a sentence that says what to do next. Every other error is answered as an internal
 * error and logged.
 */
export class GateError extends Error {
  /** Decides the status. */
  readonly code: ErrorCode
  /** What callers see as `code`. */
  readonly publishedCode: PublishedCode
  readonly retryAfterSeconds: number | undefined
  /** The field that was wrong, as a dotted path such as `payload.message`. */
  readonly param: string | undefined
  /** Every field that was wrong, where the sentence names several in one: for forms, which tell each at its field. */
  readonly problems: readonly InputProblem[]

  constructor(code: ErrorCode, sentence: string, options: ErrorOptions = {}) {
    super(sentence)
    this.name = 'GateError'
    this.code = code
    this.publishedCode = options.detail ?? code
    this.retryAfterSeconds = options.retryAfterSeconds
    this.param = options.param
    this.problems = options.problems ?? []
    if (options.detail && codeOfDetail[options.detail] !== code)
      throw new TypeError(`${options.detail} is no detail of ${code}`)
  }
}

/** A key cannot be decrypted now; it may be later. What is wrong otherwise is no such error. */
export class KeyUnreadable extends Error {}

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
      detail: 'outcome_unknown',
      retryAfterSeconds: 1,
    })
  }
}

/** Whether an error says that its request may have been done. */
export const isOutcomeUnknown = (error: unknown): boolean =>
  error instanceof GateError && error.publishedCode === 'outcome_unknown'

function keysOf<Key extends string>(record: Record<Key, unknown>): Key[] {
  return Object.keys(record) as Key[]
}
