import { GateError } from '../errors.ts'
import { requireKeyNow } from './authenticate.ts'
import type { CallContext } from './operation.ts'
import { noteWriteRefused } from './refused-write.ts'

/**
 * Checks that the API key allows a kind of action.
 * @throws GateError `forbidden` if it does not; the refusal is recorded in the ledger
 */
export async function requireKeyKind(context: CallContext, kind: string): Promise<void> {
  if (isOfKind(context, kind)) return
  await requireKeyNow(context)
  await noteWriteRefused(context, `propose ${kind}`, 'other_kind')
  throw otherKind(context, kind)
}

/** Whether a key allows a kind of action. Pure. */
export const isOfKind = ({ kinds }: Pick<CallContext, 'kinds'>, kind: string): boolean =>
  kinds === null || kinds.includes(kind)

export const otherKind = ({ kinds }: Pick<CallContext, 'kinds'>, kind: string): GateError =>
  new GateError(
    'forbidden',
    `This API key does not allow the kind ${kind}. It allows ${(kinds ?? []).join(', ')}. Use a key that allows this kind.`,
    { detail: 'key_kind_not_allowed' },
  )
