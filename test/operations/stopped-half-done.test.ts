import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import { stepDelivery } from '../../src/db/queries/actions/deliveries.ts'
import { limits } from '../../src/limits.ts'
import { rateLimiter } from '../../src/providers/rate-limiter.ts'
import { resendChannel } from '../../src/providers/resend/channel.ts'
import { type FaultProvider, startFaultProvider } from '../support/fault-provider.ts'
import { type TestGate, startGate } from '../support/gate.ts'
import { until } from '../support/until.ts'

const perSecond = 2
const perSlice = 2

let provider: FaultProvider
let gate: TestGate
const { sliceRecipientsMax } = limits
beforeAll(async () => {
  Object.assign(limits, { sliceRecipientsMax: { ...sliceRecipientsMax, email: perSlice } })
  provider = await startFaultProvider()
  gate = await startGate({
    env: { CONFIRM_WAIT_MS: '0' },
    workers: false,
    channels: {
      email: resendChannel({
        apiKey: 're_test',
        baseUrl: provider.resendBaseUrl,
        from: 'Gate <gate@example.com>',
        rateLimiter: rateLimiter({ perSecond }),
      }),
    },
  })
}, 60_000)
afterEach(() => gate.stopWorkers())
afterAll(async () => {
  Object.assign(limits, { sliceRecipientsMax })
  await gate.stop()
  await provider.stop()
})

async function confirmedBroadcast(recipients: number) {
  const account = await gate.account()
  const actor = { email: 'ada@example.com' }
  await account.addMember({ name: 'Ada', ...actor, tier: 'write' })
  const others = Array.from({ length: recipients - 1 }, (_, n) => ({
    name: `Member ${n}`,
    email: `member${n}@example.com`,
  }))
  await Promise.all(others.map((member) => account.addMember(member)))
  const { body } = await account.client.propose(actor, 'Lunch is at noon.')
  expect(body.blast_radius).toEqual({ slack: 0, email: recipients, unreachable: 0 })
  expect((await account.client.confirm(body.id, actor)).status).toBe(202)
  const ended = () =>
    until('the broadcast ends', async () => {
      const row = (await account.client.get(body.id)).body
      return row.status === 'executed' ? row : undefined
    })
  return { ...account, id: body.id as number, ended }
}

/** Claims the first slice as a worker does that dies before it sends. */
async function claimOnly(account: string, id: number) {
  const { email } = await gate.deps.channelsOf(account, 0)
  if (!email || 'unreadable' in email) throw new Error('there is no channel')
  const names = { proposerName: 'Ada', accountName: 'x' }
  const frozen = email.freeze({ text: 'Lunch is at noon.', ...names, actionNumber: id })
  const message = JSON.stringify({ ...frozen, credential: email.credential, claim: crypto.randomUUID() })
  const claim = { slice: 0, sliceMax: 100, message }
  const { outcome } = await stepDelivery(gate.deps.db, { account, id, channel: 'email', record: null, claim })
  expect(outcome).toBe('send')
}

test('a slice that a killed worker had claimed is not sent once the account is suspended: it is unknown', async () => {
  const broadcast = await confirmedBroadcast(3)
  await claimOnly(broadcast.account, broadcast.id)
  await broadcast.suspend(true)
  const callsBefore = provider.requests.length
  await gate.startWorkers()
  const { result } = await broadcast.ended()
  expect(result).toMatchObject({
    outcome: 'unknown',
    stopped: 'account_suspended',
    email: 0,
    unknown: { email: 3 },
  })
  expect(provider.requests.slice(callsBefore)).toEqual([])
}, 60_000)

test('the same slice is sent under its key where the account is not suspended', async () => {
  const broadcast = await confirmedBroadcast(3)
  await claimOnly(broadcast.account, broadcast.id)
  await gate.startWorkers()
  expect((await broadcast.ended()).result).toMatchObject({ outcome: 'done', email: 3 })
}, 60_000)

test('slices that wait for the rate limit are claimed shortly before their turn: a stop reaches the rest', async () => {
  const before = provider.emails.length
  const broadcast = await confirmedBroadcast(24)
  await gate.startWorkers()
  await until('some have their message', async () => provider.emails.length > before)
  await broadcast.suspend(true)
  const atStop = provider.emails.length - before
  const { result } = await broadcast.ended()
  expect(result).toMatchObject({ outcome: 'partial', stopped: 'account_suspended', unknown: { email: 0 } })
  expect(result.email).toBe(provider.emails.length - before)
  // Two claims of a second each may be under way.
  expect(result.email).toBeLessThanOrEqual(atStop + 2 * perSecond * perSlice)
  expect(result.email + result.failed.email).toBe(24)
}, 60_000)
