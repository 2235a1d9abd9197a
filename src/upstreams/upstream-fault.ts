/**
 * A server that could not be asked, or whose answer is no use. Its text is for people and holds no secret; what it quotes of the
 * server must be escaped.
 */
export class UpstreamFault extends Error {
  /** Nothing of the request left the gate, or the server refused it before it began. */
  readonly isNotDone: boolean

  constructor(sentence: string, { isNotDone }: { isNotDone: boolean }) {
    super(sentence)
    this.name = 'UpstreamFault'
    this.isNotDone = isNotDone
  }
}

/** The server answered, and with more than is read. */
export class AnswerTooLarge extends UpstreamFault {
  constructor(bytesMax: number) {
    super(`its answer has more than ${bytesMax} bytes`, { isNotDone: false })
    this.name = 'AnswerTooLarge'
  }
}
