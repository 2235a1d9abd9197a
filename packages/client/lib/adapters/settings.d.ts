import type { Action, Actor, ClaimedAction } from '../index.js'

/** How the tool calls of a kind are proposed. `Context` is what the framework gives its tools. */
export interface CallSettings<Context> {
  /** The member: yours to say, never the model's. */
  actor: Actor | ((context: Context) => Actor)
  /** Why, for the member. */
  rationale?: string | undefined
  /** The conversation, where ids of tool calls repeat in others. A framework that has a thread gives it by itself. */
  scope?: string | ((context: Context) => string) | undefined
  /** A function of yours that executes a kind with `"executor": {"type": "claim"}`: see `gated`. */
  run?(payload: Record<string, unknown>, action: ClaimedAction): unknown
}

/** How a tool is shown to the model. */
export interface ToolSettings {
  /** Default: the kind. */
  name?: string
  description: string
  /** Of the payload: JSON Schema, or what else the framework takes, such as a schema of Zod. */
  schema: object
}

export interface ToolCall {
  id: string
  input: Record<string, unknown>
  context?: unknown
  thread?: string | undefined
}

/** What an interrupt carries, and its answer repeats. */
export interface Binding {
  id: Action['id']
  digest: Action['digest']
}

/** How to wait for decisions. */
export interface SettleOptions {
  /** Default: until all are decided. */
  timeoutMs?: number
  signal?: AbortSignal
}
