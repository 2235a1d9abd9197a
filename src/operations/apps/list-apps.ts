import { type AppRow, endApp as end, listApps } from '../../db/queries/accounts/apps.ts'
import type { KeyRights } from '../../keys/rights.ts'
import { limits } from '../../limits.ts'
import { GateError } from '../../errors.ts'
import type { AccountContext } from '../admin-context.ts'
import { requireAccount } from '../require-account.ts'

export type { AppRow } from '../../db/queries/accounts/apps.ts'

/** The apps that are connected, then those that were, newest first. @param member  only those that act for this member */
export async function readApps({ db, account }: AccountContext, member: string | null): Promise<AppRow[]> {
  await requireAccount(db, account)
  return listApps(db, account, member, limits.appsShownMax)
}

/**
 * Ends the connection of an app: its tokens are refused from the next request on.
 * @param session  of an administrator, or of the member whom it acts for; null: the command line
 * @throws GateError `not_found`
 */
export async function endApp(
  { db, account, session }: AccountContext & { session: Buffer | null },
  grant: string,
): Promise<void> {
  if (!(await end(db, { account, session, grant })))
    throw new GateError('not_found', `App ${grant} was not found in this account.`)
}

/** The rights of an app, as those of a key. Pure. */
export const rightsOfApp = (app: AppRow): KeyRights => ({
  powers: app.powers,
  actors: [app.member_id],
  kinds: app.kinds,
  networks: null,
  actionsPerDay: app.actions_per_day,
  centsPerDay: app.cents_per_day,
})
