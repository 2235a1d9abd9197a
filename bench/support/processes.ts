import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, existsSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { projectRoot } from '../../src/process/root.ts'
import { processorMs } from './processor-time.ts'

/** A started process, with its output in a file. */
export interface Started {
  pid: number
  child: ChildProcess
  /** @throws Error with the end of its output if it has ended unexpectedly */
  assertRunning(): void
  stop(): Promise<void>
}

const stopMs = 15_000

/** Takes the types out of programs of the benchmark when they are loaded; what runs is the same afterwards. */
const loader = new URL('../../test/support/run-ts.js', import.meta.url).href

/** Starts a Node program with exactly this environment, and a message channel if requested. */
export function startNode(options: {
  program: string
  args?: string[]
  nodeArgs?: string[]
  env: Record<string, string>
  logFile: string
}): Started {
  const output = openSync(options.logFile, 'a')
  const child = spawn(
    process.execPath,
    [
      ...(options.program.endsWith('.ts') ? ['--import', loader] : []),
      ...(options.nodeArgs ?? []),
      options.program,
      ...(options.args ?? []),
    ],
    {
      env: { PATH: process.env['PATH'], ...options.env },
      stdio: ['ignore', output, output, 'ipc'],
    },
  )
  closeSync(output)
  const ended = once(child, 'exit')
  return {
    pid: child.pid!,
    child,
    assertRunning() {
      if (child.exitCode === null && child.signalCode === null) return
      const lines = readFileSync(options.logFile, 'utf8').trim().split('\n')
      throw new Error(`${options.program} ended unexpectedly:\n${lines.slice(-8).join('\n')}`)
    },
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return
      child.kill('SIGTERM')
      const late = setTimeout(() => child.kill('SIGKILL'), stopMs)
      await ended
      clearTimeout(late)
    },
  }
}

const readyMs = 60_000

/** Waits until an address answers with 200. */
export async function untilAnswering(url: string, started: Started): Promise<void> {
  const until = Date.now() + readyMs
  for (;;) {
    started.assertRunning()
    const isUp = await fetch(url).then(
      (answer) => answer.status === 200,
      () => false,
    )
    if (isUp) return
    if (Date.now() > until) throw new Error(`${url} does not answer 200 after ${readyMs / 1_000} s`)
    await sleep(50)
  }
}

const quietWindowMs = 250
const quietShare = 0.12

/**
 * Waits until these processes use almost no CPU, so that work of one slice does not slow down the next. Without /proc it
 * waits two seconds.
 * @throws Error if they are still busy after `boundMs`
 */
export async function untilQuiet(pids: number[], boundMs = 60_000): Promise<void> {
  if (!existsSync('/proc/self/stat')) return void (await sleep(2_000))
  const until = performance.now() + boundMs
  for (;;) {
    const [before, from] = [processorMs(pids), performance.now()]
    await sleep(quietWindowMs)
    if ((processorMs(pids) - before) / (performance.now() - from) < quietShare) return
    if (performance.now() > until) throw new Error(`processes still busy after ${boundMs / 1_000} s`)
  }
}

/** Records the largest resident memory of processes, in MB. */
export function watchMemory<Name extends string>(
  pids: Record<Name, () => number>,
): {
  maxMb(): Record<Name, number>
  stop(): void
} {
  const names = Object.keys(pids) as Name[]
  const maxMb = Object.fromEntries(names.map((name) => [name, 0])) as Record<Name, number>
  const look = () => {
    for (const name of names) maxMb[name] = Math.max(maxMb[name], residentMb(pids[name]()))
  }
  const timer = setInterval(look, 500)
  return {
    maxMb() {
      look()
      return { ...maxMb }
    },
    stop: () => clearInterval(timer),
  }
}

/** The memory of a process in MB; 0 if it does not exist. */
export function residentMb(pid: number): number {
  try {
    if (existsSync('/proc/self/status')) {
      const status = readFileSync(`/proc/${pid}/status`, 'utf8')
      return Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? 0) / 1_024
    }
    return Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' })) / 1_024
  } catch {
    // A process does not exist while it restarts.
    return 0
  }
}

/** A process of the gate, as `npm run build` compiled it. */
export const gateProgram = (name: 'api' | 'worker') => join(projectRoot, `dist/src/${name}.js`)

/** Node's flags in `npm run api` and `npm run worker`. */
export function nodeFlags(process: 'api' | 'worker'): string[] {
  const { scripts } = JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8')) as {
    scripts: Record<typeof process, string>
  }
  return scripts[process].split(' ').slice(1, -1)
}
