import type { FastifyRequest } from 'fastify'
import { limits } from '../limits.ts'
import { queryOf } from '../web/query-of.ts'

/** While a page waits, at first. */
const pageRefreshSoonSeconds = 3

const pageRefreshLaterSeconds = 30

/** `soon`: it changes within seconds. `later`: somebody has to act first. */
export type Refresh = 'soon' | 'later'

const parameter = 'refreshed'

/** How often a page was loaded again by itself, and the query parameters that are its own. */
export function takeRefreshed(request: FastifyRequest): { times: number; query: Record<string, unknown> } {
  const given = queryOf(request)
  const { [parameter]: times, ...query } = given
  return typeof times === 'string' && /^\d{1,4}$/.test(times)
    ? { times: Number(times), query }
    : { times: 0, query: given }
}

/**
 * When and where the browser loads the page again, without a script. The times are counted in the address: a page that is left open
 * ends its refreshing within an hour, so that it does not keep its session alive.
 */
export function refreshOf({ url }: FastifyRequest, refresh: Refresh, times: number): string | undefined {
  if (times >= limits.pageRefreshesMax) return undefined
  const isSoon = refresh === 'soon' && times < limits.pageRefreshesSoonMax
  const seconds = isSoon ? pageRefreshSoonSeconds : pageRefreshLaterSeconds
  const [path, query] = url.split('?')
  const next = new URLSearchParams(query)
  next.set(parameter, String(times + 1))
  return `${seconds}; url=${path}?${next.toString()}`
}
