import type { EntryKind } from '../../gate/lifecycle.ts'
import type { Words } from './entry-words.ts'
import { withoutStop } from './without-stop.ts'

type RunnerEntryKind = Extract<
  EntryKind,
  | 'grant_used'
  | 'mandate_ended'
  | 'mandate_frozen'
  | 'mandate_resumed'
  | 'mandate_used'
  | 'tool_allowed'
  | 'tool_calls_counted'
  | 'tool_reported'
>

/** The words of entries about tool calls of agent runners. */
export const runnerWords: Record<RunnerEntryKind, Words> = {
  tool_allowed: ({ text }) => `Allowed by the policy: ${withoutStop(text('rule') ?? 'rule not recorded')}`,
  grant_used: () => 'The runner repeated the approved call and it was allowed: the consent is used up',
  mandate_used: ({ data }) =>
    data['used_for'] === undefined
      ? 'The mandate allowed a call'
      : `The mandate consented to action ${String(data['used_for'])}`,
  mandate_frozen: () => 'The mandate was frozen',
  mandate_resumed: () => 'The mandate was resumed',
  mandate_ended: ({ data }) => `The mandate was ended after ${usesWords(data['uses'])}`,
  tool_reported: ({ text }) =>
    text('outcome') === 'failed'
      ? 'The runner reported that the call failed'
      : 'The runner reported that the call ran',
  tool_calls_counted: ({ text, data }) =>
    `Tool calls of the hour from ${hourOf(text('hour'))}${sumsOf(data['counts'])}`,
}

const usesWords = (uses: unknown): string => (uses === 1 ? '1 use' : `${Number(uses) || 0} uses`)

const hourOf = (hour: string | undefined): string =>
  hour === undefined ? '(not recorded)' : `${hour.slice(0, 10)} ${hour.slice(11, 16)} UTC`

/** The sums of one entry: `: 40 allowed, 2 denied, 1 with consent requested`. */
function sumsOf(counts: unknown): string {
  if (!Array.isArray(counts)) return ''
  const sumOf = (at: number) =>
    counts.reduce((sum: number, row: unknown) => sum + (Array.isArray(row) ? Number(row[at]) || 0 : 0), 0)
  return `: ${sumOf(3)} allowed, ${sumOf(4)} denied, ${sumOf(5)} with consent requested`
}
