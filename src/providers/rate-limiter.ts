import { setTimeout as sleep } from 'node:timers/promises'
import type { Waits } from './ports.ts'
import { timeLimit } from '../waiting/time-limit.ts'

/**
 * By how much calls are spaced wider than a provider's limit asks for, and how much of a late timer is made up for: less
 * than the reserve of a second, so that what leaves within a second stays within the limit.
 */
const rateReserveShare = 0.025
const rateLateMs = 10

export interface RateLimiter {
  /** Calls per second; 0: no limit. */
  perSecond: number
  /** Waits for `n` tokens, first come first served. Rejects with the signal's reason when aborted, taking nothing. */
  take(n?: number, signal?: AbortSignal): Promise<void>
  /** Counts a call that does not wait for its turn. */
  count(): void
  /** After a 429: pauses all callers. Never shortens a longer pause. */
  pauseFor(ms: number): void
  /** Milliseconds until the pause ends, 0 without one: a caller can return later instead of waiting. */
  pausedMs(): number
}

export interface RateLimiterOptions {
  /** The provider's limit in calls per second; 0: no limit, only pauses apply. */
  perSecond: number
  /** The most calls in any minute besides, at that rate while there are some left. Not applied without `perSecond`. */
  perMinute?: number
  /** Milliseconds of a clock that never jumps. */
  now?: () => number
  wait?: (ms: number, signal?: AbortSignal) => Promise<void>
}

/**
 * A token bucket of depth one: calls are spaced evenly, so no second contains a burst and a refill. It stays a little
 * below the limit, because the provider counts calls when they arrive, some later than others. A timer that fires late
 * is made up for, by less than that reserve. It works per process: several workers share a provider's limit by
 * configuration (SLACK_RATE_PER_SECOND, RESEND_RATE_PER_SECOND), and always respect a 429.
 * @source docs/operating.md#rates
 */
export function rateLimiter({
  perSecond,
  perMinute = Infinity,
  now = () => performance.now(),
  wait = abortableWait,
}: RateLimiterOptions): RateLimiter {
  const spacingMs = (1_000 * (1 + rateReserveShare)) / perSecond
  /** When the newest tokens were taken, up to `perMinute` of them. */
  const recent: number[] = []
  let nextTokenAt = 0
  let pausedUntil = 0
  let queue: Promise<unknown> = Promise.resolve()

  return {
    perSecond,
    async take(n = 1, signal) {
      signal?.throwIfAborted()
      if (perSecond === 0 && pausedUntil <= now()) return
      const turn = queue.then(() => takeInTurn(n, signal))
      queue = turn.catch(() => undefined)
      await (signal ? Promise.race([turn, rejectOnAbort(signal, turn)]) : turn)
    },
    count: () => note(1, now()),
    pauseFor(ms) {
      pausedUntil = Math.max(pausedUntil, now() + ms)
    },
    pausedMs: () => Math.max(0, pausedUntil - now()),
  }

  async function takeInTurn(n: number, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted()
    let dueAt: number | undefined
    // A pause may arrive while we wait for our token, hence the loop.
    for (;;) {
      const nextAt = Math.max(nextTokenAt, minuteFreeAt(), pausedUntil)
      const waitMs = nextAt - now()
      if (waitMs <= 0) break
      dueAt = nextAt
      await wait(waitMs, signal)
    }
    if (perSecond === 0) return
    const takenAt = now()
    // The next token counts from when this one was due, not from when the timer fired.
    nextTokenAt = Math.max(dueAt ?? takenAt, takenAt - rateLateMs) + n * spacingMs
    note(n, takenAt)
  }

  function note(n: number, takenAt: number): void {
    if (perSecond === 0 || perMinute === Infinity) return
    for (let taken = 0; taken < n; taken++) recent.push(takenAt)
    recent.splice(0, Math.max(0, recent.length - perMinute))
  }

  /** When the minute that holds as many as it may has passed. */
  function minuteFreeAt(): number {
    return recent.length < perMinute ? 0 : recent[0]! + 60_000 * (1 + rateReserveShare)
  }
}

/** Waits for one token as long as the slice allows. Rejects after that, taking nothing. */
export function takeTurn(limiter: RateLimiter, { signal, turnMs }: Waits): Promise<void> {
  if (turnMs === undefined) return limiter.take(1, signal)
  const turn = timeLimit(turnMs, signal)
  return limiter.take(1, turn.signal).finally(turn.clear)
}

function abortableWait(ms: number, signal?: AbortSignal): Promise<void> {
  return sleep(Math.ceil(ms), undefined, signal ? { signal } : {})
}

/** Rejects when the signal fires, and removes the listener when `settled` settles. */
function rejectOnAbort(signal: AbortSignal, settled: Promise<unknown>): Promise<never> {
  return new Promise((_, reject) => {
    const onAbort = () => reject(signal.reason)
    signal.addEventListener('abort', onAbort, { once: true })
    const release = () => signal.removeEventListener('abort', onAbort)
    settled.then(release, release)
  })
}
