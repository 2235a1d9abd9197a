import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { superviseFaults } from './supervise.ts'
import { deriveSchedule } from './schedule/derive.ts'
import { type Step, lineOf } from './schedule/steps.ts'
import { impossibleHere } from './system/impossible.ts'

/**
 * Faults by a seed, under a load of agents, members and administrators; then everything heals, and a model says what must
 * hold. Exit code 1 where something does not.
 * @source docs/proof.md#faults
 */
const { values: given } = parseArgs({
  options: {
    seed: { type: 'string' },
    faults: { type: 'string', default: '100' },
    replay: { type: 'string' },
    until: { type: 'string' },
    plant: { type: 'string' },
    keep: { type: 'boolean', default: false },
  },
})
const say = (line: string) => void process.stdout.write(`${line}\n`)

interface Planned {
  seed: number
  faults: number
  steps: Step[]
}

const impossible = impossibleHere()
const plan = given.replay === undefined ? derived() : replayed(given.replay)
const steps = plan.steps.slice(0, given.until === undefined ? plan.steps.length : Number(given.until))
const folder = mkdtempSync(join(process.env['TEST_RUN_DIR'] ?? tmpdir(), 'gate-faults-'))
mkdirSync(folder, { recursive: true })
writeFileSync(join(folder, 'schedule.json'), JSON.stringify({ ...plan, plant: given.plant }))
say(
  `seed ${plan.seed}, ${plan.faults} faults, ${steps.length} steps${given.plant ? `, with the bug ${given.plant}` : ''}`,
)
for (const { step, why } of impossible) say(`not possible here: ${step}: ${why}`)

const { violations, summary } = await superviseFaults({
  seed: plan.seed,
  steps,
  folder,
  plant: given.plant,
  onStep: (step, n) => say(lineOf(step, n)),
  say,
})
for (const line of summary) say(line)
for (const { rule, what } of violations.slice(0, 50)) say(`VIOLATION ${rule}\n  ${what}`)
say(`${violations.length} violations`)
if (violations.length > 0 || given.keep)
  say(`kept in ${folder}; again: npm run test:faults -- --replay ${folder} [--until STEP]`)
else rmSync(folder, { recursive: true, force: true })
process.exit(violations.length > 0 ? 1 : 0)

function derived(): Planned {
  const seed = Number(given.seed ?? Date.now() % 2 ** 31)
  const faults = Number(given.faults)
  return { seed, faults, steps: deriveSchedule(seed, faults, new Set(impossible.map(({ step }) => step))) }
}

function replayed(from: string): Planned {
  return JSON.parse(readFileSync(join(from, 'schedule.json'), 'utf8')) as Planned
}
