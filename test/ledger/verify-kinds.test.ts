import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { verifyLedger } from '../../src/ledger/verify.ts'
import { retireKind } from '../../src/operations/kinds/declared-kinds.ts'
import { customerDeletion, declare, throwawayPerformer } from '../support/declared-kind.ts'
import { type TestGate, startGate } from '../support/gate.ts'
import { whileTampered } from './tampered.ts'
import { testRows } from '../support/rows.ts'

let gate: TestGate
let account: string
beforeAll(async () => {
  gate = await startGate({ performers: throwawayPerformer([]), workers: false })
  const made = await gate.account()
  account = made.account
  await made.addMember({ email: 'ada@example.com', tier: 'guarded_write' })
  const { db } = gate.deps
  await declare(db, account, customerDeletion())
  await declare(db, account, customerDeletion({ title: 'Archive a customer' }))
  await declare(db, account, customerDeletion({ kind: 'customer_merge' }))
  await retireKind({ db, account, session: null }, 'customer_merge')
  const actor = { email: 'ada@example.com' }
  await made.client.request('POST', '/api/v1/actions', {
    body: { kind: 'customer_deletion', actor, payload: { customer: { id: 'cus_1' } } },
  })
}, 60_000)
afterAll(() => gate.stop())

test('an account with declared kinds verifies', async () => {
  expect(await verifyLedger(gate.deps.db, account)).toMatchObject({ ok: true })
})

testRows([
  [
    'the document of a version',
    'gate.kind',
    `update gate.kind set document = '{}' where $ours and version = 1`,
  ],
  ['a retirement taken back', 'gate.kind', 'update gate.kind set retired_at = null where $ours'],
  [
    'a retirement beside the chain',
    'gate.kind',
    'update gate.kind set retired_at = now() where $ours and version = 2',
  ],
  ['who declared it', 'gate.kind', `update gate.kind set created_by = 'eve' where $ours and version = 2`],
  [
    'a version beside the chain',
    'gate.kind',
    'insert into gate.kind select account_id, kind, 3, document, digest, created_by, created_at from gate.kind where $ours and version = 2',
  ],
  ['a deleted version', 'gate.kind', `delete from gate.kind where $ours and kind = 'customer_merge'`],
  ['the version of an action', 'gate.action', 'update gate.action set kind_version = 1 where $ours'],
])('verification finds a forged kind', async (_what, table, statement) => {
  const verdict = await whileTampered(gate.database, account, table, statement, () =>
    verifyLedger(gate.deps.db, account),
  )
  expect(verdict).toMatchObject({ ok: false })
})
