import type { Json } from '../canonical.ts'

/** The agent runners whose tool calls the gate decides. */
export const runners = ['claude', 'codex', 'gemini', 'cursor', 'copilot', 'opencode'] as const
export type Runner = (typeof runners)[number]

/** Their names for people. */
export const runnerNames: Record<Runner, string> = {
  claude: 'Claude Code',
  codex: 'Codex',
  gemini: 'Gemini CLI',
  cursor: 'Cursor',
  copilot: 'GitHub Copilot',
  opencode: 'OpenCode',
}

/** The kind of the ledger's rows about tool calls. */
export const runnerKind = 'runner_tool'
/** The kind of what a member allows in advance. */
export const runnerMandateKind = 'runner_mandate'

/** The tool of a hook's test call, which is denied whatever the rules say. */
export const canaryTool = 'gate_canary'

/** A tool call as a runner's hook reports it. */
export interface ToolCall {
  runner: Runner
  runnerVersion: string | null
  session: string | null
  callId: string | null
  /** The subagent that made it. */
  agentId: string | null
  /** The tool as the runner names it, e.g. `Bash`, `run_shell_command`, `mcp__server__tool`. */
  tool: string
  input: Record<string, Json>
  /** The working folder, absolute; null: the runner did not say. */
  cwd: string | null
  mcpServer: string | null
  /** A folder inside, from `cwd`, in which it may leave the shell: the hook has looked that it is an ordinary one. */
  ordinaryFolder?: string
}

/**
 * What a tool call can do, as far as its name and input tell, mildest first. A call has the worst that applies to any part of it,
 * and may do what stands before it besides: `curl … | sh` is `network`, and runs something.
 */
export const effects = [
  'reads',
  'reads_outside',
  'edits_inside',
  'edits_outside',
  'unknown',
  'runs',
  'network',
  'credentials',
] as const
export type Effect = (typeof effects)[number]

export const worstEffect = (a: Effect, b: Effect): Effect => (effects.indexOf(a) > effects.indexOf(b) ? a : b)

/** Whether this is the test call of a hook: its tool, or a command of a runner that is driven itself and has no such tool. Pure. */
export const isCanary = ({ tool, input: { command, cmd } }: Pick<ToolCall, 'tool' | 'input'>): boolean =>
  tool === canaryTool || String(command ?? cmd ?? '').startsWith('true gate_canary && ')
