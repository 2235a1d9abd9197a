import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { adminWrite } from '../../src/db/admin-write.ts'
import { listAdmins } from '../../src/db/queries/accounts/admins.ts'
import { removeAdmin } from '../../src/operations/admins/remove-admin.ts'
import { listAccounts } from '../../src/db/queries/accounts/accounts.ts'
import { authenticate } from '../../src/db/queries/accounts/authenticate.ts'
import { pageConversations } from '../../src/db/queries/previews/conversations.ts'
import { listKeys } from '../../src/db/queries/accounts/keys.ts'
import { pageMembers, setTier } from '../../src/db/queries/members/members.ts'
import { ensureDemo } from '../../dev/embedded/seed.ts'
import { standing } from '../../src/gate/tier.ts'
import { hashKey, isKeyForm } from '../../src/keys/api-key.ts'
import { verifyLedger } from '../../src/ledger/verify.ts'
import { type TestDatabase, freshDatabase } from '../support/database.ts'
import { entryKindsOf } from '../support/ledger-entries.ts'

let database: TestDatabase
let dataDir: string
const addresses = {
  base_url: 'http://127.0.0.1:1',
  temporal_ui_url: undefined,
  sandbox_url: 'http://127.0.0.1:2',
}
const workspaceRoot = () => join(dataDir, 'workspaces')
const start = () =>
  ensureDemo({
    db: database.db,
    dataDir,
    workspaceRoot: workspaceRoot(),
    addresses,
    secretsKeys: undefined,
  })
const file = () => join(dataDir, 'demo.json')

beforeEach(async () => {
  database = await freshDatabase()
  dataDir = mkdtempSync(join(process.env['TEST_RUN_DIR'] ?? tmpdir(), 'seed-'))
})
afterEach(async () => {
  rmSync(dataDir, { recursive: true, force: true })
  await database.drop()
})

test('the first start makes a demo account that shows every tier, every source and every way to be reached', async () => {
  const demo = await start()
  const members = await pageMembers(database.db, demo.account_id, { after: '', limitRows: 50 })
  const standings = members.map((member) => standing(member))
  expect(new Set(standings.map((s) => s.tier))).toEqual(new Set(['read_only', 'guarded_write', 'write']))
  expect(new Set(standings.map((s) => s.tierSource))).toEqual(new Set(['admin', 'certification', 'default']))
  const reach = members.map((m) => [m.slack && 'slack', m.email && 'email'].filter(Boolean).join('+'))
  expect(new Set(reach)).toEqual(new Set(['slack+email', 'slack', 'email', '']))
  expect(await verifyLedger(database.db, demo.account_id)).toMatchObject({ ok: true })
  expect((await entryKindsOf(database, demo.account_id))[0]).toBe('account_created')
})

const conversations = async (account: string) =>
  (await pageConversations(database.db, account, { after: '', limitRows: 50 })).map(
    ({ conversation_id, participants }) => [conversation_id, participants.map(({ email }) => email)],
  )

test('the demo account has two conversations with a site each, and its first member does not take part in the second', async () => {
  const { account_id, members } = await start()
  const [first, second] = await conversations(account_id)
  expect(first).toEqual(['moon-bakery', expect.arrayContaining([members[0]!.email])])
  expect(second).toEqual(['tide-table', expect.not.arrayContaining([members[0]!.email])])
  for (const id of ['moon-bakery', 'tide-table']) {
    const files = readdirSync(join(workspaceRoot(), account_id, id), { recursive: true })
    expect(files).toEqual(expect.arrayContaining(['index.html', 'css/site.css', 'README.md', 'package.json']))
  }
})

test('changes to a conversation and its files survive a restart; an unfinished conversation is completed', async () => {
  const { account_id } = await start()
  const index = join(workspaceRoot(), account_id, 'moon-bakery', 'index.html')
  rmSync(index)
  await database.asSuperuser(`
    delete from gate.participant; delete from gate.conversation where conversation_id = 'tide-table'`)
  await start()
  expect(existsSync(index)).toBe(false)
  expect(await conversations(account_id)).toMatchObject([
    ['moon-bakery', []],
    ['tide-table', [expect.any(String), expect.any(String)]],
  ])
})

test('the demo account has an administrator to sign in as, and one who was removed stays removed', async () => {
  const { account_id } = await start()
  const admins = () => listAdmins(database.db, account_id)
  expect(await admins()).toMatchObject([{ email: 'admin@example.com', removed_at: null }])
  await removeAdmin({ db: database.db, account: account_id, session: null }, 'admin@example.com')
  await start()
  expect(await admins()).toMatchObject([{ removed_at: expect.any(Date) }])
})

