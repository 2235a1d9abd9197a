import type { Json } from '../gate/canonical.ts'
import type { ToolCall } from '../gate/runner-calls/tool-call.ts'

/** What one runner's hook reports, and the answer in the form that this runner reads. */
export interface Dialect {
  /**
   * Reads the body of a hook that runs before a tool call. Fields that are not known are ignored: runners add fields.
   * @param body  JSON, parsed or as text
   * @returns the call, or what is wrong with the body: then the call must be denied
   */
  readCall: (body: unknown, options: { version: string | null }) => ToolCall | Problem
  /** Reads the body of a hook that runs after a tool call. */
  readOutcome: (body: unknown) => Outcome | Problem
  writeAnswer: (answer: Answer) => object
}

/** What is wrong with a body, as a sentence. */
export interface Problem {
  problem: string
}

/** The outcome of a tool call that was permitted. */
export interface Outcome {
  session: string | null
  callId: string | null
  tool: string
  /** Absent where the runner reports another form than before the call. */
  input?: Record<string, Json>
  outcome: 'ran' | 'failed'
}

/** `defer`: the runner ends its turn and asks again later. Only headless Claude Code can; elsewhere it means deny. */
export interface Answer {
  decision: 'allow' | 'deny' | 'defer'
  reason: string
}

export const isProblem = (value: object): value is Problem => 'problem' in value
