import { GateError } from '../../errors.ts'
import { type ActionStory, actionStory } from './action-story.ts'
import { type LogLine, readLog, storyOfLog } from './log-lines.ts'
import type { actionTimeline } from './action-timeline.ts'

/** The story of an action with the requests that were about it; of a request that was about none, its lines of the log. */
export type Trace = Partial<ActionStory> & Pick<ActionStory, 'lines'> & { requests: string[] }

/**
 * Joins what the ledger knows of an action with what logs know of it and of its requests.
 * @param of  the number of an action, or the id of a request
 * @param account  lines of other accounts are left out
 * @throws GateError `not_found`, `invalid`
 */
export async function traceOf(
  deps: Parameters<typeof actionTimeline>[0],
  account: string,
  of: { action: number } | { request: string },
  logs: readonly string[],
): Promise<Trace> {
  const isOurs = (line: LogLine) => line['account'] === undefined || line['account'] === account
  const isAbout = (line: LogLine) =>
    'action' in of
      ? line['action'] === of.action && line['account'] === account
      : line['request_id'] === of.request
  const found = await readLog(logs, (line) => isOurs(line) && isAbout(line))
  if (logs.length > 0 && !found.isLog) throw noLog()
  const action = 'action' in of ? of.action : numberIn(found.lines)
  if ('request' in of && found.lines.length === 0) throw notLogged(of.request)
  const requests = new Set(found.lines.flatMap((line) => idOf(line['request_id'])))
  const isPart = (line: LogLine) =>
    isOurs(line) &&
    (requests.has(String(line['request_id'])) || (line['action'] === action && line['account'] === account))
  const { lines } = await readLog(logs, isPart)
  const story = action === undefined ? undefined : await actionStory(deps, account, action)
  return {
    ...story,
    requests: [...requests],
    lines: [...(story?.lines ?? []), ...lines.map(storyOfLog)].toSorted(
      (a, b) => a.at.getTime() - b.at.getTime(),
    ),
  }
}

const idOf = (value: unknown): string[] => (typeof value === 'string' ? [value] : [])

const numberIn = (lines: LogLine[]): number | undefined =>
  lines.map((line) => line['action']).find((id): id is number => Number.isSafeInteger(id))

const noLog = () =>
  new GateError(
    'invalid',
    'No file of --log has a line of JSON. Give the output of a process that does not write to a terminal.',
  )

const notLogged = (request: string) =>
  new GateError(
    'not_found',
    `No line of this account with the request_id ${request} was found. Give the log of each API process of that time with --log.`,
  )
