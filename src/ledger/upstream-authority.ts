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