test('demo.json is readable by its owner alone and holds a key that works', async () => {
  const demo = await start()
  expect(statSync(file()).mode & 0o777).toBe(0o600)
  const written = JSON.parse(readFileSync(file(), 'utf8'))
  expect(Object.keys(written).toSorted()).toEqual([
    'account_id',
    'api_key',
    'base_url',
    'members',
    'propose_key',
    'runner_key',
    'sandbox_url',
  ])
  expect(written.members[0]).toEqual({
    name: 'Grace Hopper',
    email: 'grace@example.com',
    slack: 'U0GRACE',
    tier: 'guarded_write',
  })
  expect(isKeyForm(written.api_key)).toBe(true)
  expect(await authenticate(database.db, hashKey(demo.api_key))).toMatchObject({
    account_id: demo.account_id,
    is_valid: true,
  })
})

test('the demo account has a key that only reads and proposes, which a data folder of before gets at its next start', async () => {
  const { propose_key: key, account_id } = await start()
  const holder = () => authenticate(database.db, hashKey(key))
  expect(await holder()).toMatchObject({ account_id, is_valid: true, powers: ['read', 'propose'] })
  const { propose_key: _, ...older } = JSON.parse(readFileSync(file(), 'utf8'))
  writeFileSync(file(), JSON.stringify(older))
  const again = await start()
  expect(again.api_key).toBe(older.api_key)
  expect(await authenticate(database.db, hashKey(again.propose_key))).toMatchObject({ is_valid: true })
  expect(await holder()).toMatchObject({ is_valid: false })
  expect((await start()).propose_key).toBe(again.propose_key)
})

test('the demo account has the key of an agent runner for a guarded_write member, which a data folder of before gets too', async () => {
  const { runner_key: key, account_id } = await start()
  const holder = () => authenticate(database.db, hashKey(key!))
  const [grace] = await pageMembers(database.db, account_id, { after: '', limitRows: 50 }).then((all) =>
    all.filter(({ email }) => email === 'grace@example.com'),
  )
  expect(standing(grace!).tier).toBe('guarded_write')
  expect(await holder()).toMatchObject({ is_valid: true, powers: ['runner'], actors: [grace!.memberId] })
  const { runner_key: _, ...older } = JSON.parse(readFileSync(file(), 'utf8'))
  writeFileSync(file(), JSON.stringify(older))
  const again = await start()
  expect(again.propose_key).toBe(older.propose_key)
  expect(await authenticate(database.db, hashKey(again.runner_key!))).toMatchObject({ is_valid: true })
  expect(await holder()).toMatchObject({ is_valid: false })
  expect((await start()).runner_key).toBe(again.runner_key)
})

test('the demo starts without the key of an agent runner where no member has guarded_write', async () => {
  const { account_id, members } = await start()
  const grace = members.find(({ email }) => email === 'grace@example.com')!
  const all = await pageMembers(database.db, account_id, { after: '', limitRows: 50 })
  for (const member of all.filter((one) => standing(one).tier === grace.tier))
    await setTier(database.db, { ...adminWrite(account_id), memberId: member.memberId, tier: 'read_only' })
  rmSync(file())
  expect(await start()).toMatchObject({ account_id, runner_key: undefined })
})

test('a second start seeds nothing and keeps the key', async () => {
  const first = await start()
  const before = await listAccounts(database.db)
  const second = await start()
  expect(second).toEqual(first)
  expect(await listAccounts(database.db)).toEqual(before)
})

test('where demo.json was lost, a new key is minted and the old one revoked', async () => {
  const first = await start()
  rmSync(file())
  const second = await start()
  expect(second.account_id).toBe(first.account_id)
  expect(second.members).toEqual(first.members)
  expect(await authenticate(database.db, hashKey(first.api_key))).toMatchObject({ is_valid: false })
  expect(await authenticate(database.db, hashKey(second.api_key))).toMatchObject({ is_valid: true })
})

test('a seeding that was cut short is finished by the next start, without doubles', async () => {
  const first = await start()
  await database.asSuperuser(`
    set session_replication_role = replica;
    delete from gate_private.api_key_hash; delete from gate.api_key;
    delete from gate.pass where module > 1;
    delete from gate.member where name in ('Alan Turing', 'Donald Knuth');
    set session_replication_role = origin`)
  rmSync(file())
  const second = await start()
  expect(second.members).toEqual(first.members)
  expect((await listKeys(database.db, second.account_id)).map(({ name }) => name)).toEqual([
    'demo',
    'demo, proposes only',
    'demo runner',
  ])
})

test('the keys of the demo act, and administrate nothing', async () => {
  const demo = await start()
  const keys = await listKeys(database.db, demo.account_id)
  const powers = keys.map((key) => key.powers.join(' ')).toSorted()
  expect(powers).toEqual(['read propose', 'read propose confirm execute', 'runner'])
})
