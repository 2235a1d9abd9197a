import { z } from 'zod'

/** A ledger head that was stored elsewhere: the ledger must still contain it. */
export interface Anchor {
  seq: number
  /** Hex. */
  hash: string
}

export const anchorHash = z
  .string()
  .regex(/^[0-9a-f]{64}$/, 'must have a hash of 64 hexadecimal digits (0-9, a-f)')
export const anchorSeq = z.int().min(1)

/** An anchor on the command line: `17:3f2a…`. */
export const anchorText = z
  .string()
  .regex(
    /^[1-9]\d{0,14}:[0-9a-f]{64}$/,
    'must be SEQ:HASH: a number from 1 and 64 hexadecimal digits (0-9, a-f)',
  )
  .transform((text): Anchor => ({ seq: Number(text.split(':')[0]), hash: text.split(':')[1]! }))
