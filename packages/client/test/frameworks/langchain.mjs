import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Refused } from 'qualification-gate-client'
import { gateTool, gated } from 'qualification-gate-client/langchain'
import { broadcast, deletion, has, scene } from './scene.mjs'

const lunch = { type: 'tool_call', name: 'broadcast', args: { message: 'Lunch is at noon.' }, id: 'call_1' }
const told = ({ content }) => JSON.parse(content)

test('a tool waits for the decision, and says what happened', async () => {
  const { gate, actor, reader, decide, actions } = await scene()
  const tool = gateTool(gate, 'broadcast', { actor, ...broadcast })
  const [sent] = await Promise.all([tool.invoke(lunch), decide({ changes: { message: 'Lunch is at one.' } })])
  has(told(sent), {
    status: 'executed',
    result: { outcome: 'done' },
    changed_by_member: [{ to: 'Lunch is at one.' }],
  })
  // The same call again is the same action, and with other arguments it is none.
  has(told(await tool.invoke(lunch)), { action: told(sent).action, status: 'executed' })
  has(told(await tool.invoke({ ...lunch, args: { message: 'Pay everybody.' } })), { reason: 'call_changed' })

  const dinner = { ...lunch, id: 'call_2', args: { message: 'Dinner is at six.' } }
  const [declined] = await Promise.all([tool.invoke(dinner), decide({ times: 2, does: 'decline' })])
  has(told(declined), { status: 'cancelled', reason: 'declined' })
  const readers = gateTool(gate, 'broadcast', { actor: () => reader, ...broadcast })
  has(told(await readers.invoke({ ...lunch, id: 'call_3' })), { status: 'denied', reason: 'denied' })
  const hasty = gateTool(gate, 'broadcast', { actor, timeoutMs: 500, ...broadcast })
  has(told(await hasty.invoke({ ...lunch, id: 'call_4' })), { status: 'proposed', reason: 'open' })
  has(told(await tool.invoke({ ...lunch, id: 'call_5', args: { message: '' } })), {
    status: 'invalid',
    param: 'payload.message',
  })
  assert.deepEqual(
    (await actions()).map(({ status }) => status),
    ['executed', 'cancelled', 'denied', 'proposed'],
  )
})

test('money is proposed like every other kind, and the model names no member', async () => {
  const { gate, actor, actions } = await scene()
  const schema = {
    type: 'object',
    properties: { payment: { type: 'string' }, amount_cents: { type: 'integer' } },
  }
  const tool = gateTool(gate, 'refund', { actor, timeoutMs: 0, description: 'Refund a payment.', schema })
  const args = { payment: 'pi_Sandbox03', amount_cents: 500, actor: { email: 'eve@example.com' }, ask: false }
  has(told(await tool.invoke({ ...lunch, name: 'refund', args })), { status: 'proposed' })
  const [refund] = await actions('refund')
  assert.deepEqual([refund.member, refund.consent_request.required], [actor.email, 'chat'])
})

test('a function of yours runs once for its consent', async () => {
  const { gate, actor, decide } = await scene()
  const ran = []
  const remove = (payload) => {
    ran.push(payload)
    if (payload.customer.id === 'cus_2') throw new Refused('The customer has an open order.')
    if (payload.customer.id === 'cus_3') throw new Error('The connection broke.')
    return { deleted: payload.customer.id }
  }
  const tool = gated(gate, 'customer_deletion', remove, { actor, ...deletion })
  const call = (id) => ({ ...lunch, name: 'customer_deletion', id, args: { customer: { id } } })
  const decided = async (id, times) =>
    told((await Promise.all([tool.invoke(call(id)), decide({ times })]))[0])
  has(await decided('cus_1', 1), { status: 'executed', result: { deleted: 'cus_1' } })
  has(await decided('cus_2', 2), { reason: 'refused', message: 'The customer has an open order.' })
  await assert.rejects(decided('cus_3', 3), /The connection broke/)
  has(told(await tool.invoke(call('cus_1'))), { status: 'executed', result: { deleted: 'cus_1' } })
  has(told(await tool.invoke(call('cus_3'))), { reason: 'unknown' })
  assert.equal(ran.length, 3)
})
