import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { type ActionRow, readAction } from '../db/queries/actions.ts'
import { claimDecision } from '../db/queries/decide.ts'
import { settle } from '../db/queries/open-actions.ts'
import { GateError } from '../errors.ts'
import { adminEvent } from '../ledger/admin-event.ts'
import { limits } from '../limits.ts'
import { viewRow } from '../operations/action-view.ts'
import { expiryEntry } from '../operations/expiry.ts'
import { type CliContext } from './context.ts'
import { requireAccount } from '../operations/admin/found.ts'
import { accountId, line } from '../operations/admin/fields.ts'
import { defineVerb, required } from './verb.ts'

const rowId = z
  .string()
  .regex(/^[1-9]\d{0,14}$/, 'must be a positive whole number')
  .transform(Number)

export const actionVerbs = {
  cancel: defineVerb({
    summary: 'Cancel an open proposal, as an administrator',
    options: {
      account: required('ACCOUNT', accountId),
      id: required('ID', rowId),
      reason: required('REASON', line(limits.reasonCharsMax)),
    },
    async run(context, { account, id, reason }) {
      const db = context.db()
      const row = await readAction(db, account, id)
      if (!row) {
        await requireAccount(db, account)
        throw new GateError('not_found', `There is no action ${id} in ${account}.`)
      }
      const { outcome, action } = await claimDecision(db, {
        account,
        id,
        decision: 'admin_cancel',
        commandId: randomUUID(),
        ...adminEvent.actionCancelled(reason),
        ...expiryEntry(row.uuid),
        dueMs: limits.outboxDueMs,
        versions: null,
        consent: null,
        idempotency: null,
      })
      if (outcome !== 'claimed')
        throw new GateError('conflict', `Action ${id} is ${stateOf(action)}: it can no longer be cancelled.`)
      await wake(context, action)
      return viewRow(action)
    },
  }),
}

const stateOf = (row: ActionRow) => (row.status === 'proposed' ? 'being executed' : row.status)

// The row is cancelled whatever comes of this: where Temporal is down, the relay wakes the workflow later.
async function wake(context: CliContext, row: ActionRow): Promise<void> {
  try {
    const workflows = await context.workflows()
    const proposal = {
      account: row.account_id,
      id: row.id,
      uuid: row.uuid,
      kind: row.kind,
      expiresAt: row.expires_at!.toISOString(),
    }
    await workflows.wake(proposal, 'cancel', limits.temporalSignalMs)
    await settle(context.db(), [{ uuid: row.uuid, wake: 'cancel' }])
  } catch {
    context.say('Cancelled. Its workflow could not be told now; a worker tells it.')
  }
}
