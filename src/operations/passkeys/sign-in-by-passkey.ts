import { z } from 'zod'
import { type PasskeySignIn, beginPasskeySession, findPasskey } from '../../db/queries/members/passkeys.ts'
import type { Deps } from '../../deps.ts'
import { GateError } from '../../errors.ts'
import { randomBase62 } from '../../keys/api-key.ts'
import { networkHash, newToken, sessionTokenHash } from '../../keys/link-token.ts'
import { assertionProblem, counterOf, originOf } from '../../ledger/consents/evidence.ts'
import { limits } from '../../limits.ts'
import { accountId } from '../ids.ts'
import { parseInput } from '../parse.ts'
import { type Client, clientOf } from '../sign-in/sign-in.ts'
import { newNonce, signInChallenge, siteOf } from './site.ts'

/** What the page of a sign-in needs to have a passkey sign. */
export interface PasskeySignInOffer {
  site: string
  origin: string
  /** In base64url. */
  challenge: string
  /** In hex. */
  nonce: string
}

/** Begins a sign-in by any passkey of this site. @throws GateError `conflict` where the address has no passkeys */
export async function offerPasskeySignIn(deps: Deps): Promise<PasskeySignInOffer> {
  const { id: site, origin } = siteOf(deps)
  const nonce = await newNonce(deps, { purpose: 'sign_in' })
  return {
    site,
    origin,
    challenge: signInChallenge(nonce).toString('base64url'),
    nonce: nonce.toString('hex'),
  }
}

const fromBrowser = z
  .string()
  .regex(/^[A-Za-z0-9_-]+$/, 'must come from the browser')
  .max(limits.passkeyFieldCharsMax, 'is too long')
const form = z.strictObject({
  nonce: z.string().regex(/^[0-9a-f]{64}$/, 'must come from the page'),
  credential: fromBrowser,
  client_data: fromBrowser,
  authenticator_data: fromBrowser,
  signature: fromBrowser,
  user_handle: fromBrowser,
})

/**
 * Signs in with a passkey that the device chose: it says for whom it is, and its signature proves it.
 * @returns the session's token, only for the cookie
 * @throws GateError `invalid`, and `forbidden` in one sentence for every passkey that opens nothing
 */
export async function signInByPasskey(
  deps: Deps,
  fields: Record<string, string>,
  client: Client,
): Promise<string> {
  const given = parseInput(form, fields)
  const bytes = (name: Exclude<keyof typeof given, 'nonce'>) => Buffer.from(given[name], 'base64url')
  const account = accountId.safeParse(bytes('user_handle').toString().split('/')[0]).data
  const credential = bytes('credential')
  const nonce = Buffer.from(given.nonce, 'hex')
  const known = account && (await findPasskey(deps.db, account, credential))
  const clientData = bytes('client_data').toString()
  const authenticatorData = bytes('authenticator_data')
  if (!known || originOf(clientData) !== siteOf(deps).origin) throw refusal('unknown')
  const assertion = {
    publicKey: known.public_key,
    clientData,
    authenticatorData,
    signature: bytes('signature'),
  }
  if (assertionProblem(assertion, signInChallenge(nonce)) !== null) throw refusal('unknown')
  const session = newToken()
  const { former, asker, browser, address } = clientOf(client)
  const outcome = await beginPasskeySession(deps.db, {
    account,
    credential,
    nonce,
    signCount: counterOf(authenticatorData),
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

const refusal = (outcome: Exclude<PasskeySignIn, 'signed_in'>): GateError =>
  new GateError('forbidden', `${sentences[outcome]} Try again, or sign in by a link in your e-mail.`)

const sentences: Record<Exclude<PasskeySignIn, 'signed_in'>, string> = {
  unknown: 'This passkey opens nothing here: it is unknown, or was removed.',
  used: 'The page was open for too long, or was sent before.',
  counter: 'The counter of this passkey went back: a copy of it may be in use.',
}
