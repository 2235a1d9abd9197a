import { readKeyLimits as readCounting } from '../../db/queries/accounts/accounts.ts'
import type { KeyLimits } from '../../keys/rights.ts'
import type { AccountContext } from '../admin-context.ts'

/** How the requests of the account's keys are counted. */
export async function readKeyLimits({ db, account }: AccountContext): Promise<KeyLimits> {
  return readCounting(db, account)
}
