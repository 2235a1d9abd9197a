import { once } from 'node:events'
import { expect, test } from '@jest/globals'
import { startPolling } from '../../src/waiting/poll-loop.ts'

const logOf = (warnings: unknown[]) => ({
  log: { warn: (...words: unknown[]) => warnings.push(words) } as never,
})
const dayMs = 86_400_000

function door(): { opened: Promise<void>; open(): void } {
  let open: () => void = () => undefined
  const opened = new Promise<void>((resolve) => (open = resolve))
  return { opened, open: () => open() }
}

test('a loop looks again at once after as many as one pass takes, and pauses after fewer, until it is stopped', async () => {
  const batches = [2, 2, 1, 2]
  let passes = 0
  const paused = door()
  const polling = startPolling(logOf([]), {
    failed: 'failed',
    pollMs: dayMs,
    batchMax: 2,
    async pass() {
      const done = batches[passes++]!
      if (done < 2) setImmediate(paused.open)
      return done
    },
  })
  await paused.opened
  await polling.stop()
  expect(passes).toBe(3)
})

test('a pass that failed is logged, and there is another one', async () => {
  const warnings: unknown[] = []
  const error = new Error('broken')
  let passes = 0
  const again = door()
  const polling = startPolling(logOf(warnings), {
    failed: 'polling failed; retrying',
    pollMs: 1,
    batchMax: 1,
    async pass() {
      if (passes++ === 0) throw error
      again.open()
      return 0
    },
  })
  await again.opened
  await polling.stop()
  expect(warnings).toEqual([[{ err: error }, 'polling failed; retrying']])
})

test('stopping waits for the pass that is under way, which is told, and begins no other', async () => {
  let passes = 0
  let hasStopped = false
  const goOn = door()
  const told = door()
  const polling = startPolling(logOf([]), {
    failed: 'failed',
    pollMs: 1,
    batchMax: 1,
    async pass(stopping) {
      passes++
      await once(stopping, 'abort')
      told.open()
      await goOn.opened
      return 1
    },
  })
  const stopped = polling.stop().then(() => (hasStopped = true))
  await told.opened
  await new Promise(setImmediate)
  expect(hasStopped).toBe(false)
  goOn.open()
  await stopped
  expect(passes).toBe(1)
})
