import { createHash } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import { type Tool, ToolSchema } from '@modelcontextprotocol/sdk/types.js'
import { kept } from '../../waiting/kept.ts'
import { schemaFault } from './schema-faults.ts'
import { type Schema, isObject, partsOf } from './schema-parts.ts'
import { schemaWeight, schemaWeightMax } from './schema-weight.ts'

/** A tool as clients are served it, or why none is. */
export type SoundTool =
  | { tool: Tool; leftOut?: string }
  /** The end of a sentence about the tool. */
  | { why: string }

/**
 * What is served of a tool, so that no client loses its whole list over one schema: nothing where its arguments have a schema
 * that a client could not read, and no schema of its results where they have such a one.
 * @param text  the definition as it is pinned: one of MCP, save the schema of its results
 */
export async function soundTool(text: string): Promise<SoundTool> {
  const { outputSchema, ...definition } = JSON.parse(text) as Tool
  const inputSchema = unnamed(definition.inputSchema)
  const fault = await knownFault(inputSchema, 'input')
  if (fault !== undefined) return { why: `clients cannot read its input schema: ${fault}` }
  const tool: Tool = { ...definition, inputSchema: inputSchema as Tool['inputSchema'] }
  if (outputSchema === undefined) return { tool }
  const leftOut = (why: string) => ({
    tool,
    leftOut: `clients cannot read its output schema, so it is served without one: ${why}`,
  })
  if (!ToolSchema.shape.outputSchema.safeParse(outputSchema).success)
    return leftOut('it is not one of MCP for an object')
  const served = unnamed(outputSchema)
  const outputFault = await knownFault(served, 'output')
  return outputFault === undefined
    ? { tool: { ...tool, outputSchema: served as NonNullable<Tool['outputSchema']> } }
    : leftOut(outputFault)
}

/** Which schema of a pinned definition is not served, and why: for administrators. */
export async function unreadableSchema(text: string): Promise<string | undefined> {
  const sound = await soundTool(text)
  return 'why' in sound ? sound.why : sound.leftOut
}

/** How much is compiled for a tool: nothing for a schema that is too large. Pure. */
export const schemasWeight = ({ inputSchema, outputSchema }: Tool): number =>
  [inputSchema, outputSchema].reduce((sum, schema) => {
    const weight = isObject(schema) ? schemaWeight(schema, partsOf(schema)) : 0
    return weight > schemaWeightMax ? sum : sum + weight
  }, 0)

/** A schema without its own name: a client that keeps names would take the schema of another tool, or an earlier one, for it. */
function unnamed(schema: Schema): Schema {
  const { $id, ...others } = schema
  return typeof $id === 'string' ? others : schema
}

/** By digest. A schema that was compiled is not compiled again at each reading. */
const faults = kept<string | undefined>({ ms: 86_400_000, max: 10_000 })

async function knownFault(schema: Schema, use: 'input' | 'output'): Promise<string | undefined> {
  const name = createHash('sha256')
    .update(`${use} ${JSON.stringify(schema)}`)
    .digest('base64')
  const known = faults.get(name)
  if (known) return known.value
  const fault = schemaFault(schema, use)
  faults.keep(name, fault)
  // Others wait while one is compiled.
  await setImmediate()
  return fault
}
