import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, rmSync, symlinkSync } from 'node:fs'
import { basename, join } from 'node:path'
import { projectRoot } from '../../src/process/root.ts'
import type { Services } from '../support/services.ts'
import { type BenchCase, byFigure, repeated } from './case.ts'

const ready = 'Press Ctrl-C to stop everything'
const readyMs = 120_000
/** What a fresh clone does not have. */
const notCloned = new Set(['.git', 'node_modules', 'dist', 'build', '.data', 'coverage', '.env'])

/**
 * `npm start`, from the command to the banner. Warm: the program is built, the data are those of an earlier start. Cold: the first
 * command after `npm ci` in a fresh clone, so it compiles and bundles the program, creates the database and the demo account.
 */
export const start: BenchCase = {
  name: 'start',
  isOnRequest: true,
  repeats: 3,
  async run(services, { repeats }) {
    const warm = { folder: projectRoot, dataDir: join(services.folder, 'start-warm') }
    await secondsToReady(services, warm)
    return repeated(repeats, async (n) => {
      const warmS = await secondsToReady(services, warm)
      const folder = freshClone(join(services.folder, `clone-${n}`))
      const coldS = await secondsToReady(services, { folder, dataDir: join(folder, '.data') })
      rmSync(folder, { recursive: true })
      return [
        byFigure('npm start to ready, warm', [warmS, 's'], { atMost: 3 }),
        byFigure('npm start to ready, nothing built and no data', [coldS, 's'], { atMost: 8 }),
      ]
    })
  },
}

/** A copy of this folder as a clone has it, with the packages of this one. */
function freshClone(folder: string): string {
  cpSync(projectRoot, folder, { recursive: true, filter: (source) => !notCloned.has(basename(source)) })
  symlinkSync(join(projectRoot, 'node_modules'), join(folder, 'node_modules'))
  return folder
}

/** Starts the service, and stops it again. @throws Error with its output if it does not start, or does not stop whole */
async function secondsToReady(
  services: Services,
  { folder, dataDir }: { folder: string; dataDir: string },
): Promise<number> {
  await services.quiet()
  const startedAt = performance.now()
  const child = spawn('npm', ['start'], {
    cwd: folder,
    env: {
      PATH: process.env['PATH'],
      HOME: process.env['HOME'],
      PORT: '0',
      PREVIEW_PORT: '0',
      DATA_DIR: dataDir,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    // A group of its own gets Ctrl-C as a terminal sends it: npm and what it runs.
    detached: true,
  })
  const closed = once(child, 'close')
  const stop = async () => {
    if (child.exitCode === null && child.signalCode === null) process.kill(-child.pid!, 'SIGINT')
    await closed
  }
  services.onStop(stop)
  let output = ''
  const readyAt = new Promise<number>((resolve) => {
    const read = (bytes: Buffer) => {
      output += bytes.toString()
      if (output.includes(ready)) resolve(performance.now())
    }
    child.stdout.on('data', read)
    child.stderr.on('data', read)
  })
  const late = setTimeout(() => void stop(), readyMs)
  const endedAt = await Promise.race([readyAt, closed.then(() => undefined)])
  clearTimeout(late)
  await stop()
  if (endedAt === undefined) throw new Error(`npm start did not become ready:\n${output.slice(-2_000)}`)
  if (existsSync(join(dataDir, 'run.json')))
    throw new Error(`npm start did not stop:\n${output.slice(-2_000)}`)
  return (endedAt - startedAt) / 1_000
}
