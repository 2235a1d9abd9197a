import { expect, test } from '@jest/globals'
import { type BenchCase, groupsOnSameServices, repeated } from '../../bench/cases/case.ts'
import type { Finding } from '../../bench/report.ts'

const named = (name: string, more: Partial<BenchCase> = {}): BenchCase => ({
  name,
  run: async () => [],
  ...more,
})
const started = (seconds: number): Finding => ({
  case: 'start',
  clients: 1,
  unit: 's',
  ours: seconds,
  bare: null,
  ratio: null,
})

test('after a case that leaves work, the next one gets services of its own', () => {
  const chosen = [named('list'), named('expiry', { leavesWork: true }), named('seal'), named('page')]
  const names = groupsOnSameServices(chosen).map((group) => group.map(({ name }) => name))
  expect(names).toEqual([
    ['list', 'expiry'],
    ['seal', 'page'],
  ])
})

test('services are not started for nothing after the last case', () => {
  expect(groupsOnSameServices([named('open', { leavesWork: true })])).toHaveLength(1)
  expect(groupsOnSameServices([])).toEqual([])
})

test('what is measured three times over the same has a median and a range', async () => {
  const seconds = [2, 5, 3]
  expect(await repeated(3, async (n) => [started(seconds[n]!)])).toEqual([
    { ...started(3), range: { low: 2, high: 5 }, runs: 3 },
  ])
})

test('what is measured once has no range', async () => {
  expect(await repeated(1, async () => [started(2)])).toEqual([started(2)])
})
