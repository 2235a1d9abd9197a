import { kindsOfCaller } from '../kinds/kinds-of-caller.ts'
import type { ActionRow } from '../../db/queries/actions/actions.ts'
import type { Deps } from '../../deps.ts'
import type { CallContext } from '../operation.ts'
import { readVisibleAction } from '../proposals/get-action.ts'
import { requireKind } from '../actions/require-kind.ts'
import { noteWriteRefused } from '../refused-write.ts'
import { isOfKind, otherKind } from '../require-key-kind.ts'

const msPerMinute = 60_000

/**
 * The action that a caller wants to execute.
 * @param operation  for the ledger, where the key does not allow its kind
 * @throws GateError `not_found`, also for one of a member that the key is not bound to; `forbidden` for another kind
 */
export async function readActionToExecute(
  context: CallContext,
  id: number,
  operation: string,
): Promise<ActionRow> {
  const row = await readVisibleAction(context, id)
  if (isOfKind(context, row.kind)) return row
  await noteWriteRefused(context, operation, 'other_kind')
  throw otherKind(context, row.kind)
}

/** How long a claim of this action is held; undefined for a kind that is not executed by claim. */
export async function leaseMsOf(deps: Deps, row: ActionRow): Promise<number | undefined> {
  // Previews and checks are rows of no kind that is executed.
  if (row.kind_version === null && !deps.kinds.own.has(row.kind)) return undefined
  const { executor } = await requireKind(deps, row)
  return executor?.type === 'claim' ? executor.lease_minutes * msPerMinute : undefined
}

/** Whether a caller has something to execute: by its power, or because a kind of the account is executed by claim. */
export async function canExecute(context: CallContext): Promise<boolean> {
  if (context.powers.includes('execute')) return true
  const kinds = await kindsOfCaller(context)
  return [...kinds.values()].some(({ executor }) => executor?.type === 'claim')
}
