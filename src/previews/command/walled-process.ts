import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { type ProcessIdentity, identify, isGoneWithin, isRunning } from '../../process/system-process.ts'
import { finishesWithin } from '../../waiting/finishes-within.ts'
import type { PreviewEnd } from '../driver.ts'
import { systemPath } from './host.ts'
import { logRing } from './log-ring.ts'

const previewStopMs = 10_000
const bubblewrapReportCharsMax = 4_096

export interface WalledProcess {
  /** Resolves once all its processes have ended, requested or not; never rejects. */
  ended: Promise<PreviewEnd>
  /** Whether its end was requested. */
  isStopping(): boolean
  logTail(): string
  /** Ends all its processes and waits for them. Idempotent. @throws Error if a process does not end */
  stop(): Promise<void>
}

/**
 * Starts a process inside the walls.
 * @param command  bubblewrap with the arguments of the outer wall, or a command that becomes it
 * @throws Error if the process cannot be created; nothing is left running then
 */
export async function startInWalls(command: string[]): Promise<WalledProcess> {
  const [program = '', ...args] = command
  const wall = spawn(program, args, {
    // stdin tells the bridge that we are alive; stdout and stderr are the log; 3 is for bubblewrap, 4 for the bridge.
    stdio: ['pipe', 'pipe', 'pipe', 'pipe', 'pipe'],
    env: { PATH: systemPath, LC_ALL: 'C' },
    cwd: '/',
  })
  // If file descriptors run out, there is neither a process nor pipes to read from.
  await once(wall, 'spawn')
  const log = logRing()
  for (const stream of [wall.stdout, wall.stderr]) stream?.on('data', (part: Buffer) => log.add(part))
  const info = firstWords(wall, 3)
  const status = firstWords(wall, 4)
  wall.on('error', (error) => log.add(Buffer.from(`${error.message}\n`)))
  // An error of the pipe is reported by the end of the process.
  wall.stdin?.on('error', () => {})

  let isStopping = false
  let stopped: Promise<void> | undefined
  // A process that was not identified ends with bubblewrap.
  const first = info.then(firstProcess).catch(() => undefined)
  const ended = closed(wall).then(async (): Promise<PreviewEnd> => {
    const within = await first
    // The kernel ends all other processes of the namespace before its first process is gone.
    if (within) await isGoneWithin(within, previewStopMs)
    return endOf(await status)
  })
  return {
    ended,
    isStopping: () => isStopping,
    logTail: () => log.tail(),
    stop() {
      isStopping = true
      stopped ??= endAll(wall, first, ended)
      return stopped
    },
  }
}

/**
 * Kills the first process of the namespace, and the namespace with it. First waits until bubblewrap has reported that
 * process: killed earlier, bubblewrap could leave behind a process that is not yet bound to its lifetime.
 */
async function endAll(
  wall: ChildProcess,
  first: Promise<ProcessIdentity | undefined>,
  ended: Promise<unknown>,
): Promise<void> {
  const within = (await finishesWithin(previewStopMs, first)) ? await first : undefined
  if (!within || !killSeen(within)) wall.kill('SIGKILL')
  const isOver = await finishesWithin(previewStopMs, ended)
  wall.kill('SIGKILL')
  if (!isOver || (within && !(await isGoneWithin(within, previewStopMs)))) {
    throw new Error(`The processes of a preview do not end (first process: ${within?.pid}).`)
  }
}

/** @returns false where it cannot be seen now, and so is not killed: another may have its pid */
function killSeen(within: ProcessIdentity): boolean {
  try {
    if (isRunning(within)) kill(within.pid)
    return true
  } catch {
    return false
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

/** Resolves once it has ended and its pipes are closed. */
const closed = (wall: ChildProcess) => new Promise<void>((resolve) => wall.once('close', () => resolve()))

/** The beginning of what was written to a descriptor until it closed. */
function firstWords(wall: ChildProcess, descriptor: number): Promise<string> {
  return new Promise((resolve) => {
    const stream = wall.stdio[descriptor] as Readable
    let words = ''
    stream.setEncoding('utf8')
    stream.on('data', (part: string) => {
      if (words.length < bubblewrapReportCharsMax) words += part.slice(0, bubblewrapReportCharsMax)
    })
    stream.on('error', () => {})
    stream.once('close', () => resolve(words))
  })
}

/** @source bwrap(1), --info-fd */
function firstProcess(info: string): ProcessIdentity | undefined {
  const pid = /"child-pid":\s*(\d+)/.exec(info)?.[1]
  return pid === undefined ? undefined : identify(Number(pid))
}

function endOf(status: string): PreviewEnd {
  if (status.includes('"out_of_memory"')) return { error: 'out_of_memory', exitCode: null }
  const code = /"exitCode":(\d{1,3})\b/.exec(status)?.[1]
  return { error: 'exited', exitCode: code === undefined ? null : exitCodeOf(Number(code)) }
}

/** Bubblewrap reports a signal as shells do: 128 plus its number. */
const exitCodeOf = (code: number): number | null => (code > 128 && code <= 128 + 64 ? null : code)
