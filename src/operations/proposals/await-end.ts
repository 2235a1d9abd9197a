import { authenticate } from '../../db/queries/accounts/authenticate.ts'
import { type ActionRow, readAction } from '../../db/queries/actions/actions.ts'
import { GateError } from '../../errors.ts'
import { limits } from '../../limits.ts'
import { isOpen, isRunning } from '../actions/action-view.ts'
import type { CallContext } from '../operation.ts'

/**
 * Waits until an action is executed, denied or cancelled. Between two reads it holds no connection to the database.
 * @param waitMs  how long at most; 0: not at all
 * @returns the row at its end, or as it is after `waitMs`
 * @throws GateError `too_many` if too many requests already wait, `unauthenticated` if the key was revoked meanwhile
 */
export async function awaitEnd(context: CallContext, row: ActionRow, waitMs: number): Promise<ActionRow> {
  if (waitMs === 0 || hasEnded(row) || (context.asksAgain && isAsked(row))) return row
  const { deps, hungUp } = context
  const awaited = await deps.longPolls.run(context, hungUp?.(), (ended) =>
    poll(context, row, { waitMs, ended }),
  )
  await requireValidKey(context)
  return awaited
}

const hasEnded = (row: ActionRow): boolean => row.status !== 'proposed'

/** Whether its member is asked, and has not decided. */
const isAsked = (row: ActionRow): boolean => isOpen(row) && row.asked_at !== null

async function poll(
  { deps, progress }: CallContext,
  { account_id: account, id, uuid }: ActionRow,
  { waitMs, ended }: { waitMs: number; ended: AbortSignal },
): Promise<ActionRow> {
  const end = deps.actionEnds.expect(uuid)
  const began = performance.now()
  try {
    for (;;) {
      // Read after `expect`, so that no end falls between them.
      const row = (await readAction(deps.db, account, id))!
      const waitedMs = performance.now() - began
      if (hasEnded(row) || waitedMs >= waitMs || ended.aborted) return row
      await progress?.({ waitedMs, waitMs, message: waitsFor(row) })
      await end.within(Math.min(limits.awaitPollMs, waitMs - waitedMs), ended)
    }
  } finally {
    end.forget()
  }
}

/** What an action waits for, in a sentence. Pure. */
export function waitsFor(row: ActionRow): string {
  if (isRunning(row)) return `Executing action ${row.id}`
  return row.asked_at === null
    ? `Action ${row.id} is not confirmed`
    : `Waiting for ${row.member} to decide action ${row.id}`
}

/** A key that was revoked during the wait learns nothing more. */
export async function requireValidKey({
  deps,
  keyHash,
}: Pick<CallContext, 'deps' | 'keyHash'>): Promise<void> {
  const holder = await authenticate(deps.db, keyHash)
  if (!holder?.is_valid)
    throw new GateError('unauthenticated', 'This API key is no longer valid: it was revoked or expired.')
}
