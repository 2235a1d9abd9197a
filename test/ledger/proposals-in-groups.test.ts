import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import postgres from 'postgres'
import { type Db, connect } from '../../src/db/connect.ts'
import { asOneRequest, hasWritten, noteWrite } from '../../src/db/writes.ts'
import type { Proposal } from '../../src/db/queries/actions/propose.ts'
import { GateError, OutcomeUnknown } from '../../src/errors.ts'
import { proposalRecorder } from '../../src/ledger/proposal-recorder.ts'
import { verifyLedger } from '../../src/ledger/verify.ts'
import { type TestDatabase, freshDatabase } from '../support/database.ts'
import { waiting } from '../support/ledger-entries.ts'
import { shorten } from '../support/shorten.ts'
import { until } from '../support/until.ts'
import { type Lived, depsOf, factVersions, openAccount } from './lived-account.ts'
import { sampleProposal } from './sample-proposal.ts'

let database: TestDatabase
let deps: ReturnType<typeof depsOf>
beforeAll(async () => {
  database = await freshDatabase()
  deps = depsOf(database)
}, 60_000)
afterAll(async () => {
  await deps.close()
  await database.drop()
})

/** An account, proposals of one of its members, and a recorder that counts its statements. */
async function recording() {
  const lived = await openAccount(deps)
  const facts = await factVersions(database.db, lived.account, lived.ada)
  const counted = { statements: 0 }
  const db: Db = {
    ...database.db,
    run: (statement) => {
      counted.statements++
      return database.db.run(statement)
    },
  }
  const proposal = (given: Partial<Omit<Proposal, 'facts'>> = {}) =>
    sampleProposal({ member_id: lived.ada, api_key: lived.keyHash, facts, ...given })
  const recorder = proposalRecorder(db)
  return {
    lived,
    counted,
    proposal,
    record: (all: Proposal[]) => Promise.allSettled(all.map((one) => recorder.record(lived.account, one))),
  }
}

const verified = ({ account }: Lived) => verifyLedger(database.db, account)

test('proposals that come while another is recorded share a statement, and each gets its own answer', async () => {
  const { lived, counted, proposal, record } = await recording()
  const idempotency = { key: randomUUID(), request: Buffer.alloc(32) }
  const answers = await record([
    proposal(),
    proposal(idempotency),
    proposal({ member_version: 0 }),
    proposal(idempotency),
    proposal({ open_max: 2 }),
    proposal({ status: 'denied', denial_reason: 'not allowed', denial_code: 'tier_insufficient' }),
    proposal(),
  ])
  expect(counted.statements).toBe(2)
  const outcomes = answers.map((a) => (a.status === 'fulfilled' ? [a.value.outcome, a.value.action.id] : a))
  expect(outcomes).toEqual([
    ['created', 1],
    ['created', 2],
    ['stale', null],
    ['replayed', 2],
    ['too_many', null],
    ['created', 3],
    ['created', 4],
  ])
  expect(await verified(lived)).toMatchObject({ ok: true })
})

test('a proposal that the database refuses is refused alone, and the others of its group are recorded once', async () => {
  const { lived, proposal, record } = await recording()
  const [first, revoked, second, broken, third] = await record([
    proposal(),
    proposal({ api_key: Buffer.alloc(32) }),
    proposal(),
    proposal({ payload: 'no JSON' }),
    proposal(),
  ])
  expect([first, second, third].map((a) => a!.status)).toEqual(['fulfilled', 'fulfilled', 'fulfilled'])
  expect(revoked).toMatchObject({ status: 'rejected', reason: { code: 'unauthenticated' } })
  expect(broken).toMatchObject({ status: 'rejected', reason: { code: '22P02' } })
  const [row] = await database.asSuperuser(
    `select count(*)::int as n from gate.action where account_id = '${lived.account}'`,
  )
  expect(row).toEqual({ n: 3 })
  expect(await verified(lived)).toMatchObject({ ok: true })
})

test('proposals that wait for the ledger of their account leave the connections to the reads of others', async () => {
  const { lived, proposal } = await recording()
  const db = connect(database.serviceUrl, { applicationName: 'gate test', connectionsMax: 2 })
  const holder = postgres(database.superuserUrl, { max: 1, onnotice: () => {} })
  try {
    await holder.unsafe('begin')
    await holder.unsafe(`select 1 from gate.ledger_head where account_id = '${lived.account}' for update`)
    const recorder = proposalRecorder(db)
    const recorded = Promise.all(Array.from({ length: 8 }, () => recorder.record(lived.account, proposal())))
    await until('a proposal waits for the lock', async () => (await waiting(database)) > 0)
    expect(await db.read<{ one: number }>((sql) => sql`select 1 as one`)).toEqual([{ one: 1 }])
    await holder.unsafe('commit')
    expect((await recorded).map(({ outcome }) => outcome)).toEqual(Array(8).fill('created'))
  } finally {
    await holder.end({ timeout: 2 })
    await db.close()
  }
})

test('a write of another proposal makes no outcome unknown: a database that is gone after it changed nothing', async () => {
  const { proposal, lived } = await recording()
  let statements = 0
  const db: Db = {
    ...database.db,
    run: async (statement) => {
      if (++statements > 1) throw hasWritten() ? new OutcomeUnknown() : new GateError('unavailable', 'gone')
      noteWrite()
      return database.db.run(statement)
    },
  }
  const recorder = proposalRecorder(db)
  const [first, second, third] = await asOneRequest(() =>
    Promise.allSettled([1, 2, 3].map(() => recorder.record(lived.account, proposal()))),
  )
  expect(first).toMatchObject({ status: 'fulfilled' })
  expect([second, third]).toMatchObject([
    { status: 'rejected', reason: { code: 'unavailable' } },
    { status: 'rejected', reason: { code: 'unavailable' } },
  ])
})

test('a proposal that waited longer than a statement may take is refused, and not recorded for an agent that has gone', async () => {
  const { record, proposal, counted } = await recording()
  const restore = shorten({ databaseCallMs: 0 })
  try {
    const [only] = await record([proposal()])
    expect(only).toMatchObject({ status: 'rejected', reason: { code: 'unavailable' } })
    expect(counted.statements).toBe(0)
  } finally {
    restore()
  }
})
