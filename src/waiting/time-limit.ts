/**
 * A signal that fires after a time, or with another one. Not `AbortSignal.any` with `AbortSignal.timeout`: Node 20 forgets such
 * a signal in a garbage collection, and then it never fires.
 * @returns also what ends the wait for the time
 */
export function timeLimit(ms: number, stop?: AbortSignal | null): { signal: AbortSignal; clear(): void } {
  const limit = new AbortController()
  const fire = () => limit.abort()
  const timer = setTimeout(fire, ms)
  if (stop?.aborted) fire()
  stop?.addEventListener('abort', fire, { once: true })
  return {
    signal: limit.signal,
    clear() {
      clearTimeout(timer)
      stop?.removeEventListener('abort', fire)
    },
  }
}
