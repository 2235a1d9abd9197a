import {
  type LinkState,
  type SignInLinkRow,
  beginSession,
  findSignInLink,
} from '../../db/queries/accounts/sign-ins.ts'
import type { Deps } from '../../deps.ts'
import { GateError } from '../../errors.ts'
import { randomBase62 } from '../../keys/api-key.ts'
import {
  isTokenForm,
  networkHash,
  newToken,
  sessionTokenHash,
  signInTokenHash,
} from '../../keys/link-token.ts'
import { limits } from '../../limits.ts'

export type SignInLink = Omit<SignInLinkRow, 'state'>

/**
 * The link that a person opened. Reading it changes nothing.
 * @throws GateError `not_found` where nobody made it, `gone` where it cannot be used any more
 */
export async function readSignInLink(deps: Deps, token: string): Promise<SignInLink> {
  const link = isTokenForm(token) ? await findSignInLink(deps.db, signInTokenHash(token)) : undefined
  if (!link) throw refusal('unknown')
  const { state, ...rest } = link
  if (state !== 'open') throw refusal(state)
  return rest
}

/**
 * Spends a link and begins a session, always under a token that no browser knew before.
 * @param former  the token of the session that this browser had: it ends
 * @param asker  the network it comes from: asking for a link from there has a share of its own
 * @returns the session's token, for a cookie alone
 * @throws GateError as `readSignInLink`
 */
export async function signIn(
  deps: Deps,
  token: string,
  { former, asker }: { former: string | undefined; asker: string },
): Promise<string> {
  if (!isTokenForm(token)) throw refusal('unknown')
  const session = newToken()
  const outcome = await beginSession(deps.db, {
    link: signInTokenHash(token),
    token: sessionTokenHash(session),
    sessionId: `ses_${randomBase62(16)}`,
    lastsMs: limits.sessionMs,
    former: former === undefined ? null : sessionTokenHash(former),
    asker: networkHash(asker),
  })
  if (outcome !== 'signed_in') throw refusal(outcome)
  return session
}

function refusal(state: Exclude<LinkState, 'open'> | 'unknown'): GateError {
  return new GateError(state === 'unknown' ? 'not_found' : 'gone', `${sentenceOf[state]} Ask for a new one.`)
}

const sentenceOf: Record<Exclude<LinkState, 'open'> | 'unknown', string> = {
  unknown: 'This link is not known, or was over long ago. Look whether it is whole.',
  used: 'This link was used: it works once.',
  expired: 'This link has expired.',
  gone: 'Whom this link was made for may no longer sign in by it.',
}
