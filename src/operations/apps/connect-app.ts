import { connectApp as store } from '../../db/queries/accounts/apps.ts'
import { adminWrite } from '../../db/admin-write.ts'
import type { Deps } from '../../deps.ts'
import { GateError } from '../../errors.ts'
import { randomBase62 } from '../../keys/api-key.ts'
import { appCodeHash, newToken } from '../../keys/link-token.ts'
import type { KeyRights } from '../../keys/rights.ts'
import { limits } from '../../limits.ts'
import type { Session } from '../sign-in/session.ts'
import { appAddresses } from './addresses.ts'
import { type Asked, answerAddress } from './authorization.ts'

/** What a person allows an app, and whom it acts for. */
export interface Allowed extends Pick<KeyRights, 'powers' | 'kinds' | 'actionsPerDay' | 'centsPerDay'> {
  member: string
}

/**
 * Connects an app: a member for themselves, an administrator for anyone. This is no consent to an action.
 * @returns where the person's browser takes the app its code
 * @throws GateError `forbidden`, `conflict`, `not_found`, `invalid`
 */
export async function connectApp(
  deps: Deps,
  { account, tokenHash }: Pick<Session, 'account' | 'tokenHash'>,
  asked: Asked,
  allowed: Allowed,
): Promise<string> {
  const code = newToken()
  const { client, name, host, challenge, redirect } = asked
  const { eventId } = adminWrite(account)
  const outcome = await store(deps.db, {
    ...allowed,
    account,
    session: tokenHash,
    grant: `app_${randomBase62(16)}`,
    client: client.id,
    name,
    host,
    code: appCodeHash(code),
    challenge,
    redirect,
    lastsMs: limits.appCodeMs,
    eventId,
  })
  if (outcome !== 'connected') throw refusals[outcome]()
  return answerAddress(appAddresses(deps), asked, { code })
}

const refusals = {
  suspended: () =>
    new GateError('conflict', 'The account is suspended. No app can be connected until it is resumed.', {
      detail: 'account_suspended',
    }),
  forbidden: () => new GateError('forbidden', 'You cannot connect this app for that member.'),
  missing: () =>
    new GateError('invalid', 'The member is not active. Choose another one.', { param: 'member' }),
}

/** Where the person's browser tells the app that they declined. Nothing is stored. */
export const declineAddress = (deps: Deps, asked: Asked): string =>
  answerAddress(appAddresses(deps), asked, { error: 'access_denied' })
