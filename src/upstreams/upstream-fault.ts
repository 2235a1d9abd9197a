import { StreamableHTTPError } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { McpError } from '@modelcontextprotocol/sdk/types.js'
import type { JsonProblem } from '../gate/json/exact-json.ts'

/**
 * A server that could not be asked, or whose answer is no use. The text of this class is ours, for people: no secret, no words of
 * the server. Other errors can quote the server: `sentenceOf` makes a sentence of each.
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

/** The server was still answering, and nobody reads on. */
export class GivenUp extends UpstreamFault {
  constructor(sentence: string) {
    super(sentence, { isNotDone: false })
    this.name = 'GivenUp'
  }
}

/** The server answered, and with more than is read. */
export class AnswerTooLarge extends GivenUp {
  constructor(bytesMax: number) {
    super(`its answer has more than ${bytesMax} bytes`)
    this.name = 'AnswerTooLarge'
  }
}

/** The server answered, and its answer cannot be kept exactly: other readers of its JSON read another value. */
export class InexactAnswer extends UpstreamFault {
  /** The result as the gate read it. */
  readonly result: unknown
  readonly problems: readonly JsonProblem[]

  constructor(result: unknown, problems: readonly JsonProblem[], says: string) {
    super(`its answer cannot be kept exactly: ${says}`, { isNotDone: false })
    this.name = 'InexactAnswer'
    this.result = result
    this.problems = problems
  }
}

/** 307 and 308 ask for the same request elsewhere: it was not taken here. */
export const redirectFault = (status: number): UpstreamFault =>
  new UpstreamFault('it answered with a redirect, which is not followed', {
    isNotDone: status === 307 || status === 308,
  })

/**
 * A server says by HTTP that it does not know the session that a request was sent in.
 * @source MCP 2025-11-25, Streamable HTTP, session management: 404; servers that lost their sessions also answer 400
 */
export class SessionRefused extends StreamableHTTPError {
  constructor(status: 400 | 404) {
    super(status, '')
    this.name = 'SessionRefused'
  }
}

/** The server answered with an error of its own, whatever its code. Its text is the server's. */
export class AnsweredError extends McpError {
  override name = 'AnsweredError'
}
