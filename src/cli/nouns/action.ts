import { z } from 'zod'
import { limits } from '../../limits.ts'
import { viewRow } from '../../operations/proposals/action-view.ts'
import { cancelAndSignal } from '../../operations/admin/cancel-action.ts'
import { eraseAsAdmin } from '../../operations/admin/erase-payload.ts'
import { line } from '../../operations/admin/fields.ts'
import { accountId } from '../../operations/ids.ts'
import { adminContextOf } from '../context.ts'
import { defineVerb, required } from '../verb.ts'

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
      const { action, isSignalled } = await cancelAndSignal(adminContextOf(context, account), id, {
        reason,
        connect: () => context.workflows(),
      })
      if (!isSignalled) context.say('Cancelled. The workflow could not be notified; a worker will notify it.')
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
      viewRow(await eraseAsAdmin(adminContextOf(context, account), id, reason)),
  }),
}
