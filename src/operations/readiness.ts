import { databaseObstacle } from '../db/readiness.ts'
import type { Deps } from '../deps.ts'
import { limits } from '../limits.ts'

export interface Readiness {
  isReady: boolean
  body: { status: 'ready' | 'not ready'; database: string; temporal: 'up' | 'down' }
}

/**
 * Whether a process can do its work. The API needs only the database: reads, propose and cancel work without Temporal.
 * @source docs/operating.md#check-that-it-works
 */
export async function readiness(deps: Deps, needsTemporal = false): Promise<Readiness> {
  const [obstacle, isTemporalUp] = await Promise.all([
    databaseObstacle(deps.db).catch(() => 'unreachable'),
    deps.workflows.isUp(),
  ])
  const isReady = obstacle === null && (isTemporalUp || !needsTemporal)
  return {
    isReady,
    body: {
      status: isReady ? 'ready' : 'not ready',
      database: obstacle ?? 'up',
      temporal: isTemporalUp ? 'up' : 'down',
    },
  }
}

/**
 * Readiness for public requests, which need no key and are not limited: the answer is cached for `limits.readinessKeptMs`,
 * and parallel requests share one check.
 */
export function keptReadiness(deps: Deps, needsTemporal = false): () => Promise<Readiness> {
  let kept: Promise<Readiness> | undefined
  const forget = () => {
    kept = undefined
  }
  return () => {
    kept ??= readiness(deps, needsTemporal).finally(() => setTimeout(forget, limits.readinessKeptMs).unref())
    return kept
  }
}
