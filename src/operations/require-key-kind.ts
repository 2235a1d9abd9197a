import { GateError } from '../errors.ts'
import type { CallContext } from './operation.ts'
import { noteWriteRefused } from './refused-write.ts'

/**
 * An API key may be limited to kinds of action.
 * @throws GateError `forbidden` where the key is not for this one; the ledger gets an entry
 */
export async function requireKeyKind(context: CallContext, kind: string): Promise<void> {
  if (isOfKind(context, kind)) return
  await noteWriteRefused(context, `propose ${kind}`, 'other_kind')
  throw otherKind(context, kind)
}

/** Whether a key is for that kind of action. Pure. */
export const isOfKind = ({ kinds }: Pick<CallContext, 'kinds'>, kind: string): boolean =>
  kinds === null || kinds.includes(kind)

export const otherKind = ({ kinds }: Pick<CallContext, 'kinds'>, kind: string): GateError =>
  new GateError(
    'forbidden',
    `This API key is not for actions of the kind ${kind}; it is for ${(kinds ?? []).join(', ')}.`,
  )
