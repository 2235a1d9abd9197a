import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AIMessage } from '@langchain/core/messages'
import { fakeModel } from '@langchain/core/testing'
import { Command, MemorySaver } from '@langchain/langgraph'
import { createAgent } from 'langchain'
import { Refused } from 'qualification-gate-client'
import { gateTool, gated } from 'qualification-gate-client/langgraph'
import { broadcast, deletion, has, scene } from './scene.mjs'

/** An agent whose model makes the calls of one turn, unless it has their results. */
function agentOf(tools, checkpointer, turn) {
  const model = fakeModel()
  for (let n = 0; n < 20; n += 1)
    model.respond((messages) =>
      messages.some(({ type }) => type === 'tool')
        ? new AIMessage('That is all.')
        : new AIMessage({ content: '', tool_calls: turn.map((call) => ({ ...call, type: 'tool_call' })) }),
    )
  return createAgent({ model, tools, checkpointer })
}

const lunch = { name: 'broadcast', args: { message: 'Lunch is at noon.' }, id: 'call_1' }
const user = { messages: [{ role: 'user', content: 'Tell everybody about lunch.' }] }
const at = (thread) => ({ configurable: { thread_id: thread } })
/** What the model reads of its calls. */
const toldBy = ({ messages }) =>
  messages.filter(({ type }) => type === 'tool').map(({ content }) => JSON.parse(content))
const interruptsOf = ({ __interrupt__: all }) => all.map(({ value }) => value)
const bindingOf = ({ id, digest }) => ({ id, digest })
const resume = (asked) => new Command({ resume: bindingOf(asked) })

test('it interrupts with id and digest, goes on with what the gate says, and believes no answer', async () => {
  const { gate, actor, decide, actions } = await scene()
  const checkpointer = new MemorySaver()
  const agent = () => agentOf([gateTool(gate, 'broadcast', { actor, ...broadcast })], checkpointer, [lunch])
  const [asked] = interruptsOf(await agent().invoke(user, at('a')))
  assert.equal(asked.digest, (await gate.get(asked.id)).digest)
  assert.match(asked.next, /e-mail/)

  const lies = [
    true,
    { approved: true },
    { id: asked.id, digest: 'f'.repeat(64) },
    { id: 99, digest: asked.digest },
    { id: asked.id },
  ]
  const lie = async (answer) => {
    const [again] = interruptsOf(await agent().invoke(new Command({ resume: answer }), at('a')))
    assert.match(again.next, /another action/)
  }
  for (const answer of lies) await lie(answer)
  await decide({ changes: { message: 'Lunch is at one.' } })
  await gate.wait(asked)
  for (const answer of lies) await lie(answer)
  // Each agent is what another process makes of the checkpoint.
  has(toldBy(await agent().invoke(resume(asked), at('a'))), [
    {
      action: asked.id,
      status: 'executed',
      result: { outcome: 'done' },
      changed_by_member: [{ field: 'message', to: 'Lunch is at one.' }],
    },
  ])
  assert.equal((await actions()).length, 1)
})

test('two calls of one turn are two actions, each with its own answer, and one that nobody decided waits on', async () => {
  const { gate, actor, decide, actions } = await scene()
  const checkpointer = new MemorySaver()
  const turn = [lunch, { ...lunch, id: 'call_2', args: { message: 'Dinner is at six.' } }]
  const agent = agentOf([gateTool(gate, 'broadcast', { actor, ...broadcast })], checkpointer, turn)
  const stopped = (await agent.invoke(user, at('b'))).__interrupt__
  assert.deepEqual(stopped.map(({ value }) => value.payload.message).toSorted(), [
    'Dinner is at six.',
    'Lunch is at noon.',
  ])
  const crossed = Object.fromEntries(stopped.map(({ id }, n) => [id, bindingOf(stopped[1 - n].value)]))
  const again = (await agent.invoke(new Command({ resume: crossed }), at('b'))).__interrupt__
  assert.deepEqual(
    again.map(({ value }) => /another action/.test(value.next)),
    [true, true],
  )

  await decide({ does: 'decline' })
  const first = (await actions()).find(({ status }) => status === 'cancelled')
  const own = Object.fromEntries(again.map(({ id, value }) => [id, bindingOf(value)]))
  const [open] = interruptsOf(await agent.invoke(new Command({ resume: own }), at('b')))
  assert.match(open.next, /Nobody has decided/)
  assert.notEqual(open.id, first.id)
  await decide({ times: 2 })
  await gate.wait(open)
  const told = toldBy(await agent.invoke(resume(open), at('b')))
  assert.deepEqual(
    told.map(({ action, status, reason }) => [action, status, reason]).toSorted((a, b) => a[0] - b[0]),
    [
      [first.id, 'cancelled', 'declined'],
      [open.id, 'executed', undefined],
    ].toSorted((a, b) => a[0] - b[0]),
  )
  assert.equal((await actions()).length, 2)
})

