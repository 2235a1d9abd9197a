import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'

/** A process and the moment it started: a pid alone may belong to somebody else after a while. */
export type ProcessIdentity = { pid: number; started: string }

/** Which signals end a process, in order, and how long to wait after each, in milliseconds. */
export type StopSteps = readonly (readonly [signal: NodeJS.Signals, waitMs: number])[]

/** Fast shutdown first: disconnects clients and writes a checkpoint. Immediate shutdown loses nothing committed. */
export const postgresStopSteps: StopSteps = [
  ['SIGINT', 15_000],
  ['SIGQUIT', 5_000],
  ['SIGKILL', 5_000],
]

/** A connection of a server that was killed, in the middle of a statement: it only holds up the next server. */
export const orphanStopSteps: StopSteps = [
  ['SIGQUIT', 5_000],
  ['SIGKILL', 5_000],
]

export const temporalStopSteps: StopSteps = [
  ['SIGTERM', 10_000],
  ['SIGKILL', 5_000],
]

/**
 * @returns who has this pid now, or undefined when nobody has (a zombie is nobody)
 * @throws the system's error where the process table cannot be read now, as descriptors have run out: that says nothing
 */
export function identify(pid: number): ProcessIdentity | undefined {
  if (!Number.isSafeInteger(pid) || pid <= 1) return undefined
  const started = process.platform === 'linux' ? startTicks(pid) : ps(pid, 'lstart=')
  return started ? { pid, started } : undefined
}

/**
 * Whether exactly this process still runs, not another that was given its pid.
 * @throws as `identify`
 */
export function isRunning(identity: ProcessIdentity): boolean {
  return identify(identity.pid)?.started === identity.started
}

/** @returns the processes that work in this folder, a real path; none where the system has no /proc */
export function processesIn(folder: string): ProcessIdentity[] {
  if (process.platform !== 'linux') return []
  const pids = readdirSync('/proc').map(Number).filter(Number.isInteger)
  return pids.filter((pid) => workingFolderOf(pid) === folder).flatMap((pid) => identify(pid) ?? [])
}

/** It cannot be read for a process of another user. */
function workingFolderOf(pid: number): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/cwd`)
  } catch (error) {
    return unlessExhausted(error)
  }
}

/**
 * @returns the command line with spaces between the words; empty when there is no such process
 * @throws as `identify`
 */
export function commandOf(pid: number): string {
  if (process.platform !== 'linux') return ps(pid, 'command=') ?? ''
  return (readIfThere(`/proc/${pid}/cmdline`) ?? '').replaceAll('\0', ' ').trim()
}

/**
 * Ends a process, signal after signal, and waits until it is gone. Sends nothing when the pid has changed hands.
 * @throws Error when it outlives the last step
 */
export async function stopProcess(identity: ProcessIdentity, steps: StopSteps): Promise<void> {
  for (const [signal, waitMs] of steps) {
    if (!isRunning(identity)) return
    send(identity.pid, signal)
    if (await isGoneWithin(identity, waitMs)) return
  }
  throw new Error(`Process ${identity.pid} does not end: stop it by hand and start again.`)
}

/** Polls, because a process that is not our child sends no event when it ends. */
export async function isGoneWithin(identity: ProcessIdentity, boundMs: number): Promise<boolean> {
  const end = performance.now() + boundMs
  while (mayRun(identity)) {
    if (performance.now() > end) return false
    await delay(20)
  }
  return true
}

/** A process that cannot be seen now is not taken for gone. */
function mayRun(identity: ProcessIdentity): boolean {
  try {
    return isRunning(identity)
  } catch {
    return true
  }
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

/** Field 22 of proc_pid_stat(5), counted behind the program's name, which may hold spaces and brackets. */
function startTicks(pid: number): string | undefined {
  const stat = readIfThere(`/proc/${pid}/stat`)
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ')
  const isDead = fields?.[0] === 'Z' || fields?.[0] === 'X'
  return isDead ? undefined : fields?.[19]
}

function ps(pid: number, column: string): string | undefined {
  try {
    const args = ['-o', column, '-p', String(pid)]
    const found = execFileSync('ps', args, {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
      timeout: 5_000,
    })
    return found.trim() || undefined
  } catch (error) {
    return unlessExhausted(error)
  }
}

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    return unlessExhausted(error)
  }
}

const exhausted = ['EMFILE', 'ENFILE', 'ENOMEM', 'EAGAIN']

/** @throws the error where this process, or the machine, has run out of what reading takes */
function unlessExhausted(error: unknown): undefined {
  if (exhausted.includes((error as NodeJS.ErrnoException).code ?? '')) throw error
  return undefined
}
