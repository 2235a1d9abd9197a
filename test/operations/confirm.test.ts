import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { type TestGate, startGate } from '../support/gate.ts'

let gate: TestGate
beforeAll(async () => {
  gate = await startGate()
}, 60_000)
afterAll(() => gate.stop())

test('a confirm delivers to everyone through one channel each and answers the counts', async () => {
  const { client, actor, id, proposer } = await gate.openBroadcast({ recipients: 3 })
  const answer = await client.confirm(id, actor)
  expect(answer.status).toBe(200)
  expect(answer.body).toMatchObject({
    id,
    status: 'executed',
    result: {
      outcome: 'done',
      slack: 2,
      email: 1,
      unreachable: 0,
      failed: { slack: 0, email: 0 },
      unknown: { slack: 0, email: 0 },
      sandbox: true,
    },
    consent: { strength: 'agent_attested', by: proposer.email, channel: 'api' },
  })
  const sent = gate.sandbox.messages(10)
  expect(sent.map((m) => m.to).toSorted()).toEqual(['U00000000', 'U00000001', 'member2@example.com'])
})
