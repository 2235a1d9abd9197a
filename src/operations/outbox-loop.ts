import { setTimeout as sleep } from 'node:timers/promises'
import type { Deps } from '../deps.ts'

export interface Outbox {
  /** For the log, where one pass failed. */
  failed: string
  pollMs: number
  /** The most that one pass takes: after so many it looks again at once. */
  atOnce: number
  /** Does what is due, and returns how many there were. */
  pass(stopping: AbortSignal): Promise<number>
}

/** Empties an outbox, pass by pass, until stopped. Any number of processes may do so: what is due is taken by one. */
export function startOutbox({ log }: Pick<Deps, 'log'>, outbox: Outbox): { stop(): Promise<void> } {
  const stopping = new AbortController()
  const run = loop(log, outbox, stopping.signal)
  return {
    async stop() {
      stopping.abort()
      await run
    },
  }
}

async function loop(
  log: Deps['log'],
  { failed, pollMs, atOnce, pass }: Outbox,
  stopping: AbortSignal,
): Promise<void> {
  while (!stopping.aborted) {
    const done = await pass(stopping).catch((error: unknown) => {
      log.warn({ err: error }, failed)
      return 0
    })
    if (done < atOnce) await sleep(pollMs, undefined, { signal: stopping }).catch(() => undefined)
  }
}
