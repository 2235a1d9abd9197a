import type { Effect, ToolCall } from './tool-call.ts'

/** What a tool call can do, as far as its name and input tell. Pure. */
export function effectOf(_call: ToolCall): Effect {
  return 'unknown'
}
