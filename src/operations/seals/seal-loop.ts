import type { Deps } from '../../deps.ts'
import { limits } from '../../limits.ts'
import { sealLedgers } from '../../seals/sealer.ts'
import { startPolling } from '../../waiting/poll-loop.ts'

/** How often a sealer also looks at ledgers without new entries: whether what was sealed is still there. */
const sealLookEveryMs = 600_000

/**
 * Seals the ledgers every ten seconds, until stopped. Any number of processes may do so. Whether what was sealed is still there
 * is looked at in the beginning and every ten minutes: that reads every account.
 */
export function startSealing(deps: Deps): { stop(): Promise<void> } {
  let told = ''
  let nextLookAt = Number.NEGATIVE_INFINITY
  return startPolling(deps, {
    failed: 'sealing failed; retrying',
    pollMs: limits.sealEveryMs,
    batchMax: 1,
    async pass() {
      const beganAt = performance.now()
      const onlyNew = beganAt < nextLookAt
      // A look that fails, and goes on failing, is not repeated at once: new entries are sealed between.
      if (!onlyNew) nextLookAt = beganAt + limits.sealLookAgainMs
      const { state, why = '' } = await sealLedgers({ ...deps, onlyNew }).catch((error: unknown) => {
        deps.telemetry.metrics?.sealPass('failed')
        throw error
      })
      deps.telemetry.metrics?.sealPass(state)
      if (!onlyNew) nextLookAt = beganAt + sealLookEveryMs
      if (state === 'off' && told !== why) deps.log.warn({ why }, 'ledgers are not sealed by this process')
      told = why
      return 0
    },
  })
}
