import type { AuthorityFacts } from '../db/queries/ledger/authority.ts'
import { type Json, canonical } from '../gate/canonical.ts'
import type { Handler } from './authority.ts'
import type { RecordedTool, RecordedUpstream } from './recorded-authority.ts'

/** What the entries about MCP servers and their tools record. */
export const upstreamHandlers: Partial<Record<string, Handler>> = {
  upstream_added({ upstreams }, { upstream, ...facts }, link) {
    upstreams.set(String(upstream), { seq: link.seq, isSeen: false, facts, tools: new Map() })
  },

  upstream_changed({ upstreams }, { upstream, change, tool, rule, ...facts }) {
    const known = upstreams.get(String(upstream))
    if (!known) return
    if (change === 'rule') toolOf(known, tool).rule = rule
    else known.facts = facts
  },

  upstream_removed({ upstreams }, { upstream }) {
    upstreams.delete(String(upstream))
  },

  upstream_tool_reviewed({ upstreams }, { upstream, tools }) {
    const known = upstreams.get(String(upstream))
    if (!known) return
    for (const { tool, hash } of tools as { tool: string; hash: string }[])
      Object.assign(toolOf(known, tool), { reviewed: hash, isQuarantined: false })
  },

  upstream_tool_quarantined({ upstreams }, { upstream, tool }) {
    const known = upstreams.get(String(upstream))
    if (known) toolOf(known, tool).isQuarantined = true
  },
}

function toolOf({ tools }: RecordedUpstream, name: unknown): RecordedTool {
  const known = tools.get(String(name))
  if (known) return known
  const made: RecordedTool = { reviewed: null, isQuarantined: false, rule: null }
  tools.set(String(name), made)
  return made
}

/** Where an MCP server differs from its entries; null if it matches. Pure. */
export function upstreamMismatch(
  { tools, ...facts }: AuthorityFacts['upstream'],
  told: RecordedUpstream,
): string | null {
  const stored = facts as Record<string, unknown>
  const wrong = Object.entries(told.facts).find(([name, value]) => !isSame(stored[name], value))
  if (wrong) return `its ${wrong[0]} does not match the ledger`
  for (const { tool, reviewed, quarantined, rule } of tools) {
    const known = told.tools.get(tool)
    if (!known) return `no ledger entry records the review or the rule of its tool ${tool}`
    if (reviewed !== known.reviewed)
      return `the reviewed definition of its tool ${tool} does not match the ledger`
    if (quarantined !== known.isQuarantined)
      return `its tool ${tool} is ${quarantined ? '' : 'not '}in quarantine, which does not match the ledger`
    if (!isSame(rule, known.rule)) return `the rule of its tool ${tool} does not match the ledger`
  }
  return tools.length === told.tools.size
    ? null
    : `${tools.length} of its tools have a review or a rule, but its ledger entries record ${told.tools.size}`
}

/** Whether two values are the same JSON. Pure. */
export const isSame = (a: unknown, b: unknown): boolean =>
  canonical((a ?? null) as Json) === canonical((b ?? null) as Json)
