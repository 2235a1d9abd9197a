/** A JSON Schema that is an object. What its keywords have is whatever a server wrote. */
export interface Schema {
  readonly [keyword: string]: unknown
}

/** The schemas that a schema consists of. */
export interface SchemaParts {
  /** Each of them that is an object, itself included. */
  schemas: Schema[]
  /** By the `$ref` that every client finds it by: of parts that are true or false, too. */
  targets: Map<string, unknown>
}

/** Keywords whose value has names of the author's, each with a schema. */
const named = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas'])
/** Keywords whose value can be a list of schemas. */
const lists = new Set(['allOf', 'anyOf', 'oneOf', 'prefixItems', 'items'])
/** Keywords whose value is no schema, but a value; and one that is not served. */
export const literals: ReadonlySet<string> = new Set([
  'const',
  'enum',
  'default',
  'examples',
  'required',
  'x-mcp-header',
])

/**
 * Finds the parts of a schema, also below keywords that JSON Schema does not know. Pure.
 * @source what `dereference` of @cfworker/json-schema 4.1.1 visits, which finds the fewest of all clients
 */
export function partsOf(root: Schema): SchemaParts {
  const parts: SchemaParts = { schemas: [], targets: new Map() }
  visit(root, '#', parts)
  // Older dialects have no anchors, and no dialect has them below keywords of others: Python does not find these.
  if (typeof root['$schema'] !== 'string' || root['$schema'].startsWith('https:'))
    for (const [at, schema] of parts.targets)
      if (isObject(schema) && typeof schema['$anchor'] === 'string' && isFoundByAll(at))
        parts.targets.set(`#${schema['$anchor']}`, schema)
  return parts
}

/** Only below properties and definitions: the places that authors refer to. */
const isFoundByAll = (at: string): boolean => /^#(?:\/(?:properties|\$defs)\/[^/]*)*$/.test(at)

function visit(value: unknown, at: string, parts: SchemaParts): void {
  if (typeof value === 'boolean') parts.targets.set(at, value)
  if (!isObject(value)) return
  parts.targets.set(at, value)
  parts.schemas.push(value)
  for (const [keyword, inner] of Object.entries(value)) {
    if (literals.has(keyword)) continue
    const below = `${at}/${pointerPart(keyword)}`
    if (named.has(keyword) && isObject(inner)) {
      for (const [name, one] of Object.entries(inner)) visit(one, `${below}/${pointerPart(name)}`, parts)
    } else if (!Array.isArray(inner)) visit(inner, below, parts)
    else if (lists.has(keyword)) for (const [n, one] of inner.entries()) visit(one, `${below}/${n}`, parts)
  }
}

/** The schemas that judge the very value that a schema judges, by its keywords. Those that it refers to included. Pure. */
export function besides(schema: Schema, { targets }: Pick<SchemaParts, 'targets'>): Schema[] {
  const { $ref, allOf, anyOf, oneOf, not, if: condition, then: whenSo, else: otherwise } = schema
  return [
    ...[allOf, anyOf, oneOf].flatMap((list) => (Array.isArray(list) ? list : [])),
    ...[schema['dependentSchemas'], schema['dependencies']].flatMap((map) =>
      isObject(map) ? Object.values(map) : [],
    ),
    not,
    condition,
    whenSo,
    otherwise,
    typeof $ref === 'string' ? targets.get($ref) : undefined,
  ].filter(isObject)
}

/** Every pattern in a schema. Pure. */
export const patternsOf = ({ schemas }: SchemaParts): string[] =>
  schemas.flatMap(({ pattern, patternProperties }) => [
    ...(typeof pattern === 'string' ? [pattern] : []),
    ...(isObject(patternProperties) ? Object.keys(patternProperties) : []),
  ])

export const isObject = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** One step of a JSON Pointer in a URI. Names come from exact JSON: they have no half of a surrogate pair. */
const pointerPart = (name: string): string =>
  encodeURI(name.toWellFormed().replaceAll('~', '~0').replaceAll('/', '~1'))
