import { z } from 'zod'

/** The id of a ledger row, as it stands in an address. */
export const rowId = z
  .string()
  .regex(/^[1-9]\d{0,14}$/, 'must be a positive whole number')
  .transform(Number)
