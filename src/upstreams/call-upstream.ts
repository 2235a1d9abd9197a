import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js'
import type { ServedTool } from './served-tool.ts'
import type { UpstreamDeps } from './upstream-deps.ts'

/** What became of a call. */
export interface CallOutcome {
  /**
   * ok: the server answered. tool_error: it answered with an error, and may have done something. not_done: it was not called,
   * or refused before it began. unknown: the answer was lost.
   */
  fate: 'ok' | 'tool_error' | 'not_done' | 'unknown'
  /** The server's answer, unchanged. With `ok` always, with `tool_error` where it fits. */
  result?: CallToolResult
  /** What went wrong, as a sentence. May quote the server: escape it before people read it. */
  why?: string
}

/**
 * Calls a tool once. Whether the caller may is decided before: here it is only checked that the tool is still as it was
 * reviewed.
 * @param served  as `listServed` gave it, with the hash that the member was asked about
 * @param options.signal  ends the wait; the outcome is then unknown
 */
export async function callUpstream(
  _deps: UpstreamDeps,
  served: ServedTool,
  _args: Record<string, unknown>,
  _options: { signal: AbortSignal },
): Promise<CallOutcome> {
  return { fate: 'not_done', why: `The MCP server ${served.upstream} cannot be called yet.` }
}
