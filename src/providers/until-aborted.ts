import { setTimeout as sleep } from 'node:timers/promises'

/**
 * The call's result, or a rejection with the signal's reason as soon as it fires. The call itself continues until its
 * own timeout, because the Slack SDK takes no signal. After an abort its outcome is unknown.
 */
export function untilAborted<T>(call: Promise<T>, signal?: AbortSignal): Promise<T> {
  if (!signal) return call
  return new Promise<T>((resolve, reject) => {
    const onAbort = () => reject(signal.reason)
    if (signal.aborted) onAbort()
    signal.addEventListener('abort', onAbort, { once: true })
    call.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort))
  })
}

/** Waits until a time (ms since 1970). False where the signal fired first. */
export async function waitUntil(at: number, signal?: AbortSignal): Promise<boolean> {
  const waitMs = at - Date.now()
  if (waitMs <= 0) return !signal?.aborted
  try {
    await sleep(waitMs, undefined, signal ? { signal } : {})
    return true
  } catch {
    return false
  }
}
