import {
  type Schema,
  type SchemaParts,
  besides,
  isObject,
  literals,
  partsOf,
  patternsOf,
} from './schema-parts.ts'

/** Values of a schema, with what its references repeat: a client compiles each. These take about half a second at most. */
export const schemaWeightMax = 2_000

/** A pattern, and a call of what is compiled once, cost as much as so many other values. */
const dearWeight = 5

/** A list of texts and numbers beyond that is looped over, not compiled one by one. @source Ajv 8, `loopEnum` and `loopRequired` */
const loopedListLength = 200

/** How many schemas may judge the same value one through the other: clients call themselves for each. Python stops at 1,000 calls. */
const besidesDepthMax = 32

/** How many may judge the same value in all. References can double them at every step. */
const besidesMax = 2_000

/** How much a client compiles for a schema: each value in it, and for each reference what stands in its place. Pure. */
export function schemaWeight(root: Schema, parts: SchemaParts): number {
  const { schemas, targets } = parts
  const known = new Map<unknown, number>()
  const inlined = (target: unknown) => {
    const found = known.get(target) ?? valuesInlined(target)
    known.set(target, found)
    return found
  }
  return schemas.reduce(
    (sum, { $ref }) => (typeof $ref === 'string' ? sum + inlined(targets.get($ref)) : sum),
    valuesIn(root) + patternsOf(parts).length * dearWeight,
  )
}

/** What has references itself is compiled once. @source Ajv 8, `inlineRef` */
const valuesInlined = (target: unknown): number =>
  isObject(target) && partsOf(target).schemas.some(({ $ref }) => $ref !== undefined)
    ? dearWeight
    : valuesIn(target)

function valuesIn(value: unknown): number {
  if (Array.isArray(value)) {
    const isLooped =
      value.length > loopedListLength && value.every((one) => ['string', 'number'].includes(typeof one))
    return isLooped ? 1 : value.reduce<number>((sum, one) => sum + valuesIn(one), 1)
  }
  if (!isObject(value)) return 1
  return Object.entries(value).reduce(
    (sum, [keyword, inner]) => sum + (literals.has(keyword) && !Array.isArray(inner) ? 1 : valuesIn(inner)),
    1,
  )
}

/** Why a value cannot be judged in bounded time and depth; undefined where it can. Pure. */
export function judgingFault(parts: SchemaParts): string | undefined {
  const known = new Map<Schema, { depth: number; count: number }>()
  const open = new Set<Schema>()
  try {
    for (const schema of parts.schemas) judge(schema)
  } catch (error) {
    if (error instanceof Endless) return error.message
    throw error
  }
  return undefined

  function judge(schema: Schema): { depth: number; count: number } {
    const found = known.get(schema)
    if (found) return found
    if (open.has(schema)) throw new Endless('a reference in it leads back to itself')
    if (open.size >= besidesDepthMax) throw tooDeep()
    open.add(schema)
    const others = besides(schema, parts).map(judge)
    open.delete(schema)
    const judged = {
      depth: 1 + Math.max(0, ...others.map(({ depth }) => depth)),
      count: others.reduce((sum, { count }) => sum + count, 1),
    }
    if (judged.depth > besidesDepthMax) throw tooDeep()
    if (judged.count > besidesMax)
      throw new Endless(`more than ${besidesMax} of its parts judge the same value`)
    known.set(schema, judged)
    return judged
  }
}

class Endless extends Error {}
const tooDeep = () => new Endless(`its references are deeper than ${besidesDepthMax}`)
