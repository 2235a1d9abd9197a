import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { verifyLedger } from '../../src/ledger/verify.ts'
import { type TestDatabase, freshDatabase } from '../support/database.ts'
import { type AccountCommands, gateOn, newAccount } from './gate-command.ts'

let database: TestDatabase
let gate: ReturnType<typeof gateOn>
let { account, ok, refused } = {} as AccountCommands
beforeAll(async () => {
  database = await freshDatabase()
  gate = gateOn({ DATABASE_URL: database.serviceUrl, PUBLIC_URL: 'https://gate.example/' })
})
beforeEach(async () => {
  ;({ account, ok, refused } = await newAccount(gate))
})
afterAll(() => database.drop())

const root = ['--email', 'Root@example.com']
const entries = async () =>
  (
    await database.asSuperuser(
      `select kind, entry::json -> 'data' as data from gate.ledger where account_id = '${account}' order by seq`,
    )
  ).map(({ kind, data }) => ({ kind, data }))

test('an invitation is a link of the public address that works once, and makes one administrator of a mailbox', async () => {
  const first = await ok('admin', 'invite', ...root)
  expect(first).toEqual({
    sign_in_url: expect.stringMatching(/^https:\/\/gate\.example\/console\/sign-in\/[\w-]{43}$/),
  })
  const second = await ok('admin', 'invite', '--email', 'root@EXAMPLE.com')
  expect(second.sign_in_url).not.toBe(first.sign_in_url)
  const [admin, ...others] = await ok('admin', 'list')
  expect([admin, others]).toEqual([
    {
      admin_id: expect.stringMatching(/^adm_[0-9A-Za-z]{16}$/),
      email: 'Root@example.com',
      role: 'administrator',
      created_at: expect.stringMatching(/Z$/),
      removed_at: null,
    },
    [],
  ])
  const invited = {
    kind: 'admin_changed',
    data: expect.objectContaining({ admin: admin.admin_id, change: 'invited' }),
  }
  expect((await entries()).slice(1)).toEqual([invited, invited])
  const [links] = await database.asSuperuser(
    `select json_agg(l)::text as text from gate_private.sign_in_link l where account_id = '${account}'`,
  )
  expect(links!['text']).not.toContain(first.sign_in_url.slice(-43))
})

test('several invitations of one mailbox at once make one administrator', async () => {
  const { length: before } = await entries()
  await Promise.all(Array.from({ length: 4 }, () => ok('admin', 'invite', ...root)))
  expect(await ok('admin', 'list')).toHaveLength(1)
  expect(await verifyLedger(database.db, account)).toMatchObject({ ok: true, seq: before + 4 })
})

test('a removed administrator stays in the list and in the ledger, and is a new administrator when invited again', async () => {
  await ok('admin', 'invite', ...root)
  const { admin_id } = await ok('admin', 'remove', ...root)
  expect(await refused('admin', 'remove', ...root)).toMatch(
    /^No administrator of acct_\w+ has the e-mail Root@/,
  )
  await ok('admin', 'invite', ...root)
  const listed = await ok('admin', 'list')
  expect(listed).toMatchObject([{ admin_id, removed_at: expect.stringMatching(/Z$/) }, { removed_at: null }])
  expect(listed[1].admin_id).not.toBe(admin_id)
  expect((await entries()).slice(1).map(({ data }: any) => data.change)).toEqual([
    'invited',
    'removed',
    'invited',
  ])
  expect(JSON.stringify(await entries())).not.toContain('@')
  expect(await verifyLedger(database.db, account)).toMatchObject({ ok: true })
})

test('an auditor has one role for ever, as the ledger says', async () => {
  await ok('admin', 'invite', ...root, '--role', 'auditor')
  expect(await refused('admin', 'invite', ...root)).toMatch(
    /^Root@example\.com is an auditor\. Remove them first/,
  )
  expect(await ok('admin', 'list')).toMatchObject([{ role: 'auditor', removed_at: null }])
  expect(await entries()).toMatchObject([{}, { data: { change: 'invited', role: 'auditor' } }])
  expect(await verifyLedger(database.db, account)).toMatchObject({ ok: true })
  await database.asSuperuser(`update gate.admin set role = 'administrator' where account_id = '${account}'`)
  expect(JSON.stringify(await verifyLedger(database.db, account))).toContain(
    'its role does not match the ledger',
  )
})

test('nobody is invited, listed or removed in an account that does not exist', async () => {
  for (const verb of [['invite', ...root], ['list'], ['remove', ...root]])
    expect(await gate('admin', ...verb, '--account', 'acct_0000000000000000')).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/^Account acct_\w+ was not found\./),
    })
  expect((await gate('admin', 'invite', '--account', account, '--email', 'a@b@c')).code).toBe(2)
})
