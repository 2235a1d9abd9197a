import { randomUUID } from 'node:crypto'
import { expect, test } from '@jest/globals'
import { decisionActivities } from '../../activities/decision.ts'
import { conclude, executionActivities } from '../../activities/execution.ts'
import { readAction } from '../../src/db/queries/actions/actions.ts'
import { beginExecution } from '../../src/db/queries/actions/execution.ts'
import { sendConsentRequests } from '../../src/operations/consent/send-consent-requests.ts'
import { workflowInput, proposalWorkflowId } from '../../src/temporal/names.ts'
import { linksTo } from '../support/consent.ts'
import { moveExpiry } from '../support/expiry.ts'
import { useGate } from '../support/use-gate.ts'
import { temporalOf } from '../support/temporal-client.ts'

// The database was restored from a backup: a workflow of a proposal that is lost finds another action with its number.
const gate = useGate({ workers: false, env: { CONFIRM_WAIT_MS: '0' } })

/** A proposal, and what the workflow of a lost one with its number knows. */
async function reused({ isConfirmed = false, isBegun = false } = {}) {
  const open = await gate.openBroadcast()
  if (isConfirmed) await open.client.confirm(open.id, open.actor)
  const { account } = open.account
  const row = (await readAction(gate.deps.db, account, open.id))!
  const input = workflowInput(row)
  if (isBegun) await beginExecution(gate.deps.db, input, true)
  return {
    ...open,
    account,
    row,
    input,
    lost: { ...input, uuid: randomUUID() },
    /** Everything that a call could have changed. */
    state: () =>
      gate.database.asSuperuser(`
        select to_jsonb(a) as action, to_jsonb(c) as account, to_jsonb(o) as open,
          (select count(*) from gate.ledger l where l.account_id = a.account_id) as entries,
          (select count(*) from gate.delivery d where d.account_id = a.account_id) as deliveries
        from gate.action a
        join gate.account c using (account_id)
        join gate_private.open_action o on o.uuid = a.uuid
        where a.account_id = '${account}' and a.id = ${open.id}`),
  }
}

const calls = () => ({ ...decisionActivities(gate.deps), ...executionActivities(gate.deps) })
const missing = { state: 'closed', status: 'missing' }

test.each([
  ['was confirmed', { isConfirmed: true }],
  ['is being executed', { isConfirmed: true, isBegun: true }],
  ['waits for its decision', {}],
])(
  'the workflow of a lost proposal decides, executes and ends nothing of an action that has its number and %s',
  async (_, given) => {
    const { lost, state } = await reused(given)
    const before = await state()
    expect(await calls().decide(lost)).toEqual(missing)
    expect(await calls().expire(lost)).toEqual(missing)
    expect(await calls().performStep(lost, 'slack:0-1')).toEqual({ settled: 0 })
    expect(await calls().finish(lost)).toEqual({ status: 'missing' })
    expect(await state()).toEqual(before)
  },
)

test('a step and the end of a lost action whose number is free change nothing and are not retried', async () => {
  const { lost } = await reused()
  const free = { ...lost, id: 9_999 }
  expect(await calls().performStep(free, 'slack:0-1')).toEqual({ settled: 0 })
  expect(await calls().finish(free)).toEqual({ status: 'missing' })
})

test('the expiry of a lost proposal does not close one that has its number, even past its own', async () => {
  const { account, lost, input, state } = await reused()
  await moveExpiry(gate.database, account, -8)
  const before = await state()
  expect(await calls().expire(lost)).toEqual(missing)
  expect(await state()).toEqual(before)
  expect(await calls().expire(input)).toEqual({ state: 'closed', status: 'cancelled' })
})

test('an end that was worked out of a lost action does not end one that has its number since', async () => {
  const { row, state } = await reused({ isConfirmed: true, isBegun: true })
  const before = await state()
  expect(await conclude(gate.deps, { ...row, uuid: randomUUID() }, [])).toBe('missing')
  expect(await state()).toEqual(before)
})

test('the workflow of a lost proposal asks nobody about an action that has its number', async () => {
  const account = await gate.account()
  await account.setPolicy({ kinds: { broadcast: { tier: 'guarded_write', consent: 'page' } } })
  const actor = { email: 'asked@example.com' }
  await account.addMember({ ...actor, tier: 'guarded_write' })
  const { body } = await account.client.propose(actor, 'Lunch is at noon.')
  await account.client.confirm(body.id, actor)
  const input = workflowInput((await readAction(gate.deps.db, account.account, body.id))!)
  const { signal } = new AbortController()
  expect(await sendConsentRequests(gate.deps, { ...input, uuid: randomUUID() }, signal)).toMatchObject({
    lookAt: null,
  })
  expect(linksTo(gate, actor.email)).toEqual([])
  expect(await sendConsentRequests(gate.deps, input, signal)).toMatchObject({ lookAt: expect.any(Date) })
  expect(linksTo(gate, actor.email)).toHaveLength(1)
})

test('the workflow of a lost proposal ends by itself after its expiry, and leaves the action with its number open', async () => {
  const { lost, client, id } = await reused()
  const soon = new Date(Date.now() + 1_000).toISOString()
  await gate.deps.workflows.prepare()
  await gate.deps.workflows.start({ ...lost, expiresAt: soon })
  await gate.startWorkers()
  const temporal = await temporalOf(gate)
  const result = temporal.workflow.getHandle(proposalWorkflowId(lost)).result()
  expect(await result).toEqual({ status: 'missing' })
  await temporal.connection.close()
  expect((await client.get(id)).body.status).toBe('proposed')
  await gate.stopWorkers()
})
