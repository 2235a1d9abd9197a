import { expect, test } from '@jest/globals'
import { repeated } from '../../bench/cases/case.ts'
import type { Finding } from '../../bench/report.ts'

const started = (seconds: number): Finding => ({
  case: 'start',
  clients: 1,
  unit: 's',
  ours: seconds,
  bare: null,
  ratio: null,
})

test('a case that is measured three times has a median and a range', async () => {
  const seconds = [2, 5, 3]
  expect(await repeated(3, async (n) => [started(seconds[n]!)])).toEqual([
    { ...started(3), range: { low: 2, high: 5 }, runs: 3 },
  ])
})

test('a case that is measured once has no range', async () => {
  expect(await repeated(1, async () => [started(2)])).toEqual([started(2)])
})
