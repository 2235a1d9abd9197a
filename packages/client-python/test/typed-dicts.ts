/** Types for Python of an OpenAPI description: a TypedDict for each object that agents read and write. */

interface Schema {
  $ref?: string
  type?: string | string[]
  enum?: string[]
  const?: string
  description?: string
  properties?: Record<string, Schema>
  required?: string[]
  additionalProperties?: boolean | Schema
  items?: Schema
  allOf?: Schema[]
  oneOf?: Schema[]
}

interface Parameter {
  name: string
  description?: string
  schema: Schema
}

export interface Description {
  components: { schemas: Record<string, Schema> }
  paths: Record<string, Record<string, { parameters?: Parameter[] }>>
}

/** The schemas that the client gives and takes; where a name says little beside `Gate`, another one. */
const shown: Record<string, string> = {
  MemberByEmail: 'MemberByEmail',
  MemberAtProvider: 'MemberAtProvider',
  Actor: 'Actor',
  Capability: 'Capability',
  ActionRequest: 'Action',
  ClaimedAction: 'ClaimedAction',
  Error: 'ErrorBody',
  ...Object.fromEntries(
    ['Broadcast', 'Refund', 'Payout', 'Checkout', 'SubscriptionCancellation']
      .flatMap((kind) => [`${kind}Payload`, `${kind}Result`])
      .map((name) => [name, name]),
  ),
}

const head = `"""Types of the gate's answers, made from its OpenAPI description. Do not edit: \`npm run test:snapshots\` writes this file."""

from typing import Any, Literal

from typing_extensions import NotRequired, TypedDict
`

/** The module \`types.py\`. */
export function typedDicts({ components, paths }: Description): string {
  const classes: string[] = []
  const filters = paths['/api/v1/actions']!['get']!.parameters!
  for (const [from, name] of Object.entries(shown)) {
    const schema = components.schemas[from]!
    if (schema.oneOf) classes.push(`${name} = ${schema.oneOf.map(named).join(' | ')}\n`)
    else addClass(name, schema, classes)
  }
  const properties = filters.map(({ name, description, schema }) => [name, { description, ...schema }])
  addClass('ListFilters', { properties: Object.fromEntries(properties) }, classes)
  return [head, ...classes].join('\n\n')
}

/** Adds the class of an object, after those of the objects in it. */
function addClass(name: string, schema: Schema, classes: string[]): void {
  const [base, own] = schema.allOf ? [named(schema.allOf[0]!), schema.allOf[1]!] : ['TypedDict', schema]
  const lines = Object.entries(own.properties ?? {}).flatMap(([field, of]) => {
    const type = typeOf(of, `${name}${pascal(field)}`, classes)
    return [
      ...(of.description === undefined ? [] : [`    # ${of.description.replaceAll(/\s+/g, ' ')}`]),
      `    ${field}: ${own.required?.includes(field) ? type : `NotRequired[${type}]`}`,
    ]
  })
  const says = schema.description === undefined ? [] : [`    """${schema.description}"""`, '']
  const body = [...says, ...lines]
  // A field whose name is a keyword of Python needs the other form.
  const keyword = Object.keys(own.properties ?? {}).some((field) => ['from', 'in', 'class'].includes(field))
  classes.push(keyword ? asCall(name, own, classes) : `class ${name}(${base}):\n${body.join('\n')}\n`)
}

function asCall(name: string, { properties = {}, required = [] }: Schema, classes: string[]): string {
  const fields = Object.entries(properties).map(([field, of]) => {
    const type = typeOf(of, `${name}${pascal(field)}`, classes)
    return `        "${field}": ${required.includes(field) ? type : `NotRequired[${type}]`},`
  })
  return [`${name} = TypedDict(`, `    "${name}",`, '    {', ...fields, '    },', ')', ''].join('\n')
}

function typeOf(schema: Schema, name: string, classes: string[]): string {
  if (schema.$ref) return named(schema)
  if (schema.const !== undefined) return `Literal["${schema.const}"]`
  if (schema.enum) return `Literal[${schema.enum.map((one) => `"${one}"`).join(', ')}]`
  if (Array.isArray(schema.type)) {
    return schema.type.map((type) => typeOf({ ...schema, type }, name, classes)).join(' | ')
  }
  if (schema.type === 'array') return `list[${typeOf(schema.items!, name, classes)}]`
  if (schema.type !== 'object') return scalar[schema.type ?? ''] ?? 'Any'
  if (schema.properties) {
    addClass(name, schema, classes)
    return name
  }
  const values = schema.additionalProperties
  return `dict[str, ${typeof values === 'object' ? typeOf(values, name, classes) : 'Any'}]`
}

const scalar: Record<string, string> = {
  string: 'str',
  integer: 'int',
  number: 'float',
  boolean: 'bool',
  null: 'None',
}

const named = ({ $ref }: Schema): string => {
  const name = $ref!.split('/').at(-1)!
  return shown[name] ?? name
}

const pascal = (field: string): string =>
  field
    .split('_')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('')
