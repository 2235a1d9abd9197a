import { afterEach, expect, test } from '@jest/globals'
import { type Fault, hang, workThenHang } from '../support/fault-provider.ts'
import { type Service, startService } from '../support/supervisor.ts'
import { ended, sayRecovery, senderTo } from './broadcasts.ts'
import { expectInvariants } from './invariants.ts'

/** Slack messages that are answered before the worker is killed. */
const answered = 60

let service: Service
afterEach(() => service.stop(), 60_000)

test('a worker killed in the middle of 300 deliveries: everyone gets the message at most once, and the counts are honest', async () => {
  service = await startService({ env: { CONFIRM_WAIT_MS: '0' } })
  const sender = await senderTo(service, 300)
  const { id } = await sender.propose()
  const middle = hangInTheMiddle(service, answered)
  const answer = await sender.account.api.confirm(id, sender.actor)
  expect(answer.status).toBe(202)
  const { hungUndone } = await middle
  await service.kill('worker')
  service.provider.faultFor = () => undefined
  await service.start('worker')
  const { row, ms } = await ended(service, sender.account.account, id, 120_000)
  sayRecovery('worker killed in mid-broadcast, until executed', ms)

  // For slices that were under way, what cannot be known is said to be unknown: sent without an answer and not found
  // again, or never sent at all.
  const { slack, unknown } = row['result']
  expect(row['result']).toMatchObject({
    outcome: 'partial',
    email: 150,
    unreachable: 0,
    failed: { slack: 0, email: 0 },
  })
  expect(slack + unknown.slack).toBe(150)
  expect(unknown.slack).toBeGreaterThanOrEqual(hungUndone)
  expect(slack).toBeGreaterThanOrEqual(answered)
  await expectInvariants(service, sender.account.account, [answer.body])
}, 300_000)

/**
 * After so many Slack messages every other call stays without an answer, half of them done; so does the e-mail batch.
 * Resolves when all that may be under way at once hangs: how many of the Slack messages were not done.
 */
function hangInTheMiddle(service: Service, after: number): Promise<{ hungUndone: number }> {
  let posts = 0
  let hungUndone = 0
  let isBatchHung = false
  const underWay = 16
  return new Promise((resolve) => {
    service.provider.faultFor = ({ call }): Fault | undefined => {
      if (call === 'emails/batch') isBatchHung = true
      else if (call !== 'chat.postMessage' || ++posts <= after) return undefined
      const isUndone = call === 'chat.postMessage' && posts % 2 === 0
      if (isUndone) hungUndone++
      if (posts - after >= underWay && isBatchHung) setImmediate(() => resolve({ hungUndone }))
      return isUndone ? hang : workThenHang
    }
  })
}
