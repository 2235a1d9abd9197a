import type { Tool, ToolModelMessage } from 'ai'
import type { Gate } from '../index.js'
import type { CallSettings, SettleOptions, ToolSettings } from './settings.d.ts'

/** `Context` is what you give as `experimental_context`. The model knows the tool by its name in `tools`. */
export interface GateToolOptions<Context> extends CallSettings<Context>, Omit<ToolSettings, 'name'> {}

/** A tool that proposes an action of the kind. Its call requests an approval until somebody decides. */
export function gateTool<Context = unknown>(
  gate: Gate,
  kind: string,
  options: GateToolOptions<Context>,
): Tool<Record<string, unknown>, string>

/** The same, with a function of yours that executes it. */
export function gated<Context = unknown>(
  gate: Gate,
  kind: string,
  run: NonNullable<CallSettings<Context>['run']>,
  options: Omit<GateToolOptions<Context>, 'run'>,
): Tool<Record<string, unknown>, string>

/**
 * Waits for the decisions that `result.content` requests of these tools. @returns the message to go on with
 * @param options.context  the same as `experimental_context`
 */
export function settle(
  content: readonly { type: string }[],
  tools: Record<string, unknown>,
  options?: SettleOptions & { context?: unknown },
): Promise<ToolModelMessage>
