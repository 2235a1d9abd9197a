import {
  type FixedClientRow,
  addAppClient,
  listAppClients,
  removeAppClient,
} from '../../db/queries/accounts/apps.ts'
import { GateError } from '../../errors.ts'
import { randomBase62 } from '../../keys/api-key.ts'
import { appSecretHash, newToken } from '../../keys/link-token.ts'
import { limits } from '../../limits.ts'
import { type AccountContext, type AdminContext, writeOf } from '../admin-context.ts'
import { requireAccount } from '../require-account.ts'
import { isRedirect } from './redirect.ts'
import { shownName } from './shown-name.ts'

export type { FixedClientRow } from '../../db/queries/accounts/apps.ts'

/** The clients that the account has for products that ask for an id and a secret. @throws GateError `not_found` */
export async function readFixedClients({ db, account }: AccountContext): Promise<FixedClientRow[]> {
  await requireAccount(db, account)
  return listAppClients(db, account)
}

/**
 * Adds a client for a product that asks for an id and a secret. Only members of the account can connect it. The answer is the only
 * place where the secret is.
 * @throws GateError `invalid`
 */
export async function addFixedClient(
  context: AdminContext,
  { name, redirects }: { name: string; redirects: string[] },
): Promise<{ client: string; secret: string }> {
  const wrong = redirects.find((one) => !isRedirect(one))
  if (wrong !== undefined || redirects.length === 0 || redirects.length > limits.appRedirectsMax)
    throw new GateError(
      'invalid',
      `Give 1 to ${limits.appRedirectsMax} addresses to send people back to: https, or http to this machine, without a fragment or user name.`,
      { param: 'redirect' },
    )
  if (shownName(name) !== name)
    throw new GateError('invalid', 'The name must have no invisible and no look-alike characters.', {
      param: 'name',
    })
  const client = `client_${randomBase62(22)}`
  const secret = newToken()
  await addAppClient(context.db, {
    ...writeOf(context),
    client,
    name,
    redirects,
    secret: appSecretHash(secret),
  })
  return { client, secret }
}

/** Removes a client, and disconnects what was connected by it. @throws GateError `not_found` */
export async function removeFixedClient(context: AdminContext, client: string): Promise<void> {
  if (!(await removeAppClient(context.db, { ...writeOf(context), client })))
    throw new GateError('not_found', `Client ${client} was not found in this account.`)
}
