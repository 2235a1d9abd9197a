import { randomBytes, randomUUID } from 'node:crypto'
import type { Db } from '../../src/db/connect.ts'
import type { SignedByPasskey } from '../../src/db/queries/actions/decide.ts'
import { addPasskey, makePasskeyNonce } from '../../src/db/queries/members/passkeys.ts'
import { randomBase62 } from '../../src/keys/api-key.ts'
import { consentChallenge } from '../../src/ledger/consents/evidence.ts'
import { testPasskey } from './authenticator.ts'

interface Holder {
  account: string
  memberId: string
  session: Buffer
}

/** Stores a passkey without a page. `sign`: what it signs about an action, with a number of the gate. */
export async function storePasskey(db: Db, { account, memberId, session }: Holder) {
  const key = testPasskey({ origin: 'https://gate.example.com' })
  const nonce = randomBytes(32)
  await makePasskeyNonce(db, nonce, { purpose: 'add', account, memberId }, 60_000)
  const passkeyId = `pk_${randomBase62(16)}`
  const outcome = await addPasskey(db, {
    account,
    session,
    eventId: randomUUID(),
    passkeyId,
    name: 'Laptop',
    credential: key.credential,
    publicKey: key.publicKey,
    isDeviceBound: true,
    transports: ['internal'],
    signCount: 0,
    nonce,
    freshMs: 600_000,
    passkeysMax: 10,
  })
  if (outcome !== 'added') throw new Error(`the passkey was not stored: ${outcome}`)
  return {
    passkeyId,
    async sign(about: {
      id: number
      digest: string
      decision: 'confirm' | 'decline'
      card: Buffer
    }): Promise<SignedByPasskey> {
      const asked = randomBytes(32)
      await makePasskeyNonce(db, asked, { purpose: 'decide', account, memberId, actionId: about.id }, 60_000)
      const { digest, decision } = about
      const [card, nonce] = [about.card.toString('hex'), asked.toString('hex')]
      return { ...key.assert(consentChallenge({ digest, decision, card, nonce })), nonce: asked }
    },
  }
}
