import { readKeptInput } from '../../gate/runner-calls/kept-input.ts'
import { type Runner, runnerNames } from '../../gate/runner-calls/tool-call.ts'

/**
 * A tool call of an agent runner as a line, `Bash by Claude Code`, and what it is about: its command, file or address, as the
 * agent wrote it. Pure.
 * @param input  masked, as JSON; null where it is not there
 */
export function toolCallLine(
  { tool, runner }: Record<string, unknown>,
  input: string | null,
): { line: string; subject: string | undefined } {
  const name = runnerNames[runner as Runner] ?? 'an agent runner'
  return {
    line: `${typeof tool === 'string' ? tool : 'Tool call'} by ${name}`,
    subject: input === null ? undefined : subjectOf(readKeptInput(input).input),
  }
}

// Fields by which the tools of the runners name their subject, the most telling first.
const subjects = 'command cmd file_path filePath path absolute_path notebook_path url query pattern'.split(
  ' ',
)

function subjectOf(input: Record<string, unknown>): string | undefined {
  const values = [
    ...subjects.map((name) => (Object.hasOwn(input, name) ? input[name] : null)),
    ...Object.values(input),
  ]
  return values.find((value): value is string => typeof value === 'string' && value.trim() !== '')?.trim()
}
