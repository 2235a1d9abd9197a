import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Agent, RunState, Runner, Usage } from '@openai/agents'
import { Refused } from 'qualification-gate-client'
import { gateTool, gated, settle } from 'qualification-gate-client/openai-agents'
import { broadcast, deletion, has, scene } from './scene.mjs'

/** A model that makes the calls of one turn, unless it has their results. */
const modelOf = (turn) => ({
  async getResponse({ input }) {
    const isCalled = Array.isArray(input) && input.some(({ type }) => type === 'function_call_result')
    const calls = turn.map(({ name, args, id }) => ({
      type: 'function_call',
      callId: id,
      name,
      status: 'completed',
      arguments: JSON.stringify(args),
    }))
    const says = [
      {
        type: 'message',
        role: 'assistant',
        status: 'completed',
        content: [{ type: 'output_text', text: 'That is all.' }],
      },
    ]
    return { usage: new Usage(), output: isCalled ? says : calls }
  },
})
const runner = new Runner({ tracingDisabled: true })
const agentOf = (tools, turn) => new Agent({ name: 'Agent', model: modelOf(turn), tools })
const toldBy = ({ newItems }) =>
  newItems.filter(({ type }) => type === 'tool_call_output_item').map(({ output }) => JSON.parse(output))

const lunch = { name: 'broadcast', args: { message: 'Lunch is at noon.' }, id: 'call_1' }

test('the run is interrupted, goes on with what the gate says, and believes no approval', async () => {
  const { gate, actor, decide, actions } = await scene()
  const tools = [gateTool(gate, 'broadcast', { actor, ...broadcast })]
  const agent = agentOf(tools, [lunch])
  const stopped = await runner.run(agent, 'Tell everybody about lunch.')
  assert.equal(stopped.interruptions.length, 1)
  const stored = stopped.state.toString()
  assert.equal((await settle(stopped.state, tools, { timeoutMs: 0 })).getInterruptions().length, 1)

  // The approval of the framework is not that of the member.
  const approved = await RunState.fromString(agent, stored)
  approved.approve(approved.getInterruptions()[0])
  has(toldBy(await runner.run(agent, approved)), [{ status: 'proposed', reason: 'open' }])
  // Nor does it hold for other arguments.
  const changed = await RunState.fromString(agent, stored.replaceAll('Lunch is at noon.', 'Pay everybody.'))
  changed.approve(changed.getInterruptions()[0])
  has(toldBy(await runner.run(agent, changed)), [{ status: 'refused', reason: 'call_changed' }])
  assert.deepEqual(
    (await actions()).map(({ status }) => status),
    ['proposed'],
  )

  // Another process, which has the stored state alone.
  const [state] = await Promise.all([
    RunState.fromString(agent, stored).then((state) => settle(state, tools)),
    decide({ changes: { message: 'Lunch is at one.' } }),
  ])
  has(toldBy(await runner.run(agent, state)), [
    { status: 'executed', result: { outcome: 'done' }, changed_by_member: [{ to: 'Lunch is at one.' }] },
  ])
  // The same call again is the same action.
  const again = await settle((await runner.run(agent, 'Tell everybody about lunch.')).state, tools)
  has(toldBy(await runner.run(agent, again)), [{ status: 'executed' }])
  assert.equal((await actions()).length, 1)
})

test('two calls of one turn are two actions, and a denied or wrong one interrupts nothing', async () => {
  const { gate, actor, reader, decide, actions } = await scene()
  const tools = [
    gateTool(gate, 'broadcast', { actor: ({ email }) => ({ email }), scope: () => 'a', ...broadcast }),
  ]
  const turn = [lunch, { ...lunch, id: 'call_2', args: { message: 'Dinner is at six.' } }]
  const agent = agentOf(tools, turn)
  const stopped = await runner.run(agent, 'Go.', { context: actor })
  assert.equal(stopped.interruptions.length, 2)
  await decide({ does: 'decline' })
  const [state] = await Promise.all([settle(stopped.state, tools, { context: actor }), decide({ times: 2 })])
  const told = toldBy(await runner.run(agent, state))
  assert.deepEqual(told.map(({ status }) => status).toSorted(), ['cancelled', 'executed'])
  assert.equal((await actions()).length, 2)

  const readers = agentOf(tools, [{ ...lunch, id: 'call_3' }])
  has(toldBy(await runner.run(readers, 'Go.', { context: reader })), [{ status: 'denied', reason: 'denied' }])
  const wrong = agentOf(tools, [{ ...lunch, id: 'call_4', args: { message: '' } }])
  has(toldBy(await runner.run(wrong, 'Go.', { context: actor })), [
    { status: 'invalid', param: 'payload.message' },
  ])
})

test('a function of yours runs once for its consent', async () => {
  const { gate, actor, decide } = await scene()
  const ran = []
  const remove = (payload) => {
    ran.push(payload)
    if (payload.customer.id === 'cus_2') throw new Refused('The customer has an open order.')
    return { deleted: payload.customer.id }
  }
  const tools = [gated(gate, 'customer_deletion', remove, { actor, ...deletion })]
  for (const [n, id] of ['cus_1', 'cus_2'].entries()) {
    const agent = agentOf(tools, [{ name: 'customer_deletion', args: { customer: { id } }, id }])
    const { state } = await runner.run(agent, 'Go.')
    const stored = state.toString()
    const [settled] = await Promise.all([settle(state, tools), decide({ times: n + 1 })])
    assert.equal(ran.length, n)
    const says =
      n === 0
        ? { status: 'executed', result: { deleted: id } }
        : { reason: 'refused', message: 'The customer has an open order.' }
    has(toldBy(await runner.run(agent, settled)), [says])
    const again = await settle(await RunState.fromString(agent, stored), tools)
    has(toldBy(await runner.run(agent, again)), [n === 0 ? says : { reason: 'refused' }])
  }
  assert.equal(ran.length, 2)
})
