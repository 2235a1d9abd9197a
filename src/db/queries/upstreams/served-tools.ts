import type { ToolRule } from '../../../gate/declared/tool-rule.ts'
import type { Db } from '../../connect.ts'
import type { UpstreamPlace } from './upstreams.ts'

/** A tool that its server offers. */
export interface UpstreamToolRow {
  upstream: string
  place: UpstreamPlace
  tool: string
  /** As reviewed, in RFC 8785 form; null: nobody reviewed it, so no model is shown it. */
  definition: string | null
  /** SHA-256 of the definition as reviewed, or as listed where nobody reviewed it yet, hex. */
  hash: string
  state: 'reviewed' | 'unreviewed' | 'quarantined'
  /** null: none is set. */
  rule: ToolRule | null
}

/**
 * The tools that the account's servers offer, by server and name, and the version of all that. They are not read again if the
 * version is `known`. An account that does not exist has version 0.
 */
export async function readUpstreamTools(
  db: Db,
  account: string,
  known: number,
): Promise<{ version: number; tools: UpstreamToolRow[] }> {
  const rows = await db.read<
    { version: number } & { [F in keyof UpstreamToolRow]: UpstreamToolRow[F] | null }
  >(
    (sql) => sql`
      select c.upstreams_version as version, i.*
      from gate.tenant(${account}) t(id),
      lateral (select upstreams_version from gate.account where account_id = t.id offset 0) c
      left join lateral (
        select o.upstream, json_build_object('transport', n.transport, 'url', n.url, 'command', n.command) as place,
          o.tool, o.reviewed_definition as definition,
          coalesce(o.reviewed_hash, o.hash) as hash, o.rule,
          case when o.reviewed_hash is null then 'unreviewed'
            when o.quarantined_at is not null then 'quarantined' else 'reviewed' end as state
        from gate.upstream_tool o
        join gate.upstream n on n.account_id = o.account_id and n.upstream = o.upstream
        where o.account_id = t.id and o.gone_at is null and c.upstreams_version <> ${known}
        offset 0
      ) i on true
      order by i.upstream, i.tool`,
  )
  return {
    version: rows[0]?.version ?? 0,
    tools: rows.flatMap((row) => (row.tool === null ? [] : [row as UpstreamToolRow])),
  }
}
