import { randomBytes } from 'node:crypto'
import { type NoncePurpose, makePasskeyNonce } from '../../db/queries/members/passkeys.ts'
import type { Deps } from '../../deps.ts'
import { GateError } from '../../errors.ts'
import { sha256 } from '../../ledger/digest.ts'
import { type RelyingParty, relyingParty } from '../../network/relying-party.ts'

/** How long a page waits for a passkey. */
const nonceLastsMs = 600_000

/** The site that passkeys are made for. @throws GateError `conflict` where browsers have none at this address */
export function siteOf(deps: Pick<Deps, 'publicUrl'>): RelyingParty {
  const site = siteOrNone(deps)
  if (site) return site
  throw new GateError(
    'conflict',
    'Passkeys need an address with a name and TLS. Ask the operator of the service to set PUBLIC_URL, such as https://gate.example.com.',
  )
}

/** The same; undefined where browsers have none. Pure. */
export const siteOrNone = ({ publicUrl }: Pick<Deps, 'publicUrl'>): RelyingParty | undefined =>
  relyingParty(publicUrl())

/** Makes a number for a passkey to sign, once and within ten minutes. */
export async function newNonce({ db }: Pick<Deps, 'db'>, made: NoncePurpose): Promise<Buffer> {
  const nonce = randomBytes(32)
  await makePasskeyNonce(db, nonce, made, nonceLastsMs)
  return nonce
}

/** What a new passkey signs. A tag of its own: no signature is good for another purpose. Pure. */
export const addChallenge = (nonce: Buffer): Buffer => sha256('qualification-gate/add-passkey/v1\0', nonce)

/** What a passkey signs at a sign-in. Pure. */
export const signInChallenge = (nonce: Buffer): Buffer => sha256('qualification-gate/sign-in/v1\0', nonce)
