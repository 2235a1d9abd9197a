import type { Conclusion } from '../src/actions/kind.ts'
import type { StartedAction } from '../src/db/queries/actions/execution.ts'
import type { Deps } from '../src/deps.ts'
import { isAltered } from '../src/receipts/receipt.ts'

/**
 * Whether a confirmed action is not what its digest was made of: somebody changed it, or the set of its recipients, in the
 * database. Nothing of it is executed then. The log says so: it is for the operator of the service, not for the agent.
 */
export function isChanged({ log }: Pick<Deps, 'log'>, row: StartedAction): boolean {
  if (!isAltered(row) && row.has_its_recipients) return false
  log.error(
    { account: row.account_id, action: row.id },
    'not executed: it was changed in the database. Verify the ledger',
  )
  return true
}

/** How it ends where nothing of it was begun. */
export const refusedAsChanged: Conclusion = {
  status: 'cancelled',
  closedReason: 'refused',
  result: { outcome: 'refused', code: 'payload_changed' },
}
