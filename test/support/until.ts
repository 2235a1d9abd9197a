import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Asks again until the answer is there; for what no event tells.
 * @param ask  answers undefined, null or false while it is not there yet
 * @throws Error that says what was waited for, after `withinMs`
 */
export async function until<T>(
  what: string,
  ask: () => Promise<T | undefined | null | false>,
  withinMs = 90_000,
): Promise<T> {
  const begin = performance.now()
  for (;;) {
    const answer = await ask()
    if (answer) return answer
    const waitedMs = performance.now() - begin
    if (waitedMs > withinMs) throw new Error(`waited ${withinMs} ms in vain: ${what}`)
    await sleep(askAgainMs(waitedMs))
  }
}

/** When to ask again: the longer it takes, the less often, so that who waits leaves the processors to others. */
export const askAgainMs = (waitedMs: number): number => Math.min(Math.max(waitedMs / 10, 20), 100)
