import { z } from 'zod'
import { limits } from '../../limits.ts'
import { runnerDialects } from '../../runner-hooks/registry.ts'

export const toolCallsPath = '/api/v1/runner/tool-calls'
export const outcomesPath = '/api/v1/runner/outcomes'

const runnerNames = Object.keys(runnerDialects) as (keyof typeof runnerDialects)[]

const seconds = z
  .string()
  .regex(/^\d{1,2}$/, 'must be a whole number of seconds')
  .transform(Number)
  .refine((given) => given <= limits.hookWaitSecondsMax, `must be at most ${limits.hookWaitSecondsMax}`)

const asked = {
  runner: z
    .enum(runnerNames, `must be one of ${runnerNames.join(', ')}`)
    .describe('The agent runner whose hook asks. The body and the answer have its form.'),
  as: z
    .enum(['json', 'text'], 'must be json or text')
    .default('json')
    .describe(
      '`text`: the answer is one line, and only the line `allow` permits the call. `defer` and a number: of the action that the call waits for. Required of a signed request: the MAC of the gate is the last line of its answer.',
    ),
}
/** The parameters of a tool call. */
export const callQuery = z.strictObject({
  ...asked,
  wait: seconds.optional().describe('Seconds to wait for the member, 0 to 50. Default: 50, for Copilot 20.'),
  version: z
    .string()
    .max(limits.runnerVersionCharsMax, `must have at most ${limits.runnerVersionCharsMax} characters`)
    .optional()
    .describe('The version of the runner, for the ledger.'),
  headless: z
    .enum(['0', '1'], 'must be 0 or 1')
    .default('0')
    .describe(
      '`1`: installed for Claude Code without a terminal. It is told to defer a call that waits for consent, where `entrypoint` or its header `x-runner-entrypoint` says the same.',
    ),
  entrypoint: z
    .string()
    .max(limits.runnerVersionCharsMax, `must have at most ${limits.runnerVersionCharsMax} characters`)
    .optional()
    .describe(
      'How Claude Code was started, as its variable CLAUDE_CODE_ENTRYPOINT says: `sdk…` has no terminal.',
    ),
  files: z
    .enum(['able', 'read'], 'must be able or read')
    .optional()
    .describe(
      'Of a signed request. `able`: the hook can read files. A call that needs consent and runs files is then answered `files`, the folder, and a line for each file. `read`: the body is a list of what it has read and the call.',
    ),
})
/** The parameters of an outcome. */
export const outcomeQuery = z.strictObject(asked)
