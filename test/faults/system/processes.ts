import { readFileSync, readdirSync } from 'node:fs'

/** What /proc says of processes. Empty where there is none. */

/** Signals a server and the processes that it has made. */
export function signalFamily(pid: number, signal: NodeJS.Signals): void {
  for (const each of [pid, ...childrenOf(pid)]) trySignal(each, signal)
}

function trySignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {
    // It has ended meanwhile.
  }
}

function childrenOf(pid: number): number[] {
  return read(`/proc/${pid}/task/${pid}/children`).split(' ').map(Number).filter(Boolean)
}

export interface Level {
  residentMb: number
  descriptors: number
}

export function levelOf(pid: number): Level {
  const kb = Number(/^VmRSS:\s+(\d+)/m.exec(read(`/proc/${pid}/status`))?.[1] ?? 0)
  return { residentMb: Math.round(kb / 1_024), descriptors: list(`/proc/${pid}/fd`).length }
}

/** The processes that a process has started and that have not ended, with their command lines. */
export const startedBy = (pid: number): { pid: number; command: string }[] =>
  childrenOf(pid)
    .map((child) => ({ pid: child, command: commandOf(child) }))
    .filter(({ command }) => command !== '')

export const commandOf = (pid: number): string => read(`/proc/${pid}/cmdline`).replaceAll('\0', ' ').trim()

/** The processes whose command line names a folder. */
export function processesOf(folder: string): { pid: number; command: string }[] {
  return list('/proc')
    .map(Number)
    .filter((pid) => Number.isInteger(pid) && pid !== process.pid)
    .map((pid) => ({ pid, command: commandOf(pid) }))
    .filter(({ command }) => command.includes(folder) && !command.includes('reaper.js'))
}

function list(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim()
  } catch {
    return ''
  }
}
