import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import type { ServerResponse } from 'node:http'
import { shorten } from '../support/shorten.ts'
import { until } from '../support/until.ts'
import { type Desk, type ExecutorScene, executorScene, kindNames } from './scene.ts'
import { answerJson } from './stand-in.ts'

let scene: ExecutorScene
beforeAll(async () => {
  scene = await executorScene({ env: { CONFIRM_WAIT_MS: '100' }, network: { callMs: 1_500 } })
}, 60_000)
afterAll(() => scene.stop())

let desk: Desk
beforeEach(async () => {
  scene.answers((_request, response) => answerJson(response, 200, { deleted: true }))
  desk = await scene.customerDesk()
})

let giveBack = () => {}
/** Makes repeats come soon. A test that passes the time itself does without: no repeat may come before. */
const repeatSoon = () => (giveBack = shorten({ executorAgainMs: 20 }))
afterEach(() => giveBack())

const called = () => scene.executor.received
const calledTimes = (n: number) => until(`${n} calls`, async () => called().length >= n)

describe('a call whose outcome is lost', () => {
  test('is repeated under the same id with the same bytes, and the first answer counts', async () => {
    repeatSoon()
    // It does nothing the first time, loses the answer, and then says twice that it was done.
    scene.answers((_request, response, n) =>
      n === 1 ? void response.destroy() : answerJson(response, 200, { attempt: n }),
    )
    const id = await desk.start()
    const { status, result } = await desk.ended(id)
    expect([status, result]).toMatchObject(['executed', { outcome: 'done', result: { attempt: 2 } }])
    const [first, second] = called()
    expect(called()).toHaveLength(2)
    expect(second!.body).toBe(first!.body)
    expect(second!.headers['webhook-id']).toBe(first!.headers['webhook-id'])
    await desk.pass(id, 1).catch(() => undefined)
    expect(called()).toHaveLength(2)
    expect(await desk.call(id)).toMatchObject({ state: 'ok', attempts: 2, is_maybe_done: true })
  })

  test.each([500, 502, 503, 307])('is repeated after an answer %s', async (code) => {
    repeatSoon()
    scene.answers((_request, response, n) => answerJson(response, n === 1 ? code : 200, {}))
    const { result } = await desk.ended(await desk.start())
    expect([result.outcome, called().length]).toEqual(['done', 2])
  })

  test('is repeated where the executor never answers', async () => {
    repeatSoon()
    scene.answers((_request, response, n) => (n === 1 ? undefined : answerJson(response, 200, {})))
    const { result } = await desk.ended(await desk.start())
    expect([result.outcome, called().length]).toEqual(['done', 2])
  })

  test('is refused by a repeat only with 422: any other refusal says nothing about the first call', async () => {
    scene.answers((_request, response, n) =>
      n === 1 ? void response.destroy() : answerJson(response, n === 2 ? 409 : 422, {}),
    )
    const id = await desk.start()
    await desk.recorded(id, { code: 'http_409', state: 'pending' })
    expect((await desk.account.client.get(id)).body.status).toBe('proposed')
    await desk.pass(id, 1)
    const { status, result } = await desk.ended(id)
    expect([status, result]).toEqual([
      'cancelled',
      { outcome: 'refused', code: 'http_422', executor: 'webhook' },
    ])
  })

  test('is unknown after 24 hours, and never called again', async () => {
    scene.answers((_request, response) => answerJson(response, 500, {}))
    const id = await desk.start()
    await desk.recorded(id, { state: 'pending' })
    await desk.pass(id, 25)
    const { status, result } = await desk.ended(id)
    expect([status, result]).toEqual([
      'executed',
      { outcome: 'unknown', code: 'http_500', executor: 'webhook' },
    ])
    expect(called()).toHaveLength(1)
  })

  test('is asked about at status_url after 24 hours, and what that says counts', async () => {
    const outcomes: unknown[] = []
    for (const status of [200, 422]) {
      scene.answers(({ method }, response) =>
        method === 'POST' ? void response.destroy() : answerJson(response, status, { asked: true }),
      )
      const id = await desk.start(kindNames.asked)
      await desk.recorded(id, { state: 'pending' })
      await desk.pass(id, 25)
      const { result } = await desk.ended(id)
      outcomes.push([result.outcome, result.code, result.result])
      const asked = called().filter(({ method }) => method === 'GET')
      expect(asked).toHaveLength(1)
      expect(asked[0]!.path).toBe(`/calls/${called()[0]!.headers['webhook-id']}`)
    }
    expect(outcomes).toEqual([
      ['done', undefined, { asked: true }],
      ['refused', 'http_422', undefined],
    ])
  })

  test('is unknown where status_url does not know either', async () => {
    scene.answers(({ method }, response) =>
      method === 'POST' ? void response.destroy() : answerJson(response, 404, {}),
    )
    const id = await desk.start(kindNames.asked)
    await desk.recorded(id, { state: 'pending' })
    await desk.pass(id, 25)
    for (let n = 1; n < 5; n++) {
      await desk.recorded(id, { state: 'asking', attempts: n })
      await desk.pass(id, 1)
    }
    expect((await desk.ended(id)).result).toEqual({
      outcome: 'unknown',
      code: 'http_404',
      executor: 'webhook',
    })
    expect(called()).toHaveLength(6)
  })

  test('is not repeated while the account is suspended, and ends as unknown', async () => {
    scene.answers((_request, response) => answerJson(response, 500, {}))
    const id = await desk.start()
    await desk.recorded(id, { state: 'pending' })
    await desk.account.suspend(true)
    await desk.pass(id, 1)
    expect((await desk.ended(id)).result).toEqual({
      outcome: 'unknown',
      code: 'account_suspended',
      executor: 'webhook',
    })
    expect(called()).toHaveLength(1)
  })
})

