import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Asks again until the answer is there; for what no event tells.
 * @param ask  answers undefined, null or false while it is not there yet
 * @throws Error that says what was waited for, after `withinMs`
 */
export async function until<T>(
  what: string,
  ask: () => Promise<T | undefined | null | false>,
  withinMs = 30_000,
): Promise<T> {
  const end = Date.now() + withinMs
  for (;;) {
    const answer = await ask()
    if (answer) return answer
    if (Date.now() > end) throw new Error(`waited ${withinMs} ms in vain: ${what}`)
    await sleep(20)
  }
}
