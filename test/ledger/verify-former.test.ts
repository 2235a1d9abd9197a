import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import postgres from 'postgres'
import { type Db, connect } from '../../src/db/connect.ts'
import { migrate } from '../../src/db/migrate.ts'
import { recordPass } from '../../src/db/queries/members/curricula.ts'
import { updateMember } from '../../src/db/queries/members/members.ts'
import { adminWrite } from '../../src/db/admin-write.ts'
import { verifyLedger } from '../../src/ledger/verify.ts'
import { cancelAsAdmin } from '../../src/operations/admin/cancel-action.ts'
import type { TestDatabase } from '../support/database.ts'
import { fillFormer, formerMembers, formerRows, migrateFormer } from './former-account.ts'
import { whileTampered } from './tampered.ts'

let admin: postgres.Sql
let superuser: postgres.Sql
let db: Db
let account: string
const name = `gate_former_${randomBytes(6).toString('hex')}`
const at = (variable: string) => Object.assign(new URL(process.env[variable]!), { pathname: `/${name}` }).href
beforeAll(async () => {
  admin = postgres(process.env['TEST_PG_SUPERUSER_URL']!, { max: 1, onnotice: () => {} })
  await admin.unsafe(`create database ${name} owner gate_owner`)
  await migrateFormer(at('TEST_PG_OWNER_URL'))
  account = await fillFormer(at('TEST_PG_OWNER_URL'))
  await migrate(at('TEST_PG_OWNER_URL'), at('TEST_PG_SERVICE_URL'), () => {})
  superuser = postgres(at('TEST_PG_SUPERUSER_URL'), { max: 1, onnotice: () => {} })
  db = connect(at('TEST_PG_SERVICE_URL'), { applicationName: 'test', connectionsMax: 2 })
})
afterAll(async () => {
  await db.close()
  await superuser.end({ timeout: 2 })
  await admin.unsafe(`drop database ${name} with (force)`)
  await admin.end()
})

const database = {
  asSuperuser: async (text: string) => [...(await superuser.unsafe(text))],
} as unknown as TestDatabase

test('an account whose entries are of the former form verifies after the upgrade', async () => {
  expect(await verifyLedger(db, account)).toMatchObject({ ok: true, account })
  const versions = await database.asSuperuser(
    `select distinct entry::json ->> 'v' as v from gate.ledger where account_id = '${account}'`,
  )
  expect(versions).toEqual([{ v: '1' }])
  const rows = await database.asSuperuser(
    `select status, decision from gate.action where account_id = '${account}' order by id`,
  )
  expect(rows.map(({ status, decision }) => `${String(status)} ${String(decision)}`)).toEqual([
    'executed null',
    'executed confirm',
    'cancelled cancel',
    'cancelled admin_cancel',
    'denied null',
    'denied deny',
    'cancelled expire',
    'proposed null',
    'proposed null',
  ])
})

const { executed, cancelled, denied, checked } = formerRows
test.each<[string, string, string, string]>([
  [
    'a tier',
    'gate.member',
    `update gate.member set admin_tier = null where $ours and member_id = '${formerMembers.ada}'`,
    formerMembers.ada,
  ],
  [
    'an activity',
    'gate.member',
    `update gate.member set is_active = false where $ours and member_id = '${formerMembers.rea}'`,
    formerMembers.rea,
  ],
  ['a pass', 'gate.pass', `update gate.pass set revoked_at = null where $ours`, formerMembers.rea],
  [
    'the time of a pass',
    'gate.pass',
    `update gate.pass set passed_at = clock_timestamp() where $ours and module = 2`,
    formerMembers.rea,
  ],
  ['the members of a key', 'gate.api_key', `update gate.api_key set actors = null where $ours`, 'key key_'],
  ['a policy', 'gate.policy', `update gate.policy set document = '{}' where $ours`, 'policy 2'],
  [
    'a removal',
    'gate.admin',
    `update gate.admin set removed_at = clock_timestamp() where $ours`,
    'administrator adm_',
  ],
  [
    'a strength',
    'gate.action',
    `update gate.action set consent_strength = 'page' where $ours and id = ${executed}`,
    `action ${executed}`,
  ],
  [
    'a channel',
    'gate.action',
    `update gate.action set consent_channel = 'slack' where $ours and id = ${executed}`,
    `action ${executed}`,
  ],
  [
    'who gave consent',
    'gate.action',
    `update gate.action set consent_by = 'eve' where $ours and id = ${cancelled}`,
    `action ${cancelled}`,
  ],
  [
    'a time of creation',
    'gate.action',
    `update gate.action set created_at = clock_timestamp() where $ours and id = ${denied}`,
    `action ${denied}`,
  ],
  [
    'a time of execution',
    'gate.action',
    `update gate.action set executed_at = clock_timestamp() where $ours and id = ${executed}`,
    `action ${executed}`,
  ],
  [
    'a source',
    'gate.action',
    `update gate.action set source = 'mcp' where $ours and id = ${checked}`,
    `action ${checked}`,
  ],
  [
    'a result',
    'gate.action',
    `update gate.action set result = '{"tier":"write"}' where $ours and id = ${checked}`,
    `action ${checked}`,
  ],
  [
    'a delivery',
    'gate.delivery',
    `update gate.delivery set states = array['failed'] where $ours`,
    `action ${executed}`,
  ],
])('what its entries tell is compared: %s', async (_, table, statement, place) => {
  const verdict = await whileTampered(database, account, table, statement, () => verifyLedger(db, account))
  expect(verdict).toMatchObject({ ok: false, place: expect.stringContaining(place) })
})

test('it verifies while it goes on in the new form', async () => {
  const write = adminWrite(account)
  const name = { name: null, email: null, isActive: null }
  await updateMember(db, { ...write, memberId: formerMembers.rea, ...name, slack: 'U0REA' })
  const pass = { memberId: formerMembers.rea, curriculum: 'safe', at: null }
  await recordPass(db, { ...adminWrite(account), ...pass, module: 1 })
  await cancelAsAdmin({ db, account, session: null }, formerRows.open, 'over')
  expect(await verifyLedger(db, account)).toMatchObject({ ok: true })
  const renamed = `update gate.member set name = 'Eve' where $ours and member_id = '${formerMembers.rea}'`
  expect(
    await whileTampered(database, account, 'gate.member', renamed, () => verifyLedger(db, account)),
  ).toMatchObject({ ok: false, place: `member ${formerMembers.rea}` })
})
