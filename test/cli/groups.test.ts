import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { verifyLedger } from '../../src/ledger/verify.ts'
import { listGroups } from '../../src/operations/groups/groups.ts'
import { limits } from '../../src/limits.ts'
import { entriesOf } from '../support/ledger-entries.ts'
import { type TestDatabase, freshDatabase } from '../support/database.ts'
import { shorten } from '../support/shorten.ts'
import { ada, adaToAdd, gateOn, newAccount } from './gate-command.ts'

let database: TestDatabase
let gate: ReturnType<typeof gateOn>
let restore: () => void
beforeAll(async () => {
  restore = shorten({ groupsMax: 2, groupMembersMax: 1 })
  database = await freshDatabase()
  gate = gateOn({ DATABASE_URL: database.serviceUrl })
})
afterAll(async () => {
  await database.drop()
  restore()
})

test('a group is created, filled, renamed and removed, each with an entry, within its bounds and its account', async () => {
  const { ok, refused, account } = await newAccount(gate)
  const other = await newAccount(gate)
  const { member_id: adaId } = await ok('member', 'add', ...adaToAdd)
  const { member_id: beaId } = await ok('member', 'add', '--name', 'Bea', '--email', 'bea@example.com')
  const bea = ['--email', 'bea@example.com']
  const { group } = await ok('group', 'create', '--name', 'Finance')
  const of = ['--group', group]
  expect(await ok('group', 'add-member', ...of, ...ada)).toEqual({ group, member_id: adaId, in_group: true })
  // A repeat changes nothing, and has no entry.
  await ok('group', 'add-member', ...of, ...ada)
  await ok('group', 'remove-member', ...of, ...bea)
  expect(await refused('group', 'add-member', ...of, ...bea)).toContain('at most 1 members')
  expect(await refused('group', 'create', '--name', 'FINANCE')).toContain('already has this name')
  const second = await ok('group', 'create', '--name', 'Second')
  expect(await refused('group', 'create', '--name', 'Third')).toContain(
    `already has ${limits.groupsMax} groups`,
  )
  expect(await ok('group', 'rename', ...of, '--name', 'finance')).toEqual({ group, name: 'finance' })
  expect(await refused('group', 'rename', ...of, '--name', 'Second')).toContain('already has this name')

  await ok('member', 'deactivate', ...ada)
  expect(await ok('group', 'list')).toMatchObject([
    { group, name: 'finance', members: 1, active: 0 },
    { group: second.group, members: 0 },
  ])
  expect(await ok('group', 'show', ...of)).toMatchObject([{ member_id: adaId, is_active: false }])

  for (const verb of ['show', 'remove'])
    expect(await other.refused('group', verb, ...of)).toContain('was not found')
  expect(await listGroups({ db: database.db, account: other.account })).toEqual([])

  // Swapped in one change, so that the bound holds throughout.
  await ok('group', 'remove-member', ...of, ...ada)
  await ok('group', 'add-member', ...of, ...bea)
  await ok('group', 'remove', '--group', second.group)
  const told = (await entriesOf(database, account)).filter(({ kind }) => kind === 'group_changed')
  expect(told.map(({ entry }) => [entry.data!['change'], entry.data!['added'] ?? null])).toEqual([
    ['created', null],
    ['members', [adaId]],
    ['created', null],
    ['renamed', null],
    ['members', []],
    ['members', [beaId]],
    ['removed', null],
  ])
  expect(JSON.stringify(told)).not.toContain('inance')
  expect(await verifyLedger(database.db, account)).toMatchObject({ ok: true })
})
