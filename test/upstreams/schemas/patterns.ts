import { type BrokenSchema, asText, draft07, field, object } from './made.ts'

/** Schemas with patterns that do not compile. */
export const patterns: BrokenSchema[] = [
  ['a pattern that does not end', field({ type: 'string', pattern: '(' }), /no regular expression/],
  [
    'a pattern with an unknown escape',
    field({ type: 'string', pattern: '\\-x\\_' }),
    /no regular expression/,
  ],
  [
    'a pattern of another language',
    field({ type: 'string', pattern: '(?P<year>\\d+)' }),
    /no regular expression/,
  ],
  ['a pattern that repeats nothing', field({ type: 'string', pattern: '*' }), /no regular expression/],
  ['a pattern with flags inside', field({ type: 'string', pattern: '(?i)abc' }), /no regular expression/],
  ['a possessive pattern', field({ type: 'string', pattern: 'a++' }), /no regular expression/],
  ['a lone brace in a pattern', field({ type: 'string', pattern: 'a{,5}' }), /no regular expression/],
  ['a range that goes down', field({ type: 'string', pattern: '[z-a]' }), /no regular expression/],
  [
    'a name of properties that is no pattern',
    object({ patternProperties: { '[': {} } }),
    /no regular expression/,
  ],
  [
    'a pattern in a part that nothing uses',
    object({ $defs: { a: { pattern: '(' } } }),
    /no regular expression/,
  ],
  ['a pattern for a number', field({ type: 'integer', pattern: '(' }), /no regular expression/],
  [
    'repetitions of repetitions',
    field({ type: 'string', pattern: '((a{0,999}){0,999}){0,999}' }),
    /repeats repetitions/,
  ],
  [
    'a pattern of a thousand parentheses',
    field({ type: 'string', pattern: `${'('.repeat(1_000)}a${')'.repeat(1_000)}` }),
    /nested deeper/,
  ],
  ['a pattern of half a definition', field({ type: 'string', pattern: 'a'.repeat(30_000) }), /longer than/],
  ['a pattern that is no text', field({ type: 'string', pattern: 5 }), /does not compile/],
]

/** Schemas that clients cannot judge results by: what JavaScript reads and Python does not, and what browsers misread. */
export const forArgumentsAlone: BrokenSchema[] = [
  ['a named group', field({ pattern: '(?<year>\\d{4})' }), /Python/],
  ['a Unicode property', field({ pattern: '^\\p{L}+$' }), /Python/],
  ['a look behind', field({ pattern: '(?<=a+)b' }), /Python/],
  ['a reference to a group that is still open', field({ pattern: '(a\\1)' }), /Python/],
  ['a character by its code point', field({ pattern: '\\u{1F600}' }), /Python/],
  ['a control character', field({ pattern: '\\cA' }), /Python/],
  ['an empty class', field({ pattern: '[^]' }), /Python/],
  [
    'a name of draft-04 where no compiler looks',
    object({ $schema: draft07, prefixItems: [{ id: 'part', $ref: '#/$defs/b' }], $defs: { b: {} } }),
    /cannot judge by/,
  ],
  [
    'dependencies with schemas',
    object({ $schema: draft07, dependencies: { a: { properties: { a: {} } } } }),
    /cannot judge by/,
  ],
  [
    'a reference beside properties by pattern',
    object({ properties: { b: { patternProperties: { '^a': false }, $ref: '#' } } }),
    /cannot judge by/,
  ],
  [
    'unevaluated items of 2019-09',
    object({
      $schema: 'https://json-schema.org/draft/2019-09/schema',
      properties: { a: { unevaluatedItems: true, items: false } },
    }),
    /cannot judge by/,
  ],
  [
    'additional items beside no items',
    object({ $schema: draft07, properties: { a: { items: true, additionalItems: {} } } }),
    /cannot judge by/,
  ],
  [
    'unevaluated properties beside properties by pattern',
    object({ patternProperties: { '': true }, anyOf: [{}, { unevaluatedProperties: true, not: true }] }),
    /cannot judge by/,
  ],
  ['a property that every object inherits', object({ properties: { constructor: {} } }), /in every object/],
  [
    'a prototype’s name',
    asText('{"type":"object","properties":{"__proto__":{"type":"object"}}}'),
    /in every object/,
  ],
]
