import { expect, test } from '@jest/globals'
import { groupCalls } from '../../src/db/group.ts'
import { asOneRequest, hasWritten, noteWrite } from '../../src/db/writes.ts'
import { GateError, OutcomeUnknown } from '../../src/errors.ts'

const bounds = { groupMax: 10, waitingMax: 10 }
const full = () => new Error('too many')

/** A request that calls, and whether it has written then. */
const request = (call: () => Promise<unknown>) =>
  asOneRequest(async () => {
    const [{ status }] = await Promise.allSettled([call()])
    return [status, hasWritten()]
  })

test('each request of a group has written what the group wrote, whether it succeeds or fails', async () => {
  const call = groupCalls<number, number>(
    async (items) => {
      noteWrite()
      if (items.includes(7)) throw new OutcomeUnknown()
      return items
    },
    bounds,
    full,
  )
  // The first is a group of its own, and the others the next one.
  const requests = (items: number[]) => Promise.all(items.map((item) => request(() => call(item))))
  expect(await requests([1, 2, 3])).toEqual(Array.from({ length: 3 }, () => ['fulfilled', true]))
  expect(await requests([1, 7, 3])).toEqual([
    ['fulfilled', true],
    ['rejected', true],
    ['rejected', true],
  ])
})

test('a write of a request is not taken for one of another in its group, or after it', async () => {
  const seen: boolean[] = []
  const call = groupCalls<number, number>(
    async (items) => {
      seen.push(hasWritten())
      return items
    },
    bounds,
    full,
  )
  const writing = () =>
    asOneRequest(async () => {
      noteWrite()
      await call(1)
    })
  const [, ...others] = await Promise.all([writing(), request(() => call(2)), request(() => call(3))])
  expect(others).toEqual([
    ['fulfilled', false],
    ['fulfilled', false],
  ])
  expect(seen).toEqual([false, false])
})

test('where the database is gone, the outcome is unknown only for a request that wrote before', async () => {
  const call = groupCalls<number>(
    () => Promise.reject(new GateError('unavailable', 'Nothing was changed.')),
    bounds,
    full,
  )
  const refusal = (isAfterWrite: boolean) =>
    asOneRequest(async () => {
      if (isAfterWrite) noteWrite()
      return call(1).catch((error: unknown) => (error as GateError).publishedCode)
    })
  expect(await Promise.all([true, false, true].map(refusal))).toEqual([
    'outcome_unknown',
    'unavailable',
    'outcome_unknown',
  ])
})
