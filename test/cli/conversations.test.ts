import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { verifyLedger } from '../../src/ledger/verify.ts'
import { entriesOf } from '../support/ledger-entries.ts'
import { type TestDatabase, freshDatabase } from '../support/database.ts'
import { type AccountCommands, ada, adaToAdd, gateOn, newAccount } from './gate-command.ts'
import { testRows } from '../support/rows.ts'

let database: TestDatabase
let root: string
let gate: ReturnType<typeof gateOn>
let { account, ok, refused } = {} as AccountCommands
beforeAll(async () => {
  database = await freshDatabase()
  root = mkdtempSync(join(process.env['TEST_RUN_DIR'] ?? tmpdir(), 'conversations-'))
  gate = gateOn({ DATABASE_URL: database.serviceUrl, WORKSPACE_ROOT: root })
})
beforeEach(async () => {
  ;({ account, ok, refused } = await newAccount(gate))
  await ok('member', 'add', ...adaToAdd)
  await ok('member', 'add', '--name', 'Bea', '--slack', 'W0BEA')
})
afterAll(async () => {
  rmSync(root, { recursive: true, force: true })
  await database.drop()
})

const create = (id: string, ...participants: string[]) =>
  ['conversation', 'create', '--id', id, '--title', 'A page', ...participants] as const
const participant = (name: string) => ['--participant', name]
const participantsOf = async () =>
  (await ok('conversation', 'list')).map((row: any) => [row.conversation_id, row.participants])

test('a conversation is made with its folder, which is named by ids and closed to others', async () => {
  const made = await ok(...create('Site_1-a', ...participant('ada@example.com'), ...participant('W0BEA')))
  const workspace = join(root, account, 'Site_1-a')
  expect(made).toEqual({ conversation_id: 'Site_1-a', workspace })
  expect([statSync(workspace).isDirectory(), statSync(workspace).mode & 0o777]).toEqual([true, 0o700])
  expect(await ok('conversation', 'list')).toEqual([
    {
      conversation_id: 'Site_1-a',
      title: 'A page',
      created_at: expect.stringMatching(/Z$/),
      participants: ['ada@example.com', 'slack:W0BEA'],
      workspace,
    },
  ])
})

test('a participant is added and removed, and twice is the same as once', async () => {
  await ok(...create('site'))
  for (let n = 0; n < 2; n++) {
    expect(await ok('conversation', 'add-participant', '--id', 'site', ...ada)).toMatchObject({
      participates: true,
    })
    expect(await participantsOf()).toEqual([['site', ['ada@example.com']]])
  }
  for (let n = 0; n < 2; n++) {
    expect(await ok('conversation', 'remove-participant', '--id', 'site', ...ada)).toMatchObject({
      participates: false,
    })
    expect(await participantsOf()).toEqual([['site', []]])
  }
})

test('changes by administrators are in the ledger, by ids, and only those that change something', async () => {
  await ok(...create('site', ...participant('ada@example.com')))
  await ok('conversation', 'add-participant', '--id', 'site', '--slack', 'W0BEA')
  await ok('conversation', 'add-participant', '--id', 'site', '--slack', 'W0BEA')
  await ok('conversation', 'remove-participant', '--id', 'site', ...ada)
  await ok('conversation', 'remove-participant', '--id', 'site', ...ada)
  const entries = (await entriesOf(database, account)).filter(({ kind }) => kind === 'conversation_changed')
  const memberIds = (await ok('member', 'list')).map((member: any) => member.member_id)
  expect(entries.map(({ entry }) => entry.data)).toEqual([
    { conversation: 'site', change: 'created', members: [memberIds[0]] },
    { conversation: 'site', change: 'participant_added', member: memberIds[1] },
    { conversation: 'site', change: 'participant_removed', member: memberIds[0] },
  ])
  expect(JSON.stringify(entries)).not.toMatch(/ada@example|W0BEA|A page/)
  expect(await verifyLedger(database.db, account)).toMatchObject({ ok: true, seq: 6 })
})

test('two ids that differ in case alone never share a folder: the second is refused', async () => {
  await ok(...create('site'))
  expect(await refused(...create('site'))).toBe('This account already has a conversation with this id.')
  expect(await refused(...create('SITE'))).toMatch(/differs only in upper and lower case\./)
  expect(await participantsOf()).toEqual([['site', []]])
})

