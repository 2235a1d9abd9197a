import { z } from 'zod'

/** The number of a ledger entry in an address. */
export const entryNumber = z.string().regex(/^[1-9]\d{0,14}$/)
