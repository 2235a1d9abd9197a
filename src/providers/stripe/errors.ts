/** The request was abandoned before its answer. */
export class AbandonedRequest extends Error {
  readonly code: 'timeout' | 'cancelled'
  /** False: the request was never sent. */
  readonly isSent: boolean

  constructor(code: 'timeout' | 'cancelled', { isSent }: { isSent: boolean }) {
    super(`abandoned: ${code}`)
    this.code = code
    this.isSent = isSent
  }
}

/** A successful answer that does not match the request: the SDK accepts any JSON without `error`. */
export class UnexpectedAnswer extends Error {
  constructor() {
    super('The answer of Stripe does not match the request.')
  }
}

/** @throws UnexpectedAnswer */
export function assertExpected(isSo: boolean): asserts isSo {
  if (!isSo) throw new UnexpectedAnswer()
}
