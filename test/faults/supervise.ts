import { builtProgram } from '../support/program.ts'
import { runFolder, until } from '../support/supervisor.ts'
import { watchIntents } from './model/intents.ts'
import { coverageOf, judge, judgeByCommand } from './model/judge.ts'
import { judgeLevels, judgeLogs, levelsOf, linesOfLevels } from './model/levels.ts'
import { type Violation, court } from './model/record.ts'
import { plantInDatabase, plantInProgram, plantOf } from './plants/plants.ts'
import { type Nemesis, makeNemesis } from './nemesis/apply.ts'
import { startReconcilers } from './nemesis/reconcilers.ts'
import { type Step, faultNames, processes } from './schedule/steps.ts'
import { keepLogs } from './system/logs.ts'
import { processesOf } from './system/processes.ts'
import { type System, startSystem } from './system/system.ts'
import { type Journal, openJournal } from './workload/journal.ts'
import { readAll } from './workload/read-all.ts'
import { type Load, startLoad } from './workload/load.ts'

export interface Run {
  seed: number
  steps: readonly Step[]
  /** Keeps the log of the model and, of a failure, those of the processes. */
  folder: string
  plant?: string | undefined
  /** After that long no further step is taken. */
  lastsMs?: number | undefined
  onStep?: (step: Step, n: number) => void
}

export interface Verdict {
  violations: Violation[]
  /** That were done before it ended. */
  faults: number
  summary: string[]
}

/** After everything has healed: how long every claim may take to end. */
const progressMs = 240_000

/** Runs a schedule against the whole service, heals it, and judges what is left. */
export async function superviseFaults(run: Run): Promise<Verdict> {
  const journal = openJournal(run.folder)
  const plant = run.plant === undefined ? undefined : plantOf(run.plant)
  const system = await startSystem({
    folder: run.folder,
    program: plant && plantInProgram(plant, await builtProgram(runFolder()), run.folder),
    prepare: plant && ((sql) => plantInDatabase(plant, sql)),
  })
  let verdict: Verdict
  try {
    verdict = await supervise(run, system, journal)
  } finally {
    keepLogs(system.service.dataDir, run.folder)
    await system.stop()
  }
  const left = processesOf(system.service.dataDir)
  for (const { pid, command } of left)
    verdict.violations.push({ rule: 'no process is left', what: `${pid} ${command}` })
  return verdict
}

async function supervise(run: Run, system: System, journal: Journal): Promise<Verdict> {
  const nemesis = makeNemesis(system, journal.log)
  const before = levelsOf(system)
  const unwatch = watchIntents(system, journal)
  const load = await startLoad(system, journal, run.seed)
  const begin = Date.now()
  let { violations, demand } = court()
  let faults = 0
  for (const [index, step] of run.steps.entries()) {
    if (Date.now() - begin > (run.lastsMs ?? Infinity)) break
    run.onStep?.(step, index + 1)
    journal.log({ step: index + 1, ...step })
    await nemesis.apply(step)
    if (faultNames.has(step.do)) faults++
    for (const name of await nemesis.endedByThemselves()) {
      journal.odd('no part ends by itself', `${name} after step ${index + 1}`)
      await nemesis.healAll()
    }
    if (step.do !== 'quiesce') continue
    await comeToRest(system, { journal, nemesis }, load)
    await judge(system, journal, demand)
    // A violation stays in the tables: the final judgement finds it again.
    if (violations.length + journal.oddities.length > 0) break
    load.pace.release()
  }
  await nemesis.healAll()
  await comeToRest(system, { journal, nemesis }, load)
  await load.pace.stop()
  await unwatch()
  await readAll(system, load.scenes, journal)
  ;({ violations, demand } = court())
  const stored = await judge(system, journal, demand)
  await judgeByCommand(system, load.scenes, demand)
  const after = levelsOf(system)
  judgeLevels(before, after, demand)
  judgeLogs(system.service.dataDir, demand)
  const seconds = Math.round((Date.now() - begin) / 1_000)
  return {
    violations: [...journal.oddities, ...violations],
    faults,
    summary: [
      coverageOf(stored),
      linesOfLevels(before, after),
      `${faults} faults in ${seconds} s; ${countsOf(journal)}`,
    ],
  }
}

const countsOf = ({
  answered,
  intents,
  decisions,
  checks,
  changes,
  tools,
  claims,
  passed,
  mandates,
  mandateChanges,
}: Journal) =>
  `${answered} answers: ${intents.length} proposals, ${decisions.length} decisions, ${checks.length} checks, ${changes.length} changes by administrators, ${tools.length} calls of a runner, ${passed.length} calls passed on, ${claims.length} claims, ${mandates.length} mandates, ${mandateChanges.length} changes of mandates`

/** Holds the load and waits until every claim has ended: what a healed system owes. */
async function comeToRest(
  system: System,
  { journal, nemesis }: { journal: Journal; nemesis: Nemesis },
  { pace }: Load,
): Promise<void> {
  await pace.hold()
  const begin = Date.now()
  let passes = 0
  const isAtRest = async () => {
    // The schedule starts reconcilers every minute.
    if (Date.now() - begin > (passes + 1) * reconcileEveryMs) {
      passes++
      void startReconcilers(system).catch(() => undefined)
    }
    const running = await claimsRunning(system)
    return running !== undefined && running.length === 0
  }
  try {
    await until('every part is ready', progressMs, async () => {
      for (const name of await nemesis.endedByThemselves()) journal.odd('no part ends by itself', name)
      return areReady(system)
    })
    const ms = await until('every claim has ended', progressMs, isAtRest)
    journal.log({ rested: ms })
  } catch {
    const running = await claimsRunning(system)
    journal.odd('healed, every part is ready and every claim ends within the bound', JSON.stringify(running))
  }
}

async function areReady({ service }: System): Promise<boolean> {
  const answers = await Promise.all(
    processes.map((name) => fetch(`${service.urlOf(name)}/readyz`).catch(() => undefined)),
  )
  const isDatabaseUp = await service.sql('select 1').catch(() => undefined)
  return isDatabaseUp !== undefined && answers.every((answer) => answer?.status === 200)
}

const reconcileEveryMs = 15_000

const claimsRunning = ({ service }: System) =>
  service
    .sql(
      `select account_id, id::int, kind, uuid from gate.action where status = 'proposed' and decision = 'confirm'`,
    )
    .catch(() => undefined)
