import { CfWorkerJsonSchemaValidator } from '@modelcontextprotocol/server/validators/cf-worker'
import { Ajv } from 'ajv'
import { Ajv2019 } from 'ajv/dist/2019.js'
import { Ajv2020 } from 'ajv/dist/2020.js'
import ajvFormats from 'ajv-formats'
import { limits } from '../../limits.ts'
import { patternFault, pythonPatternFault } from './pattern-faults.ts'
import { type Schema, type SchemaParts, besides, isObject, partsOf, patternsOf } from './schema-parts.ts'
import { judgingFault, schemaWeight, schemaWeightMax } from './schema-weight.ts'
import { quoted } from '../what-failed.ts'

interface Dialect {
  /** What clients of 2026-07-28 compile it with. Clients of the first SDK compile all of them with Ajv's classic one. */
  Engine: typeof Ajv | typeof Ajv2019
  /** The schema of its schemas. */
  meta: string
}

const newest: Dialect = { Engine: Ajv2020, meta: 'https://json-schema.org/draft/2020-12/schema' }
const previous: Dialect = { Engine: Ajv2019, meta: 'https://json-schema.org/draft/2019-09/schema' }
const classic: Dialect = { Engine: Ajv, meta: 'http://json-schema.org/draft-07/schema' }

/** The dialects that every client knows. */
const dialects = new Map([
  [newest.meta, newest],
  [previous.meta, previous],
  [classic.meta, classic],
  ['http://json-schema.org/draft-06/schema', classic],
])
const dialectOf = ({ $schema }: Schema): Dialect | undefined =>
  typeof $schema === 'string' ? dialects.get($schema.replace(/#$/, '')) : newest

/**
 * Why a client could not read a schema of a tool. Official clients compile the schema of results: the first SDK for TypeScript gives up
 * the whole list over one that it cannot compile, the others the calls of the tool. Other clients compile that of arguments, too.
 * @param schema  nested within the bounds of a definition, without an `$id`
 * @returns undefined where every client can; never throws, whatever the schema is
 */
export const schemaFault = (schema: Schema, use: 'input' | 'output'): string | undefined =>
  // A client may have less of the stack left than this process has now: a third of it is put aside.
  withLessStack(4_000, () => {
    try {
      const parts = partsOf(schema)
      return clientFault(schema, parts) ?? (use === 'output' ? resultFault(schema, parts) : undefined)
    } catch (error) {
      if (error instanceof RangeError) return 'its references are too deep'
      return `it does not compile: ${shown(error instanceof Error ? error.message : error)}`
    }
  })

const withLessStack = <T>(calls: number, act: () => T): T =>
  calls === 0 ? act() : withLessStack(calls - 1, act)

/** As the official clients for TypeScript read it, in all of their versions and on every platform. @throws what they throw */
function clientFault(schema: Schema, parts: SchemaParts): string | undefined {
  const fault =
    weightFault(schema, parts) ??
    nameFault(parts) ??
    judgingFault(parts) ??
    firstFault(patternsOf(parts), patternFault)
  if (fault !== undefined) return fault
  engine(Ajv).compile(schema)
  const { Engine } = dialectOf(schema)!
  if (Engine !== Ajv) engine(Engine).compile(schema)
  // It writes into the schema.
  new CfWorkerJsonSchemaValidator().getValidator(structuredClone(schema))
  return undefined
}

/** What only clients that judge results stumble over. Python compares a schema with that of its dialect, and compiles patterns itself. */
const resultFault = (schema: Schema, parts: SchemaParts): string | undefined =>
  metaFault(dialectOf(schema)!, schema) ??
  firstFault(parts.schemas, newerFault) ??
  firstFault(parts.schemas, (part) => misjudgedFault(part, parts)) ??
  firstFault(propertiesOf(parts), inheritedFault) ??
  firstFault(patternsOf(parts), pythonPatternFault)

function metaFault({ Engine, meta }: Dialect, schema: Schema): string | undefined {
  const known = (metas[meta] ??= new Engine({ strict: false, validateFormats: false, logger: false }))
  if (known.validate(meta, schema) === true) return undefined
  return `the value at ${shown(known.errors?.[0]?.instancePath ?? '')} is none that JSON Schema has there`
}
const metas: Record<string, Ajv | Ajv2019> = {}

/** Clients in browsers judge by these keywords whatever the dialect is. Older dialects do not know them. */
const newerFault = ({
  prefixItems,
  dependentRequired,
  dependentSchemas,
  unevaluatedItems,
  unevaluatedProperties,
}: Schema): string | undefined => {
  const newer = { prefixItems, dependentRequired, dependentSchemas, unevaluatedItems, unevaluatedProperties }
  const given = Object.entries(newer).filter(([, value]) => value !== undefined)
  return given.length === 0 ? undefined : metaFault(newest, Object.fromEntries(given))
}

/** What is a schema, and makes the judge of some client fail at some value. */
function misjudgedFault(part: Schema, { schemas }: SchemaParts): string | undefined {
  const { id, dependencies, patternProperties, unevaluatedItems, additionalItems, items } = part
  const isOdd =
    // Clients in browsers take it for an `$id`, and do not look below names of keywords in `dependencies`.
    typeof id === 'string' ||
    (isObject(dependencies) && Object.values(dependencies).some(isObject)) ||
    // Ajv marks properties as evaluated in what these left undefined.
    (patternProperties !== undefined && refersBeside(part)) ||
    // Python counts the items of `"items": false`.
    (additionalItems !== undefined && typeof items === 'boolean') ||
    (unevaluatedItems !== undefined && schemas.some((one) => dialectOf(one) === previous))
  return isOdd ? 'it has keywords side by side that some client cannot judge by' : undefined
}

const refersBeside = (part: Schema): boolean =>
  part['$ref'] !== undefined ||
  besides(part, { targets: new Map() }).some(
    (one) => one['unevaluatedProperties'] !== undefined || refersBeside(one),
  )

const propertiesOf = ({ schemas }: SchemaParts): string[] =>
  schemas.flatMap(({ properties }) => (isObject(properties) ? Object.keys(properties) : []))

const inheritedFault = (name: string): string | undefined =>
  name in {} ? `it has a property ${shown(name)}, which clients in browsers find in every object` : undefined

const weightFault = (schema: Schema, parts: SchemaParts): string | undefined =>
  schemaWeight(schema, parts) > schemaWeightMax
    ? `it has more than ${schemaWeightMax} values, with what its references repeat`
    : undefined

/** What names a schema, or leads to one by name. A client keeps the names of all tools in one place. */
const nameFault = ({ schemas, targets }: SchemaParts): string | undefined =>
  firstFault(schemas, (schema) => {
    const { $schema, $id, $async, $ref } = schema
    if (dialectOf(schema) === undefined)
      return `its dialect ${shown($schema)} is not JSON Schema 2020-12, 2019-09, draft-07 or draft-06`
    if (typeof $id === 'string') return `a part of it has the \`$id\` ${shown($id)}`
    if ($async !== undefined) return 'it has `$async`'
    if ('$dynamicRef' in schema || '$recursiveRef' in schema)
      return 'it has a reference that clients follow in different ways'
    if ($ref !== undefined && !(typeof $ref === 'string' && targets.has($ref)))
      return `its reference ${shown($ref)} leads to no part of it`
    return undefined
  })

/** @source the defaults of `AjvJsonSchemaValidator` in @modelcontextprotocol/sdk 1.32 and @modelcontextprotocol/client 2.4 */
function engine(Engine: typeof Ajv | typeof Ajv2019): Ajv | Ajv2019 {
  const made = new Engine({
    strict: false,
    validateFormats: true,
    validateSchema: false,
    allErrors: true,
    // A schema would write into the log.
    logger: false,
  })
  ajvFormats.default(made)
  return made
}

function firstFault<T>(of: readonly T[], faultOf: (one: T) => string | undefined): string | undefined {
  for (const one of of) {
    const fault = faultOf(one)
    if (fault !== undefined) return fault
  }
  return undefined
}

const shown = (words: unknown): string =>
  quoted(
    (typeof words === 'string' ? words : (JSON.stringify(words) ?? '')).slice(
      0,
      limits.upstreamWordsCharsMax,
    ),
  )
