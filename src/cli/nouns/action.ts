import { z } from 'zod'
import { viewRow } from '../../operations/proposals/action-view.ts'
import { cancelAndSignal } from '../../operations/admin/cancel-action.ts'
import { eraseAsAdmin } from '../../operations/admin/erase-payload.ts'
import { adminContextOf } from '../context.ts'
import { account, reason } from '../options.ts'
import { defineVerb, required } from '../verb.ts'

const rowId = z
  .string()
  .regex(/^[1-9]\d{0,14}$/, 'must be a positive whole number')
  .transform(Number)
const id = required('ID', rowId, 'Number of the action', '42')

export const actionVerbs = {
  cancel: defineVerb({
    summary: 'Cancel an open proposal as an administrator',
    options: {
      account,
      id,
      reason,
    },
    async run(context, given) {
      const { action, isSignalled } = await cancelAndSignal(
        adminContextOf(context, given.account),
        given.id,
        {
          reason: given.reason,
          connect: () => context.workflows(),
        },
      )
      if (!isSignalled) context.say('Cancelled. The workflow could not be notified; a worker will notify it.')
      return viewRow(action)
    },
  }),

  erase: defineVerb({
    summary: 'Erase the payload of a finished action; the action and its ledger entries stay',
    options: {
      account,
      id,
      reason,
    },
    run: async (context, given) =>
      viewRow(await eraseAsAdmin(adminContextOf(context, given.account), given.id, given.reason)),
  }),
}
