import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { deriveSchedule } from '../schedule/derive.ts'
import type { Step } from '../schedule/steps.ts'
import { impossibleHere } from '../system/impossible.ts'
import { endOnSignal } from '../system/interrupted.ts'
import { type PlantName, plants } from './plants.ts'

/** Plants each bug into a run of its own: the model must find it within so many faults. Exit code 1 where it does not. */
const usage = `Usage: npm run test:faults:plants -- [BUG …]
  Without a bug, all of them: ${Object.keys(plants).join(', ')}`

const faultsMax = 300
/** Before any fault: of what several people must do, more comes about then. */
const calm: Step[] = Array.from({ length: 20 }, () => ({ do: 'sleep', ms: 2_000 }))
const seed = Number(process.env['SEED'] ?? 1)
const given = process.argv.slice(2)
const names = given.length > 0 ? given : Object.keys(plants)
const say = (line: string) => void process.stdout.write(`${line}\n`)

const noBug = given.find((name) => !Object.hasOwn(plants, name))
if (noBug === '--help' || noBug === '-h') {
  say(usage)
  process.exit(0)
}
if (noBug !== undefined) {
  process.stderr.write(`There is no bug ${noBug}.\n\n${usage}\n`)
  process.exit(2)
}

// Loads the whole program: only where there is something to run.
const { superviseFaults } = await import('../supervise.ts')
const impossible = new Set(impossibleHere().map(({ step }) => step))
let missed = 0
for (const name of names as PlantName[]) {
  const folder = mkdtempSync(join(process.env['TEST_RUN_DIR'] ?? tmpdir(), 'gate-faults-'))
  const faults = deriveSchedule({ seed, faults: faultsMax, restEvery: 15, impossible })
  const steps: Step[] = [...calm, { do: 'quiesce' }, ...faults]
  const unwatch = endOnSignal(folder)
  const { violations, faults: done } = await superviseFaults({ seed, steps, folder, plant: name })
  unwatch()
  const [first] = violations
  if (!first) missed++
  say(first ? `${name}: found after ${done} faults: ${first.rule}` : `${name}: NOT FOUND in ${done} faults`)
  // Beside the bug, it may be something else that was found.
  if (first) say(`  ${first.what.slice(0, 500)}`)
  rmSync(folder, { recursive: true, force: true })
}
process.exit(missed > 0 ? 1 : 0)
