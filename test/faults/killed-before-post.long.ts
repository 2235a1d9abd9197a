import { afterEach, expect, test } from '@jest/globals'
import { hang } from '../support/fault-provider.ts'
import { type Service, startService } from '../support/supervisor.ts'
import { ended, sayRecovery, senderTo } from './broadcasts.ts'
import { expectInvariants } from './invariants.ts'

let service: Service
afterEach(() => service.stop(), 60_000)

test.each([
  ['a small broadcast', 6],
  ['a broadcast of several slices', 70],
])(
  'a worker killed while %s looks up its addresses: everyone gets the message once, and nothing is unknown',
  async (_, recipients) => {
    service = await startService({ env: { CONFIRM_WAIT_MS: '0' } })
    const sender = await senderTo(service, recipients)
    const { id } = await sender.propose()
    service.provider.faultFor = ({ call }) => (call === 'conversations.open' ? hang : undefined)
    const answer = await sender.account.api.confirm(id, sender.actor)
    expect(answer.status).toBe(202)
    await service.provider.arrived('conversations.open')
    await service.kill('worker')
    expect(service.provider.slackMessages).toEqual([])

    service.provider.faultFor = () => undefined
    await service.start('worker')
    const { row, ms } = await ended(service, sender.account.account, id, 120_000)
    sayRecovery('worker killed before anything was posted, until executed', ms)
    expect(row['result']).toMatchObject({
      outcome: 'done',
      slack: recipients / 2,
      email: recipients / 2,
      unknown: { slack: 0, email: 0 },
    })
    await expectInvariants(service, sender.account.account, [answer.body])
  },
  300_000,
)
