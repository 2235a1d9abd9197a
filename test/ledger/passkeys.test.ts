import { describe, expect, test } from '@jest/globals'
import { randomBytes } from 'node:crypto'
import {
  type PasskeyEvidence,
  consentChallenge,
  evidenceIn,
  evidenceProblem,
} from '../../src/ledger/consents/evidence.ts'
import { chainStart, linkHash } from '../../src/ledger/chain.ts'
import { ledgerChecker } from '../../src/ledger/checker.ts'
import { passkeyEntries } from '../../src/ledger/consents/entries.ts'
import { type Circumstances, testPasskey } from '../support/authenticator.ts'
import { testRows } from '../support/rows.ts'

const hex = (bytes = 32) => randomBytes(bytes).toString('hex')
const origin = 'https://gate.example.com'
const account = 'acct_0123456789ABCDEF'
const decision = { digest: hex(), decision: 'confirm' as const, card: hex() }

function evidence(
  how: Partial<Circumstances> = {},
  {
    signed = decision,
    algorithm,
  }: { signed?: Parameters<typeof evidenceProblem>[1]; algorithm?: 'Ed25519' | 'RS256' } = {},
): PasskeyEvidence {
  const key = testPasskey({ origin, ...(algorithm ? { algorithm } : {}) })
  const nonce = hex()
  const made = key.assert(consentChallenge({ ...signed, nonce }), how)
  return {
    passkey: 'pk_0123456789abcdef',
    device_bound: how.isSynced !== true,
    credential: key.credential.toString('hex'),
    public_key: key.publicKey.toString('hex'),
    client_data: made.clientData,
    authenticator_data: made.authenticatorData.toString('hex'),
    signature: made.signature.toString('hex'),
    nonce,
    digest: decision.digest,
  }
}

testRows([
  ['an ES256 passkey', evidence()],
  ['an Ed25519 passkey', evidence({}, { algorithm: 'Ed25519' })],
  ['an RS256 passkey', evidence({}, { algorithm: 'RS256' })],
  ['a synced passkey', evidence({ isSynced: true })],
  ['a passkey that counts', evidence({ counter: 7 })],
])('evidence proves the decision: %s', (_, given) => {
  expect(evidenceIn(given)).toBe(given)
  expect(evidenceProblem(given, decision)).toBeNull()
})

testRows([
  ['another action', evidence({}, { signed: { ...decision, digest: hex() } }), 'it signs another decision'],
  [
    'a no for a yes',
    evidence({}, { signed: { ...decision, decision: 'decline' } }),
    'it signs another decision',
  ],
  ['another card', evidence({}, { signed: { ...decision, card: hex() } }), 'it signs another decision'],
  ['another number', { ...evidence(), nonce: hex() }, 'it signs another decision'],
  ['another digest beside it', { ...evidence(), digest: hex() }, 'it is about another digest'],
  ['without user verification', evidence({ isVerified: false }), 'its user was not verified'],
  ['without presence', evidence({ isPresent: false }), 'nobody was present'],
  ['a parent domain', evidence({ rpId: 'example.com' }), 'it is of another site'],
  ['another site', evidence({ rpId: 'gate.example.net' }), 'it is of another site'],
  ['a frame', evidence({ client: { crossOrigin: true } }), 'it was made inside another site'],
  [
    'a frame of a named site',
    evidence({ client: { topOrigin: 'https://x.test' } }),
    'it was made inside another site',
  ],
  ['a registration', evidence({ client: { type: 'webauthn.create' } }), 'it was not made to decide'],
  ['another key', { ...evidence(), public_key: evidence().public_key }, 'its signature does not match'],
  ['a key that is none', { ...evidence(), public_key: '00' }, 'its signature does not match'],
  [
    'a synced one as bound',
    { ...evidence({ isSynced: true }), device_bound: true },
    'whether the passkey is bound to a device is not what it signed',
  ],
  [
    'client data that is none',
    { ...evidence(), client_data: '{}' },
    'its client data is not that of a browser',
  ],
  [
    'a cut of the authenticator data',
    { ...evidence(), authenticator_data: hex(33) },
    'its authenticator data is cut',
  ],
] as [string, PasskeyEvidence, string][])('evidence does not prove a decision: %s', (_, given, problem) =>
  expect(evidenceProblem(given, decision)).toBe(problem),
)

