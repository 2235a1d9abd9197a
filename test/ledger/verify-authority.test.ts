import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { suspendAccount } from '../../src/db/queries/accounts/accounts.ts'
import type { Deps } from '../../src/deps.ts'
import { adminWrite } from '../../src/db/admin-write.ts'
import { verifyLedger } from '../../src/ledger/verify.ts'
import { type TestDatabase, freshDatabase } from '../support/database.ts'
import { type Full, fullAccount } from './full-account.ts'
import { depsOf, openAccount } from './lived-account.ts'
import { dropChecks, whileTampered } from './tampered.ts'
import { testRows } from '../support/rows.ts'

let database: TestDatabase
let deps: Deps
let full: Full
beforeAll(async () => {
  database = await freshDatabase()
  deps = depsOf(database)
  full = await fullAccount(deps)
  await dropChecks(database)
})
afterAll(async () => {
  await deps.close()
  await database.drop()
})

const verify = () => verifyLedger(database.db, full.account)
const named = (text: string) =>
  text
    .replaceAll('$ada', full.ada)
    .replaceAll('$rea', full.rea)
    .replaceAll('$former', full.former)
    .replaceAll('$key', full.keyId)
    .replaceAll('$admin', full.admin)
    .replaceAll('$removed', full.removedAdmin)

test('an account with authority of every kind verifies', async () => {
  expect(await verify()).toMatchObject({ ok: true })
})

const member = `'mem_Forged0000000000'`
const ofKey = (table: string) => (set: string) =>
  `update ${table} set ${set} where $ours and key_id = '$former'`
const shown = ofKey('gate.api_key')
const checked = ofKey('gate_private.api_key_hash')
const keyColumns = (table: string, of: typeof shown): [string, string, string, string][] =>
  [
    [`actors`, `actors = null`],
    [`expiry`, `expires_at = null`],
    [`expiry moved`, `expires_at = expires_at + interval '1 day'`],
    [`revocation`, `revoked_at = clock_timestamp()`],
    [`powers`, `powers = array['read', 'propose', 'confirm']`],
    [`kinds`, `kinds = null`],
    [`networks`, `networks = null`],
    [`ceiling of actions`, `actions_per_day = null`],
    [`ceiling of amounts`, `cents_per_day = null`],
  ].map(([what, set]) => [`a key's ${what} in ${table}`, table, of(set!), 'key $former'])

