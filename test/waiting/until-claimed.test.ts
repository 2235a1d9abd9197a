import { afterEach, beforeEach, expect, jest, test } from '@jest/globals'
import { type DecisionTime, untilClaimed } from '../../src/waiting/until-claimed.ts'

beforeEach(() => void jest.useFakeTimers())
afterEach(() => void jest.useRealTimers())

const late = () => new Error('late')
const never = new Promise<never>(() => {})

/** Work of a second, and what it can claim meanwhile. */
function started<T>(work: (time: DecisionTime) => Promise<T>) {
  let time!: DecisionTime
  const ends = untilClaimed(
    1_000,
    (given) => {
      time = given
      return work(given)
    },
    late,
  )
  ends.catch(() => undefined)
  return { ends, time }
}

function step<T>() {
  let finish!: (value: T | undefined) => void
  const done = new Promise<T | undefined>((resolve) => (finish = resolve))
  return { done, finish }
}

test('work that ends in time gives what it returns or throws', async () => {
  await expect(started(async () => 'done').ends).resolves.toBe('done')
  await expect(started(() => Promise.reject(new Error('no'))).ends).rejects.toThrow('no')
})

test('after its end work can claim nothing', async () => {
  const { ends, time } = started(() => never)
  jest.advanceTimersByTime(1_000)
  await expect(ends).rejects.toThrow('late')
  let isTaken = false
  await expect(time.claim(async () => (isTaken = true))).rejects.toThrow('late')
  expect(isTaken).toBe(false)
})

test('the end waits for a step that was claimed before, and is told how long is left', async () => {
  const { done, finish } = step<string>()
  let left = 0
  const { ends } = started((time) =>
    time.claim((leftMs) => {
      left = leftMs
      return done
    }),
  )
  expect(left).toBe(1_000)
  jest.advanceTimersByTime(5_000)
  finish('taken')
  await expect(ends).resolves.toBe('taken')
})

test('a step that was not taken leaves the end where it was', async () => {
  const during = step<string>()
  const over = started((time) => time.claim(() => during.done))
  jest.advanceTimersByTime(1_000)
  during.finish(undefined)
  await expect(over.ends).rejects.toThrow('late')

  const before = step<string>()
  const open = started(async (time) => {
    await time.claim(() => before.done)
    return never
  })
  before.finish(undefined)
  await Promise.resolve()
  await jest.advanceTimersByTimeAsync(1_000)
  await expect(open.ends).rejects.toThrow('late')
})
