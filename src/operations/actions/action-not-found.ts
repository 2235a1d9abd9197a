import type { ActionRow } from '../../db/queries/actions/actions.ts'
import { GateError } from '../../errors.ts'
import type { CallContext } from '../operation.ts'

/** Whether an action is of a member that the key is bound to. Pure. */
export const isOfKeyMember = (
  { actors }: Pick<CallContext, 'actors'>,
  { member_id: member }: Pick<ActionRow, 'member_id'>,
): boolean => actors === null || actors.includes(member ?? '')

/** The one error for actions that do not exist, and for those that the key may not see. */
export const actionNotFound = (id: number): GateError =>
  new GateError('not_found', `Action ${id} was not found in this account.`, { param: 'id' })
