import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { type Client, ScheduleOverlapPolicy } from '@temporalio/client'
import { defaultPayloadConverter } from '@temporalio/common'
import { tsToMs } from '@temporalio/common/lib/time.js'
import { scheduleId, signalName } from '../../src/temporal/names.ts'
import { workflowLimits } from '../../src/temporal/workflow-limits.ts'
import { entryKindsOf } from '../support/ledger-entries.ts'
import { type OpenBroadcast, type TestGate, startGate } from '../support/gate.ts'
import { temporalOf } from '../support/temporal-client.ts'
import { until } from '../support/until.ts'

let gate: TestGate
let temporal: Client
beforeAll(async () => {
  gate = await startGate()
  temporal = await temporalOf(gate)
}, 60_000)
afterAll(async () => {
  await temporal?.connection.close()
  await gate.stop()
})

/** The workflow of a row, as an operator finds it: by its search attributes. */
async function workflowOf({ account, id }: Pick<OpenBroadcast, 'account' | 'id'>, status?: string) {
  const query = [`AccountId = '${account.account}'`, `ActionId = ${id}`]
  if (status) query.push(`ActionStatus = '${status}'`)
  return until(`the workflow of row ${id} is ${status ?? 'there'}`, async () => {
    for await (const found of temporal.workflow.list({ query: query.join(' and ') })) return found
    return undefined
  })
}

const ada = { email: 'ada@example.com' }
/** Between Temporal's clock and the database's, and until the first task of a workflow. */
const clockMs = 5_000

/** The timer on which a workflow waits. */
async function timerOf(workflowId: string) {
  return until('the workflow waits', async () => {
    const { events } = await temporal.workflow.getHandle(workflowId).fetchHistory()
    return events!.find(({ timerStartedEventAttributes }) => timerStartedEventAttributes)
  })
}

test('every proposal is a workflow that an operator finds by account, row, kind and status', async () => {
  const open = await gate.openBroadcast()
  const found = await workflowOf(open, 'proposed')
  expect(found.workflowId).toMatch(new RegExp(`^proposal:${open.account.account}:${open.id}:[0-9a-f]{8}$`))
  expect([found.type, found.status.name]).toEqual(['proposal', 'RUNNING'])
  await open.client.confirm(open.id, open.actor)
  const ended = await workflowOf(open, 'executed')
  expect([ended.workflowId, ended.status.name]).toEqual([found.workflowId, 'COMPLETED'])
  const query = `ActionKind = 'broadcast' and AccountId = '${open.account.account}'`
  expect((await temporal.workflow.count(query)).count).toBe(1)
})

test('the history says in words what is waited for and what is done, without any text of the payload', async () => {
  const open = await gate.openBroadcast()
  const { workflowId } = await workflowOf(open, 'proposed')
  await open.client.confirm(open.id, open.actor)
  await workflowOf(open, 'executed')
  const { events } = await temporal.workflow.getHandle(workflowId).fetchHistory()
  const summaries = events!.flatMap(({ userMetadata }) =>
    userMetadata?.summary ? [defaultPayloadConverter.fromPayload<string>(userMetadata.summary)] : [],
  )
  const { expires_at } = (await open.client.get(open.id)).body
  expect([...new Set(summaries)]).toEqual([
    `broadcast #${open.id} of ${open.account.account}`,
    `Wait for a decision until ${expires_at}`,
    'Read the decision; execute it if it is small',
  ])
})

