import type { CallToolResult, Tool } from '@modelcontextprotocol/sdk/types.js'
import type { CallContext } from '../../operations/operation.ts'
import { declaredKindTools } from './declared-kinds.ts'
import { upstreamTools } from './upstream-tools.ts'

/** Tools that only some accounts have, and only as they are at the moment. */
export interface AccountTools {
  /** Whether a tool with this name would be one of these. Pure. */
  mayHave(name: string): boolean
  /** Whatever a call returns comes from a statement that checks the key, so that a key of a minute ago will do. */
  checksKey: boolean
  /** Those that the caller's key may call. */
  list(context: CallContext): Promise<Tool[]>
  /**
   * Calls one.
   * @returns undefined where the account has no tool with this name that the key may call
   */
  call(context: CallContext, name: string, given: unknown): Promise<CalledTool | undefined>
}

export interface CalledTool {
  result: CallToolResult
  /** The id of the action that the call is, or became; absent where the result has it. */
  action?: number
  /** A server behind the gate wrote the result. */
  isForeign?: boolean
}

const sources: AccountTools[] = [declaredKindTools, upstreamTools]

/** The tools that the account of a caller has beside those of the gate. */
export async function accountTools(context: CallContext): Promise<Tool[]> {
  return (await Promise.all(sources.map((source) => source.list(context)))).flat()
}

/** What would call a tool with this name; undefined: no account has such a tool. */
export const accountToolsWith = (name: string): AccountTools | undefined =>
  sources.find((source) => source.mayHave(name))
