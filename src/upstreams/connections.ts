import { setTimeout as sleep } from 'node:timers/promises'
import type { UpstreamConnection } from '../db/queries/upstreams/connections.ts'
import { finishesWithin } from '../waiting/finishes-within.ts'
import { limits } from '../limits.ts'
import { findCommand } from './commands.ts'
import { type ConnectOptions, type OpenUpstream, type UpstreamName, connectUpstream } from './connect.ts'

const upstreamsEndMs = 5_000

/** The open connections of a process, one for each server that is used. */
export interface Connections {
  /**
   * A connection to a server: the one that is open, or a new one. Reading the tools does not count as use. Otherwise the
   * five-minute reading would keep a program running, and serve its old tools, for ever.
   * @throws UpstreamFault, or an error of the SDK: no tool was called
   */
  to(
    name: UpstreamName,
    place: UpstreamConnection,
    use?: Use,
  ): Promise<{ open: OpenUpstream; isNew: boolean }>
  /** Uses a connection for no further call. Calls that are under way on it may end. */
  drop(name: UpstreamName, open: OpenUpstream): void
  close(): Promise<void>
}

type Use = 'call' | 'reading'

interface Kept {
  /** Identifies what the connection was opened to: it serves no other. */
  version: string
  opening: Promise<OpenUpstream>
  idle: NodeJS.Timeout
  usedAt: number
}

/** Kept open only by readings: open a new connection, so that an updated program is read. */
const isUnused = ({ usedAt }: Kept, use: Use): boolean =>
  use === 'reading' && Date.now() - usedAt > limits.upstreamIdleMs

/** @param onToolsChanged  called where a server says that its tools changed */
export function connections(
  options: ConnectOptions,
  onToolsChanged: (name: UpstreamName) => void,
): Connections {
  const kept = new Map<string, Kept>()
  const ending = new Set<Promise<void>>()
  const closing = new AbortController()

  /** @param graceMs  until its end, for calls that are under way */
  function forget(key: string, graceMs: number): void {
    const known = kept.get(key)
    if (!known) return
    kept.delete(key)
    clearTimeout(known.idle)
    const end = sleep(graceMs, undefined, { ref: false, signal: closing.signal })
      .catch(() => undefined)
      .then(() => known.opening)
      .then(({ close }) => close())
      .catch(() => undefined)
    ending.add(end)
    void end.finally(() => ending.delete(end))
  }

  function open(key: string, version: string, name: UpstreamName, place: UpstreamConnection): Kept {
    const opening = connectUpstream(options, name, place, () => onToolsChanged(name))
    const made = {
      version,
      opening,
      idle: setTimeout(() => forget(key, 0), limits.upstreamIdleMs).unref(),
      usedAt: Date.now(),
    }
    opening.then(
      ({ onClose }) => onClose(() => void (kept.get(key) === made && forget(key, 0))),
      () => void (kept.get(key) === made && forget(key, 0)),
    )
    return made
  }

  return {
    async to(name, place, use = 'call') {
      const key = keyOf(name)
      const version = await versionOf(options, name, place).catch((error: unknown) => {
        forget(key, limits.upstreamCallMs)
        throw error
      })
      const known = kept.get(key)
      if (known?.version === version && !isUnused(known, use)) {
        known.idle.refresh()
        if (use === 'call') known.usedAt = Date.now()
        return { open: await known.opening, isNew: false }
      }
      forget(key, limits.upstreamCallMs)
      const made = open(key, version, name, place)
      kept.set(key, made)
      if (kept.size > limits.upstreamConnectionsMax) forget(kept.keys().next().value!, limits.upstreamCallMs)
      return { open: await made.opening, isNew: true }
    },
    drop(name, broken) {
      const key = keyOf(name)
      const known = kept.get(key)
      if (known)
        void known.opening.then(
          (one) => void (one === broken && kept.get(key) === known && forget(key, limits.upstreamCallMs)),
        )
    },
    async close() {
      closing.abort()
      for (const key of kept.keys()) forget(key, 0)
      await finishesWithin(upstreamsEndMs, Promise.all(ending))
    },
  }
}

/**
 * What a connection depends on. For a command this includes its entry in the operator's file: when the entry changes or
 * disappears, the connection is not used again.
 * @throws UpstreamFault
 */
async function versionOf({ commands }: ConnectOptions, { account }: UpstreamName, place: UpstreamConnection) {
  if (place.transport === 'http') return place.connection
  return `${place.connection} ${JSON.stringify(await findCommand(commands, account, place.command))}`
}

const keyOf = ({ account, upstream }: UpstreamName) => `${account} ${upstream}`
