import { randomUUID } from 'node:crypto'
import { type ActionRow, readAction } from '../../db/queries/actions/actions.ts'
import { claimDecision } from '../../db/queries/actions/decide.ts'
import { settle } from '../../db/queries/actions/open-actions.ts'
import type { Deps } from '../../deps.ts'
import { GateError } from '../../errors.ts'
import { limits } from '../../limits.ts'
import type { Workflows } from '../../temporal/client.ts'
import { workflowInput } from '../../temporal/names.ts'
import { expiryEvent } from '../clearance/expiry.ts'
import type { AdminContext } from '../admin-context.ts'
import { requireAccount } from '../require-account.ts'
import { logStep } from '../../temporal/action-log.ts'

/**
 * Cancels an open proposal as an administrator. The caller signals its workflow, or leaves that to the outbox relay.
 * @param reason  recorded in the ledger
 * @throws GateError `not_found`, and `conflict` where it was already decided
 */
export async function cancelAsAdmin(context: AdminContext, id: number, reason: string): Promise<ActionRow> {
  const { db, account } = context
  const row = await readAction(db, account, id)
  if (!row) {
    await requireAccount(db, account)
    throw new GateError('not_found', `Action ${id} was not found in ${account}.`)
  }
  const { outcome, action } = await claimDecision(db, {
    account,
    id,
    decision: 'admin_cancel',
    commandId: randomUUID(),
    eventId: randomUUID(),
    ...expiryEvent(row.uuid),
    dueMs: limits.outboxDueMs,
    versions: null,
    consent: null,
    reason,
    credential: context.session && { session: context.session },
    idempotency: null,
  })
  if (outcome === 'claimed') return action
  throw new GateError('conflict', `Action ${id} is ${stateLabel(action)} and can no longer be cancelled.`)
}

/**
 * Cancels an open proposal as an administrator, and signals its workflow.
 * @returns the row, and whether the workflow was signalled; if not, the outbox relay signals it later
 */
export async function cancelAndSignal(
  context: AdminContext,
  id: number,
  { reason, connect }: { reason: string; connect: () => Promise<Workflows> },
): Promise<{ action: ActionRow; isSignalled: boolean }> {
  const action = await cancelAsAdmin(context, id, reason)
  try {
    const workflows = await connect()
    await workflows.wake(workflowInput(action), 'cancel', limits.temporalSignalMs)
    await settle(context.db, [{ uuid: action.uuid, wake: 'cancel', dueAt: null }])
    return { action, isSignalled: true }
  } catch {
    return { action, isSignalled: false }
  }
}

/** The same, and signals its workflow in the background. */
export async function cancelAndClose(
  deps: Deps,
  context: AdminContext,
  id: number,
  reason: string,
): Promise<void> {
  const action = await cancelAsAdmin(context, id, reason)
  logStep(deps, action, 'decided', { decision: 'admin_cancel' })
  deps.starter.closeInBackground(workflowInput(action))
}

const stateLabel = (row: ActionRow) => (row.status === 'proposed' ? 'running' : row.status)
