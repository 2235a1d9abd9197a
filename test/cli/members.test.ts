import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { verifyLedger } from '../../src/ledger/verify.ts'
import { type TestDatabase, freshDatabase } from '../support/database.ts'
import { type AccountCommands, ada, adaToAdd, gateOn, newAccount, safeSending } from './gate-command.ts'

let database: TestDatabase
let gate: ReturnType<typeof gateOn>
let { account, ok, refused } = {} as AccountCommands
beforeAll(async () => {
  database = await freshDatabase()
  gate = gateOn({ DATABASE_URL: database.serviceUrl })
})
beforeEach(async () => {
  ;({ account, ok, refused } = await newAccount(gate))
})
afterAll(() => database.drop())

const addAda = () => ok('member', 'add', ...adaToAdd)
const addSafeSending = (...more: string[]) => ok('curriculum', 'add', ...safeSending, ...more)
const onlyMember = async () => (await ok('member', 'list'))[0]

test('an account is made, shown, suspended and resumed', async () => {
  expect(account).toMatch(/^acct_[0-9A-Za-z]{16}$/)
  const shown = async () =>
    (await gate('account', 'list', '--json')).json.find((a: any) => a.account_id === account)
  expect(await shown()).toMatchObject({ name: 'Acme', suspended_at: null })
  expect(await ok('account', 'suspend')).toEqual({ account_id: account, suspended: true })
  expect(await shown()).toMatchObject({ suspended_at: expect.stringMatching(/Z$/) })
  expect(await ok('account', 'resume')).toEqual({ account_id: account, suspended: false })
  expect(await shown()).toMatchObject({ suspended_at: null })
})

test('a member is added with both identities, one, or none', async () => {
  const { member_id } = await addAda()
  expect(member_id).toMatch(/^mem_[0-9A-Za-z]{16}$/)
  await ok('member', 'add', '--name', 'Bea', '--slack', 'W0BEA')
  await ok('member', 'add', '--name', 'Cy')
  expect(await ok('member', 'list')).toEqual([
    {
      member_id,
      name: 'Ada',
      email: 'ada@example.com',
      slack: 'U0ADA',
      teams: null,
      tier: 'read_only',
      tier_source: 'default',
      active: true,
    },
    expect.objectContaining({ name: 'Bea', email: null, slack: 'W0BEA' }),
    expect.objectContaining({ name: 'Cy', email: null, slack: null }),
  ])
})

test('a member with an international domain is named by either form, and people read both', async () => {
  const { member_id } = await ok('member', 'add', '--name', 'Ada', '--email', 'ada@bücher.example')
  expect(await onlyMember()).toMatchObject({ member_id, email: 'ada@xn--bcher-kva.example' })
  for (const form of ['ada@bücher.example', 'ada@xn--bcher-kva.example', 'ADA@BÜCHER.example'])
    expect((await ok('member', 'deactivate', '--email', form)).member_id).toBe(member_id)
  expect((await gate('member', 'list', '--account', account)).stdout).toContain(
    'ada@xn--bcher-kva.example (bücher.example)',
  )
  expect(await refused('member', 'add', '--name', 'Eve', '--email', 'ada@bücher.example')).toMatch(
    /already has/,
  )
})

test('an identity belongs to one member, whatever its case, and the refusal says which', async () => {
  await addAda()
  expect(await refused('member', 'add', '--name', 'Eve', '--email', 'ADA@example.com')).toBe(
    'Another member of this account already has this e-mail.',
  )
  expect(await refused('member', 'add', '--name', 'Eve', '--slack', 'U0ADA')).toBe(
    'Another member of this account already has this Slack identity.',
  )
  await ok('member', 'add', '--name', 'Eve', '--email', 'eve@example.com')
  expect(await refused('member', 'update', '--email', 'eve@example.com', '--new-slack', 'U0ADA')).toMatch(
    /Slack identity/,
  )
  expect(await ok('member', 'list')).toHaveLength(2)
})

