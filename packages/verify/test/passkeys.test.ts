import { describe, expect, test } from '@jest/globals'
import { testRows } from '../../../test/support/rows.ts'
import { passkeyEntries } from '../../../src/ledger/consents/entries.ts'
import { verifyFile } from '../lib/verify.mjs'
import { type Account, append, exportLines, exportText, newGate, policyOf, sealer } from './log.ts'
import { type Made, card, digest, holder, member } from './passkey.ts'
import { newReceipts } from './receipt.ts'

async function* bytesOf(text: string) {
  yield Buffer.from(text)
}

const gate = newGate('gate.example.com', 0)
const policy = policyOf(gate)
const { seal, proof } = sealer(gate)
const ida = holder()
const added: Made = ['passkey_added', null, { member, ...ida.known }]
const proposed = (action = 1): Made => ['proposed', action, { digest }]
const consent = (passkey: object, action = 1): Made => [
  'confirmed',
  action,
  { channel: 'console', strength: 'passkey', card, passkey },
]

function exported(entries: Made[]): { account: Account; text: string } {
  const account: Account = { account: 'acct_0123456789ABCDEF', entries: [] }
  append(account, 'account_created', null)
  for (const entry of entries) append(account, ...entry)
  return { account, text: exportText(exportLines(account, [seal(account)])) }
}

describe('a consent by passkey', () => {
  testRows([
    ['ES256', holder('ES256')],
    ['Ed25519', holder('Ed25519')],
    ['RS256', holder('RS256')],
  ] as const)('with %s is proven by an export, a proof and a receipt', async (_, { known, evidence }) => {
    const made = evidence({ how: { isSynced: true } })
    const { account, text } = exported([
      ['passkey_added', null, { member, ...known }],
      proposed(),
      consent(made),
    ])
    const words = expect.arrayContaining([
      'passkey: signed at https://gate.example.com by a passkey that is synced, whose user was verified.',
    ])
    const told = { consent: { strength: 'passkey', passkey: { credential: known.credential, synced: true } } }
    expect(await verifyFile(bytesOf(text), { policy })).toMatchObject({ ok: true, words, facts: told })
    expect(await verifyFile(bytesOf(proof(account, 4)), { policy })).toMatchObject({
      ok: true,
      words,
      facts: told,
    })
    const receipts = newReceipts(new Date())
    const claim = { ...receipts.claims.consent, strength: 'passkey', display_sha256: card, passkey: made }
    const jwks = receipts.jwks
    const receipt = receipts.receipt({ digest, consent: claim })
    expect(await verifyFile(bytesOf(receipt), { jwks, minStrength: 'passkey' })).toMatchObject({
      ok: true,
      words,
      facts: told,
    })
  })

  test('costs less than 10 ms a row', async () => {
    const rows = Array.from({ length: 100 }, (_, n) => [
      proposed(n + 1),
      consent(ida.evidence(), n + 1),
    ]).flat()
    const { text } = exported([added, ...rows])
    const before = process.cpuUsage()
    expect(await verifyFile(bytesOf(text), { policy })).toMatchObject({ ok: true, facts: { consents: 100 } })
    const { user, system } = process.cpuUsage(before)
    expect((user + system) / 1_000 / 100).toBeLessThan(10)
  })
})

