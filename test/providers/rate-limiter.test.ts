import { beforeEach, expect, test } from '@jest/globals'
import { rateLimiter, takeTurn } from '../../src/providers/rate-limiter.ts'

/** A clock that only waiting moves. */
let nowMs = 0
beforeEach(() => void (nowMs = 1_000_000))
const limiterAt = (perSecond: number, perMinute?: number) =>
  rateLimiter({
    perSecond,
    ...(perMinute === undefined ? {} : { perMinute }),
    now: () => nowMs,
    wait: async (ms, signal) => {
      signal?.throwIfAborted()
      // Whoever has a token already gets to look at the clock first.
      await new Promise(setImmediate)
      nowMs += ms
    },
  })

async function timesOf(count: number, take: () => Promise<void>): Promise<number[]> {
  const started = nowMs
  return Promise.all(Array.from({ length: count }, () => take().then(() => Math.round(nowMs - started))))
}

test('tokens come evenly, so no second holds more than its share', async () => {
  const limiter = limiterAt(2)
  expect(await timesOf(5, () => limiter.take())).toEqual([0, 513, 1025, 1538, 2050])
})

test('idle time is not saved up for a burst', async () => {
  const limiter = limiterAt(2)
  await limiter.take()
  nowMs += 60_000
  expect(await timesOf(3, () => limiter.take())).toEqual([0, 513, 1025])
})

test('several tokens taken at once delay the next caller', async () => {
  const limiter = limiterAt(10)
  expect(await timesOf(3, () => limiter.take(5))).toEqual([0, 513, 1025])
})

test.each([2, 3, 50])(
  'at %i a second, timers that fire late neither cost the rate nor bring a burst',
  async (perSecond) => {
    const lateMs = [3, 0, 9, 1, 7, 2, 60, 5]
    let waits = 0
    const limiter = rateLimiter({
      perSecond,
      now: () => nowMs,
      wait: async (ms) => {
        // One timer in eight fires very late, as on a busy machine: that time is lost.
        nowMs += ms + lateMs[waits++ % lateMs.length]!
      },
    })
    const times: number[] = []
    for (let n = 0; n < perSecond * 40; n++) {
      await limiter.take()
      times.push(nowMs)
    }
    const inSecondFrom = (from: number) => times.filter((at) => at >= from && at < from + 1_000).length
    expect(Math.max(...times.map(inSecondFrom))).toBeLessThanOrEqual(perSecond)
    const usualMs = (times.length - 1) * (1_025 / perSecond)
    const lostMs = 50 * Math.ceil(waits / lateMs.length)
    expect(times.at(-1)! - times[0]!).toBeLessThanOrEqual(usualMs + lostMs + 11)
  },
)

test('a limit of a minute: tokens come at the rate while there are some left, and no minute holds more', async () => {
  const limiter = limiterAt(2, 4)
  expect(await timesOf(9, () => limiter.take())).toEqual([
    0, 513, 1025, 1538, 61_500, 62_013, 62_525, 63_038, 123_000,
  ])
  nowMs += 600_000
  expect(await timesOf(5, () => limiter.take())).toEqual([0, 513, 1025, 1538, 61_500])
})

test('a call that is given up takes nothing of its minute', async () => {
  const limiter = limiterAt(2, 1)
  await limiter.take()
  await expect(limiter.take(1, AbortSignal.abort(new Error('given up')))).rejects.toThrow('given up')
  expect(await timesOf(1, () => limiter.take())).toEqual([61_500])
})

test('a call that does not wait is counted in its minute', async () => {
  const limiter = limiterAt(2, 2)
  limiter.count()
  expect(await timesOf(2, () => limiter.take())).toEqual([0, 61_500])
})

test('0 is no limit', async () => {
  const limiter = limiterAt(0)
  expect(await timesOf(1000, () => limiter.take())).toEqual(Array(1000).fill(0))
})

test.each([0, 2])(
  'a pause holds everybody back at %i a second, and a shorter one does not end it',
  async (perSecond) => {
    const limiter = limiterAt(perSecond)
    limiter.pauseFor(30_000)
    limiter.pauseFor(1_000)
    expect(limiter.pausedMs()).toBe(30_000)
    expect((await timesOf(2, () => limiter.take()))[0]).toBe(30_000)
    expect(limiter.pausedMs()).toBe(0)
  },
)

test('a pause that comes while someone waits holds them too', async () => {
  const started = nowMs
  let isPaused = false
  const limiter = rateLimiter({
    perSecond: 1,
    now: () => nowMs,
    wait: async (ms) => {
      nowMs += ms
      if (!isPaused) limiter.pauseFor(5_000)
      isPaused = true
    },
  })
  await limiter.take()
  await limiter.take()
  expect(nowMs - started).toBe(6_025)
})

test('an aborted wait rejects immediately and takes no token', async () => {
  let release = () => {}
  const limiter = rateLimiter({
    perSecond: 1,
    now: () => nowMs,
    wait: (ms) =>
      new Promise((resolve) => {
        release = () => {
          nowMs += ms
          resolve()
        }
      }),
  })
  await limiter.take()
  const first = limiter.take()
  const stop = new AbortController()
  const second = limiter.take(1, stop.signal)
  const third = limiter.take()
  stop.abort(new Error('stopped'))
  await expect(second).rejects.toThrow('stopped')
  release()
  await first
  await new Promise(setImmediate)
  release()
  await third
  expect(nowMs).toBe(1_002_050)
})

test('an aborted signal takes nothing, limited or not', async () => {
  for (const perSecond of [0, 1]) {
    await expect(limiterAt(perSecond).take(1, AbortSignal.abort(new Error('stopped')))).rejects.toThrow(
      'stopped',
    )
  }
})

test('real waiting ends with the signal', async () => {
  const limiter = rateLimiter({ perSecond: 0.001 })
  await limiter.take()
  const stop = new AbortController()
  const waiting = limiter.take(1, stop.signal)
  stop.abort()
  await expect(waiting).rejects.toMatchObject({ name: 'AbortError' })
})

test('a slice that may not wait long gives its turn back', async () => {
  const limiter = rateLimiter({ perSecond: 0.01 })
  await limiter.take()
  const slice = { key: 'k', message: {}, recipients: [], attemptedAt: new Date(), turnMs: 20 }
  await expect(takeTurn(limiter, slice)).rejects.toThrow()
  await expect(takeTurn(limiter, { ...slice, signal: AbortSignal.abort() })).rejects.toThrow()
  await takeTurn(rateLimiter({ perSecond: 0 }), slice)
})
