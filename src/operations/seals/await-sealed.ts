import { setTimeout as sleep } from 'node:timers/promises'
import { readHead } from '../../db/queries/ledger/ledger.ts'
import type { Deps } from '../../deps.ts'
import { limits } from '../../limits.ts'
import { isSealed } from './ledger-proofs.ts'

/** Waits until an entry is sealed, for a bounded time; not at all for an entry that does not exist. */
export async function awaitSealed(
  { db, stopping }: Pick<Deps, 'db' | 'stopping'>,
  { account, seq, hungUp }: { account: string; seq: number; hungUp: () => AbortSignal },
): Promise<void> {
  const head = await readHead(db, account)
  if (!head || seq > head.seq) return
  const until = Date.now() + limits.sealWaitSeconds * 1_000
  while (!stopping.isEnding && !hungUp().aborted && Date.now() < until) {
    if (await isSealed(db, account, seq)) return
    await sleep(limits.sealWaitPollMs, undefined, { signal: hungUp() }).catch(() => undefined)
  }
}
