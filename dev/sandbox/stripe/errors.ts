/** The error of a refused request. `param` as in the form: `line_items[0][price]`. */
export interface StripeProblem {
  type: 'invalid_request_error' | 'idempotency_error' | 'api_error'
  message: string
  code?: string
  param?: string
}

/** A refused request. */
export class StripeRefusal extends Error {
  readonly status: number
  readonly problem: StripeProblem

  constructor(status: number, problem: StripeProblem) {
    super(problem.message)
    this.status = status
    this.problem = problem
  }
}

/** The body of an error answer. */
export function errorBody({ code, ...problem }: StripeProblem): { error: object } {
  if (code === undefined) return { error: problem }
  const docUrl = `https://docs.stripe.com/error-codes#${code.replaceAll('_', '-')}`
  return { error: { code, doc_url: docUrl, ...problem } }
}

export function invalidRequest(
  message: string,
  { status = 400, ...named }: { code?: string; param?: string; status?: number } = {},
): StripeRefusal {
  return new StripeRefusal(status, { type: 'invalid_request_error', message, ...named })
}

/** A missing object: status 404 for an id in the address, 400 for an id in a parameter. */
export function noSuch(what: string, id: string, { param = 'id', status = 404 } = {}): StripeRefusal {
  return invalidRequest(`No such ${what}: '${id}'`, { code: 'resource_missing', param, status })
}

export function idempotencyError(message: string): StripeRefusal {
  return new StripeRefusal(400, { type: 'idempotency_error', message })
}

/**
 * Refuses anything but a secret or restricted key and, like the other simulated providers, a key that contains `invalid`.
 * @param authorization  `Bearer sk_…`, or Basic with the key as user
 * @throws StripeRefusal 401
 */
export function checkKey(authorization = ''): void {
  const [scheme = '', credential = ''] = authorization.split(' ')
  const key = /^basic$/i.test(scheme)
    ? Buffer.from(credential, 'base64').toString().split(':')[0]!
    : credential
  if (key === '') {
    throw invalidRequest(
      "You did not provide an API key. You need to provide your API key in the Authorization header, using Bearer auth (e.g. 'Authorization: Bearer YOUR_SECRET_KEY').",
      { status: 401 },
    )
  }
  if (/^(sk|rk)_\w+$/.test(key) && !key.includes('invalid')) return
  throw invalidRequest(`Invalid API Key provided: ${key.slice(0, 3)}****${key.slice(-4)}`, { status: 401 })
}
