import { listSealFaults } from '../db/queries/ledger/seals.ts'
import { databaseObstacle } from '../db/readiness.ts'
import type { Deps } from '../deps.ts'
import { limits } from '../limits.ts'
import { isBehindRecord } from '../seals/rollback.ts'

export interface Readiness {
  isReady: boolean
  body: {
    status: 'ready' | 'not ready'
    database: string
    temporal: 'up' | 'down'
    /** Present while the sealer refuses to go on with all ledgers: decisions go on. */
    sealer?: 'attention'
  }
}

/**
 * Whether a process can do its work. The API needs only the database: reads, propose and cancel work without Temporal.
 * @source docs/operating.md#check-that-it-works
 */
export async function readiness(deps: Deps, needsTemporal = false): Promise<Readiness> {
  const [obstacle, isTemporalUp, isSealing] = await Promise.all([
    databaseObstacle(deps.db).catch(() => 'unreachable'),
    deps.workflows.isUp(),
    // A database of another schema has no such function.
    isSealingFine(deps).catch(() => true),
  ])
  const isReady = obstacle === null && (isTemporalUp || !needsTemporal)
  return {
    isReady,
    body: {
      status: isReady ? 'ready' : 'not ready',
      database: obstacle ?? 'up',
      temporal: isTemporalUp ? 'up' : 'down',
      ...(isSealing ? {} : { sealer: 'attention' as const }),
    },
  }
}

async function isSealingFine({ db, config }: Deps): Promise<boolean> {
  const faults = await listSealFaults(db, '')
  return faults.length === 0 && !(await isBehindRecord({ db, config }))
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
