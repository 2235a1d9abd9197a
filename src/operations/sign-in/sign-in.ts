import {
  type LinkState,
  type SignInLinkRow,
  beginSession,
  findSignInLink,
} from '../../db/queries/accounts/sign-ins.ts'
import type { Deps } from '../../deps.ts'
import { GateError, LinkGone } from '../../errors.ts'
import { randomBase62 } from '../../keys/api-key.ts'
import {
  isTokenForm,
  networkHash,
  newToken,
  sessionTokenHash,
  signInTokenHash,
} from '../../keys/link-token.ts'
import { limits } from '../../limits.ts'

const browserCharsMax = 256

/** Who signs in. */
export interface Client {
  former: string | undefined
  asker: string
  browser: string | undefined
  address: string
}

/** A client, with what is kept of its browser and address. Pure. */
export const clientOf = ({ browser, address, ...client }: Client) => ({
  ...client,
  browser: browser?.slice(0, browserCharsMax) ?? null,
  address: address.slice(0, limits.addressCharsMax),
})

export type SignInLink = Omit<SignInLinkRow, 'state'>

/**
 * The sign-in link that a person opened. Reading it changes nothing.
 * @throws GateError `not_found` for an unknown link, `gone` where it can no longer be used
 */
export async function readSignInLink(deps: Deps, token: string): Promise<SignInLink> {
  const link = isTokenForm(token) ? await findSignInLink(deps.db, signInTokenHash(token)) : undefined
  if (!link) throw refusal('unknown')
  const { state, ...rest } = link
  if (state !== 'open') throw refusal(state)
  return rest
}

/**
 * Uses a link and starts a session, always with a new token.
 * @param client.former  the token of the browser's previous session, which ends
 * @param client.asker  the network of the client: link requests from it get their own share
 * @param client.browser  what the client calls itself, and its address: the person sees both in the list of their sessions
 * @returns the session's token, only for the cookie
 * @throws GateError as `readSignInLink`
 */
export async function signIn(deps: Deps, token: string, client: Client): Promise<string> {
  const { former, asker, browser, address } = clientOf(client)
  if (!isTokenForm(token)) throw refusal('unknown')
  const session = newToken()
  const outcome = await beginSession(deps.db, {
    link: signInTokenHash(token),
    token: sessionTokenHash(session),
    sessionId: `ses_${randomBase62(16)}`,
    lastsMs: limits.sessionMs,
    former: former === undefined ? null : sessionTokenHash(former),
    asker: networkHash(asker),
    browser,
    address,
  })
  if (outcome !== 'signed_in') throw refusal(outcome)
  return session
}

function refusal(state: Exclude<LinkState, 'open'> | 'unknown'): GateError {
  const sentence = `${sentenceOf[state]} Request a new one.`
  return state === 'unknown'
    ? new GateError('not_found', sentence)
    : new LinkGone(state === 'gone' ? 'invalid' : state, sentence)
}

const sentenceOf: Record<Exclude<LinkState, 'open'> | 'unknown', string> = {
  unknown: 'This link was not found. Check that you copied the whole link.',
  used: 'This link was already used.',
  expired: 'This link has expired.',
  gone: 'This link is no longer valid for its recipient.',
}
