import type { DynamicStructuredTool } from '@langchain/core/tools'
import type { Action, Gate } from '../index.js'
import type { GateToolOptions } from './langchain.d.ts'
import type { Binding } from './settings.d.ts'

/** What the graph is interrupted with. Resume with its `id` and `digest`, once the action is decided. */
export interface GateInterrupt extends Binding {
  kind: string
  payload: Action['payload']
  /** What to do now. */
  next?: string
}

type Options = Omit<GateToolOptions, 'timeoutMs'>

/** A tool that proposes an action of the kind and interrupts the graph until it is decided. The graph needs a checkpointer. */
export function gateTool(gate: Gate, kind: string, options: Options): DynamicStructuredTool

/** The same, with a function of yours that executes it. */
export function gated(
  gate: Gate,
  kind: string,
  run: NonNullable<Options['run']>,
  options: Omit<Options, 'run'>,
): DynamicStructuredTool
