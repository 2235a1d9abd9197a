import { beforeAll, expect, test } from '@jest/globals'
import { testRows } from '../support/rows.ts'
import { partsOf, queries } from './queries.ts'
import { type Scraped, scrapedServices } from './scenario.ts'
import { samplesOf, valueOf } from './scrape.ts'

let scraped: Scraped
/** The labels of each metric, with their values. */
const shown = new Map<string, Map<string, Set<string>>>()
beforeAll(async () => {
  scraped = await scrapedServices()
  for (const { name, labels } of Object.values(scraped.texts).flatMap(samplesOf)) {
    const known = shown.get(name) ?? new Map<string, Set<string>>()
    shown.set(name, known)
    for (const [label, value] of Object.entries(labels))
      known.set(label, (known.get(label) ?? new Set()).add(value))
  }
}, 120_000)

testRows(queries())(
  'a query finds its metrics and labels in a scrape of the running service',
  ({ text, shown: told }) => {
    const { selectors, kept } = partsOf(text)
    expect(selectors.map(({ metric }) => metric).filter((metric) => !shown.has(metric))).toEqual([])
    const has = (label: string) =>
      ['instance', 'job'].includes(label) || selectors.some(({ metric }) => shown.get(metric)!.has(label))
    const read = selectors.flatMap(({ labels }) => labels.map(({ name }) => name))
    expect([...read, ...kept, ...told].filter((label) => !has(label))).toEqual([])
  },
)

test('each process says what it is, the worker seals nothing where the sealer does, and Temporal says its own', () => {
  const { api, worker, sealer } = scraped.texts
  for (const [name, text] of Object.entries(scraped.texts))
    expect(valueOf(text, 'gate_build_info', { process: name })).toBe(1)
  expect(valueOf(sealer, 'gate_seal_passes_total', { state: 'sealed' })).toBeGreaterThan(0)
  expect(worker).not.toContain('gate_seal_passes_total{')
  expect(valueOf(worker, 'temporal_worker_task_slots_available')).toBeGreaterThan(0)
  expect(api).not.toContain('temporal_')
  expect(`${api}${worker}${sealer}`).not.toMatch(/acct_|ada@|customer_deletion|noon/)
})
