import { afterAll, beforeAll, expect, test } from '@jest/globals'
import postgres from 'postgres'
import type { Deps } from '../../src/deps.ts'
import { readAction } from '../../src/db/queries/actions/actions.ts'
import { listKeys } from '../../src/db/queries/accounts/keys.ts'
import { pageEntries, readHead } from '../../src/db/queries/ledger/ledger.ts'
import { pageMembers } from '../../src/db/queries/members/members.ts'
import { type TestDatabase, freshDatabase } from '../support/database.ts'
import { type Lived, depsOf, livedAccount, livedSeq } from './lived-account.ts'
import { testRows } from '../support/rows.ts'

let database: TestDatabase
let deps: Deps
let a: Lived
let b: Lived
let service: postgres.Sql
let owner: postgres.Sql
beforeAll(async () => {
  database = await freshDatabase()
  deps = depsOf(database)
  a = await livedAccount(deps)
  b = await livedAccount(deps)
  service = postgres(database.serviceUrl, { max: 1 })
  owner = postgres(database.ownerUrl, { max: 1 })
})
afterAll(async () => {
  await service.end()
  await owner.end()
  await deps.close()
  await database.drop()
})

const changes = [`update gate.ledger set entry = entry`, `delete from gate.ledger`, `truncate gate.ledger`]

testRows(changes)(
  'not even a superuser may change an entry, also where triggers are told to sleep',
  async (change) => {
    const refused = expect.objectContaining({ message: 'the ledger is append-only' })
    await expect(database.asSuperuser(change)).rejects.toEqual(refused)
    await expect(database.asSuperuser(`set session_replication_role = replica; ${change}`)).rejects.toEqual(
      refused,
    )
    await database.asSuperuser('set session_replication_role = origin')
    expect(await readHead(database.db, a.account)).toMatchObject({ seq: livedSeq, last_seq: livedSeq })
  },
)

// Row-level security hides every row from the owner; the account must be named first.
testRows(changes.slice(0, 2))('the owner may not change an entry', async (change) => {
  await expect(owner.unsafe(`select gate.tenant('${a.account}'); ${change}`)).rejects.toMatchObject({
    message: 'the ledger is append-only',
  })
})

async function tablesOf(schema: string): Promise<string[]> {
  const rows = await database.asSuperuser(
    `select relname from pg_class where relnamespace = '${schema}'::regnamespace and relkind = 'r' order by 1`,
  )
  return rows.map((row) => String(row['relname']))
}

test("the service's role may write into no table, and read none of the private ones", async () => {
  for (const table of await tablesOf('gate')) {
    for (const write of [
      `delete from gate.${table}`,
      `truncate gate.${table}`,
      `insert into gate.${table} default values`,
      `update gate.${table} set account_id = ''`,
    ]) {
      await expect(service.unsafe(write)).rejects.toMatchObject({ code: '42501' })
    }
  }
  for (const table of await tablesOf('gate_private')) {
    await expect(service.unsafe(`select from gate_private.${table}`)).rejects.toMatchObject({ code: '42501' })
  }
  await expect(
    service.unsafe(`select gate_private.append('${a.account}', gen_random_uuid(), 'executed', 1, '}')`),
  ).rejects.toMatchObject({ code: '42501' })
})

test('every table has row-level security, forced on its owner, but these, which are found before the account is known', async () => {
  const bare = await database.asSuperuser(`
    select c.oid::regclass::text as name from pg_class c
    where c.relnamespace in ('gate'::regnamespace, 'gate_private'::regnamespace) and c.relkind = 'r'
      and not (c.relrowsecurity and c.relforcerowsecurity)
    order by 1`)
  expect(bare.map((row) => row['name'])).toEqual([
    'gate_private.account_directory',
    'gate_private.api_key_hash',
    'gate_private.app_client',
    'gate_private.app_code',
    'gate_private.app_refresh',
    'gate_private.company_state',
    'gate_private.connect_draft',
    'gate_private.connect_link',
    'gate_private.consent_token',
    'gate_private.epoch_cosignature',
    'gate_private.epoch_leaf',
    'gate_private.epoch_seal',
    'gate_private.epoch_tile',
    'gate_private.event_account',
    'gate_private.failing_notice',
    'gate_private.identity_notice_due',
    'gate_private.key_minute',
    'gate_private.ledger_log',
    'gate_private.mailbox',
    'gate_private.mandate_end_due',
    'gate_private.member_notice_due',
    'gate_private.message_update',
    'gate_private.migration',
    'gate_private.open_action',
    'gate_private.open_preview',
    'gate_private.passkey_nonce',
    'gate_private.preview_host',
    'gate_private.push_key',
    'gate_private.receipt_key',
    'gate_private.runner_signing',
    'gate_private.seal_fault',
    'gate_private.sent_form',
    'gate_private.session',
    'gate_private.sign_in_asker',
    'gate_private.sign_in_link',
    'gate_private.teams_bot',
    'gate_private.unsealed_account',
    'gate_private.upstream_due',
  ])
})

test('every definer function has a search path that nobody can lead astray', async () => {
  const loose = await database.asSuperuser(`
    select p.oid::regprocedure::text as name from pg_proc p
    where p.pronamespace = 'gate'::regnamespace and p.prosecdef
      and not coalesce(p.proconfig @> array['search_path=pg_catalog, pg_temp'], false)`)
  expect(loose).toEqual([])
})

test('without an account named, the service sees no row of any table', async () => {
  for (const table of await tablesOf('gate')) {
    expect(await service.unsafe(`select 1 from gate.${table}`)).toHaveLength(0)
  }
})

test("under one account's name, the service sees no row of another, whatever it asks for", async () => {
  for (const table of await tablesOf('gate')) {
    const seen = await service.unsafe(
      `select distinct r.account_id from gate.tenant('${a.account}') t(id), lateral (select * from gate.${table} offset 0) r`,
    )
    expect(seen.map((row) => row['account_id']).filter((account) => account !== a.account)).toEqual([])
  }
})

test('queries of one account never answer with rows of another', async () => {
  const ids = async ({ account }: Lived) =>
    (await pageMembers(database.db, account, { after: '', limitRows: 50 })).map((member) => member.memberId)
  const [ofA, ofB] = [await ids(a), await ids(b)]
  expect(ofA).toHaveLength(2)
  expect(ofA.filter((id) => ofB.includes(id))).toEqual([])
  expect((await readAction(database.db, a.account, 2))!.uuid).not.toBe(
    (await readAction(database.db, b.account, 2))!.uuid,
  )
  const entries = await pageEntries(database.db, a.account, { after: 0, upTo: 100, limitRows: 100 })
  expect(entries).toHaveLength(livedSeq)
  const keysOf = async ({ account }: Lived) => (await listKeys(database.db, account)).map((key) => key.key_id)
  const [keysOfA, keysOfB] = [await keysOf(a), await keysOf(b)]
  expect(keysOfA).toHaveLength(1)
  expect(keysOfA.filter((id) => keysOfB.includes(id))).toEqual([])
})
