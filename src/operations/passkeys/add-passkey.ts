import { verifyRegistrationResponse } from '@simplewebauthn/server'
import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { type AddOutcome, addPasskey as add, listPasskeys } from '../../db/queries/members/passkeys.ts'
import type { Deps } from '../../deps.ts'
import { GateError } from '../../errors.ts'
import { exactJsonOrUndefined } from '../../gate/json/exact-json.ts'
import { randomBase62 } from '../../keys/api-key.ts'
import { limits } from '../../limits.ts'
import { line } from '../entered-fields.ts'
import { parseInput } from '../parse.ts'
import type { Session } from '../sign-in/session.ts'
import { publicKeyOfCose, supportedAlgorithms } from './cose-key.ts'
import { addChallenge, newNonce, siteOf } from './site.ts'

/** What the page needs to have the browser make a passkey. All but the names in base64url. */
export interface PasskeyOffer {
  site: string
  origin: string
  user: { id: string; name: string; displayName: string }
  challenge: string
  nonce: string
  algorithms: readonly number[]
  /** Passkeys that the member has: their devices make no second one. */
  known: string[]
}

/** The form of the page. Texts of the browser in base64url. */
export const newPasskeyForm = {
  name: line(limits.passkeyNameCharsMax),
  nonce: z.string().regex(/^[0-9a-f]{64}$/, 'must come from the page'),
  credential: base64url(limits.passkeyFieldCharsMax),
  client_data: base64url(limits.passkeyFieldCharsMax),
  attestation: base64url(limits.passkeyFieldCharsMax),
  transports: z
    .string()
    .regex(/^[a-z-]{0,20}(,[a-z-]{1,20}){0,9}$/, 'must be names of transports')
    .default(''),
}
const form = z.strictObject(newPasskeyForm)

/** Whether a session began so recently that it may add a passkey. Pure but for the clock. */
export const isFresh = (session: Pick<Session, 'startedAt' | 'isFresh'>, now = Date.now()): boolean =>
  session.isFresh && now < session.startedAt.getTime() + limits.freshSignInMs

/**
 * Begins to add a passkey for the signed-in member.
 * @throws GateError `forbidden` for who is no member, `conflict` where the address has no passkeys
 */
export async function offerPasskey(deps: Deps, session: Session): Promise<PasskeyOffer> {
  const { account, address, name } = session
  const memberId = memberOf(session)
  const { id: site, origin } = siteOf(deps)
  const nonce = await newNonce(deps, { purpose: 'add', account, memberId })
  const known = await listPasskeys(deps.db, account, memberId)
  return {
    site,
    origin,
    // The authenticator returns it at a sign-in: it leads to the member, and says nothing about them.
    user: {
      id: userHandle(account, memberId),
      name: address,
      displayName: `${name} (${session.accountName})`,
    },
    challenge: addChallenge(nonce).toString('base64url'),
    nonce: nonce.toString('hex'),
    algorithms: supportedAlgorithms,
    known: known.map(({ credential }) => credential.toString('base64url')),
  }
}

/** What an authenticator stores for a member. Pure. */
export const userHandle = (account: string, memberId: string): string =>
  Buffer.from(`${account}/${memberId}`).toString('base64url')

/**
 * Adds a passkey that the browser made. The member is told by mail and in Slack.
 * @throws GateError `invalid` for what no browser made for this page, `forbidden` for an old session, `conflict`
 */
export async function addPasskey(deps: Deps, session: Session, given: Record<string, string>): Promise<void> {
  const { name, nonce, ...fields } = parseInput(form, given)
  memberOf(session)
  const made = await registrationOf(deps, Buffer.from(nonce, 'hex'), fields)
  const outcome = await add(deps.db, {
    account: session.account,
    session: session.tokenHash,
    eventId: randomUUID(),
    passkeyId: `pk_${randomBase62(16)}`,
    name,
    nonce: Buffer.from(nonce, 'hex'),
    ...made,
    freshMs: limits.freshSignInMs,
    passkeysMax: limits.passkeysMax,
  })
  if (outcome !== 'added') throw notAdded(outcome)
}

async function registrationOf(
  deps: Deps,
  nonce: Buffer,
  { credential: id, client_data, attestation, transports }: Omit<z.output<typeof form>, 'name' | 'nonce'>,
) {
  const { id: site, origin } = siteOf(deps)
  const checked = await verifyRegistrationResponse({
    response: {
      id,
      rawId: id,
      type: 'public-key',
      clientExtensionResults: {},
      response: { clientDataJSON: client_data, attestationObject: attestation },
    },
    expectedChallenge: addChallenge(nonce).toString('base64url'),
    expectedOrigin: origin,
    expectedRPID: site,
    requireUserVerification: true,
    supportedAlgorithmIDs: [...supportedAlgorithms],
  }).catch(() => undefined)
  if (!checked?.verified || isFramed(client_data)) throw notOurs()
  const { credential, credentialDeviceType } = checked.registrationInfo
  const publicKey = publicKeyOfCose(credential.publicKey)
  if (!publicKey || credential.id !== id) throw notOurs()
  return {
    credential: Buffer.from(credential.id, 'base64url'),
    publicKey,
    isDeviceBound: credentialDeviceType === 'singleDevice',
    transports: transports.split(',').filter(Boolean),
    signCount: credential.counter,
  }
}

/** Whether a page of another site had the passkey made, in a frame. */
function isFramed(clientData: string): boolean {
  const said = exactJsonOrUndefined(Buffer.from(clientData, 'base64url').toString())
  const { crossOrigin, topOrigin } = (said ?? { crossOrigin: true }) as Record<string, unknown>
  return crossOrigin === true || topOrigin !== undefined
}

function memberOf({ memberId }: Session): string {
  if (memberId !== null) return memberId
  throw new GateError('forbidden', 'Only members have passkeys. You are an administrator of this account.')
}

const notOurs = () =>
  new GateError(
    'invalid',
    'The passkey was not made for this page. Open the page again and add it once more.',
  )

function notAdded(outcome: Exclude<AddOutcome, 'added'>): GateError {
  const [code, sentence] = sentences[outcome]
  return new GateError(code, sentence)
}

const sentences: Record<Exclude<AddOutcome, 'added'>, ['forbidden' | 'conflict', string]> = {
  not_fresh: [
    'forbidden',
    'You signed in too long ago to add a passkey. Sign out, sign in again, and add it then. Nothing was added.',
  ],
  used: ['conflict', 'The page was open for too long, or was sent before. Open it again. Nothing was added.'],
  known: ['conflict', 'This passkey was added before. A removed passkey cannot be added again.'],
  too_many: [
    'conflict',
    `You have ${limits.passkeysMax} passkeys, the maximum. Remove one before you add another.`,
  ],
}

function base64url(charsMax: number) {
  return z
    .string()
    .regex(/^[A-Za-z0-9_-]*$/, 'must come from the browser')
    .max(charsMax, 'is too long')
    .default('')
}
