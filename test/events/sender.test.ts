import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { startEvents } from '../../src/operations/events/send-events.ts'
import { sealLedgers } from '../../src/seals/sealer.ts'
import { sealerIn } from '../seals/scene.ts'
import { shorten } from '../support/shorten.ts'
import { until } from '../support/until.ts'
import { type EventScene, eventScene, pass, taken } from './scene.ts'

let scene: EventScene
beforeAll(async () => {
  scene = await eventScene()
}, 60_000)
afterAll(() => scene.stop())

test('a process sends events until it stops; it waits for none that hangs, and the next process sends that again', async () => {
  const [account, other] = [await scene.account(), await scene.account()]
  const hanging = await scene.receiver(account, { answer: () => undefined })
  const [good, others] = [await scene.receiver(account), await scene.receiver(other)]
  const restore = shorten({ executorCloseMs: 10 })
  scene.gate.deps.network.callMs = 600_000
  const first = startEvents(scene.gate.deps)
  const { client, actor } = account
  const { id } = (await client.propose(actor, 'One')).body
  await until('the hanging one is called', async () => hanging.server.received.length === 1)
  await client.cancel(id, actor)
  await other.client.propose(other.actor, 'Other')
  await until(
    'the others',
    async () => good.server.received.length === 2 && others.server.received.length === 1,
  )
  await first.stop()
  restore()
  delete scene.gate.deps.network.callMs
  expect(hanging.server.received).toHaveLength(1)
  hanging.answers(taken)
  await pass(scene.gate, 31_000)
  const second = startEvents(scene.gate.deps)
  await until('it is sent again, in order', async () => hanging.server.received.length === 3)
  await second.stop()
  const [one, again, next] = hanging.told()
  expect(again).toEqual(one)
  expect([one, next].map((told) => told!.type)).toEqual(['action.proposed', 'action.cancelled'])
  // Stopped: nothing is sent any more.
  await client.propose(actor, 'Two')
  expect(good.server.received).toHaveLength(2)
})

test('an endpoint hears that the ledger is sealed, once for each seal', async () => {
  const account = await scene.account()
  const receiver = await scene.receiver(account, { types: ['ledger.sealed'] })
  const sealer = sealerIn(scene.gate.database.db)
  for (let n = 0; n < 2; n++) await sealLedgers(sealer)
  await scene.deliver()
  const [{ seq }] = (await scene.gate.database.asSuperuser(
    `select seq from gate.ledger_head where account_id = '${account.account}'`,
  )) as [{ seq: string }]
  expect(receiver.told().map(({ id, type, data }) => [id, type, data])).toEqual([
    [
      expect.stringMatching(/^evt_[0-9a-f]{32}$/),
      'ledger.sealed',
      { account: account.account, seq: Number(seq) },
    ],
  ])
  sealer.remove()
})
