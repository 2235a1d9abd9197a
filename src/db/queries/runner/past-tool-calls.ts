import type { Tier } from '../../../gate/tier.ts'
import type { Db } from '../../connect.ts'

/** A past tool call of a runner. */
export interface PastToolCallRow {
  /** Ascends with time. */
  n: number
  runner: string
  tool: string
  decision: 'allow' | 'deny' | 'consent'
  /** null: no rule matched, or a member's consent allowed it. */
  rule: number | null
  /** That consent was a mandate. */
  is_by_mandate: boolean
  /** The tier of the member when they asked. */
  tier: Tier
  /** What rules read: the masked input, the folder and the MCP server. null: it was too long, or was erased. */
  call: { cwd: string | null; mcp_server: string | null; input: Record<string, unknown> } | null
}

/** A page of the calls of an account since a time, newest first. @param page.before  only calls before this one */
export async function pagePastToolCalls(
  db: Db,
  account: string,
  page: { since: Date; before: number | null; limitRows: number },
): Promise<PastToolCallRow[]> {
  return db.read<PastToolCallRow>(
    (sql) => sql`
      select p.* from gate.tenant(${account}) t(id),
      lateral (
        select c.n, c.runner, c.tool, c.decision, c.rule, c.tier_at_request as tier, c.call,
          c.decision = 'allow' and c.rule is null and exists (
            select from gate.mandate m where m.account_id = t.id and m.action_id = c.action_id) as is_by_mandate
        from (
          select * from gate.tool_call f
          where f.account_id = t.id and f.n < coalesce(${page.before}::bigint, 9223372036854775807)
          order by f.n desc
          limit ${page.limitRows}
        ) c
        where c.at > ${page.since}
      ) p
      order by p.n desc`,
  )
}
