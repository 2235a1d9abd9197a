import type { Schema } from '../../../src/upstreams/schemas/schema-parts.ts'
import { draft07, field, many, nested, object } from './made.ts'

/** Schemas that look unusual, and that every client reads. */
export const soundSchemas: [name: string, schema: Schema][] = [
  ['nothing but its type', object({})],
  ['2020-12 by name', object({ $schema: 'https://json-schema.org/draft/2020-12/schema' })],
  ['2019-09 by name', object({ $schema: 'https://json-schema.org/draft/2019-09/schema' })],
  [
    'draft-07 with a list of items',
    object({ $schema: draft07, properties: { a: { items: [{ type: 'string' }], additionalItems: false } } }),
  ],
  ['draft-06 by name', object({ $schema: 'http://json-schema.org/draft-06/schema#' })],
  ['draft-07 in a part', field({ $schema: draft07, type: 'string' })],
  [
    'a list that contains itself',
    object({
      $defs: { node: { properties: { next: { $ref: '#/$defs/node' } } } },
      properties: { a: { $ref: '#/$defs/node' } },
    }),
  ],
  ['a tree of the whole', field({ items: { $ref: '#' } })],
  ['an anchor', object({ $defs: { a: { $anchor: 'here' } }, properties: { a: { $ref: '#here' } } })],
  [
    'parts below a keyword that nobody knows',
    object({
      components: { schemas: { A: { type: 'string' } } },
      properties: { a: { $ref: '#/components/schemas/A' } },
    }),
  ],
  [
    'names with signs',
    object({ $defs: { 'a/b~c d': {} }, properties: { a: { $ref: '#/$defs/a~1b~0c%20d' } } }),
  ],
  ['a bound of a date', field({ type: 'string', format: 'date', formatMinimum: '2020-01-01' })],
  [
    'a discriminator of OpenAPI',
    field({ discriminator: { propertyName: 'k' }, oneOf: [{ properties: { k: { const: 'a' } } }] }),
  ],
  ['nullable with a type', field({ type: 'string', nullable: true })],
  ['unknown keywords', field({ 'x-order': 1, markdownDescription: 'x', enumNames: ['a'] })],
  ['a long list of values', field({ enum: Array.from({ length: 3_000 }, (_, n) => `v${n}`) })],
  [
    'properties with the names of keywords',
    object({
      properties: {
        $ref: { type: 'string' },
        $id: { type: 'string' },
        pattern: { type: 'string' },
        $schema: { type: 'string' },
        id: { type: 'string' },
        $async: { type: 'boolean' },
      },
    }),
  ],
  [
    'values with the names of keywords',
    field({ const: { $id: 'x', $ref: '#/nope' }, examples: [{ $schema: 'x' }], default: { $async: true } }),
  ],
  [
    'a repetition of a repetition',
    field({ type: 'string', pattern: '^(?:[a-z]{1,63}\\.){1,127}[a-z]{2,63}$' }),
  ],
  ['many parts', object({ properties: many(400, () => ({ type: 'string', description: 'x' })) })],
  ['thirty judgements', object(nested(25, (inner) => ({ not: inner })))],
  [
    'large and small numbers',
    field({ minimum: -9_007_199_254_740_991, maximum: 1.7976931348623157e308, multipleOf: 5e-324 }),
  ],
  ['unevaluated properties', object({ allOf: [{ properties: { a: {} } }], unevaluatedProperties: false })],
]
