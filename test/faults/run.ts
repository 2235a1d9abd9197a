import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { deriveSchedule } from './schedule/derive.ts'
import { type Step, lineOf } from './schedule/steps.ts'
import { impossibleHere } from './system/impossible.ts'
import { endOnSignal } from './system/interrupted.ts'

/**
 * Faults by a seed, under a load of agents, members and administrators; then everything heals, and a model says what must
 * hold. Exit code 1 where something does not.
 * @source docs/attacks.md#faults
 */
const usage = `Usage: npm run test:faults -- [OPTION …]
  --seed N         the seed of the schedule; repeat it for several runs. Absent: one that is printed
  --faults N       faults of each seed, if --minutes is absent (100)
  --minutes N      minutes of all seeds together, in place of a number of faults
  --rest-every N   faults between two rests (50)
  --replay FOLDER  repeats the steps of a kept folder
  --until STEP     ends before this step
  --plant BUG      with a bug: see docs/attacks.md
  --keep           keeps the folder of a run without violations
  --help           prints this`

const options = {
  seed: { type: 'string', multiple: true },
  faults: { type: 'string' },
  /** The time of all seeds together, in place of a number of faults. */
  minutes: { type: 'string' },
  'rest-every': { type: 'string', default: '50' },
  replay: { type: 'string' },
  until: { type: 'string' },
  plant: { type: 'string' },
  keep: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
} as const

const say = (line: string) => void process.stdout.write(`${line}\n`)
const given = readOptions()

/** What `schedule.json` of a kept folder holds. */
interface Planned {
  seed: number
  plant?: string | undefined
  steps: Step[]
}

// Loads the whole program: only where there is something to run.
const { superviseFaults } = await import('./supervise.ts')
const impossible = impossibleHere()
for (const { step, why } of impossible) say(`not possible here: ${step}: ${why}`)
const seeds = given.seed?.map(Number) ?? [Date.now() % 2 ** 31]
const minutes = given.minutes === undefined ? undefined : Number(given.minutes)
const plans = given.replay === undefined ? seeds.map(derived) : [replayed(given.replay)]
let found = 0
for (const plan of plans) found += await runPlan(plan)
process.exit(found > 0 ? 1 : 0)

/** Ends the process after `--help`, and with 2 where the command line is wrong. */
function readOptions() {
  try {
    const { values } = parseArgs({ options })
    const wrong = (['faults', 'minutes', 'rest-every', 'until'] as const).find((name) =>
      Number.isNaN(Number(values[name] ?? 0)),
    )
    if (wrong !== undefined) throw new TypeError(`--${wrong} must be a number`)
    if (values.seed?.some((seed) => !/^\d+$/.test(seed))) throw new TypeError('--seed must be a whole number')
    if (!values.help) return values
    say(usage)
    process.exit(0)
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n\n${usage}\n`)
    process.exit(2)
  }
}

function derived(seed: number): Planned {
  const faults = Number(given.faults ?? (minutes === undefined ? 100 : minutes * 200))
  const never = new Set(impossible.map(({ step }) => step))
  const restEvery = Number(given['rest-every'])
  return {
    seed,
    plant: given.plant,
    steps: deriveSchedule({ seed, faults, restEvery, impossible: never }),
  }
}

function replayed(folder: string): Planned {
  return JSON.parse(readFileSync(join(folder, 'schedule.json'), 'utf8')) as Planned
}

/** @returns the number of violations */
async function runPlan({ seed, plant, steps: all }: Planned): Promise<number> {
  const steps = given.until === undefined ? all : all.slice(0, Number(given.until))
  const folder = mkdtempSync(join(process.env['TEST_RUN_DIR'] ?? tmpdir(), 'gate-faults-'))
  writeFileSync(join(folder, 'schedule.json'), JSON.stringify({ seed, plant, steps } satisfies Planned))
  say(`seed ${seed}, ${steps.length} steps${plant === undefined ? '' : `, with the bug ${plant}`}`)
  const unwatch = endOnSignal(folder)
  const { violations, summary } = await superviseFaults({
    seed,
    steps,
    folder,
    plant,
    lastsMs: minutes === undefined ? undefined : (minutes * 60_000) / plans.length,
    onStep: (step, n) => say(lineOf(step, n)),
  })
  unwatch()
  for (const line of summary) say(line)
  for (const { rule, what } of violations.slice(0, 50)) say(`VIOLATION: ${rule}\n  ${what}`)
  say(`seed ${seed}: ${violations.length} violations`)
  if (violations.length === 0 && !given.keep) rmSync(folder, { recursive: true, force: true })
  else say(`kept: ${folder}. Again: npm run test:faults -- --replay ${folder} [--until STEP]`)
  return violations.length
}
