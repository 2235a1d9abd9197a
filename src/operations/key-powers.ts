import { GateError } from '../errors.ts'
import type { KeyPower } from '../keys/rights.ts'
import type { CallContext, Operation } from './operation.ts'

/** Whether a key has a power that the verb needs. Pure. */
export const mayCall = (
  { powers }: Pick<CallContext, 'powers'>,
  operation: Pick<Operation, 'powers'>,
): boolean => operation.powers.some((power) => powers.includes(power))

/** Whether a key's list of tools has the verb: it needs the power, and one of the kinds that the verb proposes. Pure. */
export const maySee = (
  context: Pick<CallContext, 'powers' | 'kinds'>,
  operation: Pick<Operation, 'powers' | 'proposes'>,
): boolean => {
  const { kinds } = context
  if (!mayCall(context, operation)) return false
  return kinds === null || !operation.proposes || operation.proposes.some((kind) => kinds.includes(kind))
}

/** The refusal of a key that lacks a power. Pure. */
export const lacksPower = ({ powers }: Pick<CallContext, 'powers'>, lacking: KeyPower): GateError =>
  new GateError(
    'forbidden',
    `This API key lacks the power "${lacking}"; it has ${powers.map((power) => `"${power}"`).join(', ')}. Use a key that has it, or ask an administrator for one.`,
    { detail: 'key_power_missing' },
  )
