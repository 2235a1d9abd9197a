/** No answer was waited for. */
export class AbandonedRequest extends Error {
  readonly code: 'timeout' | 'cancelled'
  /** False: the request never left. */
  readonly isSent: boolean

  constructor(code: 'timeout' | 'cancelled', { isSent }: { isSent: boolean }) {
    super(`gave up: ${code}`)
    this.code = code
    this.isSent = isSent
  }
}

/** An answer that reads as a success and is not what was asked for: the SDK takes any JSON without `error` for one. */
export class UnexpectedAnswer extends Error {
  constructor() {
    super('Stripe answered something else than what was asked.')
  }
}

/** @throws UnexpectedAnswer */
export function assertExpected(isSo: boolean): asserts isSo {
  if (!isSo) throw new UnexpectedAnswer()
}
