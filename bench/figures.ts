import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from '../src/root.ts'
import { type Finding, type Machine, type Report, keyOf } from './report.ts'

/** Findings of an earlier run, committed with the code that they were measured on. */
export interface Figures {
  machine: Machine
  findings: Finding[]
}

export const figuresFile = join(projectRoot, 'bench', 'figures.json')

/** Undefined where the file does not exist. */
export function readFigures(file: string): Figures | undefined {
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Figures) : undefined
}

export function writeFigures(file: string, figures: Figures): void {
  writeFileSync(file, `${JSON.stringify(figures, null, 2)}\n`)
}

export const byKey = (findings: Finding[]): Map<string, Finding> =>
  new Map(findings.map((finding) => [keyOf(finding), finding]))

/** The figures to keep: those of this run, and of earlier ones what was not measured again on the same machine. Pure. */
export function mergedFigures(former: Figures | undefined, { machine, findings }: Report): Figures {
  const measured = findings.map(kept)
  if (!former || !isSameMachine(former.machine, machine)) return { machine, findings: measured }
  const again = byKey(measured)
  const known = byKey(former.findings)
  return {
    machine,
    findings: [
      ...former.findings.map((finding) => again.get(keyOf(finding)) ?? finding),
      ...measured.filter((finding) => !known.has(keyOf(finding))),
    ],
  }
}

/** Whether two sets of figures can be compared by more than their ratios. Pure. */
export const isSameMachine = (one: Machine, other: Machine): boolean =>
  ['cores', 'processor', 'memory_gb'].every((name) => one[name] === other[name])

/** Without what only one run needs, to four digits. */
function kept({ case: name, clients, unit, ours, bare, ratio, range, target }: Finding): Finding {
  const digits = <T extends number | null>(value: T) =>
    value === null ? value : (Number(value.toPrecision(4)) as T)
  return {
    case: name,
    clients,
    unit,
    ours: digits(ours),
    bare: digits(bare),
    ratio: digits(ratio),
    ...(range ? { range: { low: digits(range.low), high: digits(range.high) } } : {}),
    ...(target ? { target } : {}),
  }
}
