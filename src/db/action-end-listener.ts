import type { Db } from './connect.ts'

/** Notifies callers that wait for the end of an action. */
export interface ActionEndListener {
  /** Starts listening for the end of this action, in whichever process it ends. Call `forget` after use. */
  expect(uuid: string): ExpectedEnd
}

export interface ExpectedEnd {
  /** Resolves to true when the action ends, to false on timeout or when `signal` aborts. */
  within(ms: number, signal: AbortSignal | undefined): Promise<boolean>
  forget(): void
}

/** Listens for `gate_ended`. Notifications may be lost while the database restarts, so callers must also read the row. */
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
