import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import type { StoryLine } from './action-story.ts'

/** A line of the log, as a process writes it. */
export type LogLine = { time: number } & Record<string, unknown>

const lineCharsMax = 65_536
const linesMax = 2_000

/**
 * Reads lines of a log that are about an action or a request. What is no line of JSON, or longer than one can be, is passed over.
 * @returns the lines, and whether there was any line of JSON
 */
export async function readLog(
  files: readonly string[],
  isWanted: (line: LogLine) => boolean,
): Promise<{ lines: LogLine[]; isLog: boolean }> {
  const lines: LogLine[] = []
  let isLog = false
  for (const file of files) {
    const texts = createInterface({ input: createReadStream(file, 'utf8'), crlfDelay: Infinity })
    for await (const text of texts) {
      const line = lineOf(text)
      if (line === undefined) continue
      isLog = true
      if (lines.length < linesMax && isWanted(line)) lines.push(line)
    }
  }
  return { lines, isLog }
}

function lineOf(text: string): LogLine | undefined {
  if (text.length > lineCharsMax || !text.startsWith('{')) return undefined
  try {
    const line = JSON.parse(text) as Partial<LogLine>
    return typeof line.time === 'number' ? (line as LogLine) : undefined
  } catch {
    return undefined
  }
}

/** What a line says beside its time, its step and its caller. */
const told = [
  'status',
  'code',
  'ms',
  'decision',
  'strength',
  'channel',
  'via',
  'provider',
  'attempt',
  'state',
  'outcome',
  'againMs',
  'request_id',
  'trace',
]

/** A line of the log as a step of a story: its known fields, and no text of an error. Pure. */
export function storyOfLog(line: LogLine): StoryLine {
  const caller = [line['key'], line['session']].find((id) => typeof id === 'string')
  const isRequest = line['method'] !== undefined
  const name = isRequest ? (line['tool'] ?? line['route']) : (line['step'] ?? line['msg'])
  const about = told.flatMap((field) => {
    const value = line[field]
    return ['string', 'number', 'boolean'].includes(typeof value) ? [`${field} ${String(value)}`] : []
  })
  return {
    at: new Date(line.time),
    from: 'log',
    what: `${isRequest ? 'request ' : ''}${String(name)}`,
    by: caller === undefined ? null : String(caller),
    about: about.length === 0 ? null : about.join(', '),
  }
}
