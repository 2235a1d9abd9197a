import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import {
  CancelTaskResultV2Schema,
  CreateTaskResultV2Schema,
  GetTaskResultV2Schema,
} from '@modelcontextprotocol/ext-tasks/core/v2'
import { randomUUID } from 'node:crypto'
import { type RunningApi, startApi } from '../../src/api.ts'
import { type Deps, makeDeps } from '../../src/deps.ts'
import { awaitedOf } from '../../src/operations/proposals/awaited-action.ts'
import { type ApiClient, apiClient } from '../support/api-client.ts'
import { askedInSlack, pressInSandbox } from '../support/consent.ts'
import { useGate } from '../support/use-gate.ts'
import { modernRpc, rpc } from '../support/mcp-tool.ts'
import { testRows } from '../support/rows.ts'
import { type StandIn, addTool, addUpstream, startStandIn } from '../support/tools-behind-gate.ts'
import { until } from '../support/until.ts'

// Consent as a task of MCP 2026-07-28: a client that waits for a member asks for the task. The generated schemas of the extension judge.

const extension = 'io.modelcontextprotocol/tasks'
const declares = {
  meta: { 'io.modelcontextprotocol/clientCapabilities': { extensions: { [extension]: {} } } },
}

const gate = useGate()

let members = 0

/** An account whose broadcasts need a consent in Slack, and one of them that is not confirmed yet. */
async function scene() {
  const { account, client } = await gate.openBroadcast()
  await account.setPolicy({ kinds: { broadcast: { tier: 'guarded_write', consent: 'chat' } } })
  // Of this scene alone: a request of another test may arrive later.
  const user = `U0SCENE${String(members++).padStart(4, '0')}`
  const email = `${user.toLowerCase()}@example.com`
  const proposer = await account.addMember({ email, slack: user, tier: 'guarded_write' })
  const actor = { email }
  const { id } = (await client.propose(actor, 'Dinner is at six.')).body
  /** Presses a button of the member's n-th request. */
  const press = async (action?: string, n = 1) =>
    pressInSandbox(gate, (await askedInSlack(gate, user, n)).message, action)
  return { account, client, proposer, actor, id: id as number, press }
}

const call = (client: ApiClient, name: string, args: object, options: object = declares) =>
  modernRpc(client, 'tools/call', { name, arguments: args }, options)
const ask = (client: ApiClient, method: string, taskId: unknown, options: object = declares) =>
  modernRpc(client, method, { taskId }, options)

/** The task that a call is answered with. */
async function taskOf(answer: ReturnType<typeof call>) {
  const { result } = (await answer).body
  expect(CreateTaskResultV2Schema.safeParse(result)).toMatchObject({ success: true })
  return result as { taskId: string; pollIntervalMs: number; ttlMs: number }
}

/** The state of a task, as its client reads it. */
async function stateOf(client: ApiClient, taskId: string) {
  const { result } = (await ask(client, 'tasks/get', taskId)).body
  expect(GetTaskResultV2Schema.safeParse(result)).toMatchObject({ success: true })
  return result
}

const ended = (client: ApiClient, taskId: string) =>
  until('the task has ended', async () => {
    const state = await stateOf(client, taskId)
    return state.status === 'working' ? undefined : state
  })

const uuidOf = async (account: string, id: number): Promise<string> => {
  const rows = await gate.database.asSuperuser(
    `select uuid from gate.action where account_id = '${account}' and id = ${id}`,
  )
  return rows[0]!['uuid'] as string
}

