import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { Client } from '@temporalio/client'
import { readAction } from '../../src/db/queries/actions/actions.ts'
import { proposalWorkflowId } from '../../src/temporal/names.ts'
import { workflowLimits } from '../../src/temporal/workflow-limits.ts'
import { rateLimiter } from '../../src/providers/rate-limiter.ts'
import { resendChannel } from '../../src/providers/resend/channel.ts'
import { slackChannel } from '../../src/providers/slack/channel.ts'
import { type Fault, type FaultProvider, startFaultProvider, tooMany } from '../support/fault-provider.ts'
import { type TestGate, startGate } from '../support/gate.ts'
import { temporalOf } from '../support/temporal-client.ts'

// A small broadcast is executed inside its workflow's task, unless a provider wants to be waited for.
let provider: FaultProvider
let gate: TestGate
let temporal: Client
const slackLimit = rateLimiter({ perSecond: 0 })
beforeAll(async () => {
  provider = await startFaultProvider()
  gate = await startGate({
    channels: {
      slack: slackChannel({
        token: 'xoxb-test',
        apiUrl: provider.slackApiUrl,
        rateLimiter: slackLimit,
        reconcileDelayMs: 200,
      }),
      email: resendChannel({ apiKey: 're_test', baseUrl: provider.resendBaseUrl, from: 'gate@example.com' }),
    },
  })
  temporal = await temporalOf(gate)
}, 60_000)
afterAll(async () => {
  await temporal.connection.close()
  await gate.stop()
  await provider.stop()
})

/** Confirms a broadcast to three, and says by what its workflow executed it. */
async function confirmed() {
  provider.deliveries.clear()
  const open = await gate.openBroadcast({ recipients: 3 })
  const { body } = await open.client.confirm(open.id, open.actor)
  const { uuid } = (await readAction(gate.deps.db, open.account.account, open.id))!
  const workflowId = proposalWorkflowId({ account: open.account.account, id: open.id, uuid })
  const handle = temporal.workflow.getHandle(workflowId)
  await handle.result()
  const { events } = await handle.fetchHistory()
  const activities = events!.flatMap(({ activityTaskScheduledEventAttributes: task }) =>
    task ? [task.activityType?.name] : [],
  )
  const repeated = [...provider.deliveries.values()].filter((times) => times !== 1)
  return { result: body.result, activities, delivered: provider.deliveries.size, repeated }
}

const all = { outcome: 'done', slack: 2, email: 1, unreachable: 0 }

test('where all goes well no task of its own is needed', async () => {
  expect(await confirmed()).toMatchObject({ result: all, activities: [], delivered: 3, repeated: [] })
})

test.each<[string, string, Fault]>([
  ['Slack asks to wait', 'chat.postMessage', tooMany({ 'retry-after': '1' })],
  ['the mail provider asks to wait', 'emails/batch', tooMany({ 'retry-after': '1' })],
  ['the answer of the mail provider is lost', 'emails/batch', { kind: 'drop', work: true }],
])(
  '%s: it goes on in a task of its own, and everyone gets it once',
  async (_, call, fault) => {
    provider.failNext(call, fault)
    expect(await confirmed()).toMatchObject({
      result: all,
      activities: ['decide'],
      delivered: 3,
      repeated: [],
    })
  },
  30_000,
)

test('a provider that answers more slowly than a workflow task may take is waited for, and everyone gets it once', async () => {
  const before = Date.now()
  provider.failNext('emails/batch', { kind: 'drip', work: true, byteEveryMs: 180 })
  expect(await confirmed()).toMatchObject({ result: all, activities: [], delivered: 3, repeated: [] })
  expect(Date.now() - before).toBeGreaterThan(2 * workflowLimits.workflowTaskMs)
}, 60_000)

test('a pause that another broadcast was told of is waited for in a task of its own', async () => {
  const before = Date.now()
  slackLimit.pauseFor(6_000)
  expect(await confirmed()).toMatchObject({ result: all, activities: ['decide'], delivered: 3, repeated: [] })
  expect(Date.now() - before).toBeGreaterThan(5_000)
}, 30_000)
