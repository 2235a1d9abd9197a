import { isCancellation, proxyActivities, proxyLocalActivities } from '@temporalio/workflow'
import type { Activities } from '../activities/index.ts'
import { workflowLimits as limits } from '../src/temporal/workflow-limits.ts'

type LedgerCalls = Pick<Activities, 'expire' | 'finish' | 'placePreview' | 'reviewPreview' | 'finishPreview'>

/** The text that the Temporal UI shows beside each call. */
const summaryOf: Record<keyof LedgerCalls, string> = {
  expire: 'Close the proposal if it has expired',
  finish: 'Record the outcome',
  placePreview: 'Choose a preview host',
  reviewPreview: 'Read whether the preview goes on',
  finishPreview: 'Record how the preview ended',
}

// Few and short tries: a long local retry would fill the history with heartbeats.
const local = (summary: string) =>
  proxyLocalActivities<LedgerCalls>({
    summary,
    scheduleToCloseTimeout: limits.ledgerLocalMs,
    retry: { maximumAttempts: limits.ledgerLocalTriesMax, initialInterval: limits.ledgerLocalAgainMs },
  })
const ordinary = (summary: string) =>
  proxyActivities<LedgerCalls>({
    summary,
    startToCloseTimeout: limits.ledgerCallMs,
    retry: { initialInterval: limits.ledgerAgainMs, maximumInterval: limits.ledgerAgainMsMax },
  })

/** Reads or writes the ledger by one of its short activities, until the database answers. */
export function inLedger<K extends keyof LedgerCalls>(
  name: K,
  input: Parameters<LedgerCalls[K]>[0],
): Promise<Awaited<ReturnType<LedgerCalls[K]>>> {
  type Call = (given: typeof input) => Promise<Awaited<ReturnType<LedgerCalls[K]>>>
  return localFirst(
    () => (local(summaryOf[name])[name] as unknown as Call)(input),
    () => (ordinary(summaryOf[name])[name] as unknown as Call)(input),
  )
}

/**
 * Runs an activity inside the workflow task, which saves the round trip to the server. Where that fails, runs it as an
 * ordinary activity, which is retried for as long as it takes.
 */
export async function localFirst<T>(local: () => Promise<T>, ordinary: () => Promise<T>): Promise<T> {
  try {
    return await local()
  } catch (error) {
    if (isCancellation(error)) throw error
    return ordinary()
  }
}
