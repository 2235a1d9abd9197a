/**
 * Asks whether previews can run a command here and starts one, with too few descriptors left for the pipes of a process.
 * Prints how both went. Usage: prlimit --nofile=256 -- node --import …/run-ts.js starved.ts
 */
import { closeSync, mkdirSync, openSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { pino } from 'pino'
import { commandDriver } from '../../../src/previews/command/driver.ts'
import { freshWorkspace } from '../../support/workspace-tree.ts'

const descriptorsLeft = 8

const tree = await freshWorkspace()
tree.write({ 'server.js': '' })
const folder = join(tree.outside, 'preview')
mkdirSync(folder)
const driver = commandDriver({ memoryMiB: 512, cpuSeconds: 600, keptFrom: [] })
const spec = { previewId: 'prev_test', files: tree.open('built'), folder, log: pino({ level: 'silent' }) }

const taken = takeAll()
for (const descriptor of taken.slice(-descriptorsLeft)) closeSync(descriptor)
const probed = await driver.probe()
const started = await driver.start(spec, AbortSignal.timeout(20_000)).then(
  () => 'yes',
  (error: Error) => error.message,
)
const left = readdirSync(folder)
tree.remove()
process.stdout.write(JSON.stringify({ probed, started, left }))

function takeAll(): number[] {
  const all: number[] = []
  try {
    for (;;) all.push(openSync('/dev/null', 'r'))
  } catch {
    return all
  }
}
