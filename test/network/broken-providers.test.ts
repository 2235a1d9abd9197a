import { afterEach, beforeEach, expect } from '@jest/globals'
import { issuers } from '../../src/company/issuers.ts'
import { teamsBotChannel } from '../../src/providers/teams-bot/channel.ts'
import { askGuarded, connector } from '../../src/providers/teams-bot/connector.ts'
import type { DeliveryOutcome } from '../../src/providers/ports.ts'
import { rateLimiter } from '../../src/providers/rate-limiter.ts'
import { type Break, breaks, startBrokenServer } from '../support/broken-server.ts'
import { testRows } from '../support/rows.ts'
import { shorten } from '../support/shorten.ts'

let restore: () => void
const stops: (() => Promise<void>)[] = []
beforeEach(() => void (restore = shorten({ providerCallMs: 300 })))
afterEach(async () => {
  restore()
  await Promise.all(stops.splice(0).map((stop) => stop()))
})

/** Far less than what is sent to who reads it all. */
const readBytesMax = 32_000_000
const loopback = ['127.0.0.0/8']

type Step = 'token' | 'conversations' | 'activities'

/** A notice by a bot whose service breaks at one of its three calls. */
async function sendWhere(step: Step, does: Break) {
  const server = await startBrokenServer(({ url }) => {
    const at = url!.split('/').at(-1)
    if (at === step) return does
    return at === 'token' ? { access_token: 'T', expires_in: 3_600 } : { id: 'a:1' }
  })
  stops.push(server.stop)
  const bot = { tenant: 't', app: 'a', secret: 's' }
  const place = {
    tokenUrl: () => `${server.url}/token`,
    serviceUrl: `${server.url}/`,
    metadataUrl: '',
    isService: () => true,
  }
  const channel = teamsBotChannel(
    bot,
    connector(bot, place, askGuarded({ allowed: loopback }, 'acct_1')),
    rateLimiter({ perSecond: 0 }),
  )
  const { outcomes } = await channel.send({
    key: 'k',
    message: channel.freezeNotice({ subject: '', text: 'Approval requested' }),
    recipients: [{ deliveryId: 'k', address: 'p' }],
    attemptedAt: new Date(),
  })
  return { server, outcome: outcomes[0] }
}

const again = { state: 'not_done', retryAfterMs: 5_000 } as const
testRows<[Step, Break, Partial<DeliveryOutcome> & object]>([
  ['token', 'hangs', { ...again, code: 'timeout' }],
  ['token', 'floods', { ...again, code: 'http_200' }],
  ['token', 'redirects', { ...again, code: 'http_307' }],
  ['token', 'fails', { ...again, code: 'http_500' }],
  ['conversations', 'hangs', { ...again, code: 'timeout' }],
  ['conversations', 'floods', { ...again, code: 'unreadable_answer' }],
  ['conversations', 'redirects', { state: 'not_done', code: 'http_307' }],
  ['conversations', 'fails', { ...again, code: 'http_500' }],
  ['activities', 'hangs', { state: 'unknown', code: 'timeout' }],
  ['activities', 'floods', { state: 'unknown', code: 'unreadable_answer' }],
  ['activities', 'redirects', { state: 'not_done', code: 'http_307' }],
  ['activities', 'fails', { state: 'unknown', code: 'http_500' }],
])('a bot at %s: a service that %s costs a moment, and is followed nowhere', async (step, does, outcome) => {
  const { server, outcome: found } = await sendWhere(step, does)
  expect(found).toEqual(outcome)
  expect(server.paths).not.toContain('/elsewhere')
  expect(server.sentBytes()).toBeLessThan(readBytesMax)
})

testRows<[Break]>(breaks.map((one) => [one]))('a company whose provider %s is no provider', async (does) => {
  const server = await startBrokenServer(() => does)
  stops.push(server.stop)
  const provider = issuers(loopback, 300)
  await expect(provider.check({ account: 'acct_1', issuer: server.url })).rejects.toMatchObject({
    code: 'no_provider',
  })
  expect(server.paths).toHaveLength(1)
  expect(server.sentBytes()).toBeLessThan(readBytesMax)
})
