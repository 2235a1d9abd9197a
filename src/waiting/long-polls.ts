import { GateError } from '../errors.ts'

/** Requests of this process that wait for something to happen: bounded for each key, each account and in all. */
export interface LongPolls {
  /**
   * Runs one request that waits.
   * @param who  the API key that waits, and its account
   * @param hungUp  aborted when its caller disconnects
   * @param poll  waits until the signal that it gets is aborted, at most
   * @throws GateError `too_many` if too many requests already wait
   */
  run<T>(who: Waiter, hungUp: AbortSignal | undefined, poll: (signal: AbortSignal) => Promise<T>): Promise<T>
  /** Ends all waits, also those to come, so that the process can stop: each request is answered with what it has. */
  end(): void
}

export interface Waiter {
  account: string
  keyId: string
}

export function longPolls(max: { perKey: number; perAccount: number; inAll: number }): LongPolls {
  const underWay = new Map<AbortController, Waiter>()
  let isEnding = false

  const waiting = (name: keyof Waiter, value: string): number =>
    [...underWay.values()].filter((other) => other[name] === value).length

  function requirePlace({ account, keyId }: Waiter): void {
    if (waiting('keyId', keyId) >= max.perKey) throw tooMany(`This API key already has ${max.perKey}`)
    // One account with many keys leaves places to the others.
    if (waiting('account', account) >= max.perAccount)
      throw tooMany(`This account already has ${max.perAccount}`)
    if (underWay.size >= max.inAll) throw tooMany('This service has too many')
  }

  return {
    async run(who, hungUp, poll) {
      requirePlace(who)
      const ended = new AbortController()
      const end = () => ended.abort()
      underWay.set(ended, who)
      hungUp?.addEventListener('abort', end)
      if (isEnding || hungUp?.aborted) end()
      try {
        return await poll(ended.signal)
      } finally {
        hungUp?.removeEventListener('abort', end)
        underWay.delete(ended)
      }
    },
    end() {
      isEnding = true
      for (const poll of underWay.keys()) poll.abort()
    },
  }
}

const tooMany = (who: string): GateError =>
  new GateError(
    'too_many',
    `${who} requests that wait for an action to end. Read the action without waiting, or try again in a moment.`,
    { retryAfterSeconds: 5 },
  )
