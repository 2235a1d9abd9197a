import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client'
import { type MetricName, type MetricOfTable, metricTable } from './table.ts'

export type Labels = Record<string, string>

/** The values of the metrics of a process. */
export interface Register {
  add(name: MetricName, labels: Labels, by?: number): void
  observe(name: MetricName, labels: Labels, seconds: number): void
  set(name: MetricName, value: number, labels?: Labels): void
  /** The metric is absent from scrapes until it is set again. */
  forget(name: MetricName): void
  /** As a scrape shows them. */
  text(): Promise<string>
}

/** Label values come from closed lists. This only bounds what a mistake would cost. */
const seriesMax = 2_000

export function makeRegister(): Register {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const entries = Object.entries(metricTable as Record<string, MetricOfTable>)
  const made = new Map(entries.map(([name, metric]) => [name, makeMetric(registry, name, metric)]))
  const seen = new Map<string, Set<string>>()
  const hasRoom = (name: string, labels: Labels): boolean => {
    const known = seen.get(name) ?? new Set()
    seen.set(name, known)
    const series = Object.values(labels).join('\n')
    if (known.size >= seriesMax && !known.has(series)) return false
    known.add(series)
    return true
  }
  return {
    add(name, labels, by = 1) {
      if (hasRoom(name, labels)) (made.get(name) as Counter).inc(labels, by)
    },
    observe(name, labels, seconds) {
      if (hasRoom(name, labels)) (made.get(name) as Histogram).observe(labels, seconds)
    },
    set: (name, value, labels = {}) => (made.get(name) as Gauge).set(labels, value),
    forget: (name) => (made.get(name) as Gauge).remove(),
    text: () => registry.metrics(),
  }
}

function makeMetric(registry: Registry, name: string, { type, help, labels = {}, buckets }: MetricOfTable) {
  const shared = { name, help, labelNames: Object.keys(labels), registers: [registry] }
  if (type === 'counter') return new Counter(shared)
  if (type === 'gauge') return new Gauge(shared)
  return new Histogram({ ...shared, buckets: [...buckets!] })
}
