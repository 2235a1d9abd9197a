import { GateError } from '../../errors.ts'

/**
 * The two sizes of a proof of consistency.
 * @param size  of the tree, as far as it is sealed
 * @throws GateError `invalid`
 */
export function requireRange(
  range: { from: number; to?: number | undefined },
  size: number,
): { from: number; to: number } {
  const { from, to = size } = range
  if (from > to) throw new GateError('invalid', `from must be at most ${to}.`, { param: 'from' })
  if (to > size)
    throw new GateError('invalid', `to must be at most ${size}: no more is sealed.`, { param: 'to' })
  return { from, to }
}

/** The hashes of a path, as they are given away. */
export const pathText = (path: readonly Buffer[]): string =>
  path.map((hash) => `${hash.toString('base64')}\n`).join('')
