import { type BrokenSchema, object, field, many, draft07 } from './made.ts'

/** Schemas whose references lead nowhere, in circles, or too far; and names that more than one schema can have. */
export const references: BrokenSchema[] = [
  ['a dangling reference', field({ $ref: '#/$defs/nope' }), /leads to no part/],
  ['a dangling reference at the root', object({ $ref: '#/definitions/x' }), /leads to no part/],
  [
    'a dangling reference in a part that nothing uses',
    object({ $defs: { a: { $ref: '#/$defs/b' } } }),
    /leads to no part/,
  ],
  ['a reference to an anchor that is not there', field({ $ref: '#nope' }), /leads to no part/],
  ['a reference to another document', field({ $ref: 'https://example.com/a.json' }), /leads to no part/],
  ['a reference to a file', field({ $ref: 'file:///etc/passwd' }), /leads to no part/],
  ['a reference to a path', field({ $ref: 'other.json#/a' }), /leads to no part/],
  ['a reference to the schema of a dialect', field({ $ref: draft07 }), /leads to no part/],
  ['a reference that is no URI', field({ $ref: 'http://[' }), /leads to no part/],
  [
    'a reference that is badly encoded',
    object({ $defs: { 'a%': {} }, properties: { a: { $ref: '#/$defs/a%' } } }),
    /leads to no part/,
  ],
  ['a reference that is no text', field({ $ref: 5 }), /leads to no part/],
  [
    'a reference to a value',
    object({ properties: { a: { $ref: '#/properties/b/enum/0' }, b: { enum: ['x'] } } }),
    /leads to no part/,
  ],
  [
    'a reference to the map of properties',
    object({ properties: { a: { $ref: '#/properties' } } }),
    /leads to no part/,
  ],
  ['a reference to a prototype', field({ $ref: '#/__proto__' }), /leads to no part/],
  ['a reference to a constructor', field({ $ref: '#/constructor' }), /leads to no part/],
  [
    'a reference with characters that browsers encode',
    object({ $defs: { 'Page[User]': {} }, properties: { a: { $ref: '#/$defs/Page[User]' } } }),
    /leads to no part/,
  ],
  [
    'an anchor of a dialect without anchors',
    {
      ...object({
        $schema: draft07,
        $defs: { a: { $anchor: 'here' } },
        properties: { a: { $ref: '#here' } },
      }),
    },
    /leads to no part/,
  ],
  ['a reference to itself', object({ $ref: '#' }), /back to itself/],
  [
    'references in a circle',
    object({ $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/b' }, b: { anyOf: [{ $ref: '#/$defs/a' }] } } }),
    /back to itself/,
  ],
  [
    'a circle through a condition',
    object({ if: { $ref: '#/$defs/a' }, $defs: { a: { not: { $ref: '#' } } } }),
    /back to itself/,
  ],
  ['a circle through a dependency', object({ dependentSchemas: { a: { $ref: '#' } } }), /back to itself/],
  [
    'a dynamic reference',
    object({ $dynamicAnchor: 'n', properties: { a: { $dynamicRef: '#n' } } }),
    /different ways/,
  ],
  ['a dynamic reference to nothing', object({ $dynamicRef: '#nope' }), /different ways/],
  ['a dynamic reference elsewhere', field({ $dynamicRef: 'https://example.com/#n' }), /different ways/],
  [
    'a recursive reference',
    {
      ...object({
        $schema: 'https://json-schema.org/draft/2019-09/schema',
        $recursiveAnchor: true,
        properties: { a: { $recursiveRef: '#' } },
      }),
    },
    /different ways/,
  ],
  [
    'references too deep to compile',
    object({
      properties: { a: { $ref: '#/$defs/d0' } },
      $defs: many(600, (n) => (n === 599 ? {} : { properties: { a: { $ref: `#/$defs/d${n + 1}` } } })),
    }),
    /more than 2000 values/,
  ],
  [
    'references too deep to judge',
    object({
      $ref: '#/$defs/d0',
      $defs: many(60, (n) => (n === 59 ? {} : { allOf: [{ $ref: `#/$defs/d${n + 1}` }] })),
    }),
    /deeper than 32/,
  ],
  [
    'references that double at each step',
    object({
      $ref: '#/$defs/d0',
      $defs: many(15, (n) =>
        n === 14 ? {} : { allOf: [{ $ref: `#/$defs/d${n + 1}` }, { $ref: `#/$defs/d${n + 1}` }] },
      ),
    }),
    /judge the same value/,
  ],
  ['a name in a part', field({ $id: 'https://example.com/part', type: 'string' }), /`\$id`/],
  ['a name below a keyword that nobody knows', object({ 'x-meta': { $id: 'part' } }), /`\$id`/],
  ['a name that is no URI', field({ $id: 'http://[' }), /`\$id`/],
  ['a name that is no text', object({ $id: 5 }), /does not compile/],
  [
    'one anchor twice',
    object({ $defs: { a: { $anchor: 'x' }, b: { $anchor: 'x', type: 'string' } } }),
    /resolves to more than one schema/,
  ],
  [
    'a name of draft-04 that is no URI, in a part that nothing uses',
    object({ $defs: { a: { id: 'http://[' } } }),
    /does not compile/,
  ],
  [
    'a reference to what is not served',
    object({ properties: { a: { 'x-mcp-header': {}, $ref: '#/properties/a/x-mcp-header' } } }),
    /leads to no part/,
  ],
  ['the name of draft-04', field({ id: 'User', type: 'string' }), /NOT SUPPORTED: keyword/],
]
