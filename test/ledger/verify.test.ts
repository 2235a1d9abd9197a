import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { noteRefusal } from '../../src/db/queries/actions/decide.ts'
import type { Deps } from '../../src/deps.ts'
import { verifyLedger } from '../../src/ledger/verify.ts'
import { type TestDatabase, freshDatabase } from '../support/database.ts'
import { type Lived, depsOf, livedAccount, openAccount } from './lived-account.ts'

let database: TestDatabase
let deps: Deps
let lived: Lived
beforeAll(async () => {
  database = await freshDatabase()
  deps = depsOf(database)
})
beforeEach(async () => {
  lived = await livedAccount(deps)
})
afterEach(() => database.asSuperuser('set session_replication_role = origin'))
afterAll(async () => {
  await deps.close()
  await database.drop()
})

const verify = () => verifyLedger(database.db, lived.account)
const ours = () => `account_id = '${lived.account}'`

/** What somebody who owns the machine may do: switch the triggers off and write into tables. */
async function tamper(...statements: string[]): Promise<void> {
  const texts = [
    'alter table gate.ledger disable trigger all',
    ...statements,
    'alter table gate.ledger enable always trigger ledger_append_only',
    'alter table gate.ledger enable always trigger ledger_no_truncate',
  ]
  await database.asSuperuser(texts.join(';\n'))
}

// Recomputes the chain from a seq on, and the head: the work of a thorough forger.
const rechain = (from: number, to = 1_000) => `
  do $do$
  declare l record; before bytea := (select hash from gate.ledger where ${ours()} and seq = ${from - 1}); made bytea;
  begin
    for l in select * from gate.ledger where ${ours()} and seq between ${from} and ${to} order by seq loop
      made := sha256(before || convert_to(l.account_id || ' ' || l.seq || ' ' || gate_private.iso(l.at) || E'\\n' || l.entry, 'UTF8'));
      update gate.ledger set prev = before, hash = made where account_id = l.account_id and seq = l.seq;
      before := made;
    end loop;
    if ${to} = 1000 then update gate.ledger_head set hash = before where ${ours()}; end if;
  end $do$`

test('an account that has lived verifies', async () => {
  expect(await verify()).toMatchObject({ ok: true, account: lived.account, seq: 18 })
})

test('a check that somebody tried to decide about is still told by its own entry', async () => {
  const [check] = await database.asSuperuser(
    `select id from gate.action where ${ours()} and kind = 'capability_check' limit 1`,
  )
  await noteRefusal(database.db, {
    account: lived.account,
    id: Number(check!['id']),
    eventId: randomUUID(),
    decision: 'cancel',
    reason: 'not_open',
    source: 'api',
    actor: 'unknown',
    apiKey: null,
  })
  expect(await verify()).toMatchObject({ ok: true })
})

test('an account without an entry verifies; one that does not exist is told apart', async () => {
  expect(await verifyLedger(database.db, 'acct_0000000000000000')).toBeUndefined()
  await database.asSuperuser(`select gate.create_account('acct_EmptyEmptyEmpty0', 'Empty')`)
  expect(await verifyLedger(database.db, 'acct_EmptyEmptyEmpty0')).toMatchObject({ ok: true, seq: 0 })
})

test.each([
  [
    'an edited entry',
    `update gate.ledger set entry = replace(entry, 'guarded_write', 'write') where $ours and seq = 3`,
    'seq 3',
  ],
  ['a deleted entry', `delete from gate.ledger where $ours and seq = 14`, 'seq 14'],
  ['a deleted last entry', `delete from gate.ledger where $ours and seq = 18`, 'seq 18'],
  [
    'two swapped entries',
    `update gate.ledger set seq = seq + 100 where $ours and seq in (10, 15);
     update gate.ledger set seq = 125 - seq where $ours and seq in (110, 115)`,
    'seq 10',
  ],
  ['a backdated entry', `update gate.ledger set at = at - interval '1 day' where $ours and seq = 7`, 'seq 7'],
  [
    'another kind beside the text',
    `update gate.ledger set kind = 'tier_set' where $ours and seq = 4`,
    'seq 4',
  ],
  [
    'another action beside the text',
    `update gate.ledger set action_id = 3 where $ours and seq = 14`,
    'seq 14',
  ],
  [
    'an entry behind the head',
    `insert into gate.ledger select account_id, 19, gen_random_uuid(), at, kind, action_id, entry, hash, hash from gate.ledger where $ours and seq = 18`,
    'head',
  ],
  ['a forged head', `update gate.ledger_head set hash = sha256('x') where $ours`, 'head'],
  [
    'a head set back',
    `update gate.ledger_head h set (seq, hash, at) = (select seq, hash, at from gate.ledger where $ours and seq = 17), action_seq = 4 where $ours`,
    'head',
  ],
])('%s is found at its place', async (_, statement, place) => {
  await tamper(statement.replaceAll('$ours', ours()))
  expect(await verify()).toMatchObject({ ok: false, place })
})

