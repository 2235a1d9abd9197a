import {
  type CallToolResult,
  CallToolResultSchema,
  ErrorCode,
  McpError,
} from '@modelcontextprotocol/sdk/types.js'
import { type UpstreamConnection, readConnectionForCall } from '../db/queries/upstreams/connections.ts'
import { isNestedWithin } from '../gate/json/json-shape.ts'
import { limits } from '../limits.ts'
import type { OpenUpstream } from './connect.ts'
import { type CalledTool, addressOf } from './served-tool.ts'
import type { UpstreamDeps } from './upstream-deps.ts'
import { AnswerTooLarge, AnsweredError, InexactAnswer, SessionRefused } from './upstream-fault.ts'
import { isNotDone, sentenceOf } from './what-failed.ts'

/** How deep the JSON of a tool's answer may be nested. */
const upstreamAnswerDepthMax = 100

/** The outcome of a call. */
export interface CallOutcome {
  /**
   * ok: the server answered. tool_error: it answered with an error, and may have done something. not_done: it was not called,
   * or refused before it began. unknown: the answer was lost.
   */
  fate: 'ok' | 'tool_error' | 'not_done' | 'unknown'
  /** The server's answer, unchanged. With `ok` always, with `tool_error` where it answered with a result. */
  result?: CallToolResult
  /** What went wrong, as a sentence. May quote the server: escape it before people read it. */
  why?: string
}

/**
 * Calls a tool once. Whether the caller may is decided before: here it is only checked that the tool is still as it was
 * reviewed, at the same server, and that the account is not suspended.
 * @param called  a tool of `listServed`, or what an action kept of it: with the hash that the member was asked about
 * @param options.signal  ends the wait; the outcome is then unknown
 * @param options.version  the version of the account's servers and tools that the caller has just checked. If given, and the
 * connection is cached, nothing is read
 */
export async function callUpstream(
  deps: UpstreamDeps,
  called: CalledTool,
  args: Record<string, unknown>,
  { signal, version }: { signal: AbortSignal; version?: number },
): Promise<CallOutcome> {
  const place = await placeOf(deps, called, version)
  if (!place)
    return notDone(`${called.tool} of ${called.upstream} was changed or removed since it was reviewed`)
  if (place.isSuspended) return notDone('the account is suspended')
  const call = () => callAt(deps, called, args, { place, signal })
  return deps.onCall ? deps.onCall('mcp', call, ({ fate }) => [fate === 'tool_error' ? 'ok' : fate]) : call()
}

async function callAt(
  deps: UpstreamDeps,
  called: CalledTool,
  args: Record<string, unknown>,
  { place, signal }: { place: UpstreamConnection; signal: AbortSignal },
): Promise<CallOutcome> {
  const first = await attempt(deps, called, args, { place, signal })
  // A session that the server forgot: it refused the request, and a new session may be all that it wants.
  return (
    first ?? (await attempt(deps, called, args, { place, signal })) ?? notDone('its session ended at once')
  )
}

/** How the server of a tool is connected to; undefined: the tool is not as it was reviewed, elsewhere, or gone. */
async function placeOf(
  { db, upstreams }: UpstreamDeps,
  called: CalledTool,
  version: number | undefined,
): Promise<UpstreamConnection | undefined> {
  const name = `${called.account} ${called.upstream}`
  const known = upstreams.places.get(name)?.value
  if (known && known.version === version) return known.place
  const place = await readConnectionForCall(db, called.account, called)
  if (place && addressOf(place) !== called.address) return undefined
  // Suspended: that is read again, because no version counts it.
  if (place && !place.isSuspended && version !== undefined) upstreams.places.keep(name, { version, place })
  return place
}

/** Undefined: the session was refused, and the next attempt opens a new one. */
async function attempt(
  { upstreams }: UpstreamDeps,
  called: CalledTool,
  args: Record<string, unknown>,
  { place, signal }: { place: UpstreamConnection; signal: AbortSignal },
): Promise<CallOutcome | undefined> {
  let used: { open: OpenUpstream; isNew: boolean }
  try {
    used = await upstreams.connections.to(called, place)
  } catch (error) {
    return notDone(sentenceOf(error))
  }
  try {
    const answer = await used.open.exchange(
      { method: 'tools/call', params: { name: called.tool, arguments: args } },
      { timeoutMs: limits.upstreamCallMs, signal },
    )
    return outcomeOf(answer)
  } catch (error) {
    if (!(error instanceof SessionRefused)) return failureOf(error)
    upstreams.connections.drop(called, used.open)
    return used.isNew ? failureOf(error) : undefined
  }
}

function outcomeOf(answer: Record<string, unknown>): CallOutcome {
  // Writing JSON recurses as deep as the value is nested.
  if (!isNestedWithin(answer, upstreamAnswerDepthMax))
    return { fate: 'tool_error', why: `its answer is nested deeper than ${upstreamAnswerDepthMax}` }
  if (!CallToolResultSchema.safeParse(answer).success)
    return { fate: 'tool_error', why: 'it answered with something that is not the result of a tool' }
  const result = answer as CallToolResult
  return { fate: result.isError === true ? 'tool_error' : 'ok', result }
}

function failureOf(error: unknown): CallOutcome {
  const why = sentenceOf(error)
  if (isNotDone(error)) return { fate: 'not_done', why }
  const isAnswer =
    error instanceof AnsweredError ||
    error instanceof AnswerTooLarge ||
    error instanceof InexactAnswer ||
    (error instanceof McpError && !ours.includes(error.code))
  return { fate: isAnswer ? 'tool_error' : 'unknown', why }
}

/**
 * Codes that the SDK, which reads the answers of programs, gives to its own failures: a program that uses them cannot be told from
 * one that did not answer.
 */
const ours: number[] = [ErrorCode.ConnectionClosed, ErrorCode.RequestTimeout]

const notDone = (why: string): CallOutcome => ({ fate: 'not_done', why })
