import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { rateLimiter } from '../../src/providers/rate-limiter.ts'
import { slackChannel } from '../../src/providers/slack/channel.ts'
import { type FaultProvider, startFaultProvider } from '../support/fault-provider.ts'
import { type TestGate, startGate } from '../support/gate.ts'
import { until } from '../support/until.ts'

const perSecond = 5

let provider: FaultProvider
let gate: TestGate
beforeAll(async () => {
  provider = await startFaultProvider()
  gate = await startGate({
    env: { CONFIRM_WAIT_MS: '0' },
    channels: {
      slack: slackChannel({
        token: 'xoxb-test',
        apiUrl: provider.slackApiUrl,
        rateLimiter: rateLimiter({ perSecond }),
        reconcileDelayMs: 200,
      }),
    },
  })
}, 60_000)
afterAll(async () => {
  await gate.stop()
  await provider.stop()
})

test('an account suspended while recipients wait for the rate limit: those who were not claimed get nothing, and are counted', async () => {
  const { account, client, actor, id } = await gate.openBroadcast({ recipients: 90 })
  await client.confirm(id, actor)
  await until('some have their message', async () => provider.deliveries.size >= 8)
  await account.suspend(true)
  const atStop = provider.deliveries.size
  const row = await until('the broadcast ends', async () => {
    const { body } = await client.get(id)
    return body.status === 'executed' ? body : undefined
  })
  const { slack, failed, unknown } = row.result
  expect(row.result).toMatchObject({
    outcome: 'partial',
    stopped: 'account_suspended',
    unknown: { slack: 0 },
  })
  expect(slack).toBe(provider.deliveries.size)
  // Two claims of a second each may be under way.
  expect(slack).toBeLessThanOrEqual(atStop + 2 * perSecond)
  expect(slack + failed.slack + unknown.slack).toBe(row.blast_radius.slack)
  expect([...provider.deliveries.values()].filter((times) => times !== 1)).toEqual([])
}, 60_000)
