import assert from 'node:assert/strict'
import { test } from 'node:test'
import { generateText, stepCountIs } from 'ai'
import { MockLanguageModelV3 } from 'ai/test'
import { Refused } from 'qualification-gate-client'
import { gateTool, gated, settle } from 'qualification-gate-client/ai-sdk'
import { broadcast, deletion, has, scene } from './scene.mjs'

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
}

/** A model that makes the calls of one turn, unless it has their results. */
const modelOf = (turn) =>
  new MockLanguageModelV3({
    doGenerate: async ({ prompt }) => {
      const isCalled = prompt.some(({ role }) => role === 'tool')
      const calls = turn.map(({ name, args, id }) => ({
        type: 'tool-call',
        toolCallId: id,
        toolName: name,
        input: JSON.stringify(args),
      }))
      return {
        content: isCalled ? [{ type: 'text', text: 'That is all.' }] : calls,
        finishReason: isCalled ? { unified: 'stop' } : { unified: 'tool-calls' },
        usage,
        warnings: [],
      }
    },
  })
const user = { role: 'user', content: 'Tell everybody about lunch.' }
const run = (tools, turn, messages = [user], more = {}) =>
  generateText({ model: modelOf(turn), tools, messages, stopWhen: stepCountIs(3), ...more })
const requestsOf = ({ content }) => content.filter(({ type }) => type === 'tool-approval-request')
const messagesOf = ({ response, responseMessages = response.messages }) => [user, ...responseMessages]
/** What the model reads of its calls. */
const toldBy = ({ response, responseMessages = response.messages }) =>
  responseMessages
    .flatMap(({ role, content }) => (role === 'tool' ? content : []))
    .filter(({ type }) => type === 'tool-result')
    .map(({ output }) => (output.type === 'execution-denied' ? output : JSON.parse(output.value)))

const lunch = { name: 'broadcast', args: { message: 'Lunch is at noon.' }, id: 'call_1' }

test('a call requests an approval, goes on with what the gate says, and believes no approval', async () => {
  const { gate, actor, decide, actions } = await scene()
  const tools = { broadcast: gateTool(gate, 'broadcast', { actor, ...broadcast }) }
  const stopped = await run(tools, [lunch])
  const [request] = requestsOf(stopped)
  assert.deepEqual(await settle(stopped.content, tools, { timeoutMs: 0 }), { role: 'tool', content: [] })

  // The approval of a browser is not that of the member.
  const approval = {
    role: 'tool',
    content: [{ type: 'tool-approval-response', approvalId: request.approvalId, approved: true }],
  }
  has(toldBy(await run(tools, [], [...messagesOf(stopped), approval])), [
    { status: 'proposed', reason: 'open' },
  ])
  // Nor does it hold for other arguments.
  const changed = JSON.parse(
    JSON.stringify(messagesOf(stopped)).replaceAll('Lunch is at noon.', 'Pay everybody.'),
  )
  const [refused] = toldBy(await run(tools, [], [...changed, approval]))
  // Version 6 asks the tool again, and lets the call through to nobody.
  assert.ok(refused.reason === 'call_changed' || refused.type === 'execution-denied', refused)
  assert.deepEqual(
    (await actions()).map(({ status }) => status),
    ['proposed'],
  )

  const [answer] = await Promise.all([
    settle(stopped.content, tools),
    decide({ changes: { message: 'Lunch is at one.' } }),
  ])
  const messages = [...JSON.parse(JSON.stringify(messagesOf(stopped))), answer]
  for (let times = 0; times < 2; times += 1)
    has(toldBy(await run(tools, [], messages)), [
      { status: 'executed', result: { outcome: 'done' }, changed_by_member: [{ to: 'Lunch is at one.' }] },
    ])
  const again = await run(tools, [lunch])
  has(toldBy(await run(tools, [], [...messagesOf(again), await settle(again.content, tools)])), [
    { status: 'executed' },
  ])
  assert.equal((await actions()).length, 1)
})

test('two calls of one turn are two actions, and a denied or wrong one requests nothing', async () => {
  const { gate, actor, reader, decide, actions } = await scene()
  const settings = { actor: (context) => context ?? reader, scope: () => 'a', ...broadcast }
  const tools = { broadcast: gateTool(gate, 'broadcast', settings) }
  const turn = [lunch, { ...lunch, id: 'call_2', args: { message: 'Dinner is at six.' } }]
  const asAda = { experimental_context: actor, toolsContext: { broadcast: actor } }
  const stopped = await run(tools, turn, [user], asAda)
  assert.equal(requestsOf(stopped).length, 2)
  await decide({ does: 'decline' })
  const [answer] = await Promise.all([
    settle(stopped.content, tools, { context: actor }),
    decide({ times: 2 }),
  ])
  const told = toldBy(await run(tools, [], [...messagesOf(stopped), answer], asAda))
  assert.deepEqual(told.map(({ status }) => status).toSorted(), ['cancelled', 'executed'])
  assert.equal((await actions()).length, 2)

  has(toldBy(await run(tools, [{ ...lunch, id: 'call_3' }])), [{ status: 'denied', reason: 'denied' }])
  const wrong = [{ ...lunch, id: 'call_4', args: { message: '' } }]
  has(toldBy(await run(tools, wrong, [user], asAda)), [{ status: 'invalid', param: 'payload.message' }])
})

test('a function of yours runs once for its consent', async () => {
  const { gate, actor, decide } = await scene()
  const ran = []
  const remove = (payload) => {
    ran.push(payload)
    if (payload.customer.id === 'cus_2') throw new Refused('The customer has an open order.')
    return { deleted: payload.customer.id }
  }
  const tools = { customer_deletion: gated(gate, 'customer_deletion', remove, { actor, ...deletion }) }
  for (const [n, id] of ['cus_1', 'cus_2'].entries()) {
    const stopped = await run(tools, [{ name: 'customer_deletion', args: { customer: { id } }, id }])
    const [answer] = await Promise.all([settle(stopped.content, tools), decide({ times: n + 1 })])
    assert.equal(ran.length, n)
    const says =
      n === 0
        ? { status: 'executed', result: { deleted: id } }
        : { reason: 'refused', message: 'The customer has an open order.' }
    has(toldBy(await run(tools, [], [...messagesOf(stopped), answer])), [says])
    has(toldBy(await run(tools, [], [...messagesOf(stopped), answer])), [
      n === 0 ? says : { reason: 'refused' },
    ])
  }
  assert.equal(ran.length, 2)
})
