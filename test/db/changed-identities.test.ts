import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { connect } from '../../src/db/connect.ts'
import { projectRoot } from '../../src/root.ts'
import { updateMember } from '../../src/db/queries/members/members.ts'
import { adminWrite } from '../../src/db/admin-write.ts'
import { freshAccount } from '../support/account.ts'
import { type TestDatabase, freshDatabase } from '../support/database.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await freshDatabase()
})
afterAll(() => database.drop())

const file = join(projectRoot, 'src/db/migrations/0020_mailboxes.sql')

test('who was without an identity that had been taken from them is known after an upgrade, others count as they did', async () => {
  const account = await freshAccount(database.db)
  const made = async (name: string) =>
    account.addMember({ name, email: `${name}@example.com`, slack: `U0${name.toUpperCase()}` })
  const update = (memberId: string, email: string) =>
    updateMember(database.db, {
      ...adminWrite(account.account),
      memberId,
      name: null,
      email,
      slack: null,
      isActive: null,
    })
  const [robbed, moved] = [await made('ada'), await made('bea')]
  await account.addMember({ name: 'cy', slack: 'U0CY' })
  await update(robbed.memberId, '')
  await update(moved.memberId, 'new@example.com')
  // As the database was before: the migration's own look at it is made again, by the role that migrates.
  await database.asSuperuser('truncate gate.identity_change')
  const upgrade = /^do \$\$[^]*?end \$\$;/m.exec(readFileSync(file, 'utf8'))![0]
  const owner = connect(database.ownerUrl, { applicationName: 'test', connectionsMax: 1 })
  try {
    await owner.script(upgrade)
  } finally {
    await owner.close()
  }
  const rows = await database.asSuperuser(
    'select member_id, via, changed_at is not null as is_changed, changed_by from gate.identity_change',
  )
  expect(rows).toEqual([
    {
      member_id: robbed.memberId,
      via: 'email',
      is_changed: true,
      changed_by: 'admin',
    },
  ])
})

test('a change by whoever does not say who acts counts as a change that nobody can confirm', async () => {
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
