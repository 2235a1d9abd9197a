import type { Deps } from '../../deps.ts'
import { limits } from '../../limits.ts'
import { sealLedgers } from '../../seals/sealer.ts'
import { startOutbox } from '../outbox-loop.ts'

/** Seals the ledgers every ten seconds, until stopped. Any number of processes may do so. */
export function startSealing(deps: Deps): { stop(): Promise<void> } {
  let told = ''
  return startOutbox(deps, {
    failed: 'sealing failed; retrying',
    pollMs: limits.sealEveryMs,
    atOnce: 1,
    async pass() {
      const { state, why = '' } = await sealLedgers(deps)
      if (state === 'off' && told !== why) deps.log.warn({ why }, 'ledgers are not sealed by this process')
      told = why
      return 0
    },
  })
}
