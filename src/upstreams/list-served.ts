import type { Tool } from '@modelcontextprotocol/sdk/types.js'
import { type UpstreamToolRow, readUpstreamTools } from '../db/queries/upstreams/served-tools.ts'
import { type ToolRule, defaultToolRule } from '../gate/declared/tool-rule.ts'
import { mapConcurrent } from '../waiting/map-concurrent.ts'
import { type ServedTool, addressOf, servedName } from './served-tool.ts'
import { soundTool } from './schemas/sound-schemas.ts'
import type { ServedTools, UpstreamDeps } from './upstream-deps.ts'

/**
 * The tools that the account's MCP servers offer, by name: reviewed, unreviewed and quarantined. Reads one row where none
 * changed.
 */
export const listServed = async (deps: UpstreamDeps, account: string): Promise<readonly ServedTool[]> =>
  (await readServed(deps, account)).tools

/**
 * The same with the version of the account's servers and tools.
 * @param now  the version, where the caller has just read it: nothing is read where that one is kept
 */
export async function readServed(
  { db, upstreams }: UpstreamDeps,
  account: string,
  now?: number,
): Promise<ServedTools> {
  const known = upstreams.tools.get(account)?.value
  if (now === 0) return noTools
  if (known && known.version === now) return known
  const { version, tools } = await readUpstreamTools(db, account, known?.version ?? 0)
  if (known?.version === version) return known
  const served = await mapConcurrent(1, tools, (row) => toServed(account, row))
  const listed = { version, tools: served.filter((tool) => tool !== undefined) }
  upstreams.tools.keep(account, listed)
  return listed
}

const noTools: ServedTools = { version: 0, tools: [] }

/** A server can list megabytes that nobody reviewed: they stay out of the memory of every process. */
const unreviewed = (tool: string): Tool => ({ name: tool, inputSchema: { type: 'object' } })

/** Undefined where no client could be served the definition: it can have been pinned by a version that did not look. */
async function toServed(
  account: string,
  { upstream, place, tool, definition, hash, state, rule: set }: UpstreamToolRow,
): Promise<ServedTool | undefined> {
  const sound = definition === null ? { tool: unreviewed(tool) } : await soundTool(definition)
  if ('why' in sound) return undefined
  const rule: ToolRule = set ?? defaultToolRule
  const { amount, subject, is_idempotent: isIdempotent = false } = rule
  return {
    account,
    upstream,
    address: addressOf(place),
    tool,
    name: servedName(upstream, tool),
    definition: sound.tool,
    hash,
    rule,
    state,
    isIdempotent,
    ...(amount ? { amount } : {}),
    ...(subject === undefined ? {} : { subject }),
  }
}
