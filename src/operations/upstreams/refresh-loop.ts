import { type DueUpstream, takeDueUpstreams } from '../../db/queries/upstreams/connections.ts'
import type { Deps } from '../../deps.ts'
import { limits } from '../../limits.ts'
import { refreshUpstream } from '../../upstreams/refresh.ts'
import { startPolling } from '../../waiting/poll-loop.ts'

/** Reads the tools of every MCP server every few minutes, until stopped. Any number of processes may do so. */
export function startRefreshing(deps: Deps): { stop(): Promise<void> } {
  /** Readings, and the account of each. */
  const underWay = new Map<Promise<void>, string>()
  const bounds = { everyMs: limits.upstreamRefreshMs, perAccount: limits.upstreamsOfAccountAtOnce }
  return startPolling(deps, {
    failed: 'reading the tools of MCP servers failed; retrying',
    pollMs: limits.upstreamPollMs,
    batchMax: limits.upstreamsAtOnce,
    async pass(stopping) {
      const free = limits.upstreamsAtOnce - underWay.size
      const due =
        free === 0
          ? []
          : await takeDueUpstreams(deps.db, { ...bounds, limitRows: free, reading: [...underWay.values()] })
      for (const one of due) {
        const reading = read(deps, one, stopping).finally(() => underWay.delete(reading))
        underWay.set(reading, one.account_id)
      }
      if (due.length < free) return 0
      // More can be due. A server that does not answer delays neither the others nor the end of the process.
      await firstOf(underWay.keys(), stopping)
      return limits.upstreamsAtOnce
    },
  })
}

async function read(
  deps: Deps,
  { account_id: account, upstream }: DueUpstream,
  stopping: AbortSignal,
): Promise<void> {
  try {
    const done = await refreshUpstream(deps, { account, upstream })
    // The server's own words stay out of the log: they are in the row.
    if (done.state === 'read' && done.quarantined.length > 0)
      deps.log.warn(
        { account, upstream, tools: done.quarantined },
        'tools of an MCP server changed: in quarantine',
      )
  } catch (error) {
    if (!stopping.aborted)
      deps.log.warn({ err: error, account, upstream }, 'reading the tools of an MCP server failed')
  }
}

/** Waits until one of them is done, or the process ends. */
async function firstOf(underWay: Iterable<Promise<void>>, stopping: AbortSignal): Promise<void> {
  if (stopping.aborted) return
  const done = new AbortController()
  const ended = new Promise<void>((resolve) => {
    stopping.addEventListener('abort', () => resolve(), { once: true, signal: done.signal })
  })
  await Promise.race([...underWay, ended])
  done.abort()
}
