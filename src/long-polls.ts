import { GateError } from './errors.ts'

/** Requests of this process that wait for something to happen: bounded for each key and in all. */
export interface LongPolls {
  /**
   * Runs one request that waits.
   * @param keyId  of the API key that waits
   * @param hungUp  aborted when its caller disconnects
   * @param poll  waits until the signal that it gets is aborted, at most
   * @throws GateError `too_many` if too many requests already wait
   */
  run<T>(
    keyId: string,
    hungUp: AbortSignal | undefined,
    poll: (signal: AbortSignal) => Promise<T>,
  ): Promise<T>
  /** Ends all waits, so that the process can stop: each request is answered with what it has. */
  end(): void
}

export function longPolls(max: { perKey: number; inAll: number }): LongPolls {
  const underWay = new Set<AbortController>()
  const ofKey = new Map<string, number>()

  function requirePlace(keyId: string): void {
    if ((ofKey.get(keyId) ?? 0) >= max.perKey) throw tooMany(`This API key already has ${max.perKey}`)
    if (underWay.size >= max.inAll) throw tooMany('This service has too many')
  }

  function leave(keyId: string, poll: AbortController): void {
    underWay.delete(poll)
    const others = ofKey.get(keyId)! - 1
    if (others > 0) ofKey.set(keyId, others)
    else ofKey.delete(keyId)
  }

  return {
    async run(keyId, hungUp, poll) {
      requirePlace(keyId)
      const ended = new AbortController()
      const end = () => ended.abort()
      underWay.add(ended)
      ofKey.set(keyId, (ofKey.get(keyId) ?? 0) + 1)
      hungUp?.addEventListener('abort', end)
      if (hungUp?.aborted) end()
      try {
        return await poll(ended.signal)
      } finally {
        hungUp?.removeEventListener('abort', end)
        leave(keyId, ended)
      }
    },
    end: () => underWay.forEach((poll) => poll.abort()),
  }
}

const tooMany = (who: string): GateError =>
  new GateError(
    'too_many',
    `${who} requests that wait for an action to end. Read the action without waiting, or try again in a moment.`,
    { retryAfterSeconds: 5 },
  )
