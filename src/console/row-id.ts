import { z } from 'zod'
import { type PageContext, idIn } from './page.ts'

const digits = z.string().regex(/^[1-9]\d{0,14}$/, 'must be a positive whole number')

/** The id of a ledger row, as it stands in an address. */
export const rowId = digits.transform(Number)

/** The row that a path names. @throws GateError `not_found` where it names none */
export const rowIn = (context: PageContext): number => Number(idIn(context, 'id', digits))
