import { until } from '../support/supervisor.ts'
import { judge } from './model/judge.ts'
import type { Violation } from './model/record.ts'
import { makeNemesis } from './nemesis/apply.ts'
import { startReconcilers } from './nemesis/reconcilers.ts'
import { type Step, faultNames } from './schedule/steps.ts'
import { processesOf } from './system/processes.ts'
import { type System, startSystem } from './system/system.ts'
import { type Journal, openJournal } from './workload/journal.ts'
import { type Load, startLoad } from './workload/load.ts'

export interface Run {
  seed: number
  steps: readonly Step[]
  /** Keeps the log of the model and, of a failure, those of the processes. */
  folder: string
  plant?: string | undefined
  onStep?: (step: Step, n: number) => void
  say: (line: string) => void
}

export interface Verdict {
  violations: Violation[]
  summary: string[]
}

/** After everything has healed: how long every claim may take to end. */
const progressMs = 240_000

/** Runs a schedule against the whole service, heals it, and judges what is left. */
export async function superviseFaults(run: Run): Promise<Verdict> {
  const journal = openJournal(run.folder)
  const system = await startSystem({ folder: run.folder })
  let verdict: Verdict
  try {
    verdict = await supervise(run, system, journal)
  } finally {
    await system.stop()
  }
  const left = processesOf(system.service.dataDir)
  for (const { pid, command } of left)
    verdict.violations.push({ rule: 'no process is left', what: `${pid} ${command}` })
  return verdict
}

async function supervise(run: Run, system: System, journal: Journal): Promise<Verdict> {
  const nemesis = makeNemesis(system, journal.log)
  const load = await startLoad(system, journal, run.seed)
  const begin = Date.now()
  for (const [index, step] of run.steps.entries()) {
    run.onStep?.(step, index + 1)
    journal.log({ step: index + 1, ...step })
    await nemesis.apply(step)
    if (step.do === 'quiesce') {
      await comeToRest(system, journal, load)
      load.pace.release()
    }
    for (const name of nemesis.endedByThemselves()) {
      journal.odd('no part ends by itself', `${name} after step ${index + 1}: ${logOf(system, name)}`)
      await nemesis.healAll()
    }
  }
  await nemesis.healAll()
  await comeToRest(system, journal, load)
  await load.pace.stop()
  const faults = run.steps.filter(({ do: name }) => faultNames.has(name)).length
  const { intents, decisions, changes, tools } = journal
  const violations = await judge(system, journal)
  return {
    violations,
    summary: [
      `${faults} faults in ${Math.round((Date.now() - begin) / 1_000)} s; ${journal.answered} answers: ${intents.length} proposals, ${decisions.length} decisions, ${changes.length} changes by administrators, ${tools.length} tool calls`,
    ],
  }
}

/** Holds the load and waits until every claim has ended: what a healed system owes. */
async function comeToRest(system: System, journal: Journal, { pace }: Load): Promise<void> {
  await pace.hold()
  const begin = Date.now()
  let passes = 0
  const isAtRest = async () => {
    // As its schedule does every minute.
    if (Date.now() - begin > (passes + 1) * reconcileEveryMs) {
      passes++
      void startReconcilers(system)
    }
    const running = await claimsRunning(system)
    return running !== undefined && running.length === 0
  }
  try {
    const ms = await until('every claim has ended', progressMs, isAtRest)
    journal.log({ rested: ms })
  } catch {
    const running = await claimsRunning(system)
    journal.odd('everything healed, every claim ends within the bound', JSON.stringify(running))
  }
}

const reconcileEveryMs = 15_000

const claimsRunning = ({ service }: System) =>
  service
    .sql(
      `select account_id, id::int, kind, uuid from gate.action where status = 'proposed' and decision = 'confirm'`,
    )
    .catch(() => undefined)

const logOf = ({ service }: System, name: string) =>
  name === 'postgres' || name === 'temporal' ? 'see its log' : service.logOf(name as never)
