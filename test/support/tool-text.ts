export interface ListedTool {
  name: string
  title?: string | undefined
  description?: string | undefined
  inputSchema: JsonObject
  outputSchema?: JsonObject | undefined
  annotations?: Record<string, unknown> | undefined
}
type JsonObject = Record<string, any>

const columns = 120

/** The list of tools as a text to review: one block a tool, with everything that a client receives. */
export const toolsText = (instructions: string, tools: ListedTool[]): string =>
  `${[block('instructions', [instructions]), ...tools.map(toolText)].join('\n\n')}\n`

function toolText({ name, title, description, inputSchema, outputSchema, annotations }: ListedTool): string {
  const { additionalProperties, ...input } = inputSchema
  const hints = Object.entries(annotations ?? {}).map(([hint, is]) => (is ? hint : `not ${hint}`))
  const more = additionalProperties === false ? [] : ['  … any other argument']
  return block(`${name}: ${title}`, [
    description!,
    ...(hints.length > 0 ? [hints.join(', ').replaceAll('Hint', '')] : []),
    'takes',
    ...fields(input).map((line) => `  ${line}`),
    ...more,
    'answers',
    ...fields(outputSchema ?? {}).map((line) => `  ${line}`),
  ])
}

const block = (heading: string, lines: string[]): string =>
  [heading, ...lines.flatMap((line) => wrap(line)).map((line) => `  ${line}`)].join('\n')

/** The fields of an object, one a line; those that may be absent with a `?`. */
function fields({ type, properties = {}, required = [], ...others }: JsonObject): string[] {
  const unread = Object.keys(others)
  if (type !== 'object' || unread.length > 0) throw new Error(`not shown of a schema: ${type} ${unread}`)
  return Object.entries<JsonObject>(properties).flatMap(([name, schema]) => {
    const { description, default: value, properties: inner, required: innerRequired, ...of } = schema
    const head = `${name}${required.includes(name) ? '' : '?'}  ${typeText(of)}`
    const byDefault = value === undefined ? '' : ` = ${JSON.stringify(value)}`
    const nested = inner ? fields({ type: 'object', properties: inner, required: innerRequired }) : []
    return [
      `${head}${byDefault}${description ? `  ${description}` : ''}`,
      ...nested.map((line) => `  ${line}`),
    ]
  })
}

function typeText({ type, enum: values, anyOf, ...others }: JsonObject): string {
  const unread = Object.keys(others)
  if (unread.length > 0) throw new Error(`not shown of a schema: ${unread}`)
  if (anyOf) return anyOf.map(typeText).join(' or ')
  return values ? values.map((value: unknown) => JSON.stringify(value)).join(' | ') : type
}

/** Breaks a line at its words; what follows is indented as it is. */
export function wrap(line: string): string[] {
  const indent = /^ */.exec(line)![0]
  const lines: string[] = []
  let rest = line
  while (rest.length > columns) {
    const at = rest.lastIndexOf(' ', columns)
    lines.push(rest.slice(0, at))
    rest = `${indent}${indent ? '    ' : ''}${rest.slice(at + 1)}`
  }
  return [...lines, rest]
}