test('evidence of another form is none', () => {
  const given: Record<string, unknown> = { ...evidence() }
  for (const name of Object.keys(given)) {
    const { [name]: _, ...rest } = given
    expect(evidenceIn(rest)).toBeUndefined()
    expect(evidenceIn({ ...given, [name]: 7 })).toBeUndefined()
  }
  for (const odd of [null, 'x', [], { ...given, nonce: 'xyz' }, { ...given, signature: 'abc' }])
    expect(evidenceIn(odd)).toBeUndefined()
})

describe('the entries of a ledger', () => {
  const member = 'mem_0123456789abcdef'
  const key = testPasskey({ origin })
  const entry = (kind: string, action: number | null, data: object, actor = member) =>
    [
      { kind, action_id: action },
      { kind, actor, data: data as never },
    ] as const
  const added = entry('passkey_added', null, {
    member,
    passkey: 'pk_1',
    credential: key.credential.toString('hex'),
    public_key: key.publicKey.toString('hex'),
  })
  const proposed = (id: number) => entry('proposed', id, { digest: decision.digest })
  const consent = (id: number, { counter = 0, actor = member, kind = 'confirmed' } = {}) => {
    const nonce = hex()
    const made = key.assert(
      consentChallenge({ ...decision, nonce, decision: kind === 'confirmed' ? 'confirm' : 'decline' }),
      { counter },
    )
    return entry(
      kind,
      id,
      {
        strength: 'passkey',
        card: decision.card,
        passkey: {
          ...evidence(),
          passkey: 'pk_1',
          credential: key.credential.toString('hex'),
          public_key: key.publicKey.toString('hex'),
          client_data: made.clientData,
          authenticator_data: made.authenticatorData.toString('hex'),
          signature: made.signature.toString('hex'),
          nonce,
        },
      },
      actor,
    )
  }
  const last = (...entries: ReturnType<typeof entry>[]) => {
    const checked = passkeyEntries()
    return entries.map((one) => checked.problemOf(...one)).at(-1)
  }

  test('prove each consent by a passkey that its member had then', () => {
    expect(last(added, proposed(1), consent(1))).toBeNull()
    expect(last(added, proposed(1), consent(1, { kind: 'cancelled' }))).toBeNull()
    expect(
      last(added, proposed(1), proposed(2), consent(2, { counter: 3 }), consent(1, { counter: 4 })),
    ).toBeNull()
  })

  testRows([
    ['a passkey that nobody added', [proposed(1), consent(1)], 'no entry before it adds this passkey'],
    [
      'a removed passkey',
      [added, proposed(1), entry('passkey_removed', null, { passkey: 'pk_1' }), consent(1)],
      'the passkey was removed before',
    ],
    [
      'the passkey of another member',
      [added, proposed(1), consent(1, { actor: 'mem_other' })],
      'the passkey is of another member',
    ],
    ['an action that was not proposed', [added, consent(1)], 'it is about another digest'],
    [
      'a second consent to one action',
      [added, proposed(1), consent(1), consent(1)],
      'it is about another digest',
    ],
    [
      'a counter that goes back',
      [added, proposed(1), proposed(2), consent(1, { counter: 5 }), consent(2, { counter: 5 })],
      'its counter went back',
    ],
  ] as [string, ReturnType<typeof entry>[], string][])('are refused: %s', (_, entries, problem) =>
    expect(last(...entries)).toBe(`its passkey does not prove it: ${problem}`),
  )

  test('are checked wherever a ledger is verified: link by link, with its hashes', () => {
    const problemsOf = (last: ReturnType<typeof entry>) => {
      const checker = ledgerChecker(account)
      const made: ReturnType<typeof entry>[] = [entry('account_created', null, {}), added, proposed(1), last]
      let prev = chainStart
      return made.map(([{ kind, action_id }, { data, actor }], at) => {
        const text = JSON.stringify({ action: action_id, actor, data, key: null, kind, v: 2 })
        const link = { seq: at + 1, at: '2026-11-23T03:00:00.000Z', kind, action_id, entry: text, prev }
        prev = linkHash(account, link)
        return checker.check({ ...link, hash: prev })
      })
    }
    expect(problemsOf(consent(1))).toEqual([null, null, null, null])
    expect(problemsOf(consent(1, { actor: 'mem_other' })).at(-1)).toEqual({
      place: 'seq 4',
      problem: 'its passkey does not prove it: the passkey is of another member',
    })
  })

  test('need evidence for the strength passkey', () => {
    const bare = entry('confirmed', 1, { strength: 'passkey', card: decision.card })
    expect(last(added, proposed(1), bare)).toBe('its strength is passkey, but it has no evidence of one')
    expect(last(added, proposed(1), entry('confirmed', 1, { strength: 'page' }))).toBeNull()
  })
})
