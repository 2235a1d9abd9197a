import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from '../src/process/root.ts'
import { type Finding, type Machine, type Report, keyOf } from './report.ts'

/** Findings of an earlier run, committed with the code that they were measured on. */
export interface Figures {
  machine: Machine
  findings: KeptFinding[]
}

/** With the day on which it was measured, and the machine if it is not that of the file. */
export type KeptFinding = Finding & { measured?: string; machine?: string }

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

/**
 * The figures to keep: those of this run, and of earlier ones what was not measured again, with the machine they were measured on.
 * Pure.
 * @param cases  the order of the cases
 */
export function mergedFigures(
  former: Figures | undefined,
  { machine, findings }: Report,
  { today, cases }: { today: string; cases: string[] },
): Figures {
  const measured = findings.map((finding) => kept(finding, today))
  const place = ({ of }: Finding) => (of === undefined ? cases.length : cases.indexOf(of))
  if (!former) return { machine, findings: measured }
  const again = byKey(measured)
  const known = byKey(former.findings)
  return {
    machine,
    findings: [
      ...former.findings.map(
        (finding) => again.get(keyOf(finding)) ?? keptBeside(finding, former.machine, machine),
      ),
      ...measured.filter((finding) => !known.has(keyOf(finding))),
    ].toSorted((one, other) => place(one) - place(other)),
  }
}

/** An earlier finding in a file of this machine. */
function keptBeside(finding: KeptFinding, former: Machine, now: Machine): KeptFinding {
  const { machine = nameOf(former), ...rest } = finding
  return machine === nameOf(now) ? rest : { ...rest, machine }
}

const nameOf = ({ cores, processor }: Machine): string => `${cores} × ${processor}`

/** Whether two sets of figures can be compared by more than their ratios. Pure. */
export const isSameMachine = (one: Machine, other: Machine): boolean =>
  ['cores', 'processor', 'memory_gb'].every((name) => one[name] === other[name])

/** Without what only one run needs, to four digits. */
function kept(
  { case: name, of, clients, unit, ours, bare, ratio, range, runs, target }: Finding,
  measured: string,
): KeptFinding {
  const digits = <T extends number | null>(value: T) =>
    value === null ? value : (Number(value.toPrecision(4)) as T)
  return {
    case: name,
    ...(of === undefined ? {} : { of }),
    clients,
    unit,
    ours: digits(ours),
    bare: digits(bare),
    ratio: digits(ratio),
    ...(range ? { range: { low: digits(range.low), high: digits(range.high) }, runs } : {}),
    ...(target ? { target } : {}),
    measured,
  }
}
