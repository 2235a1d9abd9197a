/** A request that the gate refused. `code` is for programs, the message for people. */
export class GateError extends Error {
  /**
   * @param {{ error: string, code: string, param?: string, request_id?: string }} body
   * @param {number} status  of HTTP
   * @param {number} [retryAfterMs]
   */
  constructor(body, status, retryAfterMs) {
    super(body.error)
    this.name = 'GateError'
    this.code = body.code
    this.status = status
    this.param = body.param
    this.requestId = body.request_id
    this.retryAfterMs = retryAfterMs
  }
}

/** An action that did not happen, or not as proposed, or of which that is not known. `action` is as it ended. */
export class NotDone extends Error {
  /**
   * @param {import('./index.js').NotDoneReason} reason
   * @param {import('./index.js').Action} action
   * @param {string} [says]
   */
  constructor(reason, action, says) {
    super(says ?? sentences[reason](action))
    this.name = 'NotDone'
    this.reason = reason
    this.action = action
  }
}

/** @type {Record<import('./index.js').NotDoneReason, (action: import('./index.js').Action) => string>} */
const sentences = {
  denied: ({ denial_reason }) => denial_reason ?? 'The gate denied it.',
  declined: ({ closed_reason, decline_reason }) => {
    const who = closed_reason === 'approver_declined' ? 'An approver' : 'The member'
    return decline_reason === undefined ? `${who} declined.` : `${who} declined: ${decline_reason}`
  },
  expired: () => 'Nobody decided in time.',
  cancelled: () => 'It was cancelled.',
  refused: () => 'It was refused, and nothing happened.',
  partial: () => 'A part of it happened: see the result.',
  unknown: () => 'It may have happened. Do not repeat it: see the result.',
  nobody_asked: ({ consent_request_problem }) => consent_request_problem ?? 'The member could not be asked.',
  open: () => 'It is still open.',
}

/** For a function of yours: nothing happened, and this is why. Any other error is reported as `unknown`. */
export class Refused extends Error {
  /** @param {string} message */
  constructor(message) {
    super(message)
    this.name = 'Refused'
  }
}
