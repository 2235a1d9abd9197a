/** What no caller can correct anything by: words of validators, of JavaScript and of the database. */
export const foreignWords =
  /\b(?:expected|received|invalid input|unrecognized|too_(?:small|big)|invalid_\w+|union|discriminator|regexp?|nan|undefined|zod|ajv|constraint|relation|safeint|record,|a record)\b|\[object|\\[dw]|\(\?|=>|[<>]=/i

export interface Spoilt {
  input: unknown
}

/** What a caller sends instead of a value. */
const instead: unknown[] = [
  null,
  undefined,
  -1,
  1.5,
  1e20,
  true,
  '',
  'x',
  '5',
  'true',
  '{"a":1}',
  '[1]',
  `${'x'.repeat(5_000)}\0`,
  [],
  [null],
  {},
  { x: 1 },
]

/** A fitting input with each of its values replaced by each wrong one, left out, and with a field that nobody knows. */
export function spoilts(base: unknown): Spoilt[] {
  return [...variants(base)].map((input) => ({ input }))
}

function* variants(value: unknown): Generator<unknown> {
  yield* instead
  if (typeof value !== 'object' || value === null) return
  if (Array.isArray(value)) {
    for (const [at, one] of value.entries()) for (const spoilt of variants(one)) yield value.with(at, spoilt)
    yield [...value, ...value]
    return
  }
  for (const [name, one] of Object.entries(value))
    for (const spoilt of variants(one)) yield { ...value, [name]: spoilt }
  yield { ...value, unheard_of: 1 }
}
