import { invalidRequest, noSuch } from './errors.ts'
import { type ListedObject, type StripeList, stripeList } from './objects.ts'
import { range, text, whole } from './parameters.ts'
import type { z } from 'zod'
import { limits } from '../../../src/limits.ts'

/** The parameters of every list. */
export const pageParameters = {
  limit: whole(1, limits.sandboxStripeRowsMax).optional(),
  starting_after: text(255).optional(),
  ending_before: text(255).optional(),
  created: range.optional(),
}

interface Page {
  limit?: number | undefined
  starting_after?: string | undefined
  ending_before?: string | undefined
  created?: z.output<typeof range> | undefined
}

/**
 * A page of the matching objects, in the given order. The object of a cursor need not match.
 * @throws StripeRefusal for an unknown cursor
 */
export function pageOf<T extends ListedObject>(
  newestFirst: T[],
  { limit = limits.sandboxStripeRowsDefault, starting_after: after, ending_before: before, created }: Page,
  matches: (object: T) => boolean,
  url: string,
): StripeList<T> {
  if (after !== undefined && before !== undefined)
    throw invalidRequest('You may only specify one of these parameters: starting_after, ending_before.', {
      code: 'parameters_exclusive',
    })
  const isWanted = (object: T) => isWithin(object.created, created) && matches(object)
  if (before !== undefined) {
    const rows = newestFirst.slice(0, placeOf(newestFirst, before, 'ending_before')).filter(isWanted)
    return stripeList(rows.slice(-limit), url, rows.length > limit)
  }
  const start = after === undefined ? 0 : placeOf(newestFirst, after, 'starting_after') + 1
  const rows = newestFirst.slice(start).filter(isWanted)
  return stripeList(rows.slice(0, limit), url, rows.length > limit)
}

function isWithin(created: number, wanted: Page['created']): boolean {
  if (wanted === undefined) return true
  if (typeof wanted === 'number') return created === wanted
  const { gt = -1, gte = 0, lt = Infinity, lte = Infinity } = wanted
  return created > gt && created >= gte && created < lt && created <= lte
}

function placeOf(objects: ListedObject[], id: string, param: string): number {
  const place = objects.findIndex((object) => object.id === id)
  if (place < 0) throw noSuch('object', id, { param, status: 400 })
  return place
}
