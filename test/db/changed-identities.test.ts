import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { freshAccount } from '../support/account.ts'
import { type TestDatabase, freshDatabase } from '../support/database.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await freshDatabase()
})
afterAll(() => database.drop())

test('a change without an acting person counts as a change that nobody can confirm', async () => {
  const account = await freshAccount(database.db)
  const ada = await account.addMember({ name: 'Ada', email: 'ada@example.com' })
  await database.asSuperuser(
    `update gate.member set email = 'eve@example.com' where member_id = '${ada.memberId}'`,
  )
  await database.asSuperuser(
    `insert into gate.admin (account_id, admin_id, email, created_at)
     values ('${account.account}', 'adm_0000000000000001', 'bob@example.com', now() - interval '1 day')`,
  )
  await database.asSuperuser(
    `insert into gate_private.session (token, session_id, account_id, mailbox, admin_id, expires_at)
     values (sha256('bob'), 'ses_bob', '${account.account}', gate_private.mailbox_hash('bob@example.com'),
       'adm_0000000000000001', now() + interval '1 hour')`,
  )
  const [row] = await database.asSuperuser(
    `select gate_private.strength_cap('${account.account}', '${ada.memberId}', 'email') as cap,
       gate.confirm_identity('${account.account}', sha256('bob'), '${ada.memberId}', 'email', changed_at,
         gen_random_uuid()) as outcome
     from gate.identity_change where member_id = '${ada.memberId}'`,
  )
  expect(row).toEqual({ cap: 'agent_attested', outcome: 'unknown_changer' })
})