testRows<[string, string, string, string]>([
  [
    `a member's tier`,
    'gate.member',
    `update gate.member set admin_tier = 'write' where $ours and member_id = '$rea'`,
    'member $rea',
  ],
  [
    `a member's removed tier`,
    'gate.member',
    `update gate.member set admin_tier = null where $ours and member_id = '$ada'`,
    'member $ada',
  ],
  [
    `a member's name`,
    'gate.member',
    `update gate.member set name = 'Eve' where $ours and member_id = '$ada'`,
    'member $ada',
  ],
  [
    `a member's address`,
    'gate.member',
    `update gate.member set email = 'eve2@example.com' where $ours and member_id = '$ada'`,
    'member $ada',
  ],
  [
    `a member's Slack identity`,
    'gate.member',
    `update gate.member set slack = 'U0XXX' where $ours and member_id = '$ada'`,
    'member $ada',
  ],
  [
    `a member's salt`,
    'gate.member',
    `update gate.member set salt = '\\x00' where $ours and member_id = '$ada'`,
    'member $ada',
  ],
  [
    `a member who was deactivated`,
    'gate.member',
    `update gate.member set is_active = true where $ours and not is_active`,
    'member mem_',
  ],
  [
    'a member beside the chain',
    'gate.member',
    `insert into gate.member (account_id, member_id, name, admin_tier) select account_id, ${member}, 'Eve', 'write' from gate.account where $ours`,
    'member mem_Forged0000000000',
  ],
  ['a deleted member', 'gate.member', `delete from gate.member where $ours and not is_active`, 'member mem_'],
  [
    `the mailbox that a member signs in by`,
    'gate_private.mailbox',
    `update gate_private.mailbox set hash = sha256('eve2@example.com') where $ours and holder = '$ada'`,
    'member $ada',
  ],
  [
    'a pass beside the chain',
    'gate.pass',
    `insert into gate.pass (account_id, member_id, curriculum, module, passed_at, latest_at) select account_id, '$rea', 'safe-sending', 2, clock_timestamp(), clock_timestamp() from gate.account where $ours`,
    'member $rea',
  ],
  ['a deleted pass', 'gate.pass', `delete from gate.pass where $ours and member_id = '$rea'`, 'member $rea'],
  [
    'a pass that was revoked',
    'gate.pass',
    `update gate.pass set revoked_at = null where $ours and revoked_at is not null`,
    'member mem_',
  ],
  [
    'a pass that is revoked',
    'gate.pass',
    `update gate.pass set revoked_at = clock_timestamp() where $ours and member_id = '$rea'`,
    'member $rea',
  ],
  [
    `a pass's time`,
    'gate.pass',
    `update gate.pass set passed_at = passed_at + interval '1 day' where $ours and member_id = '$rea'`,
    'member $rea',
  ],
  [
    `a pass's latest time`,
    'gate.pass',
    `update gate.pass set latest_at = latest_at + interval '1 day' where $ours and member_id = '$rea'`,
    'member $rea',
  ],
  [
    `a curriculum's tier`,
    'gate.curriculum',
    `update gate.curriculum set grants = 'write' where $ours`,
    'curriculum safe-sending',
  ],
  [
    `a curriculum's modules`,
    'gate.curriculum',
    `update gate.curriculum set modules = 1 where $ours`,
    'curriculum safe-sending',
  ],
  [
    `a curriculum's validity`,
    'gate.curriculum',
    `update gate.curriculum set valid_days = 10 where $ours`,
    'curriculum safe-sending',
  ],
  [
    `a curriculum's title`,
    'gate.curriculum',
    `update gate.curriculum set title = 'Other' where $ours`,
    'curriculum safe-sending',
  ],
  [
    'a retired curriculum',
    'gate.curriculum',
    `update gate.curriculum set retired_at = clock_timestamp() where $ours`,
    'curriculum safe-sending',
  ],
  [
    `titles of a curriculum's modules`,
    'gate.curriculum',
    `update gate.curriculum set module_titles = array_fill('Forged'::text, array[modules]) where $ours`,
    'curriculum safe-sending',
  ],
  [
    `a group's name`,
    'gate.member_group',
    `update gate.member_group set name = name || 'x' where $ours`,
    'group grp_',
  ],
  [
    'a member put into a group',
    'gate.group_membership',
    `insert into gate.group_membership (account_id, group_id, member_id) select g.account_id, g.group_id, m.member_id from gate.member_group g join gate.member m on m.account_id = g.account_id where g.$ours on conflict do nothing`,
    'group grp_',
  ],
  [
    'a curriculum beside the chain',
    'gate.curriculum',
    `insert into gate.curriculum (account_id, slug, title, modules, grants) select account_id, 'forged', 'Forged', 1, 'write' from gate.account where $ours`,
    'curriculum forged',
  ],
  [
    'a deleted curriculum',
    'gate.curriculum',
    `delete from gate.curriculum where $ours`,
    'curriculum safe-sending',
  ],
  ...keyColumns('gate.api_key', shown),
  ...keyColumns('gate_private.api_key_hash', checked),
  [`a key's name`, 'gate.api_key', shown(`name = 'Other'`), 'key $former'],
  [`the key that a key replaces`, 'gate.api_key', shown(`rotated_from = '$key'`), 'key $former'],
  [`a key's hash`, 'gate_private.api_key_hash', checked(`hash = sha256('mine')`), 'key $former'],
  [`what a key counts with`, 'gate_private.api_key_hash', checked(`family = '$key'`), 'key $former'],
  [
    `a revoked key`,
    'gate_private.api_key_hash',
    `update gate_private.api_key_hash set revoked_at = null where $ours and revoked_at is not null`,
    'key key_',
  ],
  [
    'a second hash of a key',
    'gate_private.api_key_hash',
    `insert into gate_private.api_key_hash (account_id, key_id, hash, family) select account_id, '$key', sha256('mine'), '$key' from gate.account where $ours`,
    'key $key',
  ],
  [
    'a key beside the chain',
    'gate_private.api_key_hash',
    `insert into gate_private.api_key_hash (account_id, key_id, hash, family) select account_id, 'key_Forged0000000000', sha256('mine'), 'key_Forged0000000000' from gate.account where $ours`,
    'key key_Forged0000000000',
  ],
  ['a deleted key', 'gate.api_key', `delete from gate.api_key where $ours and key_id = '$key'`, 'key $key'],
  [
    'an administrator beside the chain',
    'gate.admin',
    `insert into gate.admin (account_id, admin_id, email) select account_id, 'adm_Forged0000000000', 'eve@example.com' from gate.account where $ours`,
    'administrator adm_Forged0000000000',
  ],
  [
    `an administrator's mailbox`,
    'gate.admin',
    `update gate.admin set email = 'eve@example.com' where $ours and admin_id = '$admin'`,
    'administrator $admin',
  ],
  [
    'the mailbox that an administrator signs in by',
    'gate_private.mailbox',
    `update gate_private.mailbox set hash = sha256('eve@example.com') where $ours and holder = '$admin'`,
    'administrator $admin',
  ],
  [
    'an administrator who was removed',
    'gate.admin',
    `update gate.admin set removed_at = null where $ours and admin_id = '$removed'`,
    'administrator $removed',
  ],
  [
    'an administrator who is removed',
    'gate.admin',
    `update gate.admin set removed_at = clock_timestamp() where $ours and admin_id = '$admin'`,
    'administrator $admin',
  ],
  [
    'a deleted administrator',
    'gate.admin',
    `delete from gate.admin where $ours and admin_id = '$removed'`,
    'administrator $removed',
  ],
  [
    `a policy's document`,
    'gate.policy',
    `update gate.policy set document = '{}' where $ours and version = 2`,
    'policy 2',
  ],
  [
    'a policy beside the chain',
    'gate.policy',
    `insert into gate.policy (account_id, version, document) select account_id, 4, '{}' from gate.account where $ours`,
    'policy 4',
  ],
  ['a deleted policy', 'gate.policy', `delete from gate.policy where $ours and version = 2`, 'policy 2'],
  [
    'the policy in force',
    'gate.account',
    `update gate.account set policy_version = 2 where $ours`,
    'account',
  ],
  [`an account's name`, 'gate.account', `update gate.account set name = 'Other' where $ours`, 'account'],
  [
    'a suspension',
    'gate.account',
    `update gate.account set suspended_at = clock_timestamp() where $ours`,
    'account',
  ],
  [
    'counting the requests of its keys otherwise',
    'gate_private.account_directory',
    `update gate_private.account_directory set key_limits = 'shared' where $ours`,
    'account',
  ],
  [
    'a participant beside the chain',
    'gate.participant',
    `insert into gate.participant (account_id, conversation_id, member_id) select account_id, 'site', '$rea' from gate.account where $ours`,
    'conversation site',
  ],
  [
    'a deleted participant',
    'gate.participant',
    `delete from gate.participant where $ours and member_id = '$ada'`,
    'conversation site',
  ],
  [
    'a conversation beside the chain',
    'gate.conversation',
    `insert into gate.conversation (account_id, conversation_id, title) select account_id, 'forged', 'Forged' from gate.account where $ours`,
    'conversation forged',
  ],
  [
    'a deleted conversation',
    'gate.conversation',
    `delete from gate.conversation where $ours`,
    'conversation site',
  ],
  [
    'a connection beside the chain',
    'gate.integration',
    `insert into gate.integration (account_id, integration_id, provider, action_id, member_id, settings, fingerprint, state) select account_id, 'int_Forged0000000000', 'stripe', 5, '$ada', '{}', '', 'connected' from gate.account where $ours`,
    'integration int_Forged0000000000',
  ],
])('a forged row or entry is found at its place', async (_, table, statement, place) => {
  const verdict = await whileTampered(database, full.account, table, named(statement), verify)
  expect(verdict).toMatchObject({ ok: false, place: expect.stringContaining(named(place)) })
})

test('a suspension that was lifted beside the chain is found', async () => {
  const { account } = await openAccount(deps)
  await suspendAccount(database.db, { ...adminWrite(account), suspend: true })
  expect(await verifyLedger(database.db, account)).toMatchObject({ ok: true })
  await database.asSuperuser(`update gate.account set suspended_at = null where account_id = '${account}'`)
  expect(await verifyLedger(database.db, account)).toMatchObject({ ok: false, place: 'account' })
})

test('the compared rows hold no address, name, title or secret', async () => {
  const parts = [
    'member',
    'key',
    'administrator',
    'curriculum',
    'policy',
    'conversation',
    'integration',
    'account',
  ]
  for (const part of parts) {
    const [page] = await database.db.run<{ text: string }>(
      (sql) =>
        sql`select json_agg(p)::text as text from gate.authority_page(${full.account}, ${part}, '', 100) p`,
    )
    expect(page!.text ?? '').not.toMatch(/@|U0ADA|U0EVE|Ada|Bound|Lived|Safe sending|Site/)
  }
})
