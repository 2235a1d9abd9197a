import type { Agent, FunctionTool, RunState } from '@openai/agents'
import type { Gate } from '../index.js'
import type { CallSettings, SettleOptions, ToolSettings } from './settings.d.ts'

/** `Context` is what you give `run` as `context`. */
export interface GateToolOptions<Context> extends CallSettings<Context>, ToolSettings {}

/** A tool that proposes an action of the kind. The run is interrupted until somebody decides. */
export function gateTool<Context = unknown>(
  gate: Gate,
  kind: string,
  options: GateToolOptions<Context>,
): FunctionTool<Context>

/** The same, with a function of yours that executes it. */
export function gated<Context = unknown>(
  gate: Gate,
  kind: string,
  run: NonNullable<CallSettings<Context>['run']>,
  options: Omit<GateToolOptions<Context>, 'run'>,
): FunctionTool<Context>

/**
 * Waits for the decisions of the interruptions of these tools, and lets the run go on after them: `run(agent, await settle(…))`.
 * @param options.context  the same as for `run`
 */
export function settle<State extends RunState<unknown, Agent<unknown, 'text'>>>(
  state: State,
  tools: readonly { name: string }[],
  options?: SettleOptions & { context?: unknown },
): Promise<State>
