import type { ToolCall } from '../../../src/gate/runner-calls/tool-call.ts'

/** A call of Claude Code in `/work/app`, but for what is given. */
export const toolCall = (tool: string, input: ToolCall['input'], over: Partial<ToolCall> = {}): ToolCall => ({
  runner: 'claude',
  runnerVersion: null,
  session: null,
  callId: null,
  agentId: null,
  tool,
  input,
  cwd: '/work/app',
  mcpServer: null,
  ...over,
})
