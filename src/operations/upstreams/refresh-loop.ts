import { takeDueUpstreams } from '../../db/queries/upstreams/connections.ts'
import type { Deps } from '../../deps.ts'
import { limits } from '../../limits.ts'
import { mapConcurrent } from '../../providers/map-concurrent.ts'
import { refreshUpstream } from '../../upstreams/refresh.ts'
import { startOutbox } from '../outbox-loop.ts'

/** Reads the tools of every MCP server every few minutes, until stopped. Any number of processes may do so. */
export const startRefreshing = (deps: Deps): { stop(): Promise<void> } =>
  startOutbox(deps, {
    failed: 'reading the tools of MCP servers failed; retrying',
    pollMs: limits.upstreamPollMs,
    atOnce: limits.upstreamsAtOnce,
    // A server that does not answer must not hold up the end of the process.
    pass: (stopping) => Promise.race([refreshDue(deps, stopping), endOf(stopping)]),
  })

/** Reads the tools of the servers that are due. Returns how many those are. */
export async function refreshDue(deps: Deps, stopping?: AbortSignal): Promise<number> {
  const due = await takeDueUpstreams(deps.db, limits.upstreamsAtOnce, limits.upstreamRefreshMs)
  await mapConcurrent(limits.upstreamsAtOnce, due, async ({ account_id: account, upstream }) => {
    try {
      const done = await refreshUpstream(deps, { account, upstream })
      // What the server said stays out of the log: it is in the row.
      if (done.state === 'read' && done.quarantined.length > 0)
        deps.log.warn(
          { account, upstream, tools: done.quarantined },
          'tools of an MCP server changed: in quarantine',
        )
    } catch (error) {
      if (!stopping?.aborted)
        deps.log.warn({ err: error, account, upstream }, 'reading the tools of an MCP server failed')
    }
  })
  return due.length
}

const endOf = (stopping: AbortSignal) =>
  new Promise<number>((resolve) => stopping.addEventListener('abort', () => resolve(0), { once: true }))
