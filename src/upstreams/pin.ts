import { ToolSchema } from '@modelcontextprotocol/sdk/types.js'
import { type Json, canonical } from '../gate/canonical.ts'
import { isNestedWithin } from '../gate/json/json-shape.ts'
import { limits } from '../limits.ts'
import type { Listed } from './list-tools.ts'
import { servedName } from './served-tool.ts'

/** A tool's definition. */
const upstreamDefinitionBytesMax = 65_536
const upstreamDefinitionDepthMax = 32

/** Tools that cannot be served: how many are listed, with so many characters of their names. */
const upstreamRefusedMax = 20
const upstreamRefusedCharsMax = 100

/** The tools of a server that can be served, each with its whole definition, and those that cannot. */
export interface Pinned {
  /** By name. The definition is in RFC 8785 form: its SHA-256 is the hash that a review is of. */
  tools: Map<string, string>
  refused: { tool: string; why: string }[]
}

/** Sorts what a server lists. A name that is listed twice is refused: nobody could say which of them is called. Pure. */
export function pinTools(upstream: string, { tools: listed, unkept }: Listed): Pinned {
  const tools = new Map<string, string>()
  const refused: Pinned['refused'] = []
  const names = listed.map(nameOf)
  for (const [at, tool] of listed.entries()) {
    const name = names[at]!
    const isOnce = names.indexOf(name) === names.lastIndexOf(name)
    const says = unkept.get(at)
    const unread = says === undefined ? undefined : { why: `its definition cannot be kept exactly: ${says}` }
    const pinned = isOnce ? (unread ?? pin(upstream, name, tool)) : twice
    if ('definition' in pinned) tools.set(name, pinned.definition)
    else refused.push({ tool: shown(name), why: pinned.why })
  }
  return { tools, refused: refused.slice(0, upstreamRefusedMax) }
}

function pin(upstream: string, name: string, tool: unknown): { definition: string } | { why: string } {
  if (!/^[A-Za-z0-9_-]+$/.test(name))
    return { why: 'its name has other characters than A-Z, a-z, 0-9, _ and -' }
  if (servedName(upstream, name).length > limits.upstreamToolNameCharsMax)
    return {
      why: `its name is longer than ${limits.upstreamToolNameCharsMax} characters with that of the server`,
    }
  if (!isNestedWithin(tool, upstreamDefinitionDepthMax))
    return { why: `its definition is nested deeper than ${upstreamDefinitionDepthMax}` }
  const parsed = ToolSchema.safeParse(tool)
  if (!parsed.success) return { why: 'its definition is not one of MCP' }
  if (parsed.data.execution?.taskSupport === 'required') return { why: 'it can be called as a task only' }
  try {
    const definition = canonical(tool as Json)
    return Buffer.byteLength(definition) <= upstreamDefinitionBytesMax
      ? { definition }
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
