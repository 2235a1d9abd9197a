import { wrap } from './tool-text.ts'

type JsonObject = Record<string, any>

/**
 * The OpenAPI description as an outline to review: each address with its parameters, body and answers, and each schema with its
 * fields, their types and bounds. Descriptions and examples are left out; of a schema, nothing is left out unseen.
 */
export function openapiText(document: JsonObject): string {
  const { paths, components } = document
  const addresses = Object.entries<JsonObject>(paths).flatMap(([path, methods]) =>
    Object.entries<JsonObject>(methods).map(([method, operation]) => [
      `${method.toUpperCase()} ${path}  ${operation['operationId']}`,
      ...operationLines(operation).map((line) => `  ${line}`),
    ]),
  )
  const schemas = Object.entries<JsonObject>(components.schemas).map(([name, schema]) => headed(name, schema))
  const text = [...addresses, ...schemas].map((lines) => lines.flatMap((line) => wrap(line)).join('\n'))
  return `${text.join('\n\n')}\n`
}

function operationLines({ security, parameters, requestBody, responses }: JsonObject): string[] {
  return [
    ...(security === undefined ? [] : [`security ${JSON.stringify(security)}`]),
    ...parameters.flatMap(({ name, in: place, required, schema }: JsonObject) =>
      headed(`${place} ${name}${required ? '' : '?'}`, schema),
    ),
    ...Object.entries<JsonObject>(requestBody?.content ?? {}).flatMap(([type, { schema }]) =>
      headed(`body${requestBody.required ? '' : '?'} ${type}`, schema),
    ),
    ...answerLines(responses),
  ]
}

/** The answers, those alike in one line: most are errors. */
function answerLines(responses: JsonObject): string[] {
  const statuses = new Map<string, string[]>()
  for (const [status, { content = {}, headers = {} }] of Object.entries<JsonObject>(responses)) {
    const bodies = Object.entries<JsonObject>(content).map(
      ([type, { schema }]) => `${type} ${schema ? typeText(schema) : 'bytes'}`,
    )
    const others = Object.keys(headers).filter((name) => name !== 'X-Request-Id')
    const what = [bodies.join(' or '), ...others].join(', ')
    statuses.set(what, [...(statuses.get(what) ?? []), status])
  }
  return [...statuses].map(([what, of]) => `${of.join(' ')}  ${what}`)
}

/** A schema behind a name, with its fields below. */
function headed(name: string, schema: JsonObject): string[] {
  return [`${name}  ${typeText(schema)}`, ...fieldLines(schema).map((line) => `  ${line}`)]
}

/** The fields of an object, or of those that it is one or all of; one that may be absent with a `?`. */
function fieldLines({ properties = {}, required = [], items, ...schema }: JsonObject): string[] {
  const choices: JsonObject[] = schema['anyOf'] ?? schema['oneOf'] ?? []
  return [
    ...Object.entries<JsonObject>(properties).flatMap(([name, of]) =>
      headed(`${name}${required.includes(name) ? '' : '?'}`, of),
    ),
    ...(items ? fieldLines(items) : []),
    ...(schema['allOf'] ?? []).flatMap(fieldLines),
    ...choices.flatMap((choice) => {
      const lines = fieldLines(choice)
      return lines.length === 0 ? [] : [choice['title'] ?? 'either', ...lines.map((line) => `  ${line}`)]
    }),
  ]
}

const unions = { allOf: ' and ', anyOf: ' or ', oneOf: ' or ' }

function typeText(schema: JsonObject): string {
  const { $ref, type, format, pattern, enum: values, const: value, items, not, ...more } = schema
  const {
    description: _,
    title: _title,
    example: _example,
    properties,
    required: _required,
    ...others
  } = more
  const said: string[] = []
  if ($ref) said.push($ref.replace('#/components/schemas/', ''))
  if (items) said.push(`list of ${typeText(items)}`)
  else if (value !== undefined) said.push(JSON.stringify(value))
  else if (values) said.push(values.map((one: unknown) => JSON.stringify(one)).join(' | '))
  else if (type) said.push([type].flat().join(' | '))
  // The pattern of a format is the library's.
  if (format) said.push(format)
  else if (pattern) said.push(`/${pattern}/`)
  if (not) said.push(`not ${typeText(not)}`)
  for (const [name, joint] of Object.entries(unions))
    if (others[name]) said.push(others[name].map(typeText).join(joint))
  const bounds = Object.entries(others).filter(([name]) => !(name in unions))
  for (const [name, bound] of bounds) said.push(boundText(name, bound))
  if (said.length === 0 && !properties) return 'anything'
  return said.filter(Boolean).join(' ')
}

function boundText(name: string, bound: unknown): string {
  if (name === 'additionalProperties')
    return bound === false ? 'and no other field' : `and other fields: ${typeText(bound as JsonObject)}`
  if (name === 'x-extensible-enum')
    return `such as ${(bound as unknown[]).map((one) => JSON.stringify(one)).join(' | ')}`
  if (name === 'discriminator') return `by ${(bound as JsonObject)['propertyName']}`
  if (name === 'default') return `= ${JSON.stringify(bound)}`
  if (/^(exclusive)?(min|max)(imum|Length|Items)?/i.test(name)) return `${name} ${String(bound)}`
  throw new Error(`not shown of a schema: ${name}`)
}
