import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { limits } from '../../src/limits.ts'
import { type TestDatabase, freshDatabase } from '../support/database.ts'
import { creditNote, customerDeletion } from '../support/declared-kind.ts'
import { ringOf } from '../support/connect.ts'
import { type AccountCommands, gateOn, newAccount } from './gate-command.ts'

let database: TestDatabase
let gate: ReturnType<typeof gateOn>
let account: AccountCommands
let folder: string
beforeAll(async () => {
  database = await freshDatabase()
  gate = gateOn({ DATABASE_URL: database.serviceUrl, SECRETS_KEYS: ringOf('k1') })
  folder = mkdtempSync(join(tmpdir(), 'kinds-'))
})
beforeEach(async () => {
  account = await newAccount(gate)
})
afterAll(async () => {
  rmSync(folder, { recursive: true })
  await database.drop()
})

function fileOf(content: unknown): string {
  const file = join(folder, 'kind.json')
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content))
  return file
}
const add = (document: unknown) => account.ok('kind', 'add', '--file', fileOf(document))
const text = (...argv: string[]) => gate('kind', ...argv, '--account', account.account)

test('a kind is declared, changed, shown, retired and declared again', async () => {
  expect(await add(customerDeletion())).toEqual({ kind: 'customer_deletion', version: 1, isNew: true })
  expect(await add(customerDeletion())).toEqual({ kind: 'customer_deletion', version: 1, isNew: false })
  expect(await add(customerDeletion({ title: 'Archive a customer' }))).toMatchObject({ version: 2 })
  const show = (...version: string[]) => account.ok('kind', 'show', '--kind', 'customer_deletion', ...version)
  expect(await show('--version', '1')).toMatchObject({
    version: 1,
    title: 'Delete a customer',
    executor: 'claim',
    created_by: 'admin',
    digest: expect.stringMatching(/^[0-9a-f]{64}$/),
    document: customerDeletion(),
    retired_at: null,
  })
  const retired = await account.ok('kind', 'retire', '--kind', 'customer_deletion')
  expect(retired).toMatchObject({ version: 2, retired_at: expect.stringMatching(/Z$/) })
  expect(await account.ok('kind', 'retire', '--kind', 'customer_deletion')).toEqual(retired)
  expect(await add(customerDeletion())).toMatchObject({ version: 3, isNew: true })
  expect(await account.ok('kind', 'list')).toMatchObject([
    { kind: 'customer_deletion', version: 3, retired_at: null },
  ])
  expect(await account.ok('ledger', 'verify')).toMatchObject({ ok: true })
})

test('people read what was declared in words', async () => {
  expect((await text('list')).stdout).toContain('No declared kinds.')
  const file = fileOf(creditNote())
  expect((await text('add', '--file', file)).stdout).toContain(
    'Kind credit_note declared: version 1 is in force.',
  )
  expect((await text('add', '--file', file)).stdout).toContain('Nothing changed: version 1 of credit_note')
  expect((await text('show', '--kind', 'credit_note')).stdout).toContain('"cents": "/cents"')
})

test('an administrator who declares a kind with calls is told to make its secret, until there is one', async () => {
  const called = customerDeletion({ executor: { type: 'webhook', url: 'https://executor.example/run' } })
  const add = async () => (await text('add', '--file', fileOf(called))).stdout
  const next = 'Make the secret: `gate kind secret --kind customer_deletion`'
  expect(await add()).toContain(next)
  expect(await account.ok('kind', 'add', '--file', fileOf(called))).toMatchObject({ needs_secret: true })
  await account.ok('kind', 'secret', '--kind', 'customer_deletion')
  expect(await add()).not.toContain(next)
  expect((await text('add', '--file', fileOf(creditNote()))).stdout).not.toContain('secret')
})

test('a document that is not valid is refused with the place, and nothing is stored', async () => {
  const refused = (document: unknown) => account.refused('kind', 'add', '--file', fileOf(document))
  expect(await refused(customerDeletion({ kind: 'broadcast' }))).toContain('kind is a kind of the gate')
  expect(await refused(customerDeletion({ subject: '/nowhere' }))).toContain('subject must lead to a field')
  expect(await account.ok('kind', 'list')).toEqual([])
})

test.each([
  ['that is missing', '/nowhere/kind.json', /--file \S+ cannot be read: there is no such file/],
  ['that is not JSON', 'kind: x', /is not JSON/],
  ['that is too long', ' '.repeat(limits.kindDocumentCharsMax + 1), /has more than 20000 characters/],
])('a file %s is exit 2', async (_what, content, message) => {
  const file = content.startsWith('/') ? content : fileOf(content)
  expect(await text('add', '--file', file)).toMatchObject({ code: 2, stderr: expect.stringMatching(message) })
})

test('a kind that nobody declared is not found, also one of another account', async () => {
  await add(customerDeletion())
  const other = await newAccount(gate)
  for (const verb of ['show', 'retire'])
    expect(await other.refused('kind', verb, '--kind', 'customer_deletion')).toContain('was not found')
  expect(await account.refused('kind', 'show', '--kind', 'customer_deletion', '--version', '2')).toContain(
    'Version 2 of kind customer_deletion was not found',
  )
})

test('a key can be limited to a declared kind until it is retired', async () => {
  await add(customerDeletion())
  const mint = () =>
    gate(
      'key',
      'mint',
      '--account',
      account.account,
      '--name',
      'Bot',
      '--kinds',
      'customer_deletion',
      '--json',
    )
  expect((await mint()).code).toBe(0)
  expect(await account.ok('key', 'list')).toMatchObject([{ kinds: ['customer_deletion'] }])
  await account.ok('kind', 'retire', '--kind', 'customer_deletion')
  expect(await mint()).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--kinds must be one or more of'),
  })
})

test('an account declares at most so many kinds, retired ones too', async () => {
  for (let n = 0; n < limits.declaredKindsMax; n++)
    await database.asSuperuser(
      `select set_config('gate.account', '${account.account}', true), gate.set_kind('${account.account}', null,
        'kind_${n}', '{"kind":"kind_${n}"}', 100, gen_random_uuid())`,
    )
  expect(await account.refused('kind', 'add', '--file', fileOf(customerDeletion()))).toContain(
    'at most 50 kinds',
  )
})

test('the policy of a kind that the account does not have is not explained, and the error names those it has', async () => {
  await add(customerDeletion())
  const asked = await account.refused('policy', 'explain', '--kind', 'customer_deletoin', '--tier', 'write')
  expect(asked).toMatch(/^Unknown kind customer_deletoin\. Use one of: .*customer_deletion, .*refund, /)
})

test('the policy of a declared kind is set and explained', async () => {
  await add(customerDeletion())
  const document = { kinds: { customer_deletion: { tier: 'write', consent: 'chat' } } }
  await account.ok('policy', 'set', '--file', fileOf(document))
  const explain = ['--kind', 'customer_deletion', '--tier', 'guarded_write']
  expect(await account.ok('policy', 'explain', ...explain)).toMatchObject({
    allowed: false,
    denial_code: 'tier_insufficient',
    needed_tier: 'write',
  })
  await account.ok('kind', 'retire', '--kind', 'customer_deletion')
  expect(await account.ok('policy', 'explain', ...explain)).toMatchObject({
    allowed: false,
    denial_code: 'kind_off',
    rule: 'The kind customer_deletion was retired',
  })
  expect(await account.ok('policy', 'show')).not.toHaveProperty('kinds.customer_deletion')
})
