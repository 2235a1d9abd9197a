import type { Session } from './session.ts'

/** Sessions that are open at once with one server, and how long an idle one is kept: shorter than servers do. */
const sessionsMax = 4
const idleMs = 5_000

/** A few sessions with one server, opened when they are needed and used again. */
export interface Sessions {
  /** Waits for a session of its own. Rejects as `open`, or with the signal's reason. */
  take(signal: AbortSignal): Promise<{ session: Session; isFresh: boolean }>
  /** Gives it back: it is kept for the next one, or closed where it cannot be used again. */
  give(session: Session): void
}

export function sessions(open: (signal: AbortSignal) => Promise<Session>): Sessions {
  const idle: { session: Session; timer: NodeJS.Timeout }[] = []
  const waiting = new Set<() => void>()
  let taken = 0

  function leave(): void {
    taken--
    const [next] = waiting
    if (next) next()
  }

  async function enter(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    if (taken >= sessionsMax)
      await new Promise<void>((resolve, reject) => {
        const go = () => {
          waiting.delete(go)
          signal.removeEventListener('abort', giveUp)
          resolve()
        }
        const giveUp = () => {
          waiting.delete(go)
          reject(signal.reason)
        }
        signal.addEventListener('abort', giveUp, { once: true })
        waiting.add(go)
      })
    taken++
  }

  function idleOne(): Session | undefined {
    for (let one = idle.pop(); one; one = idle.pop()) {
      clearTimeout(one.timer)
      if (one.session.isOpen()) return one.session
    }
    return undefined
  }

  return {
    async take(signal) {
      await enter(signal)
      try {
        const known = idleOne()
        return known ? { session: known, isFresh: false } : { session: await open(signal), isFresh: true }
      } catch (error) {
        leave()
        throw error
      }
    },
    give(session) {
      if (session.isOpen()) {
        const kept = { session, timer: setTimeout(() => close(kept), idleMs).unref() }
        idle.push(kept)
      }
      leave()
    },
  }

  function close(kept: { session: Session }): void {
    const at = idle.findIndex((one) => one === kept)
    if (at !== -1) idle.splice(at, 1)
    kept.session.close()
  }
}
