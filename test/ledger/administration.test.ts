import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { readHead } from '../../src/db/queries/ledger/ledger.ts'
import { recordPass } from '../../src/db/queries/members/curricula.ts'
import { canonical } from '../../src/gate/canonical.ts'
import { adminWrite } from '../../src/db/admin-write.ts'
import { sha256 } from '../../src/ledger/digest.ts'
import { addAdmin } from '../../src/operations/admins/add-admin.ts'
import { removeAdmin } from '../../src/operations/admins/remove-admin.ts'
import type { AdminContext } from '../../src/operations/admin-context.ts'
import { setMemberActive } from '../../src/operations/members/set-member-active.ts'
import { updateMember } from '../../src/operations/members/update-member.ts'
import { setPolicy } from '../../src/operations/policy/set-policy.ts'
import { kindsOf } from '../../src/actions/account-kinds.ts'
import { type TestAccount, freshAccount } from '../support/account.ts'
import { entriesOf } from '../support/ledger-entries.ts'
import { type TestDatabase, freshDatabase } from '../support/database.ts'

let database: TestDatabase
let account: TestAccount
let context: AdminContext
beforeAll(async () => {
  database = await freshDatabase()
  account = await freshAccount(database.db)
  context = { db: database.db, account: account.account, session: null }
})
afterAll(() => database.drop())

const hex = (...parts: (string | Buffer)[]) => sha256(...parts).toString('hex')
const last = async () => (await entriesOf(database, account.account)).at(-1)!
const stored = async (table: string, where: string) =>
  (
    await database.asSuperuser(
      `select * from gate.${table} where account_id = '${account.account}' and ${where}`,
    )
  )[0]!

test('the first entry of an account is its creation, from the command line, with a digest of its name', async () => {
  const [first] = await entriesOf(database, account.account)
  expect(first).toMatchObject({
    seq: 1,
    kind: 'account_created',
    entry: { actor: 'admin', key: null, data: { name_digest: hex(`${account.account} Test`) } },
  })
})

test('an entry about a member holds a salted digest of what the row holds, and which fields were given', async () => {
  const tricky = 'Ada "L" \\ \u0001\n\u2028 é 😀'
  const { memberId } = await account.addMember({ name: tricky, email: 'Ada@example.com' })
  const digest = async () => {
    const m = await stored('member', `member_id = '${memberId}'`)
    const { is_active: active, email, name, slack } = m as Record<string, any>
    return hex(m['salt'] as Buffer, canonical({ active, email, name, slack }))
  }
  expect((await last()).entry.data).toEqual({
    member: memberId,
    change: 'added',
    identity_digest: await digest(),
  })
  await updateMember(context, memberId, { name: 'Ada', email: '', slack: 'U0ADA' })
  expect((await last()).entry.data).toEqual({
    member: memberId,
    change: 'updated',
    fields: ['email', 'name', 'slack'],
    identities: { email: true, slack: true },
    identity_digest: await digest(),
  })
  await setMemberActive(context, memberId, false)
  const data = { member: memberId, change: 'deactivated', identity_digest: await digest() }
  expect((await last()).entry.data).toEqual(data)
})

test('two members of one name and address have different digests', async () => {
  const digests: unknown[] = []
  for (let n = 0; n < 2; n++) {
    const { memberId } = await account.addMember({ name: 'Twin' })
    digests.push((await last()).entry.data['identity_digest'])
    await setMemberActive(context, memberId, false)
  }
  expect(new Set(digests).size).toBe(2)
})

test('an entry about a pass holds the time that is stored, also where none was given; a repeat changes neither', async () => {
  const ada = await account.addMember({ name: 'Ada' })
  await account.addCurriculum({ slug: 'safe', title: 'Safe — “sending”', modules: 2, grants: 'write' })
  expect((await last()).entry.data).toEqual({
    curriculum: 'safe',
    change: 'added',
    modules: 2,
    grants: 'write',
    valid_days: null,
    title_digest: hex('safe Safe — “sending”'),
  })
  const write = adminWrite(account.account)
  for (let tries = 0; tries < 2; tries++)
    await recordPass(database.db, {
      ...write,
      memberId: ada.memberId,
      curriculum: 'safe',
      module: 1,
      at: null,
    })
  const pass = await stored('pass', `member_id = '${ada.memberId}'`)
  expect((await last()).entry.data).toEqual({
    member: ada.memberId,
    curriculum: 'safe',
    module: 1,
    change: 'passed',
    at: (pass['passed_at'] as Date).toISOString(),
  })
})

test('an entry about a policy holds the digest of the bytes that are stored, and the kinds that were set', async () => {
  const kinds = kindsOf(context.db)
  const set = { refund: { tier: 'write', consent: 'page' }, broadcast: { tier: 'write', consent: 'page' } }
  const { version } = await setPolicy({ ...context, kinds }, { kinds: set as never })
  const [row] = await database.asSuperuser(
    `select document::text as text from gate.policy where account_id = '${account.account}' and version = ${version}`,
  )
  expect((await last()).entry.data).toEqual({
    version,
    kinds: ['broadcast', 'refund'],
    document: hex(row!['text'] as string),
  })
})

test('an entry about an administrator holds a salted digest of the mailbox', async () => {
  await addAdmin(context, 'Root@Example.com')
  const admin = await stored('admin', `removed_at is null`)
  const mailbox_digest = hex(admin['salt'] as Buffer, 'root@example.com')
  expect((await last()).entry.data).toEqual({ admin: admin['admin_id'], change: 'invited', mailbox_digest })
  await removeAdmin(context, 'root@example.com')
  expect((await last()).entry.data).toEqual({ admin: admin['admin_id'], change: 'removed', mailbox_digest })
  const texts = (await entriesOf(database, account.account)).map(({ entry }) => JSON.stringify(entry))
  expect(texts.filter((text) => text.includes('@') || text.includes('Ada'))).toEqual([])
  expect(await readHead(database.db, account.account)).toMatchObject({ seq: texts.length })
})