describe('a call that never left the gate', () => {
  test('is repeated, and certainly not done after 24 hours', async () => {
    // Refused for now, which an executor says of what it has not begun.
    scene.answers((_request, response) => answerJson(response, 429, {}))
    const id = await desk.start()
    await desk.recorded(id, { state: 'pending', is_maybe_done: false })
    await desk.pass(id, 25)
    const { status, result } = await desk.ended(id)
    expect([status, result]).toEqual([
      'cancelled',
      { outcome: 'refused', code: 'http_429', executor: 'webhook' },
    ])
  })
})

describe('long work', () => {
  test('is asked about at its Location until it is done, and not called again', async () => {
    repeatSoon()
    scene.answers(({ method }, response, n) => {
      if (method === 'POST' || n < 3)
        return void response.writeHead(202, { location: '/work/7', 'retry-after': '1' }).end()
      return answerJson(response, 200, { from: 'work 7' })
    })
    const { result } = await desk.ended(await desk.start())
    expect(result).toMatchObject({ outcome: 'done', result: { from: 'work 7' } })
    expect(called().map(({ method, path }) => `${method} ${path}`)).toEqual([
      'POST /delete',
      'GET /work/7',
      'GET /work/7',
    ])
  })

  test('is asked about over failures, and refused by 422', async () => {
    repeatSoon()
    scene.answers(({ method }, response, n) => {
      if (method === 'POST') return void response.writeHead(202, { location: '/work/8' }).end()
      return n === 2 ? void response.destroy() : answerJson(response, n === 3 ? 404 : 422, {})
    })
    const id = await desk.start()
    await calledTimes(3)
    const { status, result } = await desk.ended(id)
    expect([status, result]).toEqual([
      'cancelled',
      { outcome: 'refused', code: 'http_422', executor: 'webhook' },
    ])
  })

  test('elsewhere than at the executor is not asked about: the call is repeated', async () => {
    repeatSoon()
    scene.answers((_request, response, n) =>
      n === 1
        ? void response.writeHead(202, { location: 'http://127.0.0.1:1/steal' }).end()
        : answerJson(response, 200, { n }),
    )
    const { result } = await desk.ended(await desk.start())
    expect(result).toMatchObject({ outcome: 'done', result: { n: 2 } })
    expect(called().map(({ method }) => method)).toEqual(['POST', 'POST'])
  })

  test('is unknown where it has not ended after 24 hours', async () => {
    scene.answers((_request, response) => void response.writeHead(202, { location: '/work/9' }).end())
    const id = await desk.start()
    await desk.recorded(id, { state: 'accepted' })
    await desk.pass(id, 25)
    expect((await desk.ended(id)).result).toMatchObject({ outcome: 'unknown' })
  })
})

describe('many calls of one account', () => {
  let patient: ExecutorScene
  let restore: () => void
  beforeAll(async () => {
    patient = await executorScene({ env: { CONFIRM_WAIT_MS: '100' }, network: { callMs: 150_000 } })
    restore = shorten({ executorFullAgainMsMin: 1_000, executorFullAgainMsMax: 2_000 })
  }, 60_000)
  afterAll(async () => {
    restore()
    await patient.stop()
  })

  test('are made 20 at a time, and hold up no other account', async () => {
    const [busy, other] = [await patient.customerDesk(), await patient.customerDesk()]
    const open = new Set<ServerResponse>()
    let most = 0
    let isHeld = true
    patient.answers(({ body }, response) => {
      if (!isHeld || !body.includes(busy.account.account)) return answerJson(response, 200, {})
      most = Math.max(most, open.add(response).size)
      response.once('close', () => open.delete(response))
    })
    const ids = await Promise.all(Array.from({ length: 24 }, () => busy.start()))
    await until('20 calls at once', async () => most === 20)
    expect((await other.ended(await other.start())).result.outcome).toBe('done')
    isHeld = false
    for (const response of open) answerJson(response, 200, {})
    const results = await Promise.all(ids.map((id) => busy.ended(id)))
    expect(results.map(({ result }) => result.outcome)).toEqual(ids.map(() => 'done'))
    expect(most).toBe(20)
  }, 60_000)
})
