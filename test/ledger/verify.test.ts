import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { noteRefusal } from '../../src/db/queries/actions/decide.ts'
import type { Deps } from '../../src/deps.ts'
import { verifyLedger } from '../../src/ledger/verify.ts'
import { type TestDatabase, freshDatabase } from '../support/database.ts'
import { type Lived, depsOf, livedAccount, livedSeq, openAccount } from './lived-account.ts'
import { testRows } from '../support/rows.ts'

let database: TestDatabase
let deps: Deps
let lived: Lived
beforeAll(async () => {
  database = await freshDatabase()
  deps = depsOf(database)
})
const setUp = async () => {
  lived = await livedAccount(deps)
}
beforeEach(setUp)
const tearDown = () => database.asSuperuser('set session_replication_role = origin')
afterEach(tearDown)
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
    before := coalesce(before, decode(repeat('00', 32), 'hex'));
    for l in select * from gate.ledger where ${ours()} and seq between ${from} and ${to} order by seq loop
      made := sha256(before || convert_to(l.account_id || ' ' || l.seq || ' ' || gate_private.iso(l.at) || E'\\n' || l.entry, 'UTF8'));
      update gate.ledger set prev = before, hash = made where account_id = l.account_id and seq = l.seq;
      before := made;
    end loop;
    if ${to} = 1000 then update gate.ledger_head set hash = before where ${ours()}; end if;
  end $do$`

test('an account that has lived verifies', async () => {
  expect(await verify()).toMatchObject({ ok: true, account: lived.account, seq: livedSeq })
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

test('a new account verifies with its first entry; one that does not exist is told apart', async () => {
  expect(await verifyLedger(database.db, 'acct_0000000000000000')).toBeUndefined()
  await database.asSuperuser(`select gate.create_account('acct_EmptyEmptyEmpty0', 'Empty')`)
  expect(await verifyLedger(database.db, 'acct_EmptyEmptyEmpty0')).toMatchObject({ ok: true, seq: 1 })
})

testRows(
  [
    [
      'an edited entry',
      `update gate.ledger set entry = replace(entry, 'guarded_write', 'write') where $ours and seq = 4`,
      'seq 4',
    ],
    ['a deleted entry', `delete from gate.ledger where $ours and seq = 15`, 'seq 15'],
    ['a deleted first entry', `delete from gate.ledger where $ours and seq = 1`, 'seq 1'],
    ['a deleted last entry', `delete from gate.ledger where $ours and seq = ${livedSeq}`, `seq ${livedSeq}`],
    [
      'an edited first entry',
      `update gate.ledger set entry = replace(entry, 'name_digest', 'name') where $ours and seq = 1`,
      'seq 1',
    ],
    [
      'two swapped entries',
      `update gate.ledger set seq = seq + 100 where $ours and seq in (11, 16);
     update gate.ledger set seq = 127 - seq where $ours and seq in (111, 116)`,
      'seq 11',
    ],
    [
      'a backdated entry',
      `update gate.ledger set at = at - interval '1 day' where $ours and seq = 8`,
      'seq 8',
    ],
    [
      'another kind beside the text',
      `update gate.ledger set kind = 'tier_set' where $ours and seq = 5`,
      'seq 5',
    ],
    [
      'another action beside the text',
      `update gate.ledger set action_id = 3 where $ours and seq = 15`,
      'seq 15',
    ],
    [
      'an entry behind the head',
      `insert into gate.ledger select account_id, ${livedSeq + 1}, gen_random_uuid(), at, kind, action_id, entry, hash, hash from gate.ledger where $ours and seq = ${livedSeq}`,
      'head',
    ],
    ['a forged head', `update gate.ledger_head set hash = sha256('x') where $ours`, 'head'],
    [
      'a head set back',
      `update gate.ledger_head h set (seq, hash, at) = (select seq, hash, at from gate.ledger where $ours and seq = ${livedSeq - 1}), action_seq = 4 where $ours`,
      'head',
    ],
  ],
  [tearDown, setUp],
)('a forged entry is found at its place', async (_, statement, place) => {
  await tamper(statement.replaceAll('$ours', ours()))
  expect(await verify()).toMatchObject({ ok: false, place })
})

testRows(
  [
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
  ],
  [tearDown, setUp],
)('a changed column of a row is found at that row', async (_, change, place) => {
  await tamper(`update gate.action ${change.replaceAll('$ours', ours())}`)
  expect(await verify()).toMatchObject({ ok: false, place })
})

test('a deleted row is found although its entries are whole', async () => {
  await tamper(`set session_replication_role = replica`, `delete from gate.action where ${ours()} and id = 3`)
  expect(await verify()).toMatchObject({ ok: false, place: 'action 3' })
})

test('an action without an entry is found', async () => {
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
  await tamper(`update gate.ledger set entry = ${forged} where ${ours()} and seq = 4`, rechain(4, 4))
  expect(await verify()).toMatchObject({
    ok: false,
    place: 'seq 5',
    problem: 'its prev is not the hash of seq 4',
  })
})

test('a forger who recomputes every hash still meets the life of the row', async () => {
  const forged = `replace(entry, '"kind":"cancelled"', '"kind":"executed"')`
  await tamper(
    `update gate.ledger set kind = 'executed', entry = ${forged} where ${ours()} and seq = 17`,
    rechain(17),
  )
  expect(await verify()).toMatchObject({ ok: false, place: 'seq 17' })
})

test('a forger who backdates and recomputes every hash still meets the time before', async () => {
  await tamper(`update gate.ledger set at = at - interval '1 day' where ${ours()} and seq = 17`, rechain(17))
  expect(await verify()).toMatchObject({
    ok: false,
    place: 'seq 17',
    problem: 'its time is earlier than that of seq 16',
  })
})

test('a forger who takes away the first entry and recomputes every hash is found at seq 1', async () => {
  await tamper(
    `delete from gate.ledger where ${ours()} and seq = 1`,
    `update gate.ledger set seq = seq + 1000 where ${ours()}`,
    `update gate.ledger set seq = seq - 1001 where ${ours()}`,
    `update gate.ledger_head set seq = seq - 1 where ${ours()}`,
    rechain(1),
  )
  expect(await verify()).toMatchObject({
    ok: false,
    place: 'seq 1',
    problem: 'it is member_changed, but a chain begins with account_created',
  })
})

test('a forger who changes the first entry and recomputes every hash still meets the name of the account', async () => {
  const forged = `regexp_replace(entry, '"name_digest":"[0-9a-f]{64}"', '"name_digest":"${'0'.repeat(64)}"')`
  await tamper(`update gate.ledger set entry = ${forged} where ${ours()} and seq = 1`, rechain(1))
  expect(await verify()).toMatchObject({
    ok: false,
    place: 'account',
    problem: 'its name does not match the ledger',
  })
})

test.each([
  ['1', 'version 1'],
  ['3', 'version 3'],
  ['"2"', 'version "2"'],
  ['null', 'version null'],
])('an entry of version %s is reported as unknown', async (version, words) => {
  await tamper(
    `update gate.ledger set entry = replace(entry, '"v":2}', '"v":${version}}') where ${ours()} and seq = 4`,
    rechain(4),
  )
  expect(await verify()).toMatchObject({
    ok: false,
    place: 'seq 4',
    problem: `${words} is not a known entry version`,
  })
})

test('a second beginning is found at its place', async () => {
  const forged = `replace(entry, '"kind":"tier_set"', '"kind":"account_created"')`
  await tamper(
    `update gate.ledger set kind = 'account_created', entry = ${forged} where ${ours()} and seq = 4`,
    rechain(4),
  )
  expect(await verify()).toMatchObject({
    ok: false,
    place: 'seq 4',
    problem: 'account_created must be the first entry',
  })
})

test('a chain that was emptied, with its head set back, is found at seq 1', async () => {
  const { account } = await openAccount(deps)
  await tamper(
    `delete from gate.ledger where account_id = '${account}'`,
    `update gate.ledger_head set (seq, hash) = row(0, decode(repeat('00', 32), 'hex')) where account_id = '${account}'`,
  )
  expect(await verifyLedger(database.db, account)).toMatchObject({
    ok: false,
    place: 'seq 1',
    problem: 'it is missing: a chain begins with account_created',
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
