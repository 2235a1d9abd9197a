import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { Client, WorkflowHandle } from '@temporalio/client'
import { Worker } from '@temporalio/worker'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { z } from 'zod'
import { readAction } from '../../src/db/queries/actions/actions.ts'
import type { Again } from '../../src/actions/kind.ts'
import { type ActionKind, actionKinds } from '../../src/actions/registry.ts'
import { workflowInput, proposalWorkflowId, taskQueue } from '../../src/temporal/names.ts'
import { untilAborted } from '../../src/providers/until-aborted.ts'
import { entryKindsOf } from '../support/ledger-entries.ts'
import { type TestGate, startGate } from '../support/gate.ts'
import { callTool } from '../support/mcp-tool.ts'
import { temporalOf } from '../support/temporal-client.ts'
import { until } from '../support/until.ts'

const hourMs = 3_600_000

/** What a parcel's step answers to its calls, in turn; after the last it is at its end. */
const answers = new Map<string, (Again | Answer)[]>()
type Answer = (signal: AbortSignal) => Promise<Again>
const calls: string[] = []
const reported: string[] = []

/** A kind of this file: a parcel is sent, and its step is at its end once it has arrived. */
const parcel: ActionKind<{ name: string; steps: number; is_quick: boolean }> = {
  kind: 'parcel',
  payload: z.strictObject({ name: z.string(), steps: z.int(), is_quick: z.boolean() }),
  defaultRule: { tier: 'guarded_write', consent: 'agent_attested' },
  isHttpProposable: false,
  reaches: 'nobody',
  tool: {
    name: 'send_parcel',
    title: 'Send parcel',
    description: 'Send a parcel.',
    group: 'billing',
    arguments: z.strictObject({ name: z.string(), steps: z.int(), is_quick: z.boolean() }),
  },
  performer: {
    plan: async (_deps, row) =>
      Array.from({ length: row.payload['steps'] as number }, (_, n) => ({
        queue: taskQueue.gate,
        name: `carry ${n + 1}`,
        isQuick: row.payload['is_quick'] as boolean,
      })),
    async perform(_deps, row, step, { signal }) {
      const name = `${row.payload['name'] as string} ${step}`
      calls.push(name)
      const answer = answers.get(name)?.shift()
      return typeof answer === 'function' ? answer(signal) : answer
    },
    async report(_deps, row, step) {
      reported.push(`${row.payload['name'] as string} ${step}`)
      return { settled: 1 }
    },
    conclude: async (_deps, row) => ({
      status: 'executed',
      closedReason: null,
      result: { outcome: 'done', calls: callsOf(row.payload['name'] as string).length },
    }),
  },
}

const callsOf = (name: string) => calls.filter((call) => call.startsWith(`${name} `))

let gate: TestGate
let client: Client
beforeAll(async () => {
  gate = await startGate({
    kinds: [...actionKinds, parcel as unknown as ActionKind],
    env: { CONFIRM_WAIT_MS: '100' },
  })
  client = await temporalOf(gate)
}, 60_000)
afterAll(async () => {
  await client.connection.close()
  await gate.stop()
})

/** A confirmed parcel whose steps answer like that. */
async function sent(given: (Again | Answer)[][], isQuick = false) {
  const name = randomUUID()
  given.forEach((one, n) => answers.set(`${name} carry ${n + 1}`, [...one]))
  const account = await gate.account()
  await account.addMember({ email: 'ada@example.com', tier: 'guarded_write' })
  const actor = { email: 'ada@example.com' }
  const arguments_ = { actor, name, steps: given.length, is_quick: isQuick }
  const { id } = (await callTool(account.client, 'send_parcel', arguments_)).body
  expect((await account.client.confirm(id, actor)).status).toBe(202)
  const row = (await readAction(gate.database.db, account.account, id))!
  const handle = client.workflow.getHandle(proposalWorkflowId(workflowInput(row)))
  const called = (times: number) => until('the step was called', async () => callsOf(name).length >= times)
  return {
    name,
    handle,
    called,
    input: workflowInput(row),
    entries: () => entryKindsOf(gate.database, account.account, id),
    ended: () => until('it ended', async () => (await account.client.get(id)).body.status !== 'proposed'),
    read: async () => (await account.client.get(id)).body,
    wake: () => gate.deps.workflows.wake(workflowInput(row), 'wake', 20_000),
  }
}

test('a step that goes on later is called again after its time, and reported once, at its end', async () => {
  const one = await sent([[{ inMs: 1_000 }, { inMs: 1 }]])
  await one.called(1)
  expect(await one.entries()).toEqual(['proposed', 'confirmed'])
  await one.ended()
  expect(await one.read()).toMatchObject({ status: 'executed', result: { outcome: 'done', calls: 3 } })
  expect(reported.filter((step) => step.startsWith(one.name))).toEqual([`${one.name} carry 1`])
  expect(await one.entries()).toEqual(['proposed', 'confirmed', 'delivered', 'executed'])
})

