import { limits } from '../limits.ts'
import type { Allowed } from '../network/address.ts'
import { type ExecutorCall, type ExecutorOutcome, callExecutor } from './call-executor.ts'
import type { Network } from './guarded-request.ts'

/** Calls of one account that a process has under way. */
const executorCallsPerAccountMax = 20

/** The calls of executors that a process makes. */
export interface Executors {
  /** Addresses that may be called beside the internet. */
  allowed: Allowed
  /** Calls an executor once, or asks it about a call. Never throws. */
  call(call: ExecutorCall): Promise<ExecutorOutcome>
  /**
   * Works on the call of an id, from its intent to its record. It goes on where nobody waits for it any more; the next caller
   * meanwhile waits for the same work.
   * @param work  its signal fires where the process ends
   * @returns what the work returns; undefined where the account has as many calls under way as it may
   */
  once(
    account: string,
    id: string,
    work: (stop: AbortSignal) => Promise<NextAttempt>,
  ): Promise<NextAttempt> | undefined
  /** Waits a moment for the calls under way, then breaks them off: their outcome is unknown. */
  close(): Promise<void>
}

/** In how many ms the next attempt is due; null: the call is settled. */
export type NextAttempt = number | null

export function executors(network: Network): Executors {
  const works = new Map<string, { account: string; work: Promise<NextAttempt> }>()
  const stop = new AbortController()
  const ofAccount = (account: string) => [...works.values()].filter((one) => one.account === account).length
  return {
    allowed: network.allowed,
    call: (call) => callExecutor(network, call, stop.signal),
    once(account, id, work) {
      const underWay = works.get(id)?.work
      if (underWay) return underWay
      if (ofAccount(account) >= executorCallsPerAccountMax) return undefined
      const done = work(stop.signal).finally(() => works.delete(id))
      works.set(id, { account, work: done })
      // Those who wait hear of a failure. Where nobody does, the attempt stays recorded as one that may have been done.
      done.catch(() => undefined)
      return done
    },
    async close() {
      const timer = setTimeout(() => stop.abort(), limits.executorCloseMs)
      while (works.size > 0) await Promise.allSettled([...works.values()].map(({ work }) => work))
      clearTimeout(timer)
    },
  }
}
