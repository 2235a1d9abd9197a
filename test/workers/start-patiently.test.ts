import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from '@jest/globals'
import { startPatiently } from '../../src/workers/start-patiently.ts'
import type { RunningWorkers } from '../../src/workers/start-workers.ts'
import { shorten } from '../support/shorten.ts'
import { until } from '../support/until.ts'

const log = { info: () => undefined, warn: () => undefined }
const patience = { log, retryMs: 10 }

function workers() {
  const seen = { stopped: 0 }
  const running: RunningWorkers = {
    failed: new Promise(() => undefined),
    previewUrl: undefined,
    stop: async () => void seen.stopped++,
  }
  return { seen, running }
}

test('a stop waits for a start that is under way, and stops what it started', async () => {
  const { seen, running } = workers()
  let finish: (started: RunningWorkers) => void = () => undefined
  const patient = startPatiently(() => new Promise<RunningWorkers>((resolve) => void (finish = resolve)), {
    ...patience,
  })
  const stopping = patient.stop()
  let isStopped = false
  void stopping.then(() => (isStopped = true))
  await turn()
  expect(isStopped).toBe(false)
  finish(running)
  await stopping
  expect(seen.stopped).toBe(1)
})

test('a start that fails is tried again until it succeeds', async () => {
  const { seen, running } = workers()
  let tries = 0
  const patient = startPatiently(async () => {
    if (++tries < 3) throw new Error('not yet')
    return running
  }, patience)
  expect(patient.isWorking()).toBe(false)
  await until('the workers are started', async () => patient.isWorking())
  expect(tries).toBe(3)
  await patient.stop()
  expect(seen.stopped).toBe(1)
})

test('a stop ends the wait for the next try', async () => {
  let tries = 0
  const patient = startPatiently(
    async () => {
      tries++
      throw new Error('never')
    },
    { log, retryMs: 600_000 },
  )
  await turn()
  // A stop that waited for the next try would end after this test.
  const restore = shorten({ shutdownGraceMs: 600_000 })
  await patient.stop().finally(restore)
  expect([tries, patient.isWorking()]).toEqual([1, false])
})

test('a worker that dies of itself is told of', async () => {
  const { running } = workers()
  const patient = startPatiently(async () => ({ ...running, failed: Promise.reject(new Error('died')) }), {
    ...patience,
  })
  await expect(patient.failed).rejects.toThrow('died')
})
