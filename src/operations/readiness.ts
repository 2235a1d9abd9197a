import { databaseObstacle } from '../db/readiness.ts'
import type { Deps } from '../deps.ts'
import { limits } from '../limits.ts'

export interface Readiness {
  isReady: boolean
  body: { status: 'ready' | 'not ready'; database: string; temporal: 'up' | 'down' }
}

/** Whether a process can do its work. The API does without Temporal: reads, propose and cancel go on. */
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
 * The same for whoever asks, without a key and as often as they like: the answer is kept for `limits.readinessKeptMs`, and
 * those who ask while it is made wait for the same one.
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
