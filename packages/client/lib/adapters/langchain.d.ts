import type { DynamicStructuredTool } from '@langchain/core/tools'
import type { RunnableConfig } from '@langchain/core/runnables'
import type { Gate } from '../index.js'
import type { CallSettings, ToolSettings } from './settings.d.ts'

export interface GateToolOptions extends CallSettings<RunnableConfig>, ToolSettings {
  /** How long a tool call waits, milliseconds. Default: until the action ends. */
  timeoutMs?: number
}

/** A tool that proposes an action of the kind and waits for its end. */
export function gateTool(gate: Gate, kind: string, options: GateToolOptions): DynamicStructuredTool

/** The same, with a function of yours that executes it. */
export function gated(
  gate: Gate,
  kind: string,
  run: NonNullable<GateToolOptions['run']>,
  options: Omit<GateToolOptions, 'run'>,
): DynamicStructuredTool