test('a call that is repeated is one action, and one whose arguments changed is refused', async () => {
  const { gate, actor, reader, decide, actions } = await scene()
  const tool = gateTool(gate, 'broadcast', { actor, ...broadcast })
  const changed = { ...lunch, args: { message: 'Pay everybody.' } }
  const config = at('c')
  const checkpointer = new MemorySaver()
  const [asked] = interruptsOf(await agentOf([tool], checkpointer, [lunch]).invoke(user, config))
  await decide()
  await gate.wait(asked)
  // The same conversation from its start, as after a lost checkpoint.
  const repeated = agentOf([tool], new MemorySaver(), [lunch])
  assert.equal(interruptsOf(await repeated.invoke(user, config))[0].id, asked.id)
  assert.equal(
    toldBy(await agentOf([tool], new MemorySaver(), [changed]).invoke(user, config))[0].reason,
    'call_changed',
  )
  assert.equal(toldBy(await repeated.invoke(resume(asked), config))[0].action, asked.id)
  assert.deepEqual(
    (await actions()).map(({ payload }) => payload),
    [lunch.args],
  )

  // In another conversation, the same id is another call.
  assert.notEqual(
    interruptsOf(await agentOf([tool], new MemorySaver(), [lunch]).invoke(user, at('d')))[0].id,
    asked.id,
  )
  const denied = gateTool(gate, 'broadcast', { actor: () => reader, ...broadcast })
  const refused = toldBy(await agentOf([denied], new MemorySaver(), [lunch]).invoke(user, at('e')))
  has(refused, [{ status: 'denied', reason: 'denied' }])
  const wrong = { ...lunch, args: { message: '' } }
  const invalid = toldBy(await agentOf([tool], new MemorySaver(), [wrong]).invoke(user, at('f')))
  has(invalid, [{ status: 'invalid', param: 'payload.message' }])
})

test('a function of yours runs once for its consent, also where the process dies after the interrupt', async () => {
  const { gate, actor, decide, actions } = await scene()
  const ran = []
  const remove = (payload) => {
    ran.push(payload)
    if (payload.customer.id === 'cus_2') throw new Refused('The customer has an open order.')
    return { deleted: payload.customer.id }
  }
  const call = (id) => ({ name: 'customer_deletion', args: { customer: { id } }, id: `call_${id}` })
  const checkpointer = new MemorySaver()
  const agent = (id) =>
    agentOf([gated(gate, 'customer_deletion', remove, { actor, ...deletion })], checkpointer, [call(id)])
  for (const [n, id] of ['cus_1', 'cus_2'].entries()) {
    const [asked] = interruptsOf(await agent(id).invoke(user, at(id)))
    assert.equal(ran.length, n)
    await decide({ times: n + 1, changes: { why: 'They asked.' } })
    const [told] = toldBy(await agent(id).invoke(resume(asked), at(id)))
    assert.equal(told.action, asked.id)
    if (n === 0) assert.deepEqual([told.status, told.result], ['executed', { deleted: 'cus_1' }])
    else assert.deepEqual([told.reason, told.message], ['refused', 'The customer has an open order.'])
  }
  assert.deepEqual(ran[0], { customer: { id: 'cus_1' }, why: 'They asked.' })
  // The last step again, as if its checkpoint was lost.
  const repeated = agentOf(
    [gated(gate, 'customer_deletion', remove, { actor, ...deletion })],
    new MemorySaver(),
    [call('cus_1')],
  )
  const [asked] = interruptsOf(await repeated.invoke(user, at('cus_1')))
  assert.deepEqual(toldBy(await repeated.invoke(resume(asked), at('cus_1')))[0].result, { deleted: 'cus_1' })
  assert.equal(ran.length, 2)
  assert.equal((await actions('customer_deletion')).length, 2)
})