test('members are imported from a file, all or none, and exported so that a second import changes nothing', async () => {
  await addAda()
  const file = join(mkdtempSync(join(process.env['TEST_RUN_DIR'] ?? tmpdir(), 'import-')), 'members.csv')
  const importFile = (...more: string[]) =>
    gate('member', 'import', '--account', account, '--file', file, '--json', ...more)
  writeFileSync(file, 'name,email,slack\nBea,bea@example.com,\nCy,nobody,\nDi,ADA@example.com,U0DI\n')
  const wrong = await importFile()
  expect([wrong.code, wrong.json.added, wrong.json.problems]).toEqual([
    1,
    0,
    [{ line: 3, problem: 'email must be an e-mail address.' }],
  ])
  expect(wrong.stderr).toBe('Line 3: email must be an e-mail address.\nNothing was imported.\n')
  writeFileSync(file, 'name,email,slack\nBea,bea@example.com,\n=Cy,,U0CY\nDi,ADA@example.com,U0DI\n')
  expect((await importFile('--dry-run')).json).toMatchObject({ added: 0, to_add: 2 })
  expect(await ok('member', 'list')).toHaveLength(1)
  expect((await importFile()).json).toMatchObject({
    added: 2,
    unchanged: [{ line: 4, differences: ['name is Ada', 'Slack user ID is U0ADA'] }],
  })
  const { stdout } = await gate('member', 'export', '--account', account)
  expect(stdout).toBe(
    "name,email,slack,teams\r\n'=Cy,,U0CY,\r\nAda,ada@example.com,U0ADA,\r\nBea,bea@example.com,,\r\n",
  )
  expect(await ok('member', 'export')).toHaveLength(4)
  writeFileSync(file, stdout)
  const again = await importFile()
  expect([again.json.to_add, again.json.unchanged.length]).toEqual([0, 3])
  expect(again.json.unchanged.every((one: any) => one.differences.length === 0)).toBe(true)
  expect((await gate('member', 'import', '--account', account, '--file', `${file}.none`)).code).toBe(2)
  expect(await verifyLedger(database.db, account)).toMatchObject({ ok: true })
})

test('a curriculum is changed, retired and put in force again, and each answer says whom it concerns', async () => {
  const { member_id } = await addAda()
  await addSafeSending('--module-title', 'Who', '--module-title', 'What')
  for (const module of ['1', '2'])
    await ok('certification', 'pass', ...ada, '--curriculum', 'safe-sending', '--module', module)
  const slug = ['--slug', 'safe-sending']
  const lowered = { curriculum: 'safe-sending', tier_lowered: [member_id], certified_no_longer: 1 }
  expect(await refused('curriculum', 'change', ...slug, '--modules', '3')).toBe(
    'module_titles must have one title for each of the 3 modules, or none: 2 given.',
  )
  const more = ['--modules', '3', '--no-module-titles']
  expect(await ok('curriculum', 'change', ...slug, ...more, '--dry-run')).toMatchObject(lowered)
  expect(await onlyMember()).toMatchObject({ tier: 'guarded_write' })
  expect(await ok('curriculum', 'change', ...slug, ...more)).toMatchObject(lowered)
  expect(await onlyMember()).toMatchObject({ tier: 'read_only' })
  await ok('curriculum', 'change', ...slug, '--modules', '2', '--title', 'Safer', '--valid-days', '9')
  expect(await ok('curriculum', 'retire', ...slug, '--dry-run')).toMatchObject(lowered)
  expect(await ok('curriculum', 'retire', ...slug)).toMatchObject(lowered)
  expect(await onlyMember()).toMatchObject({ tier: 'read_only', tier_source: 'default' })
  expect(await ok('curriculum', 'list')).toMatchObject([
    { title: 'Safer', modules: 2, valid_days: 9, certified: 1, retired_at: expect.stringMatching(/Z$/) },
  ])
  expect(
    await refused('certification', 'pass', ...ada, '--curriculum', 'safe-sending', '--module', '1'),
  ).toMatch(/is retired/)
  expect(await ok('curriculum', 'restore', ...slug)).toMatchObject({ tier_raised: [member_id] })
  expect(await onlyMember()).toMatchObject({ tier: 'guarded_write' })
  expect(await refused('curriculum', 'retire', '--slug', 'none')).toBe(
    'Curriculum none was not found in this account.',
  )
  const both = ['curriculum', 'change', '--account', account, ...slug, '--valid-days', '9', '--no-expiry']
  expect(await gate(...both)).toMatchObject({ code: 2 })
  expect(await verifyLedger(database.db, account)).toMatchObject({ ok: true })
})

