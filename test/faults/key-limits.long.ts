import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { setKeyLimits } from '../../src/operations/keys/set-key-limits.ts'
import type { ApiAnswer, ApiClient } from '../support/api-client.ts'
import { type Service, type ServiceAccount, startService } from '../support/supervisor.ts'

const limit = 200

let service: Service
beforeAll(async () => {
  service = await startService({
    processes: ['api', 'api2'],
    isSandbox: true,
    env: { RATE_LIMIT_PER_MINUTE: String(limit) },
  })
}, 300_000)
afterAll(() => service.stop(), 60_000)

async function sharedAccount(): Promise<ServiceAccount> {
  const account = await service.account()
  await setKeyLimits({ db: service.db, account: account.account, session: null }, 'shared')
  return account
}

/** Asks with a few requests at a time until one is refused. */
async function untilRefused(api: ApiClient): Promise<{ ok: number; refused: ApiAnswer }> {
  let ok = 0
  for (;;) {
    const answers = await Promise.all(Array.from({ length: 4 }, () => api.list()))
    ok += answers.filter(({ status }) => status === 200).length
    const refused = answers.find(({ status }) => status !== 200)
    if (refused) return { ok, refused }
  }
}

function expectRefusal({ status, headers, body }: ApiAnswer): void {
  expect([status, body.code]).toEqual([429, 'rate_limited'])
  const seconds = Number(headers.get('retry-after'))
  expect(body.error).toContain(`limited to ${limit} requests per minute. Try again in ${seconds} s.`)
  expect(seconds).toBeGreaterThan(0)
  expect(seconds).toBeLessThanOrEqual(60)
}

test('a key of an account that counts together gets its limit once over two APIs, and nearly all of it', async () => {
  const { api, api2 } = await sharedAccount()
  const startedAt = performance.now()
  const ends = await Promise.all([untilRefused(api), untilRefused(api2)])
  // Both would have been given more in a later minute.
  expect(performance.now() - startedAt).toBeLessThan(59_000)
  for (const { refused } of ends) expectRefusal(refused)
  const ok = ends[0]!.ok + ends[1]!.ok
  expect(ok).toBeLessThanOrEqual(limit)
  expect(ok).toBeGreaterThanOrEqual(0.9 * limit)
}, 120_000)

test('an API that is killed costs the other one no more than the share it held', async () => {
  const { api, api2 } = await sharedAccount()
  expect((await api.list()).status).toBe(200)
  await service.kill('api')
  try {
    const { ok, refused } = await untilRefused(api2)
    expectRefusal(refused)
    expect(ok).toBeGreaterThanOrEqual(0.9 * limit)
    expect(ok).toBeLessThan(limit)
  } finally {
    await service.start('api')
  }
}, 120_000)

test('a key of another account has its limit at each of the two', async () => {
  const { api, api2 } = await service.account()
  const ends = [await untilRefused(api), await untilRefused(api2)]
  expect(ends.map(({ ok }) => ok)).toEqual([limit, limit])
}, 120_000)