const other = holder()
const wrong: [string, Made[], string][] = [
  ['another action', [consent(ida.evidence({ about: 'ef'.repeat(32) }))], 'it is about another digest'],
  [
    'another digest than it says',
    [consent({ ...ida.evidence({ about: 'ef'.repeat(32) }), digest })],
    'it signs another decision',
  ],
  ['a no for a yes', [consent(ida.evidence({ decision: 0 }))], 'it signs another decision'],
  ['another card', [consent(ida.evidence({ shown: '00'.repeat(32) }))], 'it signs another decision'],
  ['another site', [consent(ida.evidence({ how: { rpId: 'evil.example' } }))], 'it is of another site'],
  ['a parent domain', [consent(ida.evidence({ how: { rpId: 'example.com' } }))], 'it is of another site'],
  ['no verification', [consent(ida.evidence({ how: { isVerified: false } }))], 'its user was not verified'],
  ['nobody there', [consent(ida.evidence({ how: { isPresent: false } }))], 'nobody was present'],
  [
    'a frame',
    [consent(ida.evidence({ how: { client: { topOrigin: 'https://a.test' } } }))],
    'it was made inside another site',
  ],
  [
    'a registration',
    [consent(ida.evidence({ how: { client: { type: 'webauthn.create' } } }))],
    'it was not made to decide',
  ],
  [
    'a synced one as bound',
    [consent({ ...ida.evidence({ how: { isSynced: true } }), device_bound: true })],
    'whether the passkey is bound to a device is not what it signed',
  ],
  ['the key of nobody', [consent(other.evidence())], 'no entry before it adds this passkey'],
  [
    'a signature of another key',
    [consent({ ...other.evidence(), ...ida.known })],
    'its signature does not match',
  ],
  [
    'a removed one',
    [['passkey_removed', null, { passkey: ida.known.passkey }], consent(ida.evidence())],
    'the passkey was removed before',
  ],
  [
    'a counter that goes back',
    [
      consent(ida.evidence({ how: { counter: 9 } })),
      proposed(2),
      consent(ida.evidence({ how: { counter: 8 } }), 2),
    ],
    'its counter went back',
  ],
  [
    'a copy on another action',
    [consent(ida.evidence()), ['proposed', 2, { digest: '12'.repeat(32) }], consent(ida.evidence(), 2)],
    'it is about another digest',
  ],
]

testRows(wrong)('is refused: %s', async (_, entries, problem) => {
  const { account, text } = exported([added, proposed(), ...entries])
  expect(await verifyFile(bytesOf(text), { policy })).toMatchObject({
    ok: false,
    place: `seq ${account.entries.length}`,
    problem: `its passkey does not prove it: ${problem}`,
  })
  // The service's own verifier says the same.
  const checked = passkeyEntries()
  const told = account.entries.map((link) => checked.problemOf(link, JSON.parse(link.entry)))
  expect(told.at(-1)).toBe(`its passkey does not prove it: ${problem}`)
})

test('the strength passkey without evidence is refused, in an export, a proof and a receipt', async () => {
  const { account, text } = exported([
    added,
    proposed(),
    ['confirmed', 1, { channel: 'console', strength: 'passkey', card }],
  ])
  const problem = 'its strength is passkey, but it has no evidence of one'
  for (const file of [text, proof(account, 4)])
    expect(await verifyFile(bytesOf(file), { policy })).toMatchObject({ ok: false, problem })
  const { claims, jwks, receipt } = newReceipts(new Date())
  const consent = { ...claims.consent, strength: 'passkey', display_sha256: card }
  expect(await verifyFile(bytesOf(receipt({ consent })), { jwks })).toMatchObject({ ok: false, problem })
})

test('a receipt whose passkey signed another action or card is refused', async () => {
  const { claims, jwks, receipt } = newReceipts(new Date())
  const told = async (more: object, passkey: object = ida.evidence()) => {
    const consent = { ...claims.consent, strength: 'passkey', display_sha256: card, passkey, ...more }
    const verdict = await verifyFile(bytesOf(receipt({ digest, consent })), { jwks })
    return verdict.ok ? 'proven' : verdict.problem
  }
  expect(await told({})).toBe('proven')
  expect(await told({ display_sha256: '00'.repeat(32) })).toMatch(/it signs another decision/)
  expect(await told({ display_sha256: undefined })).toMatch(/the hash of the card is missing/)
  expect(await told({}, ida.evidence({ about: 'ef'.repeat(32) }))).toMatch(/it is about another digest/)
})
