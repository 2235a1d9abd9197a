import { type Tool, ToolSchema } from '@modelcontextprotocol/sdk/types.js'
import { type Json, canonical } from '../gate/canonical.ts'
import { isNestedWithin } from '../gate/json/json-shape.ts'
import { limits } from '../limits.ts'
import type { Listed } from './list-tools.ts'
import { servedName } from './served-tool.ts'
import { schemasWeight, soundTool } from './schemas/sound-schemas.ts'

/** A tool's definition. */
const upstreamDefinitionBytesMax = 65_536
const upstreamDefinitionDepthMax = 32

/** What clients compile for the tools of one server: the gate does it first, and again when the server changes them. */
const upstreamSchemasWeightMax = 30_000

/** Tools that cannot be served: how many are listed, with so many characters of their names. */
const upstreamRefusedMax = 20
const upstreamRefusedCharsMax = 100

/** The tools of a server that can be served, each with its whole definition, and those that cannot. */
export interface Pinned {
  /** By name. The definition is in RFC 8785 form: its SHA-256 is the hash that a review is of. */
  tools: Map<string, string>
  refused: { tool: string; why: string }[]
}

/** Sorts what a server lists. A name that is listed twice is refused: nobody could say which of them is called. */
export async function pinTools(upstream: string, { tools: listed, unkept }: Listed): Promise<Pinned> {
  const tools = new Map<string, string>()
  const refused: Pinned['refused'] = []
  const names = listed.map(nameOf)
  const spent = { weight: 0 }
  for (const [at, tool] of listed.entries()) {
    const name = names[at]!
    const isOnce = names.indexOf(name) === names.lastIndexOf(name)
    const says = unkept.get(at)
    const unread = says === undefined ? undefined : { why: `its definition cannot be kept exactly: ${says}` }
    const pinned = isOnce ? (unread ?? (await pin({ upstream, name }, tool, spent))) : twice
    if ('definition' in pinned) tools.set(name, pinned.definition)
    else refused.push({ tool: shown(name), why: pinned.why })
  }
  return { tools, refused: refused.slice(0, upstreamRefusedMax) }
}

async function pin(
  { upstream, name }: { upstream: string; name: string },
  tool: unknown,
  spent: { weight: number },
): Promise<{ definition: string } | { why: string }> {
  if (!/^[A-Za-z0-9_-]+$/.test(name))
    return { why: 'its name has other characters than A-Z, a-z, 0-9, _ and -' }
  if (servedName(upstream, name).length > limits.upstreamToolNameCharsMax)
    return {
      why: `its name is longer than ${limits.upstreamToolNameCharsMax} characters with that of the server`,
    }
  if (!isNestedWithin(tool, upstreamDefinitionDepthMax))
    return { why: `its definition is nested deeper than ${upstreamDefinitionDepthMax}` }
  const parsed = NamedTool.safeParse(tool)
  if (!parsed.success) return { why: 'its definition is not one of MCP' }
  if (parsed.data.execution?.taskSupport === 'required') return { why: 'it can be called as a task only' }
  const definition = definitionOf(tool)
  if (typeof definition !== 'string') return definition
  spent.weight += schemasWeight(tool as Tool)
  if (spent.weight > upstreamSchemasWeightMax)
    return { why: 'the schemas of its server are too large in all' }
  const sound = await soundTool(definition)
  return 'why' in sound ? sound : { definition }
}

/** The schema of its results is judged apart: a tool is served without it. */
const NamedTool = ToolSchema.omit({ outputSchema: true })

function definitionOf(tool: unknown): string | { why: string } {
  try {
    const definition = canonical(tool as Json)
    return Buffer.byteLength(definition) <= upstreamDefinitionBytesMax
      ? definition
      : { why: `its definition has more than ${upstreamDefinitionBytesMax} bytes` }
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    return { why: 'its definition has a number or a text that JSON cannot represent' }
  }
}

const twice = { why: 'it is listed twice' }

function nameOf(tool: unknown): string {
  const name = typeof tool === 'object' && tool !== null && 'name' in tool ? tool.name : undefined
  return typeof name === 'string' ? name : ''
}

const shown = (name: string): string =>
  name.toWellFormed().replaceAll('\0', '').slice(0, upstreamRefusedCharsMax)
