import { readClaudeCall, readClaudeOutcome, writeClaudeAnswer } from './claude-form.ts'
import type { Dialect } from './dialect.ts'
import { withoutDefer } from './without-defer.ts'

/**
 * Codex CLI. Its hook can only deny: it takes `allow` as having no opinion.
 * @source https://developers.openai.com/codex/hooks
 */
export const codex: Dialect = {
  readCall: (body, options) => readClaudeCall('codex', body, options),
  readOutcome: readClaudeOutcome,
  writeAnswer: (answer) => writeClaudeAnswer(withoutDefer(answer)),
}
