import { setTimeout as sleep } from 'node:timers/promises'
import { readHead } from '../../db/queries/ledger/ledger.ts'
import { readLog } from '../../db/queries/ledger/sealing.ts'
import type { Deps } from '../../deps.ts'
import { limits } from '../../limits.ts'
import { readLogKeys } from '../../seals/log-keys.ts'
import { logPlace } from '../../seals/log-place.ts'
import { sealLedgers } from '../../seals/sealer.ts'
import { requireValidKey } from '../proposals/await-end.ts'
import { isSealed } from './ledger-proofs.ts'

const sealWaitPollMs = 500

/**
 * Waits until an entry is sealed, for a bounded time; not at all for an entry that does not exist.
 * @throws GateError `too_many` if too many requests already wait, `unauthenticated` if the key was revoked meanwhile
 */
export async function awaitSealed(
  deps: Deps,
  caller: { account: string; keyId: string; keyHash: Buffer },
  seq: number,
  hungUp: () => AbortSignal,
): Promise<void> {
  const { account } = caller
  const head = await readHead(deps.db, account)
  if (!head || seq > head.seq || (await isSealed(deps.db, account, seq))) return
  await deps.longPolls.run(caller, hungUp(), async (ended) => {
    const until = performance.now() + limits.sealWaitSeconds * 1_000
    // A pass over a long ledger lasts longer than anybody waits here.
    let pass: Promise<void> | undefined = sealOnDemand(deps).finally(() => (pass = undefined))
    while (!ended.aborted && performance.now() < until && !(await isSealed(deps.db, account, seq))) {
      const pause = sleep(sealWaitPollMs, undefined, { signal: ended }).catch(() => undefined)
      await Promise.race(pass ? [pass, pause] : [pause])
    }
  })
  await requireValidKey({ deps, keyHash: caller.keyHash })
}

const underWay = new WeakMap<Deps, Promise<void>>()

/** Seals in this process, if it has the key. Requests of one moment share one pass. */
function sealOnDemand(deps: Deps): Promise<void> {
  const known = underWay.get(deps)
  if (known) return known
  const shared = sealWithKey(deps)
    .catch((error: unknown) => deps.log.warn({ err: error }, 'sealing on demand failed'))
    .finally(() => underWay.delete(deps))
  underWay.set(deps, shared)
  return shared
}

async function sealWithKey(deps: Deps): Promise<void> {
  const { log } = await readLog(deps.db)
  if (readLogKeys(logPlace(deps.config, log))) await sealLedgers({ ...deps, onlyNew: true })
}
