import type { Tool } from '@modelcontextprotocol/sdk/types.js'
import { isObject } from './call.ts'

const annotation = 'x-mcp-header'

/**
 * A tool whose schema asks no client to repeat arguments in headers: what such a schema of a server behind the gate asks for would
 * show arguments to proxies, and clients drop a tool that asks wrongly. Pure.
 * @source MCP 2026-07-28, Streamable HTTP, custom headers from tool parameters
 */
export function withoutMirrors(tool: Tool): Tool {
  if (!JSON.stringify(tool.inputSchema).includes(`"${annotation}"`)) return tool
  return { ...tool, inputSchema: ofSchema(tool.inputSchema) as Tool['inputSchema'] }
}

/** Keywords whose value has names of the author's, each with a schema. */
const named = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas'])
/** Keywords whose value is no schema, but a value. */
const literal = new Set(['const', 'enum', 'default', 'examples'])

function ofSchema(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(ofSchema)
  if (typeof schema !== 'object' || schema === null) return schema
  return mapEntries(schema, (keyword, value) => {
    if (keyword === annotation) return undefined
    if (literal.has(keyword)) return value
    return named.has(keyword) && isObject(value)
      ? mapEntries(value, (_name, one) => ofSchema(one))
      : ofSchema(value)
  })
}

/** Leaves out what becomes undefined. */
const mapEntries = (object: object, map: (name: string, value: unknown) => unknown): object =>
  Object.fromEntries(
    Object.entries(object)
      .map(([name, value]) => [name, map(name, value)])
      .filter(([, value]) => value !== undefined),
  )
