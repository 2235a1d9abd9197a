import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { decisionActivities } from '../../activities/decision.ts'
import { executionActivities } from '../../activities/execution.ts'
import { layOutDeliveries } from '../../src/db/queries/actions/deliveries.ts'
import { beginExecution } from '../../src/db/queries/actions/execution.ts'
import { readAction } from '../../src/db/queries/actions/actions.ts'
import type { Deps } from '../../src/deps.ts'
import { limits } from '../../src/limits.ts'
import { type TestGate, startGate } from '../support/gate.ts'
import { until } from '../support/until.ts'

// The database's owner changes an action between its consent and its execution.
let gate: TestGate
beforeAll(async () => {
  gate = await startGate({ workers: false, env: { CONFIRM_WAIT_MS: '0' } })
}, 60_000)
beforeEach(() => gate.stopWorkers())
afterAll(() => gate.stop())

/** A broadcast that was consented to, and changed by this statement. */
async function changed(statement: string) {
  const open = await gate.openBroadcast()
  expect((await open.client.confirm(open.id, open.actor)).status).toBe(202)
  const { account } = open.account
  await gate.database.asSuperuser(
    `set session_replication_role = replica;
     ${statement.replaceAll('$ours', `account_id = '${account}'`)};
     set session_replication_role = origin`,
  )
  const row = (await readAction(gate.deps.db, account, open.id))!
  return { ...open, account, input: { account, id: open.id, uuid: row.uuid, kind: row.kind } }
}

const refused = {
  status: 'cancelled',
  closed_reason: 'refused',
  result: { outcome: 'refused', code: 'payload_changed' },
}

test.each([
  ['payload', `update gate.action set payload = '{"message":"Send money."}' where $ours`],
  ['rationale', `update gate.action set rationale = 'They all asked.' where $ours`],
  ['member', `update gate.action set member = 'eve@example.com' where $ours`],
  ['recipients', `update gate.recipient_set set addresses[1] = 'eve@example.com' where $ours`],
])(
  'an action whose %s was changed after its consent is not executed: it ends as refused',
  async (_, statement) => {
    const { client, id } = await changed(statement)
    const sentBefore = gate.sandbox.messages().length
    await gate.startWorkers()
    const row = await until('its end', async () => {
      const { body } = await client.get(id)
      return body.status !== 'proposed' && body
    })
    expect(row).toMatchObject(refused)
    expect(gate.sandbox.messages()).toHaveLength(sentBefore)
  },
)

/** The dependencies, and what was logged as an error. */
function logged() {
  const errors: unknown[] = []
  const log = Object.assign(Object.create(gate.deps.log) as Deps['log'], {
    error: (about: unknown, words: string) => errors.push([about, words]),
  })
  return { deps: { ...gate.deps, log }, errors }
}

const payloadChanged = `update gate.action set payload = '{"message":"Send money."}' where $ours`

test.each([
  ['payload', payloadChanged],
  ['recipients', `update gate.recipient_set set addresses[1] = 'eve@example.com' where $ours`],
])(
  'one whose %s was changed is refused also where its first refusal was lost: nothing of it was begun',
  async (_, statement) => {
    const { account, id, input, client } = await changed(statement)
    // A worker that loses its database between the two statements gets this far.
    await beginExecution(gate.deps.db, { account, id, uuid: null }, true)
    const ruling = await decisionActivities(gate.deps).decide(input as never)
    expect(ruling).toEqual({ state: 'closed', status: 'cancelled' })
    expect((await client.get(id)).body).toMatchObject(refused)
  },
)

test('recipients that were changed after the begin are not sent to', async () => {
  const open = await gate.openBroadcast()
  await open.client.confirm(open.id, open.actor)
  const { account } = open.account
  await beginExecution(gate.deps.db, { account, id: open.id, uuid: null }, true)
  const ours = `account_id = '${account}'`
  await gate.database.asSuperuser(
    `update gate.recipient_set set addresses[1] = 'eve@example.com' where ${ours}`,
  )
  expect(await layOutDeliveries(gate.deps.db, account, open.id, limits.sliceRecipientsMax)).toEqual([])
})

test('a broadcast that was begun before it was changed sends nothing more, and ends as it is recorded', async () => {
  const open = await gate.openBroadcast()
  await open.client.confirm(open.id, open.actor)
  const { account } = open.account
  await beginExecution(gate.deps.db, { account, id: open.id, uuid: null }, true)
  await layOutDeliveries(gate.deps.db, account, open.id, limits.sliceRecipientsMax)
  await gate.database.asSuperuser(payloadChanged.replace('$ours', `account_id = '${account}'`))
  const { uuid, kind } = (await readAction(gate.deps.db, account, open.id))!
  const input = { account, id: open.id, uuid, kind }
  const { deps, errors } = logged()
  await expect(executionActivities(deps).performStep(input as never, 'slack:0-1')).resolves.toEqual({
    settled: 0,
  })
  await expect(decisionActivities(deps).decide(input as never)).resolves.toEqual({
    state: 'closed',
    status: 'executed',
  })
  expect((await open.client.get(open.id)).body).toMatchObject({
    status: 'executed',
    result: { outcome: 'refused', slack: 0, email: 0, failed: { slack: 2, email: 1 } },
    receipt_problem: 'payload_changed',
  })
  const logLine = [
    { account, action: open.id },
    'not executed: it was changed in the database. Verify the ledger',
  ]
  expect(errors).toEqual([logLine, logLine])
})