test.each([
  ['status', `set status = 'denied', denial_reason = 'no' where $ours and id = 5`, 'action 5'],
  ['decision', `set decision = 'confirm' where $ours and id = 5`, 'action 5'],
  ['payload', `set payload = '{"message":"Dinner"}' where $ours and id = 2`, 'action 2'],
  [
    'payload and digest',
    `set payload = '{"message":"Dinner"}', digest = repeat('0', 64) where $ours and id = 2`,
    'action 2',
  ],
  ['digest', `set digest = repeat('0', 64) where $ours and id = 3`, 'action 3'],
  ['label of its member', `set member = 'eve@example.com' where $ours and id = 3`, 'action 3'],
  ['result', `set result = '{"outcome":"done","slack":999}' where $ours and id = 2`, 'action 2'],
  ['tier', `set tier_at_request = 'write' where $ours and id = 4`, 'action 4'],
  ['kind', `set kind = 'refund' where $ours and id = 1`, 'action 1'],
])("a row's changed %s is found at that row", async (_, change, place) => {
  await tamper(`update gate.action ${change.replaceAll('$ours', ours())}`)
  expect(await verify()).toMatchObject({ ok: false, place })
})

test('a deleted row is found although its entries are whole', async () => {
  await tamper(`set session_replication_role = replica`, `delete from gate.action where ${ours()} and id = 3`)
  expect(await verify()).toMatchObject({ ok: false, place: 'action 3' })
})

test('a row that nothing tells of is found', async () => {
  const columns =
    'account_id, kind, status, member, tier_at_request, source, payload, created_at, requires_confirmation, result, executed_at'
  await tamper(
    `insert into gate.action (id, uuid, ${columns}) select 6, gen_random_uuid(), ${columns} from gate.action where ${ours()} and id = 1`,
  )
  expect(await verify()).toMatchObject({ ok: false, place: 'action 6', problem: 'it has no ledger entries' })
})

test('entries whose head was taken away are found', async () => {
  await tamper(`set session_replication_role = replica`, `delete from gate.ledger_head where ${ours()}`)
  expect(await verify()).toMatchObject({ ok: false, place: 'head' })
})

test('changed recipients are found although every row still names their hash', async () => {
  await tamper(`update gate.recipient_set set addresses[1] = 'eve@example.com' where ${ours()}`)
  const verdict = await verify()
  expect(verdict).toMatchObject({ ok: false, place: expect.stringMatching(/^recipients [0-9a-f]{16}$/) })
})

test('a forger who recomputes one hash still meets the link behind it', async () => {
  const forged = `replace(entry, 'guarded_write', 'write')`
  await tamper(`update gate.ledger set entry = ${forged} where ${ours()} and seq = 3`, rechain(3, 3))
  expect(await verify()).toMatchObject({
    ok: false,
    place: 'seq 4',
    problem: 'its prev is not the hash of seq 3',
  })
})

test('a forger who recomputes every hash still meets the life of the row', async () => {
  const forged = `replace(entry, '"kind":"cancelled"', '"kind":"executed"')`
  await tamper(
    `update gate.ledger set kind = 'executed', entry = ${forged} where ${ours()} and seq = 16`,
    rechain(16),
  )
  expect(await verify()).toMatchObject({ ok: false, place: 'seq 16' })
})

test('a forger who backdates and recomputes every hash still meets the time before', async () => {
  await tamper(`update gate.ledger set at = at - interval '1 day' where ${ours()} and seq = 16`, rechain(16))
  expect(await verify()).toMatchObject({
    ok: false,
    place: 'seq 16',
    problem: 'its time is earlier than that of seq 15',
  })
})

test('a ledger verifies while it is written to', async () => {
  const busy = await openAccount(deps)
  const over = new AbortController()
  const writing = (async () => {
    while (!over.signal.aborted)
      await Promise.all([busy.check(), busy.check(), busy.propose().then((id) => busy.cancel(id))])
  })()
  for (let i = 0; i < 20; i++) {
    expect(await verifyLedger(database.db, busy.account)).toMatchObject({ ok: true })
  }
  over.abort()
  await writing
})

test.each([
  [
    'a consent that is made out to be stronger',
    `update gate.action set consent_strength = 'page' where $ours and id = $id`,
  ],
  [
    'a card that was put in place of the one decided on',
    `update gate.action set card = sha256('x') where $ours and id = $id`,
  ],
])('%s is found at its row', async (_, statement) => {
  const id = await lived.propose()
  await lived.execute(id)
  expect(await verify()).toMatchObject({ ok: true })
  await tamper(statement.replaceAll('$ours', ours()).replaceAll('$id', String(id)))
  expect(await verify()).toMatchObject({ ok: false, place: `action ${id}` })
})
