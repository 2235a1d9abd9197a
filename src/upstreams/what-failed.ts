import { StreamableHTTPError } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { z } from 'zod'
import { limits } from '../limits.ts'
import { UpstreamFault } from './upstream-fault.ts'

/**
 * Whether a request was certainly not carried out: it never left, or the server refused it by HTTP. An error of JSON-RPC does not say
 * so, whatever its code: servers answer -32602 also for what their tool returned. Pure.
 */
export function isNotDone(error: unknown): boolean {
  if (error instanceof UpstreamFault) return error.isNotDone
  if (isCallFailure(error)) return error.isUnsent
  return error instanceof StreamableHTTPError && refusedStatus(error.code ?? 0)
}

/** 408 and 425 say nothing about what was done before. */
const refusedStatus = (status: number): boolean =>
  status >= 400 && status < 500 && status !== 408 && status !== 425

/**
 * What went wrong with a server, as the end of a sentence of ours. Words that may be the server's stand in it as one JSON string, cut:
 * it cannot go on in the gate's name. Pure.
 */
export function sentenceOf(error: unknown): string {
  if (error instanceof UpstreamFault) return error.message
  if (error instanceof StreamableHTTPError && (error.code ?? 0) >= 400)
    return `it answered HTTP ${error.code}`
  if (isCallFailure(error)) return callWords[error.code] ?? `it could not be reached (${error.code})`
  if (error instanceof z.ZodError || error instanceof SyntaxError)
    return 'it answered with something that is not MCP'
  const words = error instanceof Error ? error.message : String(error)
  return `it failed with the words ${quoted(words.slice(0, limits.upstreamWordsCharsMax))}`
}

/** A text on one line, with every character that shows nothing written out. */
export const quoted = (words: string): string =>
  JSON.stringify(words).replace(/[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu, (unseen) =>
    Array.from(
      { length: unseen.length },
      (_, n) => `\\u${unseen.charCodeAt(n).toString(16).padStart(4, '0')}`,
    ).join(''),
  )

const callWords: Record<string, string> = {
  address_refused: 'its address is not public, and EXECUTOR_ALLOW does not list it',
  timeout: 'it did not answer in time',
  not_resolved: 'its host name could not be resolved',
}

/** A request that got no answer, as the checked fetch throws it. */
function isCallFailure(error: unknown): error is Error & { code: string; isUnsent: boolean } {
  return error instanceof Error && 'isUnsent' in error && typeof error.isUnsent === 'boolean'
}
