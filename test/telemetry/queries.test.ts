import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { publishedCodes } from '../../src/errors.ts'
import { projectRoot } from '../../src/process/root.ts'
import { type MetricOfTable, metricTable } from '../../src/telemetry/table.ts'
import { testRows } from '../support/rows.ts'
import { alerts, board, partsOf, queries } from './queries.ts'

const table = metricTable as Record<string, MetricOfTable>
/** From Prometheus itself, and of buckets. */
const always = ['instance', 'job', 'le']

testRows(queries())('a query of board or alerts reads metrics and labels of the table', ({ text, shown }) => {
  const { selectors, kept } = partsOf(text)
  const own = selectors.flatMap(({ metric, labels }) => {
    if (!metric.startsWith('gate_')) return []
    const found = table[metric] ?? table[metric.replace(/_(bucket|sum|count)$/, '')]
    expect([metric, found?.type]).toEqual([metric, expect.any(String)])
    expect(labels.map(({ name }) => name).filter((name) => !(name in (found!.labels ?? {})))).toEqual([])
    return Object.keys(found!.labels ?? {})
  })
  const codes = selectors.flatMap(({ labels }) => labels.filter(({ name }) => name === 'code'))
  const known: readonly string[] = [...publishedCodes, 'ok']
  expect(codes.flatMap(({ values }) => values).filter((code) => !known.includes(code))).toEqual([])
  if (selectors.every(({ metric }) => metric.startsWith('gate_')))
    expect([...kept, ...shown].filter((label) => ![...own, ...always].includes(label))).toEqual([])
})

testRows(queries())(
  'a query of board or alerts reads the gate alone, whatever else the same Prometheus scrapes',
  ({ text }) => {
    const foreign = partsOf(text).selectors.filter(({ metric }) => !metric.startsWith('gate_'))
    if (foreign.length > 0) expect(text).toContain(' and on (job, instance) gate_build_info')
  },
)

test('a query that is no PromQL is found out', () => {
  expect(() => partsOf('sum by (le (rate(gate_requests_total[5m])))')).toThrow('no PromQL')
})

test('the board imports everywhere: the Classic model, a fixed uid, and its data source as a variable', () => {
  const { uid, id, panels, schemaVersion, templating, __inputs } = board()
  expect({ uid, id, __inputs }).toEqual({ uid: 'qualification-gate', id: undefined, __inputs: undefined })
  expect(schemaVersion).toBeGreaterThan(30)
  expect(templating.list.map(({ name, type }: any) => [name, type])).toEqual([['datasource', 'datasource']])
  const sources = panels.flatMap(({ datasource, targets = [] }: any) => [
    datasource,
    ...targets.map((one: any) => one.datasource),
  ])
  expect(new Set(sources.filter(Boolean).map(({ uid: of }: any) => of))).toEqual(new Set(['${datasource}']))
  expect(new Set(panels.map((panel: any) => panel.id)).size).toBe(panels.length)
})

test('docs/telemetry.md says of each alert what it means and what to do, and of no other', () => {
  const page = readFileSync(join(projectRoot, 'docs', 'telemetry.md'), 'utf8')
  const told = [...page.matchAll(/^\| `(Gate\w+)` \| .{10,} \| .{10,} \|$/gm)].map((match) => match[1])
  expect(told).toEqual(alerts().map(({ alert }) => alert))
})
