import { expect, test } from '@jest/globals'
import { byKey, mergedFigures } from '../../bench/figures.ts'
import { type Finding, combine, report, table, verdictOf } from '../../bench/report.ts'

const machine = { cores: 2, processor: 'EPYC', memory_gb: 24 }
const finding = (more: Partial<Finding> = {}): Finding => ({
  case: 'confirm',
  clients: 1,
  unit: 'ms p50',
  ours: 60,
  bare: 50,
  ratio: 1.2,
  target: { atMost: 1.15 },
  ...more,
})

test('several runs show the median of each figure and the range of the ratio', () => {
  const runs = [1.5, 1, 1.25].map((ratio) => [finding({ ratio, ours: ratio * 100 })])
  expect(combine(runs)).toEqual([finding({ ratio: 1.25, ours: 125, range: { low: 1, high: 1.5 }, runs: 3 })])
})

test('a case that failed in one run is told from the others, and one run has no range', () => {
  expect(combine([[], [finding()]])).toEqual([finding({ range: { low: 1.2, high: 1.2 }, runs: 1 })])
  expect(combine([[finding()]])).toEqual([finding()])
})

test('runs that have a range themselves keep its ends, and count as many', () => {
  const runs = [
    finding({ ratio: 1.2, range: { low: 0.9, high: 1.3 }, runs: 3 }),
    finding({ ratio: 1.1, range: { low: 1, high: 1.6 }, runs: 3 }),
    finding({ ratio: 1.7 }),
  ]
  expect(combine(runs.map((run) => [run]))).toEqual([
    finding({ ratio: 1.2, range: { low: 0.9, high: 1.7 }, runs: 7 }),
  ])
})

test('where there is no ratio, the range is of our figure', () => {
  const runs = [3, 1, 2].map((ours) => [finding({ ours, bare: null, ratio: null })])
  expect(combine(runs)[0]).toMatchObject({ ours: 2, range: { low: 1, high: 3 }, runs: 3 })
})

test('a target is about the ratio, or about our figure where there is no ratio', () => {
  const memory = finding({ ratio: null, bare: null, ours: 210, unit: 'MB', target: { atMost: 220 } })
  expect([finding(), memory, finding({ target: { atLeast: 1.2 } })].map(verdictOf)).toEqual([
    'missed',
    'ok',
    'ok',
  ])
})

test('earlier figures are shown beside new ones of the same case and number of clients', () => {
  const former = byKey([finding({ ratio: 1.31 }), finding({ clients: 16, ratio: 9.99 })])
  const shown = table(report([finding()], machine), former)
  expect(shown).toContain('1.31')
  expect(shown).not.toContain('9.99')
})

test('saving keeps figures that were not measured again, without the details of a run', () => {
  const former = { machine, findings: [finding({ ratio: 1.4 }), finding({ case: 'list', ratio: 1.05 })] }
  const again = report([finding({ more: { ours_p99_ms: 99 } }), finding({ case: 'open' })], machine)
  const measured = '2026-11-23'
  expect(mergedFigures(former, again, { today: measured, cases: [] }).findings).toEqual([
    { ...finding(), measured },
    finding({ case: 'list', ratio: 1.05 }),
    { ...finding({ case: 'open' }), measured },
  ])
})

test('figures are kept with their range and the number of runs', () => {
  const again = report([finding({ range: { low: 1.12345, high: 1.98765 }, runs: 3 })], machine)
  const merged = mergedFigures(undefined, again, { today: '2026-11-23', cases: [] })
  expect(merged.findings[0]).toMatchObject({ range: { low: 1.123, high: 1.988 }, runs: 3 })
})

test('figures of another machine stay until they are measured again, and say which machine it was', () => {
  const other = { ...machine, processor: 'Xeon' }
  const today = { today: '2026-11-23', cases: [] }
  const former = { machine: other, findings: [finding({ case: 'list' }), finding()] }
  const here = mergedFigures(former, report([finding()], machine), today)
  expect(here.findings).toEqual([
    { ...finding({ case: 'list' }), machine: '2 × Xeon' },
    { ...finding(), measured: '2026-11-23' },
  ])
  const back = mergedFigures(here, report([finding({ case: 'open' })], other), today)
  expect(back.findings).toEqual([
    finding({ case: 'list' }),
    { ...finding(), measured: '2026-11-23', machine: '2 × EPYC' },
    { ...finding({ case: 'open' }), measured: '2026-11-23' },
  ])
})

test('figures are kept in the order of the cases, whichever was measured last', () => {
  const former = { machine, findings: [finding({ case: 'lists', of: 'list' }), finding({ case: 'memory' })] }
  const again = report([finding({ case: 'cycles', of: 'cycle' })], machine)
  const merged = mergedFigures(former, again, { today: '2026-11-23', cases: ['cycle', 'list'] })
  expect(merged.findings.map(({ case: name }) => name)).toEqual(['cycles', 'lists', 'memory'])
})
