import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'

export interface Polling {
  /** The log message of a failed pass. */
  failed: string
  pollMs: number
  /** The most that one pass takes: after so many it looks again at once. */
  batchMax: number
  /** Does what is due, and returns how many there were. */
  pass(stopping: AbortSignal): Promise<number>
}

/** Looks for work and does it, pass by pass, until stopped. `stop` waits for the pass that is under way. */
export function startPolling(
  { log }: { log: Pick<Logger, 'warn'> },
  polling: Polling,
): { stop(): Promise<void> } {
  const stopping = new AbortController()
  const run = loop(log, polling, stopping.signal)
  return {
    async stop() {
      stopping.abort()
      await run
    },
  }
}

async function loop(
  log: Pick<Logger, 'warn'>,
  { failed, pollMs, batchMax, pass }: Polling,
  stopping: AbortSignal,
): Promise<void> {
  while (!stopping.aborted) {
    const done = await pass(stopping).catch((error: unknown) => {
      log.warn({ err: error }, failed)
      return 0
    })
    if (done < batchMax) await sleep(pollMs, undefined, { signal: stopping }).catch(() => undefined)
  }
}
