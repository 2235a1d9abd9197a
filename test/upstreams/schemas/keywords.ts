import { type BrokenSchema, object, field, asText, draft07, many, nested } from './made.ts'

/** Schemas with values that no keyword has. */
export const keywords: BrokenSchema[] = [
  ['a type that nobody knows', field({ type: 'str' }), /does not compile/],
  ['a list of types with one that nobody knows', field({ type: ['string', 'any'] }), /does not compile/],
  [
    'what only draft-07 knows, with a number',
    field({ type: 'array', additionalItems: 5 }),
    /does not compile/,
  ],
  ['a type that is an object', field({ type: { type: 'string' } }), /does not compile/],
  ['uniqueItems as a text', field({ type: 'array', uniqueItems: 'yes' }), /does not compile/],
  ['allOf as a text', field({ allOf: 'x' }), /does not compile/],
  ['not as a list', field({ not: [] }), /does not compile/],
  ['patternProperties as a text', object({ patternProperties: 'x' }), /does not compile/],
  ['multipleOf as a text', field({ type: 'number', multipleOf: '0.01' }), /does not compile/],
  ['a type that is null', field({ type: null }), /does not compile/],
  ['required as a boolean', field({ type: 'string', required: true }), /does not compile/],
  [
    'exclusiveMinimum as a boolean',
    field({ type: 'number', minimum: 0, exclusiveMinimum: true }),
    /does not compile/,
  ],
  ['minimum as a text', field({ type: 'number', minimum: '0' }), /does not compile/],
  ['maxLength as a text', field({ type: 'string', maxLength: '5' }), /does not compile/],
  ['an enum that is no list', field({ enum: 'a' }), /does not compile/],
  ['an empty enum', field({ enum: [] }), /does not compile/],
  ['anyOf that is no list', field({ anyOf: {} }), /does not compile/],
  ['an anchor that is no name', object({ $anchor: '1 x' }), /none that JSON Schema has/],
  ['a dialect that is no text', object({ $schema: 7 }), /none that JSON Schema has/],
  [
    'a newer keyword without lists, in draft-07',
    object({ $schema: draft07, properties: { a: { dependentRequired: { b: 5 } } } }),
    /none that JSON Schema has/,
  ],
  [
    'a newer keyword with null, in draft-07',
    object({ $schema: draft07, properties: { a: { prefixItems: [null] } } }),
    /none that JSON Schema has/,
  ],
  ['an empty anyOf', field({ anyOf: [] }), /none that JSON Schema has/],
  ['items as a list, of 2020-12', field({ type: 'array', items: [{ type: 'string' }] }), /does not compile/],
  ['a part that is a text', field({ anyOf: ['string'] }), /none that JSON Schema has/],
  ['a property that is null', field({ properties: { b: null } }), /does not compile/],
  ['properties as a list', field({ properties: ['b'] }), /does not compile/],
  ['additionalProperties as a text', field({ additionalProperties: 'no' }), /does not compile/],
  ['dependentRequired without lists', field({ dependentRequired: { b: 'c' } }), /does not compile/],
  ['a condition that is a text', field({ if: 'x', else: {} }), /does not compile/],
  ['nullable without a type', field({ nullable: true }), /nullable/],
  ['null beside not nullable', field({ type: 'null', nullable: false }), /nullable/],
  ['an asynchronous schema', object({ $async: true }), /\$async/],
  ['an asynchronous part', field({ $async: true, type: 'string' }), /\$async/],
  [
    'a bound of a format without a format',
    field({ type: 'string', formatMinimum: '2020-01-01' }),
    /does not compile/,
  ],
  [
    'an upper bound of a format without a format',
    field({ formatExclusiveMaximum: '2020-01-01' }),
    /does not compile/,
  ],
  [
    'a bound of a format that has no order',
    field({ type: 'string', format: 'email', formatMaximum: 'z' }),
    /does not compile/,
  ],
  ['a format that is no text', field({ type: 'string', format: ['date'] }), /does not compile/],
  [
    'minContains below zero',
    field({ type: 'array', contains: {}, minContains: -1 }),
    /none that JSON Schema has/,
  ],
  ['multipleOf zero', field({ type: 'number', multipleOf: 0 }), /none that JSON Schema has/],
  ['a description that is no text', field({ description: 5 }), /none that JSON Schema has/],
  ['title as a list', object({ title: ['x'] }), /none that JSON Schema has/],
  ['one name required twice', object({ required: ['a', 'a'] }), /none that JSON Schema has/],
  [
    'a fault under a prototype’s name',
    asText('{"type":"object","properties":{"b":{"properties":{"__proto__":{"type":"str"}}}}}'),
    /none that JSON Schema has/,
  ],
  [
    'a reference under a prototype’s name',
    asText('{"type":"object","properties":{"b":{"properties":{"__proto__":{"$ref":"#/x"}}}}}'),
    /leads to no part/,
  ],
]

/** Schemas of dialects that not every client knows. */
export const dialects: BrokenSchema[] = [
  ['draft-04', object({ $schema: 'http://json-schema.org/draft-04/schema#' }), /its dialect/],
  ['draft-03', object({ $schema: 'http://json-schema.org/draft-03/schema#' }), /its dialect/],
  ['a dialect of its own', object({ $schema: 'https://example.com/my-dialect' }), /its dialect/],
  [
    'the dialect of OpenAPI',
    object({ $schema: 'https://spec.openapis.org/oas/3.1/dialect/base' }),
    /its dialect/,
  ],
  ['an empty dialect', object({ $schema: '' }), /its dialect/],
  ['another dialect in a part', field({ $schema: 'http://json-schema.org/draft-04/schema#' }), /its dialect/],
]

/** Schemas that cost a client too much. */
export const costs: BrokenSchema[] = [
  [
    'references that repeat much',
    object({
      $defs: { big: { properties: many(100, () => ({ type: 'string', minLength: 1 })) } },
      properties: many(300, () => ({ $ref: '#/$defs/big' })),
    }),
    /more than 2000 values/,
  ],
  [
    'thousands of parts',
    object({ properties: many(2_000, () => ({ type: 'string' })) }),
    /more than 2000 values/,
  ],
  [
    'references through many levels',
    object({
      properties: { a: { $ref: '#/$defs/d0' } },
      $defs: many(40, (n) =>
        n === 39 ? {} : nested(25, (items) => ({ items }), { $ref: `#/$defs/d${n + 1}` }),
      ),
    }),
    /references are too deep/,
  ],
  [
    'thousands of alternatives that nothing fits',
    object({ anyOf: Array.from({ length: 3_000 }, () => false) }),
    /more than 2000 values/,
  ],
  [
    'thousands of alternatives',
    object({ anyOf: Array.from({ length: 1_600 }, (_, n) => ({ const: n })) }),
    /more than 2000 values/,
  ],
]
