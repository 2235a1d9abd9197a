import { databaseObstacle } from '../db/readiness.ts'
import { type Deps } from '../deps.ts'

export interface Readiness {
  isReady: boolean
  body: { status: 'ready' | 'not ready'; database: string; temporal: 'up' | 'down' }
}

/**
 * Whether a process can do its work. The API does without Temporal: reads, propose and cancel go on.
 * @source product rulings §1, Health
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