test.each([
  { open: 'for the hours of the policy', openMs: 7_200_000, withinMs: 3_600_000 },
  { open: 'for minutes', openMs: 180_000, withinMs: 900_000 },
])(
  'workflows of proposals that expire together end one after the other: open $open',
  async ({ openMs, withinMs }) => {
    const count = 20
    const account = await gate.account()
    await account.addMember({ ...ada, tier: 'guarded_write' })
    await account.setPolicy({ expires_after_hours: openMs / 3_600_000 })
    const laterMs = await Promise.all(
      Array.from({ length: count }, async (_, n) => {
        const { body } = await account.client.propose(ada, `Lunch is at noon, ${n}.`)
        const { workflowId } = await workflowOf({ account, id: body.id }, 'proposed')
        const { eventTime, timerStartedEventAttributes } = await timerOf(workflowId)
        const firesAt = tsToMs(eventTime) + tsToMs(timerStartedEventAttributes!.startToFireTimeout)
        return firesAt - Date.parse(body.expires_at)
      }),
    )
    expect(Math.min(...laterMs)).toBeGreaterThanOrEqual(-clockMs)
    expect(Math.max(...laterMs)).toBeLessThanOrEqual(withinMs + clockMs)
    // Chance puts them closer together than this once in a hundred million runs.
    expect(Math.max(...laterMs) - Math.min(...laterMs)).toBeGreaterThan(withinMs / 3)
  },
)

test('one run of the reconciler makes the passes of an hour, and an earlier schedule gets its bounds', async () => {
  const schedule = temporal.schedule.getHandle(scheduleId.reconcile)
  const timeout = async () => {
    const { action } = await schedule.describe()
    return action.type === 'startWorkflow' ? action.workflowRunTimeout : undefined
  }
  await schedule.update(({ action, ...rest }) => ({
    ...rest,
    action: Object.fromEntries(
      Object.entries(action).filter(([name]) => name !== 'workflowRunTimeout'),
    ) as unknown as typeof action,
  }))
  expect(await timeout()).toBeUndefined()
  await gate.deps.workflows.prepare()
  expect(await timeout()).toBe(workflowLimits.reconcileRunMs)
  const runs = async () => {
    const found: string[] = []
    for await (const { workflowId, status } of temporal.workflow.list({
      query: `WorkflowType = 'reconcile'`,
    }))
      found.push(`${workflowId} ${status.name}`)
    return found
  }
  await schedule.trigger(ScheduleOverlapPolicy.SKIP)
  const [running] = await until('the reconciler waits for its next pass', async () => {
    const found = await runs()
    if (found.length === 0) return undefined
    const { events } = await temporal.workflow.getHandle(found[0]!.split(' ')[0]!).fetchHistory()
    return events!.some(({ timerStartedEventAttributes: timer }) => timer) && found
  })
  expect(running).toMatch(/RUNNING$/)
  const skipped = async () => (await schedule.describe()).info.numActionsSkippedOverlap
  const before = await skipped()
  await schedule.trigger(ScheduleOverlapPolicy.SKIP)
  await until('the second one is skipped', async () => (await skipped()) > before)
  expect(await runs()).toEqual([running])
})

test.each([signalName.confirm, signalName.cancel])(
  'a signal %s sent by hand wakes the workflow, which finds no decision and goes on waiting',
  async (signal) => {
    const open = await gate.openBroadcast()
    const before = gate.sandbox.messages().length
    const { workflowId } = await workflowOf(open)
    const handle = temporal.workflow.getHandle(workflowId)
    const tasksDone = async () =>
      (await handle.fetchHistory()).events?.filter((e) => e.workflowTaskCompletedEventAttributes).length ?? 0
    const tasks = await until('the workflow has begun to wait', tasksDone)
    await handle.signal(signal)
    await until('the workflow has read the ledger', async () => (await tasksDone()) > tasks)
    expect(await handle.query('state')).toBe('waiting')
    expect((await open.client.get(open.id)).body.status).toBe('proposed')
    expect(gate.sandbox.messages()).toHaveLength(before)
    expect((await open.client.confirm(open.id, open.actor)).body.status).toBe('executed')
  },
)

test('a cancel ends the workflow', async () => {
  const open = await gate.openBroadcast()
  const { workflowId } = await workflowOf(open)
  await open.client.cancel(open.id, open.actor)
  expect(await temporal.workflow.getHandle(workflowId).result()).toEqual({ status: 'cancelled' })
  await workflowOf(open, 'cancelled')
})

