import type { CallToolResult, Tool } from '@modelcontextprotocol/sdk/types.js'
import type { CallContext } from '../operations/operation.ts'
import { declaredKindTools } from './mcp-declared-kinds.ts'

/** A tool that only some accounts have, and only as it is at the moment. */
export interface AccountTool {
  tool: Tool
  call(context: CallContext, given: Record<string, unknown>): Promise<CallToolResult>
}

/** Reads the tools of the caller's account that the key may call. */
type Source = (context: CallContext) => Promise<AccountTool[]>

const sources: Source[] = [declaredKindTools]

/** The tools that the account of a caller has beside those of the gate. */
export async function accountTools(context: CallContext): Promise<AccountTool[]> {
  return (await Promise.all(sources.map((source) => source(context)))).flat()
}
