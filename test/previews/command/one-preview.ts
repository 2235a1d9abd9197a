/** Starts a preview of a folder and waits, until it is killed. Usage: node --import …/run-ts.js one-preview.ts <workspace> <folder> */
import { basename, dirname, resolve } from 'node:path'
import { pino } from 'pino'
import { commandDriver } from '../../../src/previews/command/driver.ts'
import { localWorkspaces } from '../../../src/workspaces/local-workspaces.ts'

const [, , workspace = '', folder = ''] = process.argv
const place = resolve(workspace)
const files = localWorkspaces(dirname(dirname(place))).open(
  { account: basename(dirname(place)), conversationId: basename(place) },
  'built',
)
const driver = commandDriver({ memoryMiB: 512, cpuSeconds: 600, keptFrom: [] })
const spec = { previewId: 'prev_test', files, folder, log: pino({ level: 'silent' }) }
await driver.start(spec, AbortSignal.timeout(20_000))
process.stdout.write('running\n')
setInterval(() => {}, 60_000)
