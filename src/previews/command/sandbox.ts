import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { type ProcessIdentity, identify, isGoneWithin, isRunning } from '../../system-process.ts'
import { limits } from '../../limits.ts'
import type { PreviewEnd } from '../driver.ts'
import { systemPath } from './host.ts'
import { logRing } from './log-ring.ts'

export interface Sandbox {
  /** Resolves once everything in it has ended, asked to or not; never rejects. */
  ended: Promise<PreviewEnd>
  /** Whether it was asked to end. */
  isStopping(): boolean
  logTail(): string
  /** Ends every process in it and waits until none is left. May be called again. @throws Error where one is left */
  stop(): Promise<void>
}

/**
 * Starts a process behind the walls.
 * @param command  bubblewrap with the outer wall's arguments, or what becomes it
 * @throws Error where no process can be made; nothing is left then
 */
export async function startSandbox(command: string[]): Promise<Sandbox> {
  const [program = '', ...args] = command
  const wall = spawn(program, args, {
    // stdin tells the bridge that we live; what it prints is the log; 3 is bubblewrap's word, 4 the bridge's.
    stdio: ['pipe', 'pipe', 'pipe', 'pipe', 'pipe'],
    env: { PATH: systemPath, LC_ALL: 'C' },
    cwd: '/',
  })
  // Where descriptors run out there is no process, and there are no pipes to read from either.
  await once(wall, 'spawn')
  const log = logRing()
  for (const stream of [wall.stdout, wall.stderr]) stream?.on('data', (part: Buffer) => log.add(part))
  const info = firstWords(wall, 3)
  const status = firstWords(wall, 4)
  wall.on('error', (error) => log.add(Buffer.from(`${error.message}\n`)))
  // The pipe's own failure is told by the process's end.
  wall.stdin?.on('error', () => {})

  let isStopping = false
  let stopped: Promise<void> | undefined
  // Not identified, it ends with bubblewrap.
  const first = info.then(firstProcess).catch(() => undefined)
  const ended = closed(wall).then(async (): Promise<PreviewEnd> => {
    const within = await first
    // The kernel ends all others before the first process of their namespace is gone.
    if (within) await isGoneWithin(within, limits.previewStopMs)
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
 * The first process within is killed, and its namespace with it. Bubblewrap is waited for until it has told which that is:
 * killed earlier, it could leave behind a process that does not know yet that it must not outlive it.
 */
async function endAll(
  wall: ChildProcess,
  first: Promise<ProcessIdentity | undefined>,
  ended: Promise<unknown>,
): Promise<void> {
  const within = await Promise.race([first, delay(limits.previewStopMs, undefined, { ref: false })])
  if (!within || !killSeen(within)) wall.kill('SIGKILL')
  const isOver = await Promise.race([
    ended.then(() => true),
    delay(limits.previewStopMs, false, { ref: false }),
  ])
  wall.kill('SIGKILL')
  if (!isOver || (within && !(await isGoneWithin(within, limits.previewStopMs)))) {
    throw new Error(`A preview's processes do not end (first: ${within?.pid}).`)
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

/** It has ended, and nobody holds its pipes any more. */
const closed = (wall: ChildProcess) => new Promise<void>((resolve) => wall.once('close', () => resolve()))

/** What was written to a descriptor until it closed, of which so much is kept. */
function firstWords(wall: ChildProcess, descriptor: number): Promise<string> {
  return new Promise((resolve) => {
    const stream = wall.stdio[descriptor] as Readable
    let words = ''
    stream.setEncoding('utf8')
    stream.on('data', (part: string) => {
      if (words.length < wordsCharsMax) words += part.slice(0, wordsCharsMax)
    })
    stream.on('error', () => {})
    stream.once('close', () => resolve(words))
  })
}

const wordsCharsMax = 4_096

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

/** Bubblewrap tells the end by a signal as shells do, by 128 and its number. */
const exitCodeOf = (code: number): number | null => (code > 128 && code <= 128 + 64 ? null : code)
