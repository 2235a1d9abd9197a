import { readdirSync, readFileSync } from 'node:fs'

// USER_HZ is 100 on every Linux that Node supports.
const tickMs = 10

interface Stat {
  parent: number
  /** User and system time of the process, and of the children that it has waited for. */
  ownMs: number
  endedMs: number
}

/** The processor time that processes have used, in milliseconds. A server that got stuck has none until it is started again. */
export function processorMs(pids: number[]): number {
  return pids.reduce((sum, pid) => sum + (livingStatOf(pid)?.ownMs ?? 0), 0)
}

/** The same of a server with all its child processes, those that have ended included: PostgreSQL with its backends. */
export function familyMs(root: number): number {
  const { ownMs, endedMs } = statOf(root)
  const children = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => livingStatOf(Number(name)) ?? [])
    .filter(({ parent }) => parent === root)
  return children.reduce((sum, child) => sum + child.ownMs, ownMs + endedMs)
}

function statOf(pid: number): Stat {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const fields = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number)
  const ticks = (...places: number[]) => places.reduce((sum, place) => sum + fields[place]!, 0)
  return { parent: fields[1]!, ownMs: ticks(11, 12) * tickMs, endedMs: ticks(13, 14) * tickMs }
}

/** Undefined where the process has ended meanwhile. */
function livingStatOf(pid: number): Stat | undefined {
  try {
    return statOf(pid)
  } catch {
    return undefined
  }
}
