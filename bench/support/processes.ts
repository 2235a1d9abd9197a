import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, existsSync, openSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

/** A started process, with its output in a file. */
export interface Started {
  pid: number
  child: ChildProcess
  /** @throws Error with the end of its output if it has ended unexpectedly */
  assertRunning(): void
  stop(): Promise<void>
}

const stopMs = 15_000

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
    [...(options.nodeArgs ?? []), options.program, ...(options.args ?? [])],
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
    const [before, from] = [cpuMs(pids), performance.now()]
    await sleep(quietWindowMs)
    if ((cpuMs(pids) - before) / (performance.now() - from) < quietShare) return
    if (performance.now() > until) throw new Error(`processes still busy after ${boundMs / 1_000} s`)
  }
}

// USER_HZ is 100 on every Linux that Node supports.
const tickMs = 10

function cpuMs(pids: number[]): number {
  let ticks = 0
  for (const pid of pids) {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    ticks += Number(fields[11]) + Number(fields[12])
  }
  return ticks * tickMs
}

/** Records the largest resident memory of processes, in MB. */
export function watchMemory(pids: Record<string, () => number>): {
  maxMb(): Record<string, number>
  nowMb(): Record<string, number>
  stop(): void
} {
  const maxMb: Record<string, number> = {}
  const look = () => {
    for (const [name, pid] of Object.entries(pids))
      maxMb[name] = Math.max(maxMb[name] ?? 0, residentMb(pid()))
  }
  const timer = setInterval(look, 500)
  return {
    maxMb() {
      look()
      return { ...maxMb }
    },
    nowMb: () => Object.fromEntries(Object.entries(pids).map(([name, pid]) => [name, residentMb(pid())])),
    stop: () => clearInterval(timer),
  }
}

function residentMb(pid: number): number {
  try {
    if (existsSync('/proc/self/status')) {
      const status = readFileSync(`/proc/${pid}/status`, 'utf8')
      return Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? 0) / 1_024
    }
    return Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' })) / 1_024
  } catch {
    // The process does not exist while it restarts.
    return 0
  }
}
