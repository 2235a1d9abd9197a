import { afterEach, beforeEach, expect, jest, test } from '@jest/globals'
import { finishesWithin } from '../../src/waiting/finishes-within.ts'

let cleared: jest.SpiedFunction<typeof clearTimeout>
beforeEach(() => {
  jest.useFakeTimers()
  cleared = jest.spyOn(globalThis, 'clearTimeout')
})
afterEach(() => void jest.useRealTimers())

test('work that ends in time finishes, and its timer ends with it', async () => {
  expect(await finishesWithin(60_000, Promise.resolve('done'))).toBe(true)
  expect(cleared).toHaveBeenCalledTimes(1)
})

test('work that takes longer does not finish, and goes on', async () => {
  let end: (value: string) => void = () => undefined
  const work = new Promise<string>((resolve) => (end = resolve))
  const finishes = finishesWithin(60_000, work)
  let isOver = false
  void finishes.then(() => (isOver = true))
  await jest.advanceTimersByTimeAsync(59_999)
  expect(isOver).toBe(false)
  await jest.advanceTimersByTimeAsync(1)
  expect(await finishes).toBe(false)
  end('later')
  expect(await work).toBe('later')
})

test('an error in time is thrown, and its timer ends with it', async () => {
  await expect(finishesWithin(60_000, Promise.reject(new Error('broken')))).rejects.toThrow('broken')
  expect(cleared).toHaveBeenCalledTimes(1)
})

test('an error that comes too late is not seen, and ends no process', async () => {
  let fail: (error: Error) => void = () => undefined
  const work = new Promise<never>((_, reject) => (fail = reject))
  const finishes = finishesWithin(1, work)
  await jest.advanceTimersByTimeAsync(1)
  expect(await finishes).toBe(false)
  fail(new Error('late'))
  await jest.advanceTimersByTimeAsync(0)
})