test("an admin's tier wins up and down until it is cleared", async () => {
  await addAda()
  expect(await ok('member', 'set-tier', '--email', 'Ada@Example.com', '--tier', 'write')).toEqual({
    tier: 'write',
    tier_source: 'admin',
  })
  expect(await ok('member', 'set-tier', '--slack', 'U0ADA', '--clear')).toEqual({
    tier: 'read_only',
    tier_source: 'default',
  })
})

test('an error names the member, curriculum or module that does not exist', async () => {
  expect(await refused('member', 'set-tier', '--email', 'no@example.com', '--tier', 'write')).toBe(
    `No member of ${account} has the e-mail no@example.com.`,
  )
  await addAda()
  const pass = ['certification', 'pass', ...ada, '--module', '3', '--curriculum'] as const
  expect(await refused(pass[0], pass[1], ...pass.slice(2), 'none')).toBe(
    'Curriculum none was not found in this account.',
  )
  await addSafeSending()
  expect(await refused(pass[0], pass[1], ...pass.slice(2), 'safe-sending')).toMatch(/^Module 3 was not found/)
  expect(await refused('certification', 'revoke', ...ada, '--curriculum', 'safe-sending')).toMatch(
    /^This member has no passes of safe-sending to revoke\./,
  )
  expect(
    await refused(
      'certification',
      'pass',
      ...ada,
      '--curriculum',
      'safe-sending',
      '--module',
      '1',
      '--at',
      '2999-01-01',
    ),
  ).toBe('The date of a pass must not be in the future.')
  expect(
    await refused(
      'curriculum',
      'add',
      '--slug',
      'safe-sending',
      '--title',
      'x',
      '--modules',
      '1',
      '--grants',
      'write',
    ),
  ).toMatch(/^This account already has a curriculum with this slug\./)
})

test('every verb about an account that does not exist says so', async () => {
  const none = 'acct_0000000000000000'
  const listed = join(mkdtempSync(join(process.env['TEST_RUN_DIR'] ?? tmpdir(), 'import-')), 'members.csv')
  writeFileSync(listed, 'name,email,slack\nBea,bea@example.com,\n')
  const verbs: string[][] = [
    ['account', 'suspend'],
    ['member', 'add', '--name', 'X'],
    ['member', 'list'],
    ['member', 'import', '--file', listed],
    ['member', 'export'],
    ['curriculum', 'retire', '--slug', 's'],
    ['member', 'set-tier', ...ada, '--clear'],
    ['curriculum', 'list'],
    ['curriculum', 'add', '--slug', 's', '--title', 't', '--modules', '1', '--grants', 'write'],
    ['certification', 'list', ...ada],
    ['conversation', 'create', '--id', 'c', '--title', 't'],
    ['conversation', 'list'],
    ['key', 'mint', '--name', 'X'],
    ['key', 'list'],
    ['key', 'revoke', '--key', 'key_0000000000000000'],
    ['policy', 'show'],
    ['policy', 'explain', '--kind', 'broadcast', '--tier', 'write'],
    ['action', 'list'],
    ['action', 'cancel', '--id', '1', '--reason', 'x'],
    ['ledger', 'verify'],
    ['ledger', 'export'],
  ]
  for (const verb of verbs) {
    const result = await gate(...verb, '--account', none)
    expect(result).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/^Account (not found|acct_\w+ was not found)\./),
    })
  }
})

test('a member is renamed, moved to other identities, taken out and taken back in', async () => {
  await addAda()
  expect(
    await ok(
      'member',
      'update',
      ...ada,
      '--name',
      'Ada L.',
      '--new-email',
      'al@example.com',
      '--remove-slack',
    ),
  ).toMatchObject({
    name: 'Ada L.',
    email: 'al@example.com',
    slack: null,
  })
  expect(await refused('member', 'deactivate', ...ada)).toMatch(/^No member/)
  expect(await ok('member', 'deactivate', '--email', 'al@example.com')).toMatchObject({ active: false })
  expect(await onlyMember()).toMatchObject({ active: false })
  expect(await ok('member', 'activate', '--email', 'al@example.com')).toMatchObject({ active: true })
})

