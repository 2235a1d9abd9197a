import fc from 'fast-check'
import type { Schema } from '../../../src/upstreams/schemas/schema-parts.ts'

type Entry = [keyword: string, value: unknown]

const madeOf = (entries: Entry[]): Schema => Object.fromEntries(entries)

const junk = fc.constantFrom<unknown>(null, 5, -1, 'x', '', [], {}, true, ['x'], [5], { a: 5 }, 1e308, 5e-324)
const name = fc.oneof(
  { weight: 12, arbitrary: fc.constantFrom('a', 'b', 'c', '$ref', 'a/b', 'ü') },
  { weight: 1, arbitrary: fc.constantFrom('__proto__', 'constructor') },
)
const patterns = [
  '^a+$',
  '[a-z]{1,5}',
  '(',
  '\\p{L}',
  '(?<n>a)',
  'a{2,1}',
  '\\d',
  '((a{9}){99}){99}',
  '(?!x)',
  '',
  '[',
  '\\-',
]
const pattern = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...patterns) },
  { weight: 1, arbitrary: fc.string() },
)
const references = [
  '#',
  '#/$defs/a',
  '#/$defs/b',
  '#/$defs/a/properties/b',
  '#/properties/a',
  '#/x/a',
  '#here',
  '#/nope',
  'a',
  '#/$defs/a%2Fb',
]
const text = fc.constantFrom('x', '1', '2020-01-01')
const whole = fc.integer({ min: 0, max: 5 })
const type = fc.constantFrom('string', 'number', 'integer', 'object', 'array', 'boolean', 'null')

/** Keywords with a value, mostly of the right type. */
const { entry, part } = fc.letrec<{ entry: Entry; part: Schema | boolean }>((tie) => {
  const part = tie('part')
  const list = fc.array(part, { minLength: 1, maxLength: 3 })
  const map = fc.array(fc.tuple(name, part), { maxLength: 3 }).map(madeOf)
  const names = fc.uniqueArray(name, { maxLength: 3 })
  const of = (value: fc.Arbitrary<unknown>, ...keywords: string[]) =>
    fc.tuple(
      fc.constantFrom(...keywords),
      fc.oneof({ weight: 30, arbitrary: value }, { weight: 1, arbitrary: junk }),
    )
  return {
    part: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      fc.boolean(),
      fc.array(tie('entry'), { maxLength: 3 }).map(madeOf),
    ),
    entry: fc.oneof(
      of(map, 'properties', '$defs', 'definitions', 'dependentSchemas', 'dependencies', 'x'),
      of(fc.array(fc.tuple(pattern, part), { maxLength: 2 }).map(madeOf), 'patternProperties'),
      of(list, 'anyOf', 'allOf', 'oneOf', 'prefixItems', 'items'),
      of(
        part,
        'items',
        'not',
        'if',
        'then',
        'else',
        'contains',
        'propertyNames',
        'additionalProperties',
        'unevaluatedProperties',
        'unevaluatedItems',
        'additionalItems',
      ),
      of(fc.constantFrom(...references), '$ref'),
      of(fc.oneof(type, fc.uniqueArray(type, { minLength: 1 })), 'type'),
      of(pattern, 'pattern'),
      of(fc.constantFrom('date', 'email', 'time', 'unheard-of'), 'format'),
      of(text, 'formatMinimum', 'formatMaximum', 'formatExclusiveMaximum'),
      of(whole, 'minLength', 'maxItems', 'minProperties', 'minContains', 'minimum', 'exclusiveMaximum'),
      of(names, 'required'),
      of(fc.array(fc.tuple(name, names), { maxLength: 2 }).map(madeOf), 'dependentRequired'),
      of(fc.array(fc.jsonValue({ maxDepth: 1 }), { minLength: 1, maxLength: 3 }), 'enum', 'examples'),
      of(fc.jsonValue({ maxDepth: 2 }), 'const', 'default'),
      of(fc.constantFrom('here', 'there'), '$anchor'),
      of(fc.boolean(), 'nullable', 'uniqueItems', 'deprecated', 'unheardOf'),
      of(text, 'title', '$comment', 'description', 'contentEncoding'),
      fc.constantFrom<Entry>(
        ['$async', true],
        ['$id', 'part'],
        ['id', 'part'],
        ['$dynamicRef', '#here'],
        ['$recursiveRef', '#'],
        ['$dynamicAnchor', 'here'],
        ['discriminator', { propertyName: 'a' }],
      ),
    ) as fc.Arbitrary<Entry>,
  }
})

const dialect = fc.constantFrom(
  undefined,
  undefined,
  undefined,
  'https://json-schema.org/draft/2020-12/schema',
  'https://json-schema.org/draft/2019-09/schema',
  'http://json-schema.org/draft-07/schema#',
  'http://json-schema.org/draft-06/schema#',
  'http://json-schema.org/draft-04/schema#',
)

/** Schemas of objects, half of them broken in one way or another. */
export const anySchema: fc.Arbitrary<Schema> = fc
  .tuple(
    dialect,
    fc.array(entry, { maxLength: 3 }),
    fc.array(fc.tuple(name, fc.array(entry, { maxLength: 3 }).map(madeOf)), { maxLength: 3 }),
    fc.array(fc.tuple(fc.constantFrom('a', 'b'), part), { maxLength: 2 }),
  )
  .map(([$schema, entries, properties, definitions]) => ({
    ...($schema === undefined ? {} : { $schema }),
    $defs: madeOf(definitions),
    properties: madeOf(properties),
    ...madeOf(entries),
    type: 'object',
  }))
