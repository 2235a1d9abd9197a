import { ErrorCode } from '@modelcontextprotocol/sdk/types.js'
import { type JsonProblem, jsonProblems } from '../gate/json/exact-json.ts'
import { InexactAnswer } from './upstream-fault.ts'

/** The most values of one answer that cannot be kept exactly. */
const upstreamInexactMax = 1_000

/**
 * Reads what a server sent: a message, or a list of them. A result that cannot be kept exactly becomes an error with an
 * `InexactAnswer`, which no server can send.
 * @throws SyntaxError
 */
export function readMessages(text: string): unknown[] {
  const value: unknown = JSON.parse(text)
  const problems = firstOf(jsonProblems(text), upstreamInexactMax)
  if (!Array.isArray(value)) return [exact(value, problems)]
  return value.map((message: unknown, n) =>
    exact(message, problems.filter(({ path }) => path[0] === n).map(within)),
  )
}

const within = ({ path, says }: JsonProblem): JsonProblem => ({ path: path.slice(1), says })

function exact(message: unknown, problems: JsonProblem[]): unknown {
  const [first] = problems
  if (!first || typeof message !== 'object' || message === null || !('result' in message)) return message
  const { result, ...rest } = message
  const data = new InexactAnswer(result, problems.map(within), first.says)
  return { ...rest, error: { code: ErrorCode.InternalError, message: data.message, data } }
}

function firstOf<Item>(items: Generator<Item>, count: number): Item[] {
  const taken: Item[] = []
  for (const item of items) {
    taken.push(item)
    if (taken.length === count) break
  }
  return taken
}
