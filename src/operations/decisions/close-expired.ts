import { randomUUID } from 'node:crypto'
import { listExpired } from '../../db/queries/actions/open-actions.ts'
import type { Deps } from '../../deps.ts'
import { limits } from '../../limits.ts'
import { mapConcurrent } from '../../waiting/map-concurrent.ts'
import { startPolling } from '../../waiting/poll-loop.ts'
import { expiryOf } from '../clearance/expiry.ts'
import { claimLogged } from '../clearance/claim-logged.ts'

const expiryPollMs = 1_000
const expiryRowsAtOnce = 2

type ClosingDeps = Pick<Deps, 'db' | 'log'>

/**
 * Closes proposals once they have expired, every second, until stopped. Any number of processes may do so: a row is closed
 * once. The workflows end later, by their own timers, so that many expiries at once do not delay confirms.
 */
export function startClosingExpired(deps: ClosingDeps): { stop(): Promise<void> } {
  const pass = closingExpired(deps)
  return startPolling(deps, {
    failed: 'closing expired proposals failed; retrying',
    pollMs: expiryPollMs,
    batchMax: limits.expiryRowsMax,
    pass,
  })
}

/**
 * @returns a pass, which closes one page of expired proposals, and returns how many there were. The next pass continues after
 * it, and after the last page begins again, so that rows that cannot be closed do not keep others from their turn
 */
export function closingExpired({ db, log }: ClosingDeps): () => Promise<number> {
  // Each process starts at a random row, so that two of them seldom try the same.
  let after: string | null = randomUUID()
  return async () => {
    const page = await listExpired(db, { limitRows: limits.expiryRowsMax, after })
    after = page.length < limits.expiryRowsMax ? null : page.at(-1)!.uuid
    const errors: unknown[] = []
    await mapConcurrent(expiryRowsAtOnce, page, async ({ account_id: account, action_id: id, uuid }) => {
      try {
        await claimLogged({ db, log }, expiryOf({ account, id, uuid }))
      } catch (error) {
        errors.push(error)
      }
    })
    if (errors.length > 0)
      log.warn(
        { err: errors[0], failed: errors.length, tried: page.length },
        'some expired proposals could not be closed; retrying',
      )
    return page.length
  }
}
