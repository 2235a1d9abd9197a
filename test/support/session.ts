import { makeSignInLink } from '../../src/db/queries/accounts/sign-ins.ts'
import type { Deps } from '../../src/deps.ts'
import { networkHash, newToken, sessionTokenHash, signInTokenHash } from '../../src/keys/link-token.ts'
import { signIn } from '../../src/operations/sign-in/sign-in.ts'

/** Signs somebody in by a link to their mailbox. @returns the hash of the session's token, as writes take it */
export async function sessionOf(deps: Deps, account: string, email: string): Promise<Buffer> {
  const token = newToken()
  const share = await makeSignInLink(deps.db, {
    token: signInTokenHash(token),
    account,
    email,
    lastsMs: 60_000,
    asker: networkHash('127.0.0.1'),
    askerMax: 100,
    strangersMax: 100,
    standingMs: 60_000,
  })
  if (share === null) throw new Error(`nobody reads the mailbox ${email}`)
  const client = { former: undefined, asker: '127.0.0.1', browser: undefined, address: '127.0.0.1' }
  return sessionTokenHash(await signIn(deps, token, client))
}