test('a denial at the confirm ends the workflow', async () => {
  const open = await gate.openBroadcast()
  const { workflowId } = await workflowOf(open)
  await open.account.setTier(open.proposer, 'read_only')
  await open.client.confirm(open.id, open.actor)
  expect(await temporal.workflow.getHandle(workflowId).result()).toEqual({ status: 'denied' })
})

test('a proposal expires by itself, at its time, without anybody asking', async () => {
  const { account, client, actor } = await gate.openBroadcast()
  await account.setPolicy({ expires_after_hours: 0.0003, kinds: {} })
  const { body } = await client.propose(actor, 'Soon over.')
  const { workflowId } = await workflowOf({ account, id: body.id })
  expect(await temporal.workflow.getHandle(workflowId).result()).toEqual({ status: 'cancelled' })
  expect((await client.get(body.id)).body).toMatchObject({ status: 'cancelled', closed_reason: 'expired' })
  expect(await entryKindsOf(gate.database, account.account, body.id)).toEqual(['proposed', 'expired'])
})

test('a denied proposal has no workflow', async () => {
  const { account, client } = await gate.openBroadcast()
  await account.addMember({ email: 'low@example.com' })
  const { body } = await client.propose({ email: 'low@example.com' }, 'May I?')
  const started = (await client.propose({ email: 'member0@example.com' }, 'After it.')).body
  await workflowOf({ account, id: started.id })
  const { count } = await temporal.workflow.count(
    `AccountId = '${account.account}' and ActionId = ${body.id}`,
  )
  expect(count).toBe(0)
})

test('a workflow that an operator terminated does not lose the proposal: it can still be confirmed', async () => {
  const open = await gate.openBroadcast()
  const { workflowId } = await workflowOf(open)
  await temporal.workflow.getHandle(workflowId).terminate('by hand')
  const answer = await open.client.confirm(open.id, open.actor)
  expect([answer.status, answer.body.status]).toEqual([200, 'executed'])
})

test('no history, memo or result holds a message, an address, a name or a key', async () => {
  const { account, client } = await gate.openBroadcast({ recipients: 3 })
  const secret = 'Kauderwelsch-4711'
  await account.addMember({
    name: 'Balduin',
    email: 'balduin@secret.example',
    slack: 'USECRET01',
    tier: 'write',
  })
  const balduin = { email: 'balduin@secret.example' }
  const rows = [
    await client.propose(balduin, `${secret} sent`),
    await client.propose(balduin, `${secret} not sent`),
  ]
  const flows = await Promise.all(rows.map(({ body }) => workflowOf({ account, id: body.id })))
  await client.confirm(rows[0]!.body.id, balduin)
  await client.cancel(rows[1]!.body.id, balduin)
  await temporal.workflow.getHandle(flows[1]!.workflowId).result()
  let events = 0
  for await (const flow of temporal.workflow.list()) {
    const handle = temporal.workflow.getHandle(flow.workflowId, flow.runId)
    const { events: history = [] } = await handle.fetchHistory()
    const told = [...bytesIn([history, (await handle.describe()).raw])].map((bytes) =>
      Buffer.from(bytes).toString('utf8'),
    )
    const all = told.join('\n') + JSON.stringify(history)
    events += history?.length ?? 0
    for (const hidden of [
      secret,
      'balduin',
      'Balduin',
      'USECRET01',
      'example.com',
      'U0000000',
      'Lunch',
      'qgk_',
    ]) {
      expect(all).not.toContain(hidden)
    }
  }
  expect(events).toBeGreaterThan(10)
})

/** Every byte string anywhere in a value: payloads of Temporal are such. */
function* bytesIn(value: unknown): Generator<Uint8Array> {
  if (ArrayBuffer.isView(value)) yield value as Uint8Array
  else if (typeof value === 'object' && value !== null)
    for (const part of Object.values(value)) yield* bytesIn(part)
}