test('a signal calls a step that goes on later at once, however long it would wait', async () => {
  const one = await sent([[{ inMs: 24 * hourMs }, { inMs: 24 * hourMs }]])
  for (const times of [1, 2]) {
    await one.called(times)
    await one.wake()
  }
  await one.ended()
  expect(callsOf(one.name)).toHaveLength(3)
})

test('a signal that comes while the step is being called is not lost', async () => {
  let answer: (again: Again) => void = () => undefined
  const one = await sent([[() => new Promise((resolve) => (answer = resolve))]])
  await one.called(1)
  await one.wake()
  answer({ inMs: hourMs })
  await one.ended()
  expect(callsOf(one.name)).toHaveLength(2)
})

test('only a step that is not at its end is called again', async () => {
  const one = await sent([[{ inMs: hourMs }], [], []])
  await one.called(3)
  await one.wake()
  await one.ended()
  expect(callsOf(one.name).toSorted()).toEqual([1, 1, 2, 3].map((n) => `${one.name} carry ${n}`))
})

test('an action of quick steps that go on later is not ended inside the task of its workflow', async () => {
  const one = await sent([[{ inMs: hourMs }, { inMs: hourMs }]], true)
  await one.called(2)
  expect((await one.read()).status).toBe('proposed')
  await one.wake()
  await one.ended()
  expect(callsOf(one.name)).toHaveLength(3)
})

test('a step that waits is called again after its workers were replaced', async () => {
  const one = await sent([[{ inMs: 1_500 }]])
  await one.called(1)
  await gate.stopWorkers()
  await gate.startWorkers()
  await one.ended()
  expect(callsOf(one.name)).toHaveLength(2)
})

test('a step that waits is called again after its workflow was terminated: a signal starts another', async () => {
  const one = await sent([[{ inMs: hourMs }]])
  await one.called(1)
  await one.handle.terminate()
  await one.wake()
  await one.ended()
  expect(callsOf(one.name)).toHaveLength(2)
})

test('an operator’s cancel of the workflow ends the action as its kind concludes', async () => {
  const one = await sent([[{ inMs: hourMs }]])
  await one.called(1)
  await one.handle.cancel()
  await one.ended()
  expect(await one.read()).toMatchObject({ status: 'executed', result: { calls: 1 } })
})

test('an operator’s cancel of the workflow also ends an action whose quick step is under way inside the task of the workflow', async () => {
  const one = await sent([[(signal) => untilAborted(new Promise<Again>(() => undefined), signal)]], true)
  await one.called(1)
  await one.handle.cancel()
  expect(await one.handle.result()).toEqual({ status: 'executed' })
  expect(await one.read()).toMatchObject({ status: 'executed', result: { calls: 1 } })
  expect(await one.entries()).toEqual(['proposed', 'confirmed', 'executed'])
  await expect(replayed(one.handle)).resolves.toBeUndefined()
})

test('a step of a lost action ends its workflow when it goes on, where another action has its number since a restore', async () => {
  const one = await sent([[{ inMs: hourMs }]])
  await one.called(1)
  const { account, id, uuid } = one.input
  await gate.database.asSuperuser(
    `set session_replication_role = replica;
     update gate.action set uuid = '${randomUUID()}' where account_id = '${account}' and id = ${id};
     delete from gate_private.open_action where uuid = '${uuid}';
     set session_replication_role = origin`,
  )
  await one.handle.signal('wake')
  expect(await one.handle.result()).toEqual({ status: 'missing' })
  expect(callsOf(one.name)).toHaveLength(1)
  expect((await one.read()).status).toBe('proposed')
  expect(await one.entries()).toEqual(['proposed', 'confirmed'])
})

test('a run whose history grew long goes on in a new one, with the steps that are not at their end', async () => {
  const one = await sent([[{ inMs: hourMs }, { inMs: hourMs }, { inMs: hourMs }]])
  await one.called(1)
  const { runId } = await one.handle.describe()
  // The server calls a history of 4 MB long.
  for (let n = 0; n < 5; n++) await one.handle.signal('unknown', 'x'.repeat(1_000_000))
  await one.wake()
  const continued = await until('another run', async () => {
    const now = await one.handle.describe()
    return now.runId !== runId && now
  })
  expect(continued.status.name).toBe('RUNNING')
  expect(continued.searchAttributes['ActionKind']).toEqual(['parcel'])
  await one.called(3)
  expect((await one.read()).status).toBe('proposed')
  await one.wake()
  await one.ended()
  expect(callsOf(one.name)).toHaveLength(4)
}, 60_000)

test('the history of a step that went on later replays', async () => {
  const one = await sent([[{ inMs: 1 }, { inMs: hourMs }]])
  await one.called(2)
  await one.wake()
  await one.ended()
  await one.handle.result()
  await expect(replayed(one.handle)).resolves.toBeUndefined()
})

async function replayed(handle: WorkflowHandle): Promise<void> {
  const code = readFileSync(process.env['TEST_WORKFLOW_BUNDLE']!, 'utf8')
  await Worker.runReplayHistory({ workflowBundle: { code } }, await handle.fetchHistory())
}
