import type { Db } from './connect.ts'

/** Actions that somebody waits for. */
export interface ActionEndListener {
  /** Hears from now on when this action ends, whichever process ends it. To be forgotten after use. */
  expect(uuid: string): ExpectedEnd
}

export interface ExpectedEnd {
  /** Resolves to true once it is heard that the action ended, to false when the time is over or `signal` aborts. */
  within(ms: number, signal: AbortSignal | undefined): Promise<boolean>
  forget(): void
}

/** Listens for `gate_ended`. A hint alone: what is missed while the database restarts is found by looking again. */
export function actionEndListener(db: Db): ActionEndListener {
  const heardBy = new Map<string, Set<() => void>>()
  let isListening = false

  function listen(): void {
    isListening = true
    db.listen('gate_ended', (uuid) => heardBy.get(uuid)?.forEach((hear) => hear()))
  }

  return {
    expect(uuid) {
      if (!isListening) listen()
      let isHeard = false
      let wake = () => {}
      const hear = () => {
        isHeard = true
        wake()
      }
      const answer = () => {
        const heard = isHeard
        isHeard = false
        return heard
      }
      const hearing = heardBy.get(uuid) ?? new Set()
      heardBy.set(uuid, hearing.add(hear))
      return {
        within(ms, signal) {
          if (isHeard || signal?.aborted) return Promise.resolve(answer())
          return new Promise((resolve) => {
            const timer = setTimeout(() => wake(), ms)
            wake = () => {
              clearTimeout(timer)
              signal?.removeEventListener('abort', wake)
              resolve(answer())
            }
            signal?.addEventListener('abort', wake)
          })
        },
        forget() {
          hearing.delete(hear)
          if (hearing.size === 0) heardBy.delete(uuid)
        },
      }
    },
  }
}
