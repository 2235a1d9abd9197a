import { readClaudeCall, readClaudeOutcome, writeClaudeAnswer } from './claude-form.ts'
import type { Dialect } from './dialect.ts'

/**
 * Claude Code.
 * @source https://docs.claude.com/en/docs/claude-code/hooks; the types of 2.1.330
 */
export const claude: Dialect = {
  readCall: (body, options) => readClaudeCall('claude', body, options),
  readOutcome: readClaudeOutcome,
  writeAnswer: writeClaudeAnswer,
}
