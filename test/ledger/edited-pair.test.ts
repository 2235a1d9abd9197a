import { expect, test } from '@jest/globals'
import { verifyFile } from '#verify'
import {
  type Account,
  append,
  exportLines,
  exportText,
  newGate,
  policyOf,
  sealer,
} from '../../packages/verify/test/log.ts'
import { ledgerChecker } from '../../src/ledger/checker.ts'
import { testRows } from '../support/rows.ts'

// What both verifiers say of a chain whose hashes all fit: the one of the service and the one of strangers.

const [first, second, third] = ['1', '2', '3'].map((digit) => digit.repeat(64))
const edited = ['edited', 1, { former_digest: first, digest: second }] as const
const consented = ['confirmed', 1, { strength: 'page', digest: second }] as const
type Entries = (readonly [string, number, object?])[]

const gate = newGate('gate.example.com', 0)

function chainOf(entries: Entries): Account {
  const account: Account = { account: 'acct_0123456789ABCDEF', entries: [] }
  append(account, 'account_created', null)
  append(account, 'proposed', 1, { digest: first })
  append(account, 'proposed', 2, { digest: third })
  for (const [kind, action, data] of entries) append(account, kind, action, data)
  return account
}

function ours(account: Account): string {
  const checker = ledgerChecker(account.account)
  for (const link of account.entries) {
    const fault = checker.check(link)
    if (fault) return `${fault.place}: ${fault.problem}`
  }
  const { seq, hash } = account.entries.at(-1)!
  const fault = checker.endsAt({ seq, hash })
  return fault ? `${fault.place}: ${fault.problem}` : 'valid'
}

async function strangers(account: Account): Promise<string> {
  const file = exportText(exportLines(account, [sealer(gate).seal(account)]))
  const chunks = (async function* () {
    yield Buffer.from(file)
  })()
  const verdict = await verifyFile(chunks, { policy: policyOf(gate), action: 1 })
  return verdict.ok ? verdict.words.join(' ') : `${verdict.place}: ${verdict.problem}`
}

test('a change and the consent to it are told as one', async () => {
  const account = chainOf([edited, consented, ['executed', 1, { outcome: 'done' }]])
  expect(ours(account)).toBe('valid')
  expect(await strangers(account)).toContain('(page), with changes of their own')
  // Others are consented to as ever.
  expect(await strangers(chainOf([['confirmed', 1, { strength: 'page' }]]))).not.toContain('changes')
})

const alone = 'action 1 was changed, but the consent to that does not follow'
testRows<[string, Entries, string]>([
  ['a change that ends the chain', [edited], `seq 4: ${alone}`],
  ['a change that is taken back', [edited, ['cancelled', 1]], `seq 5: ${alone}`],
  ['something between', [edited, ['confirmed', 2], consented], `seq 5: ${alone}`],
  [
    'a consent to version 1',
    [edited, ['confirmed', 1, { strength: 'page', digest: first }]],
    `seq 5: ${alone}`,
  ],
  [
    'a consent that does not say to what',
    [edited, ['confirmed', 1, { strength: 'page' }]],
    `seq 5: ${alone}`,
  ],
  ['two changes', [edited, edited, consented], `seq 5: ${alone}`],
  [
    'a consent to a change that is nowhere',
    [consented],
    'seq 4: it consents to a change of action 1, but no entry before it is one',
  ],
])('neither verifier accepts', async (_what, entries, problem) => {
  const account = chainOf(entries)
  expect(ours(account)).toBe(problem)
  expect(await strangers(account)).toBe(problem)
})

test('a change of something else than what was proposed is found by an outside verifier that looks for the action', async () => {
  const other = chainOf([['edited', 1, { former_digest: third, digest: second }], consented])
  expect(await strangers(other)).toBe('seq 4: what action 1 was before the change is not what was proposed')
})

test('an archive may end between a change and its consent, because the chain goes on in the database', () => {
  const account = chainOf([edited])
  const checker = ledgerChecker(account.account)
  for (const link of account.entries) expect(checker.check(link)).toBeNull()
  expect(checker.endsAt(account.entries.at(-1)!, true)).toBeNull()
})