describe('a confirm that asks the member', () => {
  test('is a task under the UUID of the action, and ends with what get_action answers', async () => {
    const { account, client, actor, id, press } = await scene()
    const task = await taskOf(call(client, 'confirm_action', { id, actor }))
    expect(task).toMatchObject({
      resultType: 'task',
      taskId: await uuidOf(account.account, id),
      status: 'working',
      statusMessage: `Waiting for ${actor.email} to decide action ${id}`,
      pollIntervalMs: 2_000,
    })
    expect(await stateOf(client, task.taskId)).toMatchObject({ resultType: 'complete', status: 'working' })
    const { expires_at, created_at } = (await client.get(id)).body
    expect(task.ttlMs).toBe(Date.parse(expires_at) - Date.parse(created_at))

    await press()
    const state = await ended(client, task.taskId)
    const read = (await rpc(client, 'tools/call', { name: 'get_action', arguments: { id } })).body.result
    expect(state).toMatchObject({ status: 'completed', ttlMs: null, result: read })
    expect(read.structuredContent).toMatchObject({ status: 'executed', consent: { strength: 'chat' } })
  })

  test('is completed, not failed, where the member declines', async () => {
    const { client, actor, id, press } = await scene()
    const { taskId } = await taskOf(call(client, 'confirm_action', { id, actor }))
    await press('gate_decline')
    expect(await ended(client, taskId)).toMatchObject({
      status: 'completed',
      result: { structuredContent: { id, status: 'cancelled', closed_reason: 'member_declined' } },
    })
  })

  test('answers a client that does not declare tasks as before', async () => {
    const { client, actor, id } = await scene()
    const { body } = await call(client, 'confirm_action', { id, actor }, {})
    expect(body.result).toMatchObject({
      resultType: 'complete',
      structuredContent: { id, status: 'proposed', consent_request: { required: 'chat' } },
    })
  })

  test('is no task where the member’s word through the agent is enough', async () => {
    const { client, actor, id } = await gate.openBroadcast()
    const { body } = await call(client, 'confirm_action', { id, actor })
    expect(body.result).toMatchObject({ resultType: 'complete', structuredContent: { status: 'executed' } })
  })
})

test('await_action of an action whose member is asked is a task at once', async () => {
  const { client, actor, id } = await scene()
  const { taskId } = await taskOf(call(client, 'confirm_action', { id, actor }))
  const again = await taskOf(call(client, 'await_action', { id, timeout_seconds: 50 }))
  expect(again.taskId).toBe(taskId)
})

test('await_action of an ended action is its result', async () => {
  const { client, actor, id } = await scene()
  await client.cancel(id, actor)
  expect((await call(client, 'await_action', { id })).body.result).toMatchObject({
    resultType: 'complete',
    structuredContent: { status: 'cancelled' },
  })
})

describe('of a key that cannot confirm', () => {
  let standIn: StandIn
  beforeAll(async () => {
    standIn = await startStandIn()
  })
  afterAll(() => standIn.stop())

  test('each proposal is a task, also of a tool behind the gate', async () => {
    const { account, proposer, press } = await scene()
    await addUpstream(gate.database, account, { name: 'github', url: standIn.url })
    await addTool(gate.database, account, 'github', {
      name: 'create',
      rule: { rule: 'confirm', requires: { tier: 'guarded_write', consent: 'chat' } },
    })
    const { key } = await account.mintKey({ actors: [proposer], powers: ['read', 'propose'] })
    const client = apiClient(gate.api.url, key)
    const broadcast = { kind: 'broadcast', payload: { message: 'Soon.' } }
    const tools: [string, object][] = [
      ['request_action', broadcast],
      ['github__create', {}],
    ]
    for (const [n, [name, args]] of tools.entries()) {
      const { taskId } = await taskOf(call(client, name, args))
      // Decided before the next is proposed: requests arrive in any order.
      await press('gate_approve', n + 1)
      expect(await ended(client, taskId)).toMatchObject({
        status: 'completed',
        result: { structuredContent: { status: 'executed' } },
      })
    }
  })

  test('and cannot read, none is: it could not ask for the task', async () => {
    const { account, proposer } = await scene()
    const { key } = await account.mintKey({ actors: [proposer], powers: ['propose'] })
    const broadcast = { kind: 'broadcast', payload: { message: 'Soon.' } }
    expect((await call(apiClient(gate.api.url, key), 'request_action', broadcast)).body.result).toMatchObject(
      {
        resultType: 'complete',
        structuredContent: { consent_request: { required: 'chat' } },
      },
    )
  })
})

