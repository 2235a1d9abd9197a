import type { IncomingMessage } from 'node:http'
import type { FastifyRequest, HTTPMethods } from 'fastify'

const other = 'TRACE'

/** The methods that paths have routes for. `TRACE` stands for each other one that Node parses. */
export const routedMethods: HTTPMethods[] = [
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'OPTIONS',
  other,
]

const routed = new Set<string | undefined>(routedMethods)
const sent = new WeakMap<IncomingMessage, string>()

/**
 * The address that a request is routed by: links and base addresses are often pasted with a slash at the end. Its method becomes
 * one that paths have routes for: at each path a route for each of the others, only to refuse it, would slow every start.
 */
export function routedAddress(raw: IncomingMessage): string {
  if (!routed.has(raw.method)) {
    sent.set(raw, raw.method!)
    raw.method = other
  }
  return withoutSlashes(raw.url ?? '/')
}

/** The method that the caller sent. */
export const sentMethod = ({ raw, method }: FastifyRequest): string => sent.get(raw) ?? method

/** The token in the path of a link that was opened. */
export const tokenOf = (request: FastifyRequest): string => (request.params as { token: string }).token

/** An address with one slash at the end of its path in place of several, which the router takes for an empty part. Pure. */
function withoutSlashes(url: string): string {
  const end = url.indexOf('?')
  const path = end === -1 ? url : url.slice(0, end)
  let last = path.length
  while (last > 1 && path[last - 1] === '/' && path[last - 2] === '/') last--
  return last === path.length ? url : path.slice(0, last) + url.slice(path.length)
}
