import { once } from 'node:events'
import { expect, test } from '@jest/globals'
import { watchWrites, type Clock, type WriteAnswer } from '../../dev/embedded/temporal-watch.ts'
import { isInterrupted } from '../../src/temporal/interrupted.ts'
import { testRows } from '../support/rows.ts'

const [i, w, u] = ['interrupted', 'written', 'unanswered'] as const

testRows<[name: string, answers: WriteAnswer[], restartsAt: number[]]>([
  ['writes', [w, w, w, w, w, w, w, w], []],
  ['is interrupted for less than 5 s', [w, i, i, i, i, i, w, w], []],
  ['is interrupted for 5 s', [w, i, i, i, i, i, i, w, w], [7]],
  ['is slow in between', [i, u, i, u, u, i, w], [6]],
  ['is only slow', [u, u, u, u, u, u, u, u], []],
  ['writes in between', [i, i, i, w, i, i, i, i, i], []],
  ['is interrupted again after a restart', [i, i, i, i, i, i, i, i, i, i, i, i], [6, 12]],
])('a server is restarted only when it is stuck', async (_, answers, restartsAt) => {
  const restarts: number[] = []
  const { clock, ran } = clockFor(answers.length)
  const watch = watchWrites({
    write: async () => answers.shift() ?? 'written',
    restart: async () => void restarts.push(clock.now() / 1_000),
    clock,
  })
  await ran
  await watch.end()
  expect(restarts).toEqual(restartsAt)
})

test('an interrupted statement is told apart from other failures', () => {
  const details = 'GetMetadata operation failed. Error: interrupted (9)'
  expect(isInterrupted(Object.assign(new Error('14 UNAVAILABLE'), { details }))).toBe(true)
  expect(isInterrupted(Object.assign(new Error('14 UNAVAILABLE'), { details: 'No connection' }))).toBe(false)
  expect(isInterrupted(new Error('Call cancelled'))).toBe(false)
})

/** A clock that only waiting moves. @returns also what resolves once it was waited for so often */
function clockFor(waits: number): { clock: Clock; ran: Promise<void> } {
  let [now, left] = [0, waits]
  let end: () => void = () => undefined
  const ran = new Promise<void>((resolve) => void (end = resolve))
  const wait: Clock['wait'] = (ms, signal) => {
    now += ms
    if (left-- > 0) return Promise.resolve()
    end()
    return once(signal, 'abort')
  }
  return { clock: { now: () => now, wait }, ran }
}