test('accounts have their conversations each: the same id twice is two folders', async () => {
  await ok(...create('site', ...participant('ada@example.com')))
  const other = await newAccount(gate)
  const { workspace } = await other.ok(...create('site'))
  expect(workspace).toBe(join(root, other.account, 'site'))
  expect(await other.ok('conversation', 'list')).toMatchObject([{ participants: [] }])
})

test('an error names the member, conversation or account that does not exist, and nothing is made', async () => {
  expect(await refused(...create('site', ...participant('no@example.com')))).toMatch(/e-mail no@example\.com/)
  expect(existsSync(join(root, account))).toBe(false)
  for (const verb of ['add-participant', 'remove-participant']) {
    expect(await refused('conversation', verb, '--id', 'none', ...ada)).toBe(
      'Conversation none was not found in this account.',
    )
  }
  const none = ['--account', 'acct_0000000000000000', '--json']
  for (const verb of [
    ['create', '--id', 'site', '--title', 'x'],
    ['list'],
    ['add-participant', '--id', 'site', ...ada],
    ['remove-participant', '--id', 'site', ...ada],
  ]) {
    const result = await gate('conversation', ...verb, ...none)
    expect(result).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/^Account acct_\w+ was not found\./),
    })
  }
})

test('where a file or a link stands in the place of a folder: exit 1, nothing is made, there or behind it', async () => {
  const elsewhere = join(root, 'elsewhere')
  mkdirSync(elsewhere, { recursive: true })
  symlinkSync(elsewhere, join(root, account))
  expect(await refused(...create('site'))).toMatch(/is not a folder, or is a symbolic link/)
  expect(readdirSync(elsewhere)).toEqual([])
  rmSync(join(root, account))
  writeFileSync(join(root, account), '')
  expect(await refused(...create('site'))).toMatch(/is not a folder/)
  expect(await participantsOf()).toEqual([])
})

test('a row of one account is not seen under the name of another', async () => {
  await ok(...create('site', ...participant('ada@example.com')))
  const other = await newAccount(gate)
  for (const table of ['conversation', 'participant']) {
    const seen = await database.db.run(
      (sql) => sql`
        select c.account_id from gate.tenant(${other.account}) t(id), lateral (select * from gate.${sql(table)} offset 0) c`,
    )
    expect(seen).toEqual([])
  }
})

const account0 = ['--account', 'acct_0000000000000000']

testRows([
  ['no id', ['create', ...account0, '--title', 't'], /--id is required/],
  ['an id with a slash', ['create', ...account0, '--title', 't', '--id', 'a/b'], /--id must be 1 to 64/],
  ['an id with a dot', ['create', ...account0, '--title', 't', '--id', '..'], /--id must be 1 to 64/],
  ['an empty id', ['create', ...account0, '--title', 't', '--id', ''], /--id must be 1 to 64/],
  ['an id of 65', ['create', ...account0, '--title', 't', '--id', 'a'.repeat(65)], /--id must be 1 to 64/],
  [
    'a title of two lines',
    ['create', ...account0, '--id', 'a', '--title', 'a\nb'],
    /--title must be one line/,
  ],
  [
    'a malformed participant',
    ['create', ...account0, '--id', 'a', '--title', 't', '--participant', 'Ada'],
    /--participant must be/,
  ],
  ['nobody to add', ['add-participant', ...account0, '--id', 'a'], /exactly one of --email, --slack/],
])('wrong usage is exit 2 with the usage', async (_what, argv, message) => {
  const result = await gate('conversation', ...argv)
  expect(result).toMatchObject({
    code: 2,
    stdout: '',
    stderr: expect.stringMatching(/Usage: gate conversation/),
  })
  expect(result.stderr).toMatch(message)
})

test('more participants than one entry of the ledger holds are refused before anything is done', async () => {
  const many = Array.from({ length: 101 }, (_, n) => participant(`m${n}@example.com`)).flat()
  const result = await gate(...create('site', ...many), '--account', account)
  expect(result).toMatchObject({ code: 2, stderr: expect.stringContaining('can be given at most 100 times') })
})
