import type { ToolRule } from '../../../gate/declared/tool-rule.ts'
import type { SealedSecret } from '../../../secrets/seal.ts'
import type { AdminWrite } from '../../admin-write.ts'
import type { Db } from '../../connect.ts'
import { jsonArgument } from '../../json-argument.ts'

/** How a server is reached: an address, or a command of the operator. */
export type UpstreamPlace =
  | { transport: 'http'; url: string; command: null }
  | { transport: 'stdio'; url: null; command: string }

/** A server as an administrator sees it. */
export interface UpstreamRow {
  upstream: string
  transport: UpstreamPlace['transport']
  url: string | null
  command: string | null
  /** The names of its headers. */
  headers: string[]
  added_at: Date
  checked_at: Date | null
  failing_since: Date | null
  failure: string | null
  /** What it says of itself. */
  server: { name: string; version: string; protocol: string } | null
  /** Tools that cannot be served. */
  refused: { tool: string; why: string }[]
  tools: number
  /** Tools that wait for a review: new ones and changed ones. */
  unreviewed: number
  quarantined: number
  /** Tools that it no longer lists. They are in no other number. */
  gone: number
}

/** The servers of an account, by name. */
export async function listUpstreams(db: Db, account: string): Promise<UpstreamRow[]> {
  return db.read<UpstreamRow>(
    (sql) => sql`
      select u.*, n.* from gate.tenant(${account}) t(id),
      lateral (
        select upstream, transport, url, command, headers, added_at, checked_at, failing_since, failure, server, refused
        from gate.upstream where account_id = t.id offset 0
      ) u,
      lateral (
        select count(*) filter (where o.gone_at is null) as tools,
          count(*) filter (where o.gone_at is null and o.reviewed_hash is null) as unreviewed,
          count(*) filter (where o.gone_at is null and o.quarantined_at is not null) as quarantined,
          count(*) filter (where o.gone_at is not null) as gone
        from gate.upstream_tool o
        where o.account_id = t.id and o.upstream = u.upstream
      ) n
      order by u.upstream`,
  )
}

/** The accounts that have servers, the first ones by id. */
export async function accountsWithUpstreams(db: Db, limitRows: number): Promise<string[]> {
  const rows = await db.read<{ account: string }>(
    (sql) => sql`select account from gate.accounts_with_upstreams(p_limit => ${limitRows}) as a(account)`,
  )
  return rows.map(({ account }) => account)
}

/** A tool as an administrator reviews it. */
export interface ReviewedToolRow {
  tool: string
  definition: string
  hash: string
  reviewed_definition: string | null
  reviewed_at: Date | null
  reviewed_by: string | null
  quarantined_at: Date | null
  /** Since when its server no longer lists it. */
  gone_at: Date | null
  rule: ToolRule | null
}

/** The tools that a server lists, and those that it listed before, by name. */
export async function listUpstreamTools(
  db: Db,
  account: string,
  upstream: string,
): Promise<ReviewedToolRow[]> {
  return db.read<ReviewedToolRow>(
    (sql) => sql`
      select o.* from gate.tenant(${account}) t(id),
      lateral (
        select tool, definition, hash, reviewed_definition, reviewed_at, reviewed_by, quarantined_at, gone_at, rule
        from gate.upstream_tool
        where account_id = t.id and upstream = ${upstream} offset 0
      ) o
      order by o.tool`,
  )
}

/** Adds a server. @param u.sealed  its headers and query; null: it has none */
export async function addUpstream(
  db: Db,
  u: AdminWrite &
    UpstreamPlace & {
      upstream: string
      headers: string[]
      sealed: SealedSecret | null
      upstreamsMax: number
      dueMs: number
    },
): Promise<'added' | 'exists' | 'too_many'> {
  const { upstream, transport, url, command, headers, upstreamsMax, dueMs } = u
  const given = { upstream, transport, url, command, headers, upstreams_max: upstreamsMax, due_ms: dueMs }
  const rows = await db.run<{ outcome: 'added' }>(
    (sql) => sql`
      select gate.add_upstream(
        p_account => ${u.account}, p_session => ${u.session},
        p_upstream => ${jsonArgument({ ...given, ...sealedFields(u.sealed) })}::text::jsonb,
        p_event => ${u.eventId}) as outcome`,
  )
  return rows[0]!.outcome
}

/** Replaces the headers and the query of a server. @returns whether there is one that is reached over HTTP */
export async function changeUpstream(
  db: Db,
  u: AdminWrite & { upstream: string; headers: string[]; sealed: SealedSecret | null },
): Promise<boolean> {
  const given = { upstream: u.upstream, headers: u.headers, ...sealedFields(u.sealed) }
  const rows = await db.run<{ was: boolean }>(
    (sql) => sql`
      select gate.change_upstream(
        p_account => ${u.account}, p_session => ${u.session}, p_upstream => ${jsonArgument(given)}::text::jsonb,
        p_event => ${u.eventId}) as was`,
  )
  return rows[0]!.was
}

const sealedFields = (sealed: SealedSecret | null) => ({
  ciphertext: sealed?.ciphertext ?? null,
  wrapped_key: sealed?.wrappedKey ?? null,
  kid: sealed?.kid ?? null,
})

/** Removes a server with its tools and secrets. @returns whether there was one */
export async function removeUpstream(db: Db, u: AdminWrite & { upstream: string }): Promise<boolean> {
  const rows = await db.run<{ was: boolean }>(
    (sql) => sql`
      select gate.remove_upstream(
        p_account => ${u.account}, p_session => ${u.session}, p_upstream => ${u.upstream}, p_event => ${u.eventId}) as was`,
  )
  return rows[0]!.was
}

/**
 * Sets the rule of a tool.
 * @param u.rule  JSON text
 * @param u.shown  JSON text of the rule that was shown, `null` where nobody had set one; null: none was shown
 */
export async function setUpstreamRule(
  db: Db,
  u: AdminWrite & { upstream: string; tool: string; rule: string; shown: string | null },
): Promise<'changed' | 'missing' | 'outdated'> {
  const rows = await db.once<{ outcome: 'changed' }>(
    (sql) => sql`
      select gate.set_upstream_rule(
        p_account => ${u.account}, p_session => ${u.session}, p_upstream => ${u.upstream}, p_tool => ${u.tool},
        p_rule => ${u.rule}, p_event => ${u.eventId}, p_shown => ${u.shown}) as outcome`,
  )
  return rows[0]!.outcome
}

/**
 * Records a review of tools, of all of them or of none.
 * @param u.hashes  the hash of the definition that was shown, for each tool
 * @param u.rule  JSON text of the rule that they get with it; null: they keep theirs
 * @param u.shown  of the rule that they were shown with, as for `setUpstreamRule`
 */
export async function reviewUpstreamTools(
  db: Db,
  u: AdminWrite & {
    upstream: string
    tools: string[]
    hashes: string[]
    rule: string | null
    shown: string | null
  },
): Promise<'reviewed' | 'missing' | 'changed'> {
  const rows = await db.run<{ outcome: 'reviewed' }>(
    (sql) => sql`
      select gate.review_upstream_tools(
        p_account => ${u.account}, p_session => ${u.session}, p_upstream => ${u.upstream}, p_tools => ${u.tools},
        p_hashes => ${u.hashes}, p_event => ${u.eventId}, p_rule => ${u.rule}, p_shown => ${u.shown}) as outcome`,
  )
  return rows[0]!.outcome
}
