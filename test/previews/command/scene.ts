import { describe, expect } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { pino } from 'pino'
import { commandOf, identify, isRunning } from '../../../src/process/system-process.ts'
import { type CommandOptions, commandDriver } from '../../../src/previews/command/driver.ts'
import type { PreviewTarget, RunningPreview } from '../../../src/previews/driver.ts'
import type { WorkspaceStore } from '../../../src/workspaces/store.ts'
import { freshWorkspace } from '../../support/workspace-tree.ts'

const available = await commandDriver({ memoryMiB: 512, cpuSeconds: 600, keptFrom: [] }).probe()

if (!available.isAvailable) console.warn(`Previews cannot run a command here: ${available.reason}.`)

/** `describe` for what needs bubblewrap. Where it cannot run, such tests fail in CI and are left out elsewhere. */
export const describeBehindWalls = available.isAvailable || process.env['CI'] ? describe : describe.skip

export interface Scene {
  /** The folder given to the preview. */
  folder: string
  /** A word that stands in the command line of the app. */
  marker: string
  path(name: string): string
  write(files: Record<string, string>): void
  start(files: Record<string, string>, how?: How): Promise<Preview>
  /** Pids of all that still runs of the previews that were started. */
  left(): number[]
  /** Stops everything, and fails where something is left. */
  end(): Promise<void>
}

interface How extends Partial<CommandOptions> {
  signal?: AbortSignal
  /** Happens once the files were copied. */
  afterCopy?: () => void
}

interface Asked {
  method?: string
  body?: string
  /** Called with each part of the answer. */
  onPart?: (part: string) => void
}

export interface Preview extends RunningPreview {
  socketPath: string
  /** Asks the app; rejects where it gives no whole answer. */
  get(path?: string, options?: Asked): Promise<{ status: number; body: string }>
  /** Runs code in the app, as the body of an async function; what it returns, or `error` where it throws. */
  within<T = unknown>(code: string): Promise<T>
}

/** A workspace with a preview of it. */
export async function scene({ folderName = 'preview' } = {}): Promise<Scene> {
  if (!available.isAvailable) throw new Error(`Previews cannot run a command here: ${available.reason}.`)
  const tree = await freshWorkspace()
  const folder = join(tree.outside, folderName)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const marker = `marker-${randomUUID()}`
  const started: RunningPreview[] = []
  const left = () => runningPids().filter((pid) => commandOf(pid).includes(marker))
  return {
    folder,
    marker,
    path: tree.path,
    write: tree.write,
    left,
    async start(
      files,
      { signal = AbortSignal.timeout(20_000), memoryMiB = 512, cpuSeconds = 600, afterCopy = () => {} } = {},
    ) {
      tree.write(files)
      if (!('package.json' in files)) {
        const scripts = { start: `node server.js ${marker}` }
        writeFileSync(tree.path('package.json'), JSON.stringify({ scripts }))
      }
      const driver = commandDriver({ memoryMiB, cpuSeconds, keptFrom: [] })
      const spec = {
        previewId: 'prev_test',
        files: thenDoing(afterCopy, tree.open('built')),
        folder,
        log: pino({ level: 'silent' }),
      }
      const running = await driver.start(spec, signal)
      started.push(running)
      const { socketPath } = running.target as Extract<PreviewTarget, { kind: 'unix' }>
      const get: Preview['get'] = (path = '/', options = {}) => ask(socketPath, path, options)
      const within = async <T>(code: string) => {
        const { body } = await get('/run', { method: 'POST', body: code })
        return JSON.parse(body) as T
      }
      return { ...running, socketPath, get, within }
    },
    async end() {
      const tree_ = started.length === 0 ? [] : behindWalls().map(identify)
      for (const running of started) await running.stop()
      expect(left()).toEqual([])
      expect(tree_.filter((one) => one && isRunning(one))).toEqual([])
      expect(existsSync(folder) ? readdirSync(folder) : []).toEqual([])
      tree.remove()
    },
  }
}

const thenDoing = (afterCopy: () => void, files: WorkspaceStore): WorkspaceStore => ({
  ...files,
  async materialize(folder) {
    const copied = await files.materialize(folder)
    afterCopy()
    return copied
  },
})

/** An app that runs what it is sent. */
export const willing = `
const { createServer } = require('node:http')
createServer(async (asked, answer) => {
  let body = ''
  for await (const part of asked) body += part
  if (asked.url !== '/run') return answer.end('hello')
  const run = Object.getPrototypeOf(async () => {}).constructor
  try {
    const value = await new run('require', body)(require)
    answer.end(JSON.stringify(value === undefined ? null : value))
  } catch (error) {
    answer.end(JSON.stringify({ error: error.code || String(error) }))
  }
}).listen(process.env.PORT, process.env.HOST)
process.on('uncaughtException', (error) => console.error(error))
`

function ask(
  socketPath: string,
  path: string,
  { method = 'GET', body, onPart = () => {} }: Asked,
): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const asked = request({ socketPath, path, method, agent: false }, (answer) => {
      let text = ''
      answer.setEncoding('utf8').on('data', (part: string) => {
        text += part
        onPart(part)
      })
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, body: text }))
      answer.on('error', reject)
    })
    asked.on('error', reject)
    asked.end(body)
  })
}

const runningPids = () =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)

/** Every wall below this process, and what is below it. The servers of the tests may be below this process too. */
function behindWalls(): number[] {
  const parents = new Map(runningPids().map((pid) => [pid, parentOf(pid)]))
  const isBehind = (pid: number): boolean => {
    const parent = parents.get(pid)
    if (parent === undefined) return false
    return parent === process.pid ? commandOf(pid).includes('bwrap') : isBehind(parent)
  }
  return [...parents.keys()].filter(isBehind)
}

function parentOf(pid: number): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])
  } catch {
    return undefined
  }
}
