import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { executionActivities } from '../../activities/execution.ts'
import type { Performer } from '../../src/actions/kind.ts'
import { type ActionRow, readAction } from '../../src/db/queries/actions/actions.ts'
import { beginExecution } from '../../src/db/queries/actions/execution.ts'
import { verifyLedger } from '../../src/ledger/verify.ts'
import { workflowInput } from '../../src/temporal/names.ts'
import type { TestAccount } from '../support/account.ts'
import { billingScene } from '../support/billing.ts'
import { askedInSlack, pressInSandbox } from '../support/consent.ts'
import { type TestGate, startGate } from '../support/gate.ts'
import { testHook } from '../support/runner.ts'
import { type StandIn, openToolCall, startStandIn } from '../support/tools-behind-gate.ts'
import { until } from '../support/until.ts'

// An operator cancels a workflow between the begin of its action and its first step: no step comes before a test makes it.
let gate: TestGate
let standIn: StandIn
beforeAll(async () => {
  gate = await startGate({ env: { CONFIRM_WAIT_MS: '0' } })
  standIn = await startStandIn()
}, 60_000)
afterAll(async () => {
  await gate.stop()
  await standIn.stop()
})

interface Begun {
  account: TestAccount
  row: ActionRow
  performer: Performer
}

/** Confirms a proposal without a worker, and begins its execution. */
async function begun(account: TestAccount, id: number, confirm: () => Promise<unknown>): Promise<Begun> {
  await gate.stopWorkers()
  await confirm()
  const row = await until('the confirm', async () => {
    const read = await readAction(gate.deps.db, account.account, id)
    return read?.decision === 'confirm' ? read : undefined
  })
  await beginExecution(gate.deps.db, workflowInput(row), true)
  return { account, row, performer: gate.deps.kinds.own.get(row.kind)!.performer }
}

async function refund() {
  const { account, tool } = await billingScene(gate)
  const { body } = await tool('issue_refund', { payment: 'pi_Sandbox04', reason: 'duplicate' })
  return begun(account, body.id, () => tool('confirm_action', { id: body.id }))
}

async function toolCall() {
  const { account, client, actor, id } = await openToolCall(gate, standIn)
  return begun(account, id, () => client.confirm(id, actor))
}

let people = 0
async function runnerCall() {
  await gate.startWorkers()
  const account = await gate.account()
  const slack = `U0BETWEEN${++people}`
  const grace = await account.addMember({
    name: 'Grace',
    email: 'grace@example.com',
    slack,
    tier: 'guarded_write',
  })
  const hook = await testHook(gate, account, grace)
  const { action } = await hook.ask('rm -rf build')
  const { message } = await askedInSlack(gate, slack)
  return { ...(await begun(account, action!, () => pressInSandbox(gate, message))), hook }
}

/** Does what a worker does that goes on without knowing of the cancel. */
async function stepsOf({ row, performer }: Begun) {
  const { action } = await beginExecution(gate.deps.db, workflowInput(row), true)
  const context = { isBrief: false, signal: new AbortController().signal }
  for (const { name } of await performer.plan(gate.deps, action))
    await performer.perform(gate.deps, action, name, context)
}

const refunds = () => gate.sandbox.stripeOperations().filter(({ operation }) => operation === 'refund')

test.each([
  ['a refund', refund],
  ['a call of a tool', toolCall],
])(
  '%s whose call was not stored when its workflow was cancelled is refused, and a step that comes later makes no call',
  async (_, of) => {
    const scene = await of()
    const { account, row, performer } = scene
    await performer.conclude(gate.deps, row)
    await stepsOf(scene)
    expect(await executionActivities(gate.deps).finish(workflowInput(row))).toEqual({ status: 'cancelled' })
    expect(await readAction(gate.deps.db, account.account, row.id)).toMatchObject({
      closed_reason: 'refused',
      result: { outcome: 'refused', code: 'not_sent' },
    })
    expect([refunds(), standIn.calls]).toEqual([[], []])
    expect(await verifyLedger(gate.database.db, account.account)).toMatchObject({ ok: true })
  },
)

test('an approved call of a runner whose workflow was cancelled before it was granted is refused, and a grant that comes later cannot be used', async () => {
  const scene = await runnerCall()
  const { account, row, performer, hook } = scene
  await performer.conclude(gate.deps, row)
  await stepsOf(scene)
  expect(await executionActivities(gate.deps).finish(workflowInput(row))).toEqual({ status: 'cancelled' })
  expect(await readAction(gate.deps.db, account.account, row.id)).toMatchObject({
    closed_reason: 'refused',
    result: { outcome: 'refused' },
  })
  const again = await hook.ask('rm -rf build')
  expect(again.decision).not.toBe('allow')
  expect(again.action).not.toBe(row.id)
  expect(await verifyLedger(gate.database.db, account.account)).toMatchObject({ ok: true })
})

test('a call of a runner that was granted before its workflow was cancelled is executed, and can be used', async () => {
  const scene = await runnerCall()
  await stepsOf(scene)
  expect(await executionActivities(gate.deps).finish(workflowInput(scene.row))).toEqual({
    status: 'executed',
  })
  expect(await scene.hook.ask('rm -rf build')).toMatchObject({ decision: 'allow', action: scene.row.id })
})
