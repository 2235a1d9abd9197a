import { type Config, isSandbox } from '../config.ts'
import type { Db } from '../db/connect.ts'
import { isOnlyAccount } from '../db/queries/accounts/accounts.ts'
import type { BillingAccess } from '../providers/billing.ts'

/**
 * The environment's payment provider of an account. It has the money of one account: the one that the operator names, or the
 * only one of the service. In the sandbox no money moves, so all accounts share the stand-in.
 */
export function environmentMoney(
  db: Db,
  config: Config,
  billing: BillingAccess | undefined,
): (account: string) => Promise<BillingAccess | undefined> {
  const { ENVIRONMENT_PROVIDERS_ACCOUNT: named } = config
  return async (account) => {
    if (billing === undefined || isSandbox(config)) return billing
    // Read for each use: an account may be added in the meantime.
    const isTheirs = named === undefined ? await isOnlyAccount(db, account) : named === account
    return isTheirs ? billing : undefined
  }
}