test('what a server behind the gate answers is no task, whatever it looks like', async () => {
  const { account, client, actor, id } = await scene()
  await call(client, 'confirm_action', { id, actor })
  const standIn = await startStandIn()
  await addUpstream(gate.database, account, { name: 'github', url: standIn.url })
  await addTool(gate.database, account, 'github', { name: 'look', rule: { rule: 'allow' } })
  standIn.answerBy(() => ({
    content: [],
    structuredContent: { id, status: 'proposed', consent_request: { required: 'chat' } },
    taskId: randomUUID(),
    resultType: 'task',
  }))
  const { result } = (await call(client, 'github__look', { actor })).body
  await standIn.stop()
  expect(result).toMatchObject({ resultType: 'complete', structuredContent: { id } })
})

describe('tasks/cancel', () => {
  test('is the agent’s cancel, and once more changes nothing', async () => {
    const { client, actor, id } = await scene()
    const { taskId } = await taskOf(call(client, 'confirm_action', { id, actor }))
    for (let n = 0; n < 2; n++) {
      const { result } = (await ask(client, 'tasks/cancel', taskId)).body
      expect(CancelTaskResultV2Schema.safeParse(result)).toMatchObject({ success: true })
      expect(await stateOf(client, taskId)).toMatchObject({ status: 'cancelled' })
    }
    expect((await client.get(id)).body).toMatchObject({ status: 'cancelled', closed_reason: 'proposer' })
  })

  test('of an action that was executed is acknowledged, and what was done stands', async () => {
    const { account, client, actor, id } = await gate.openBroadcast()
    await client.confirm(id, actor)
    const taskId = await uuidOf(account.account, id)
    expect((await ask(client, 'tasks/cancel', taskId)).body.result).toMatchObject({ resultType: 'complete' })
    expect(await stateOf(client, taskId)).toMatchObject({ status: 'completed' })
  })

  test('by a key that may only read is refused, and the member decides', async () => {
    const { account, client, actor, id } = await scene()
    const { taskId } = await taskOf(call(client, 'confirm_action', { id, actor }))
    const { key } = await account.mintKey({ powers: ['read'] })
    const { body } = await ask(apiClient(gate.api.url, key), 'tasks/cancel', taskId)
    expect(body.error).toMatchObject({ code: -32_602, message: expect.stringContaining('power') })
    expect(await stateOf(client, taskId)).toMatchObject({ status: 'working' })
  })

  test('of a member without an e-mail address works', async () => {
    const { account, client } = await scene()
    const member = await account.addMember({ slack: 'U0000SLACK', tier: 'guarded_write' })
    const actor = { provider: 'slack', external_id: member.slack! }
    const { id } = (await client.propose(actor, 'From Slack.')).body
    const { taskId } = await taskOf(call(client, 'confirm_action', { id, actor }))
    await ask(client, 'tasks/cancel', taskId)
    expect(await stateOf(client, taskId)).toMatchObject({ status: 'cancelled' })
  })
})

test('tasks/update is acknowledged, and decides nothing', async () => {
  const { client, actor, id } = await scene()
  const { taskId } = await taskOf(call(client, 'confirm_action', { id, actor }))
  const inputResponses = { approve: { action: 'accept', content: { yes: true } } }
  const { body } = await modernRpc(client, 'tasks/update', { taskId, inputResponses }, declares)
  expect(body.result).toMatchObject({ resultType: 'complete' })
  expect(await stateOf(client, taskId)).toMatchObject({ status: 'working' })
})

