import { limits } from '../limits.ts'
import { type ExecutorCall, type ExecutorOutcome, callExecutor } from './call-executor.ts'
import type { Network } from './guarded-request.ts'

/** The calls of executors that a process makes. */
export interface Executors {
  /** Whether an account has as many calls under way as it may: others of it wait. */
  isBusy(account: string): boolean
  /** The work on this call that is under way in this process. */
  underWay(id: string): Promise<void> | undefined
  /**
   * Makes a call and has its outcome recorded. It goes on where nobody waits for it any more.
   * @param record  what is done with the outcome
   */
  call(
    account: string,
    call: ExecutorCall,
    record: (outcome: ExecutorOutcome) => Promise<void>,
  ): Promise<void>
  /** Waits a moment for the calls under way, then breaks them off: their outcome is unknown. */
  close(): Promise<void>
}

export function executors(network: Network): Executors {
  const works = new Map<string, { account: string; work: Promise<void> }>()
  const stop = new AbortController()
  const idle = async () => {
    while (works.size > 0) await Promise.allSettled([...works.values()].map(({ work }) => work))
  }
  return {
    isBusy: (account) =>
      [...works.values()].filter((one) => one.account === account).length >=
      limits.executorCallsPerAccountMax,
    underWay: (id) => works.get(id)?.work,
    call(account, call, record) {
      const work = callExecutor(network, call, stop.signal)
        .then(record)
        .finally(() => works.delete(call.id))
      works.set(call.id, { account, work })
      // Whoever waits hears of a failure. Where nobody does, the attempt stays recorded as one that may have been done.
      work.catch(() => undefined)
      return work
    },
    async close() {
      const timer = setTimeout(() => stop.abort(), limits.executorCloseMs)
      await idle()
      clearTimeout(timer)
    },
  }
}
