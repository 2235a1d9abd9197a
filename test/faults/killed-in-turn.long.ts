import { afterEach, expect, test } from '@jest/globals'
import { type Service, startService, until } from '../support/supervisor.ts'
import { ended, senderTo } from './broadcasts.ts'
import { expectInvariants } from './invariants.ts'

let service: Service
afterEach(() => service.stop(), 60_000)

const perSecond = 4
const recipients = 45

test('a worker killed while recipients wait for the rate limit: they get their message later, and few are unknown', async () => {
  service = await startService({
    bounds: { slackReconcileMs: 500 },
    env: { CONFIRM_WAIT_MS: '0', SLACK_RATE_PER_SECOND: String(perSecond) },
  })
  // All but the sender on Slack: more than one slice.
  const sender = await senderTo(service, recipients, 1_000)
  const { id } = await sender.propose()
  const { provider } = service
  const answer = await sender.account.api.confirm(id, sender.actor)
  await until('some messages have been posted', 120_000, () => provider.slackMessages.length >= 5)
  await service.kill('worker')
  const posted = provider.slackMessages.length
  expect(posted).toBeLessThan(recipients / 2)

  await service.start('worker')
  const { row } = await ended(service, sender.account.account, id, 240_000)
  // At most two claims of a second each had not had their turn.
  expect(row['result'].unknown.slack).toBeLessThanOrEqual(2 * perSecond)
  expect(row['result'].slack + row['result'].unknown.slack).toBe(recipients - 1)
  expect(new Set(provider.slackMessages.map(({ channel }) => channel)).size).toBe(
    provider.slackMessages.length,
  )
  await expectInvariants(service, sender.account.account, [answer.body])
}, 400_000)
