import { z } from 'zod'
import type { ActionRow } from '../db/queries/actions/actions.ts'
import { settle } from '../db/queries/actions/open-actions.ts'
import { limits } from '../limits.ts'
import { viewRow } from '../operations/proposals/action-view.ts'
import { cancelAsAdmin } from '../operations/admin/cancel-action.ts'
import { eraseAsAdmin } from '../operations/admin/erase-payload.ts'
import { accountId, line } from '../operations/admin/fields.ts'
import { type CliContext, administering } from './context.ts'
import { defineVerb, required } from './verb.ts'

const rowId = z
  .string()
  .regex(/^[1-9]\d{0,14}$/, 'must be a positive whole number')
  .transform(Number)

export const actionVerbs = {
  cancel: defineVerb({
    summary: 'Cancel an open proposal as an administrator',
    options: {
      account: required('ACCOUNT', accountId),
      id: required('ID', rowId),
      reason: required('REASON', line(limits.reasonCharsMax)),
    },
    async run(context, { account, id, reason }) {
      const action = await cancelAsAdmin(administering(context, account), id, reason)
      await wake(context, action)
      return viewRow(action)
    },
  }),

  erase: defineVerb({
    summary: 'Erase the payload of a finished action; the action and its ledger entries stay',
    options: {
      account: required('ACCOUNT', accountId),
      id: required('ID', rowId),
      reason: required('REASON', line(limits.reasonCharsMax)),
    },
    run: async (context, { account, id, reason }) =>
      viewRow(await eraseAsAdmin(administering(context, account), id, reason)),
  }),
}

// The action is already cancelled. If Temporal is down, the relay notifies the workflow later.
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
    context.say('Cancelled. The workflow could not be notified; a worker will notify it.')
  }
}
