import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { recordAttempt } from '../../src/db/queries/events/deliveries.ts'
import { limits } from '../../src/limits.ts'
import { eraseAsAdmin } from '../../src/operations/actions/erase-payload.ts'
import { readEndpoint, rotateEndpoint, turnEndpoint } from '../../src/operations/events/endpoints.ts'
import { sendEvent, takeDue } from '../../src/operations/events/send-events.ts'
import { type EventScene, type Receiver, answering, eventScene, pass, taken, verified } from './scene.ts'

let scene: EventScene
beforeAll(async () => {
  scene = await eventScene()
}, 60_000)
afterAll(() => scene.stop())

const day = 86_400_000
const stop = new AbortController().signal
type Account = Awaited<ReturnType<EventScene['account']>>

const stateOf = (account: Account, { endpoint }: Receiver) => readEndpoint(scene.context(account), endpoint)

test('to rotate twice ends the former secret at once, and leaves the one between', async () => {
  const account = await scene.account()
  const receiver = await scene.receiver(account)
  const service = { keys: scene.gate.deps.secretsKeys, allowed: scene.gate.deps.network.allowed }
  const rotate = () => rotateEndpoint(scene.context(account), service, receiver.endpoint)
  const [between, newest] = [await rotate(), await rotate()]
  await account.client.propose(account.actor, 'One')
  await scene.deliver()
  const [request] = receiver.server.received
  for (const { secret } of [between, newest]) expect(verified(request!, secret).type).toBe('action.proposed')
  expect(() => verified(request!, receiver.secret)).toThrow('No matching signature')
})

test('an endpoint stays on until all its deliveries failed for 5 days, and one that succeeds begins them again', async () => {
  const account = await scene.account()
  const receiver = await scene.receiver(account, { answer: answering(500), types: ['action.proposed'] })
  const propose = async (message: string) => {
    await account.client.propose(account.actor, message)
    await scene.deliver()
    return (await stateOf(account, receiver)).off_reason
  }
  await propose('One')
  await pass(scene.gate, 5 * day - 60_000)
  expect(await propose('Two')).toBeNull()
  receiver.answers(taken)
  await pass(scene.gate, day)
  expect(await propose('Three')).toBeNull()
  receiver.answers(answering(500))
  await propose('Four')
  await pass(scene.gate, 5 * day - 60_000)
  expect(await propose('Five')).toBeNull()
  await pass(scene.gate, 120_000)
  expect(await propose('Six')).toBe('failing')
})

test('an endpoint that fails gets one event at a time, and four again once it takes one', async () => {
  const account = await scene.account()
  const receiver = await scene.receiver(account, { answer: answering(500), types: ['action.proposed'] })
  const propose = async (times: number) => {
    for (let n = 0; n < times; n++) await account.client.propose(account.actor, `No. ${n}`)
  }
  await propose(1)
  await scene.deliver()
  await propose(6)
  const alone = await takeDue(scene.gate.deps, 100)
  expect(alone).toHaveLength(1)
  expect(await takeDue(scene.gate.deps, 100)).toEqual([])
  receiver.answers(taken)
  await sendEvent(scene.gate.deps, alone[0]!, stop)
  expect(await takeDue(scene.gate.deps, 100)).toHaveLength(4)
  await turnEndpoint(scene.context(account), receiver.endpoint, false)
})

test('an attempt that is recorded late changes nothing that another one did: neither its wait nor its delivery', async () => {
  const account = await scene.account()
  const receiver = await scene.receiver(account, { answer: answering(500), types: ['action.proposed'] })
  await account.client.propose(account.actor, 'One')
  const [first] = await takeDue(scene.gate.deps, 100)
  await pass(scene.gate, 31_000)
  const [second] = await takeDue(scene.gate.deps, 100)
  expect([second!.event_id, second!.attempt]).toEqual([first!.event_id, 2])
  const late = { ...first!, offAfterMs: limits.endpointOffAfterMs, pauseMs: null, status: 500, ms: 1 }
  const failed = { ...late, outcome: 'failed' as const, code: null, answer: null }
  // The second is under way: the first one does not let it be sent by a third.
  await recordAttempt(scene.gate.deps.db, { ...failed, againMs: 0 })
  expect(await takeDue(scene.gate.deps, 100)).toEqual([])
  receiver.answers(taken)
  await sendEvent(scene.gate.deps, second!, stop)
  await recordAttempt(scene.gate.deps.db, { ...failed, againMs: 0 })
  await recordAttempt(scene.gate.deps.db, { ...failed, againMs: null })
  expect(await scene.log(account, receiver)).toMatchObject([{ state: 'delivered', attempts: 2 }])
  expect(await scene.deliver()).toBe(0)
})

test('what still waits for an endpoint that is off is not sent', async () => {
  const account = await scene.account()
  const receiver = await scene.receiver(account)
  await account.client.propose(account.actor, 'One')
  await turnEndpoint(scene.context(account), receiver.endpoint, false)
  // More waited than one change gives up.
  await scene.gate.database.asSuperuser(
    `update gate.event_delivery set state = 'waiting', ended_at = null, due_at = now() where endpoint_id = '${receiver.endpoint}';
     update gate_private.event_account set due_at = now()`,
  )
  expect(await scene.deliver()).toBe(0)
  expect(receiver.server.received).toEqual([])
})

test('an object is as it is when it is sent: what was erased meanwhile is not sent', async () => {
  const account = await scene.account()
  const receiver = await scene.receiver(account, { isFull: true, types: ['action.proposed'] })
  const { client, actor } = account
  const { id } = (await client.propose(actor, 'Wombats at noon.')).body
  await client.cancel(id, actor)
  await eraseAsAdmin(scene.context(account), id, 'A mistake.')
  await scene.deliver()
  expect(receiver.told()).toMatchObject([{ data: { action: id, object: { status: 'cancelled' } } }])
  expect(receiver.server.received[0]!.body).not.toContain('Wombats')
})
