import { setKeyLimits as setCounting } from '../../db/queries/accounts/accounts.ts'
import type { KeyLimits } from '../../keys/rights.ts'
import { type AdminContext, writeOf } from '../admin-context.ts'

/** Sets how the requests of the account's keys are counted. A process learns of it within a minute. */
export async function setKeyLimits(context: AdminContext, keyLimits: KeyLimits): Promise<void> {
  await setCounting(context.db, { ...writeOf(context), keyLimits })
}
