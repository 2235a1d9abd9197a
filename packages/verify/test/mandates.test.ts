import { expect, test } from '@jest/globals'
import { testRows } from '../../../test/support/rows.ts'
import { mandateEntries } from '../../../src/ledger/consents/mandates.ts'
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

// Action 1 is the mandate, action 2 what was done by it.
const start: Made[] = [
  ['passkey_added', null, { member, ...ida.known }],
  ['proposed', 1, { digest }],
  ['proposed', 2, { digest: 'ab'.repeat(32) }],
]
const signed = (strength: string): Made => [
  'confirmed',
  1,
  { channel: 'console', strength, card, ...(strength === 'passkey' ? { passkey: ida.evidence() } : {}) },
]
const used = (mandate = 1, data: object = {}): Made => [
  'mandate_used',
  mandate,
  { by: 'mandate', strength: 'passkey', used_for: 2, n: 1, ...data },
]
const by = (mandate = 1, data: object = {}): Made => [
  'confirmed',
  2,
  { channel: 'api', strength: 'passkey', mandate, ...data },
]
const page = { strength: 'page' }

function exported(entries: Made[]): { account: Account; text: string } {
  const account: Account = { account: 'acct_0123456789ABCDEF', entries: [] }
  append(account, 'account_created', null)
  for (const entry of entries) append(account, ...entry)
  return { account, text: exportText(exportLines(account, [seal(account)])) }
}

const noUse = 'its mandate has no use for it'
const unsigned = 'its strength is passkey, but no passkey signed its mandate'

testRows<[string, Made[], string | null]>([
  ['signed with a passkey and used', [signed('passkey'), used(), by()], null],
  ['signed on a page and used', [signed('page'), used(1, page), by(1, page)], null],
  ['signed with a passkey, and less for its uses', [signed('passkey'), used(1, page), by(1, page)], null],
  ['signed on a page, and more for its uses', [signed('page'), used(), by()], unsigned],
  ['without a use', [signed('passkey'), by()], noUse],
  ['with a use for another action', [signed('passkey'), used(1, { used_for: 3 }), by()], noUse],
  ['with a use of another mandate', [signed('passkey'), used(), by(3)], noUse],
  ['with a use of another strength', [signed('passkey'), used(1, page), by()], noUse],
  [
    'with something between use and consent',
    [signed('passkey'), used(), ['proposed', 3, { digest }], by()],
    noUse,
  ],
])('a consent by a mandate: %s', async (_, entries, problem) => {
  const { account, text } = exported([...start, ...entries])
  const verdict = await verifyFile(bytesOf(text), { policy })
  expect(verdict).toMatchObject(
    problem === null
      ? { ok: true, words: expect.arrayContaining([expect.stringContaining('in advance, by mandate 1')]) }
      : { ok: false, place: `seq ${account.entries.length}`, problem },
  )
  // The service's own verifier says the same.
  const checks = [passkeyEntries(), mandateEntries()]
  const told = account.entries.map((link) =>
    checks.map((check) => check.problemOf(link, JSON.parse(link.entry))).find((one) => one !== null),
  )
  expect(told.at(-1) ?? null).toBe(problem)
})

test('a proof and a receipt of it say that a mandate consented, and need no evidence of their own', async () => {
  const { account } = exported([...start, signed('passkey'), used(), by()])
  const last = account.entries.length
  expect(await verifyFile(bytesOf(proof(account, last)), { policy })).toMatchObject({
    ok: true,
    words: expect.arrayContaining([expect.stringContaining('in advance, by mandate 1')]),
  })
  const { claims, jwks, receipt } = newReceipts(new Date())
  const consent = { ...claims.consent, by: 'mandate', strength: 'passkey' }
  expect(await verifyFile(bytesOf(receipt({ consent })), { jwks, minStrength: 'passkey' })).toMatchObject({
    ok: true,
    facts: { consent: { by: 'mandate', strength: 'passkey' } },
  })
})