test('passkeys of a member are listed, and the command line removes one, also the last', async () => {
  const { member_id } = await addAda()
  expect(await ok('member', 'passkeys', ...ada)).toEqual([])
  const stored = { passkey_id: 'pk_0123456789abcdef', name: 'Laptop', device_bound: true }
  await database.asSuperuser(`
    insert into gate.passkey (account_id, passkey_id, member_id, name, credential, public_key, is_device_bound,
      transports, sign_count, created_at)
    values ('${account}', '${stored.passkey_id}', '${member_id}', 'Laptop', 'x', 'y', true, '{}', 0, now())`)
  expect(await ok('member', 'passkeys', ...ada)).toEqual([
    { ...stored, added_at: expect.stringMatching(/Z$/), last_used_at: null },
  ])
  const one = ['--passkey', stored.passkey_id]
  expect(await ok('member', 'remove-passkey', ...one)).toMatchObject({ removed: true })
  expect(await ok('member', 'passkeys', ...ada)).toEqual([])
  expect(await refused('member', 'remove-passkey', '--passkey', 'pk_0000000000000000')).toMatch(
    /^Passkey not found/,
  )
})

test('whatever administrators do is in the ledger, without an address or a name', async () => {
  await addAda()
  await addSafeSending()
  await ok('certification', 'pass', ...ada, '--curriculum', 'safe-sending', '--module', '1')
  await ok('certification', 'revoke', ...ada, '--curriculum', 'safe-sending')
  await ok('member', 'set-tier', ...ada, '--tier', 'write')
  await ok('member', 'update', ...ada, '--name', 'Ada L.')
  await ok('member', 'deactivate', ...ada)
  await ok('account', 'suspend')
  const { api_key } = await ok('key', 'mint', '--name', 'Bot', '--actor', 'ada@example.com')
  const rows = await database.asSuperuser(
    `select kind, entry from gate.ledger where account_id = '${account}' order by seq`,
  )
  expect(rows.map((row) => row['kind'])).toEqual([
    'account_created',
    'member_changed',
    'curriculum_changed',
    'pass_recorded',
    'pass_recorded',
    'tier_set',
    'member_changed',
    'member_changed',
    'account_suspended',
    'key_minted',
  ])
  const text = JSON.stringify(rows)
  for (const secret of ['ada@example.com', 'U0ADA', 'Ada', api_key.slice(4, 36)])
    expect(text).not.toContain(secret)
  expect(await verifyLedger(database.db, account)).toMatchObject({ ok: true, seq: rows.length })
})

test('the account may be left out: GATE_ACCOUNT names it, or it is the only one', async () => {
  await addAda()
  const several = await gate('member', 'list', '--json')
  expect(several).toMatchObject({ code: 2, stdout: '' })
  expect(several.stderr).toMatch(
    /^gate member list: --account is required, because there are \d+ accounts\.\n/,
  )
  expect(several.stderr).toContain(`  ${account}  Acme\n`)
  const named = await gateOn({ DATABASE_URL: database.serviceUrl, GATE_ACCOUNT: account })(
    'member',
    'list',
    '--json',
  )
  expect(named).toMatchObject({ code: 0, stderr: '', json: [{ name: 'Ada' }] })

  const lonely = await freshDatabase()
  try {
    const alone = gateOn({ DATABASE_URL: lonely.serviceUrl })
    expect(await alone('account', 'suspend')).toMatchObject({
      code: 1,
      stderr: 'There is no account. Create one with `gate account create --name NAME`.\n',
    })
    const only = (await alone('account', 'create', '--name', 'Acme', '--json')).json.account_id
    for (const argv of [
      ['member', 'list'],
      ['account', 'suspend'],
      ['ledger', 'verify'],
    ]) {
      expect(await alone(...argv, '--json')).toMatchObject({
        code: 0,
        stderr: `Account ${only} (Acme), the only one.\n`,
      })
    }
  } finally {
    await lonely.drop()
  }
})

test("for people a list is a table, and nothing that was stored can drive the reader's terminal", async () => {
  expect((await gate('member', 'list', '--account', account)).stdout).toBe(
    `No members. Add one with \`gate member add --account ${account} --name NAME --email EMAIL\`.\n`,
  )
  await addAda()
  await database.asSuperuser(`update gate.member set name = E'A\\x1b[2Jda' where account_id = '${account}'`)
  const { stdout } = await gate('member', 'list', '--account', account)
  const [head, row] = stdout.trimEnd().split('\n')
  expect(head).toMatch(/^EMAIL +SLACK +TIER +TIER_SOURCE +ACTIVE +NAME$/)
  expect(row!.length).toBeLessThanOrEqual(100)
  expect(row).toMatch(/^ada@example\.com +U0ADA +read_only +default +yes +A⟨U\+001B⟩\[2Jda$/)
})