describe('a task is refused', () => {
  const methods = ['tasks/get', 'tasks/update', 'tasks/cancel'].map((method) => [method] as const)

  testRows(methods)('to a client that does not declare tasks in the request', async (method) => {
    const { client } = await scene()
    const { status, body } = await ask(client, method, randomUUID(), {})
    expect([status, body.error]).toEqual([
      400,
      {
        code: -32_021,
        message: expect.any(String),
        data: {
          code: 'malformed',
          request_id: expect.any(String),
          requiredCapabilities: { extensions: { [extension]: {} } },
        },
      },
    ])
  })

  testRows(methods)('to a key that may not see the action, as if there were none', async (method) => {
    const { account, client, actor, id } = await scene()
    const { taskId } = await taskOf(call(client, 'confirm_action', { id, actor }))
    const other = await account.addMember({ email: 'other@example.com' })
    const ofOther = await account.mintKey({ actors: [other] })
    const strangers = [
      [apiClient(gate.api.url, ofOther.key), taskId],
      [(await scene()).client, taskId],
      [client, randomUUID()],
      [client, taskId.toUpperCase()],
      [client, `${taskId}'`],
      [client, String(id)],
      [client, ''],
    ] as const
    for (const [stranger, named] of strangers) {
      const { status, body } = await ask(stranger, method, named)
      expect([status, body.error.code, body.error.message]).toEqual([
        200,
        -32_602,
        `Task ${named} was not found.`,
      ])
    }
    expect((await client.get(id)).body.status).toBe('proposed')
  })

  testRows(methods)('to a key that cannot read or was revoked', async (method) => {
    const { account, client, actor, id } = await scene()
    const { taskId } = await taskOf(call(client, 'confirm_action', { id, actor }))
    const blind = await account.mintKey({ powers: ['propose'] })
    const { body } = await ask(apiClient(gate.api.url, blind.key), method, taskId)
    expect(body.error).toMatchObject({ code: -32_602, message: expect.stringContaining('"read"') })
    await account.revokeKey(blind.keyId)
    expect((await ask(apiClient(gate.api.url, blind.key), method, taskId)).status).toBe(401)
  })

  testRows(methods)('where its id is no text, or the header names another', async (method) => {
    const { client } = await scene()
    expect((await ask(client, method, 5)).body.error).toMatchObject({ code: -32_602 })
    const other = { ...declares, headers: { 'mcp-name': randomUUID() } }
    expect((await ask(client, method, randomUUID(), other)).body.error).toMatchObject({ code: -32_020 })
  })
})

test('the gate says that it has tasks, and a service without the tools of the gate has none', async () => {
  const { client } = await scene()
  const capabilitiesOf = async (of: ApiClient) =>
    (await modernRpc(of, 'server/discover')).body.result.capabilities
  expect(await capabilitiesOf(client)).toEqual({ tools: {}, extensions: { [extension]: {} } })
  const deps: Deps = makeDeps(
    { ...gate.config, TOOLS: ['workspace'] },
    { sandboxUrl: gate.sandbox.url, log: gate.deps.log },
  )
  const api: RunningApi = await startApi(deps)
  const bare = apiClient(api.url, client.key)
  expect(await capabilitiesOf(bare)).toEqual({ tools: {} })
  expect((await ask(bare, 'tasks/get', randomUUID())).status).toBe(404)
  await api.stop()
  await deps.close()
})

test('who follows a task looks at once for the first seconds, and at most 30 times in ten minutes', () => {
  const began = new Date(0)
  const row = { status: 'proposed', created_at: began, asked_at: began, decided_at: null, executed_at: null }
  const looks: number[] = []
  for (let at = 0; at <= 600_000;) {
    looks.push(at)
    at += awaitedOf({ ...row, expires_at: null, decision: null } as never, at).lookAfterMs
  }
  expect(looks.slice(0, 4)).toEqual([0, 2_000, 4_000, 6_000])
  expect(looks.length).toBeLessThanOrEqual(30)
})
