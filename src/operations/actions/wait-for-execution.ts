import { type ActionRow, readAction } from '../../db/queries/actions/actions.ts'
import type { Deps } from '../../deps.ts'
import { limits } from '../../limits.ts'
import { callOf, isRunning } from './action-view.ts'
import { requireKind } from './require-kind.ts'
import type { CallContext } from '../operation.ts'
import { workflowInput } from '../../temporal/names.ts'

type Waiting = Pick<CallContext, 'deps'> & Partial<Pick<CallContext, 'hungUp'>>

/** Wakes the workflow of a confirmed action. @returns the row at its end, or as it is after `waitMs` */
export async function signalAndWait(
  waiting: Waiting,
  claimed: ActionRow,
  options: { waitMs?: number; signal?: 'confirm' | 'wake' } = {},
): Promise<ActionRow> {
  const { deps } = waiting
  const { waitMs = deps.config.CONFIRM_WAIT_MS, signal = 'confirm' } = options
  deps.starter.overtakeStart(claimed.uuid)
  const woken = deps.workflows.wake(workflowInput(claimed), signal, deps.config.CONFIRM_SIGNAL_MS).then(
    () => waitMs,
    (error: unknown) => {
      const about = { err: error, account: claimed.account_id, action: claimed.id }
      deps.log.warn(about, 'recorded, but the workflow could not be signalled; the relay will do it')
      return 0
    },
  )
  return waitForExecution(waiting, claimed, woken)
}

/**
 * Waits for the end of a confirmed action.
 * @param isEnough  asked about once a second: ends the wait before its time
 * @returns the row at its end, or as it is after `waitMs`
 */
export async function waitForExecution(
  { deps, hungUp }: Waiting,
  claimed: ActionRow,
  waitMs: number | Promise<number>,
  isEnough: (row: ActionRow) => Promise<boolean> = async () => false,
): Promise<ActionRow> {
  const end = deps.actionEnds.expect(claimed.uuid)
  const signal = hungUp?.()
  try {
    const until = Date.now() + (await waitMs)
    for (;;) {
      const leftMs = until - Date.now()
      if (leftMs > 0 && !deps.stopping.isEnding)
        await end.within(Math.min(limits.executionPollMs, leftMs), signal)
      const row = (await readAction(deps.db, claimed.account_id, claimed.id))!
      if (!isRunning(row) || Date.now() >= until || signal?.aborted || deps.stopping.isEnding) return row
      if (await isEnough(row)) return row
    }
  } finally {
    end.forget()
  }
}

/**
 * The result of a decision, for the page or message of the person who decided: waits for an execution a little, and no longer once
 * its call has failed: what is repeated takes longer than a person waits.
 */
export async function waitToShow(deps: Deps, row: ActionRow): Promise<ActionRow> {
  if (!isRunning(row)) return row
  // Somebody else acts first.
  const { performer } = await requireKind(deps, row)
  if (performer.waitsForOthers) return row
  const waitMs = Math.min(limits.decideWaitMs, deps.config.CONFIRM_WAIT_MS)
  return waitForExecution({ deps }, row, waitMs, async (now) =>
    Boolean((await callOf(deps, now))?.last_error),
  )
}
