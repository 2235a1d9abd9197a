import type { ActionRow } from '../../db/queries/actions/actions.ts'
import { type EraseOutcome, erasePayload } from '../../db/queries/actions/erase.ts'
import { GateError } from '../../errors.ts'
import { type AdminContext, writeOf } from '../admin-context.ts'
import { requireAccount } from '../require-account.ts'

/**
 * Erases the payload of an ended action. Its row, its entries and the addresses of its recipients stay.
 * @param reason  recorded in the ledger
 * @throws GateError `not_found`, and `conflict` where the action has not ended, still counts towards limits or has no
 * payload
 */
export async function eraseAsAdmin(context: AdminContext, id: number, reason: string): Promise<ActionRow> {
  const { db, account } = context
  const { outcome, action } = await erasePayload(db, { ...writeOf(context), id, reason })
  if (outcome === 'erased') return action
  if (outcome !== 'missing') throw new GateError('conflict', refusals[outcome](id))
  await requireAccount(db, account)
  throw new GateError('not_found', `Action ${id} was not found in ${account}.`)
}

const refusals: Record<Exclude<EraseOutcome, 'erased' | 'missing'>, (id: number) => string> = {
  open: (id) => `Action ${id} has not ended. Cancel it or wait until it is executed, then erase its payload.`,
  counting: (id) =>
    `Action ${id} was confirmed less than 24 hours ago and still counts towards limits. Erase its payload later.`,
  empty: (id) => `Action ${id} has no payload.`,
}
