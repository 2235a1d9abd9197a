import { z } from 'zod'
import { type PageContext, idIn } from './page.ts'

const digits = z.string().regex(/^[1-9]\d{0,14}$/, 'must be a positive whole number')

/** The id of an action in an address. */
export const rowId = digits.transform(Number)

/** The action id in a path. @throws GateError `not_found` where it is malformed */
export const rowIn = (context: PageContext, name = 'id'): number => Number(idIn(context, name, digits))
