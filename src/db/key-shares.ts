import { withDeadline } from '../waiting/with-deadline.ts'
import type { Db } from './connect.ts'
import { takeRequests } from './queries/accounts/authenticate.ts'

/** A process takes this part of a key's requests of a minute at once, where all processes count them together. */
const keyShareParts = 50

/** How long it waits for them, and how long it counts alone where it could not. */
const keyShareWaitMs = 5_000
const keyShareAgainMs = 1_000

/** Keys whose requests a process counts with the others. */
const keysSharedMax = 10_000

/** Counts the requests of keys together with the other processes. */
export interface KeyShares {
  /**
   * @returns `counted`; `alone` where the database does not answer, and this process must count by itself; or how long no
   * process has a request left. Never throws.
   */
  spend(key: { account: string; keyId: string }): Promise<'counted' | 'alone' | { usedUpMs: number }>
}

/** What this process has of the requests that a key may make in its minute. */
interface Share {
  left: number
  /** The end of the minute by the clock of the process; not later than in the database. */
  endsAt: number
  isUsedUp: boolean
  aloneUntil: number
  /** More is being taken. */
  taking: Promise<void> | undefined
}

/**
 * A process takes small shares of a key's minute from the database and spends them by itself, so that most requests cost no
 * statement. What it did not use is lost when the minute ends.
 * @param max  requests of a key in a minute, of all processes
 * @source docs/performance.md#limit-the-requests-of-a-key
 */
export function keyShares(db: Db, max: number): KeyShares {
  const shares = new Map<string, Share>()
  const size = Math.max(1, Math.floor(max / keyShareParts))

  return {
    async spend(key) {
      const share = shareOf(key.keyId)
      for (;;) {
        const now = performance.now()
        if (now < share.endsAt && share.left > 0) {
          share.left -= 1
          return 'counted'
        }
        if (now < share.endsAt && share.isUsedUp) return { usedUpMs: share.endsAt - now }
        if (now < share.aloneUntil) return 'alone'
        await (share.taking ??= takeMore(share, key))
      }
    },
  }

  function shareOf(keyId: string): Share {
    const found = shares.get(keyId)
    if (found) return found
    const share = { left: 0, endsAt: 0, isUsedUp: false, aloneUntil: 0, taking: undefined }
    const [oldest] = shares.keys()
    if (shares.size >= keysSharedMax && oldest !== undefined) shares.delete(oldest)
    shares.set(keyId, share)
    return share
  }

  async function takeMore(share: Share, key: { account: string; keyId: string }): Promise<void> {
    // The time is taken before the statement, so that the share ends here no later than the minute does there.
    const askedAt = performance.now()
    try {
      const { taken, left_ms: leftMs } = await withDeadline(
        keyShareWaitMs,
        takeRequests(db, key, size, max),
        () => new Error('the database did not answer in time'),
      )
      Object.assign(share, { left: taken, endsAt: askedAt + leftMs, isUsedUp: taken === 0 })
    } catch {
      // Whatever the request needs of the database will say what is wrong with it.
      share.aloneUntil = performance.now() + keyShareAgainMs
    } finally {
      share.taking = undefined
    }
  }
}
