import {
  CancellationScope,
  continueAsNew,
  defineQuery,
  setCurrentDetails,
  setHandler,
  upsertSearchAttributes,
} from '@temporalio/workflow'
import { SearchAttributeType, defineSearchAttributeKey } from '@temporalio/common'
import { type ProposalInput, queryName, searchAttribute } from '../src/temporal/names.ts'
import { type Progress, execute } from './executing.ts'
import { inLedger } from './ledger-calls.ts'
import { waitForRuling } from './waiting.ts'

/**
 * One proposal: waits for a decision or its expiry, executes what the ledger says was confirmed, and ends.
 * @param isContinued  an earlier run has begun to execute it, and its history grew long
 */
export async function proposal(input: ProposalInput, isContinued = false): Promise<{ status: string }> {
  const progress = showProgress()
  const ruling = await waitForRuling(input, isContinued).catch((error) => endCancelled(input, error))
  if (ruling.state === 'closed') return end(ruling.status)
  progress.phase = 'executing'
  const { isToContinue } = await execute(input, ruling, progress)
  if (isToContinue) await continueAsNew<typeof proposal>(input, true)
  progress.phase = 'finishing'
  // Also when an operator has cancelled the workflow: what was executed must be recorded.
  return CancellationScope.nonCancellable(async () => end((await inLedger('finish', input)).status))
}

/** An operator may cancel the workflow while a small action is executed, before its ruling is known: it is ended too. */
async function endCancelled(
  input: ProposalInput,
  error: unknown,
): Promise<{ state: 'closed'; status: string }> {
  if (!CancellationScope.current().consideredCancelled) throw error
  const { status } = await CancellationScope.nonCancellable(() => inLedger('finish', input))
  // Nothing of it was begun: only this run ends, as cancelled.
  if (status === 'proposed') throw error
  return { state: 'closed', status }
}

/** Answers an operator's queries. */
function showProgress(): Progress & { phase: string } {
  const progress = { phase: 'waiting', settled: 0, steps_done: 0, steps_total: 0 }
  setHandler(defineQuery<string>(queryName.state), () => progress.phase)
  setHandler(defineQuery<Progress>(queryName.progress), () => {
    const { phase: _, ...counts } = progress
    return counts
  })
  return progress
}

const actionStatus = defineSearchAttributeKey(searchAttribute.status, SearchAttributeType.KEYWORD)

function end(status: string): { status: string } {
  upsertSearchAttributes([{ key: actionStatus, value: status }])
  setCurrentDetails(`Ended: **${status}**`)
  return { status }
}
