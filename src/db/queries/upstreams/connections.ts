import type { SealedSecret } from '../../../secrets/seal.ts'
import type { Db } from '../../connect.ts'
import type { UpstreamPlace } from './upstreams.ts'

/** How a server is connected to. */
export type UpstreamConnection = UpstreamPlace & {
  /** Another one after each change of address or headers. */
  connection: string
  /** Its query and headers; null: it has none. */
  sealed: SealedSecret | null
  isSuspended: boolean
}

type ConnectionRow = UpstreamPlace & {
  connection: string
  is_suspended: boolean
  ciphertext: Buffer | null
  wrapped_key: Buffer | null
  kid: string | null
}

/** How a server of an account is connected to; undefined: there is none of that name. */
export async function readUpstreamConnection(
  db: Db,
  account: string,
  upstream: string,
): Promise<UpstreamConnection | undefined> {
  const rows = await db.read<ConnectionRow>(
    (sql) => sql`
      select u.* from gate.tenant(${account}) t(id),
      lateral (
        select n.transport, n.url, n.command, n.connection::text as connection, c.suspended_at is not null as is_suspended,
          s.ciphertext, s.wrapped_key, s.kid
        from gate.upstream n
        join gate.account c on c.account_id = n.account_id
        left join gate.upstream_secret s on s.account_id = n.account_id and s.upstream = n.upstream
        where n.account_id = t.id and n.upstream = ${upstream} offset 0
      ) u`,
  )
  const [row] = rows
  return row && toConnection(row)
}

/** The same for a call of a tool: only while the tool is listed, and as it was reviewed. */
export async function readConnectionForCall(
  db: Db,
  account: string,
  called: { upstream: string; tool: string; hash: string },
): Promise<UpstreamConnection | undefined> {
  const rows = await db.read<ConnectionRow>(
    (sql) => sql`
      select u.* from gate.tenant(${account}) t(id),
      lateral (
        select n.transport, n.url, n.command, n.connection::text as connection, c.suspended_at is not null as is_suspended,
          s.ciphertext, s.wrapped_key, s.kid
        from gate.upstream_tool o
        join gate.upstream n on n.account_id = o.account_id and n.upstream = o.upstream
        join gate.account c on c.account_id = n.account_id
        left join gate.upstream_secret s on s.account_id = n.account_id and s.upstream = n.upstream
        where o.account_id = t.id and o.upstream = ${called.upstream} and o.tool = ${called.tool}
          and o.reviewed_hash = ${called.hash} and o.quarantined_at is null and o.gone_at is null offset 0
      ) u`,
  )
  const [row] = rows
  return row && toConnection(row)
}

function toConnection(row: ConnectionRow): UpstreamConnection {
  const { is_suspended: isSuspended, ciphertext, wrapped_key: wrappedKey, kid, ...place } = row
  return {
    ...place,
    isSuspended,
    sealed: ciphertext && wrappedKey && kid ? { ciphertext, wrappedKey, kid } : null,
  }
}

/** A server of any account whose tools are due to be read. */
export interface DueUpstream {
  account_id: string
  upstream: string
}

/**
 * Takes servers whose tools are due to be read; each is due again after `everyMs`.
 * @param t.reading  the account of each reading that is under way: with them, an account has at most `perAccount`
 */
export async function takeDueUpstreams(
  db: Db,
  t: { limitRows: number; everyMs: number; perAccount: number; reading: string[] },
): Promise<DueUpstream[]> {
  return db.once(
    (sql) => sql`
      select * from gate.take_due_upstreams(
        p_limit => ${t.limitRows}, p_every_ms => ${t.everyMs}, p_per_account => ${t.perAccount}, p_reading => ${t.reading})`,
  )
}

/** Has the tools of a server read soon, at the latest after `withinMs`. */
export async function hastenUpstream(
  db: Db,
  { account_id: account, upstream }: DueUpstream,
  withinMs: number,
): Promise<void> {
  await db.run(
    (sql) => sql`
      select gate.hasten_upstream(p_account => ${account}, p_upstream => ${upstream}, p_within_ms => ${withinMs})`,
  )
}

/**
 * Records the whole list of tools that a server gave over a connection.
 * @param l.definitions  in RFC 8785 form, one for each tool
 * @returns the tools that went into quarantine; null: the server was removed or changed meanwhile
 */
export async function recordListing(
  db: Db,
  l: DueUpstream & {
    connection: string
    tools: string[]
    definitions: string[]
    server: object
    refused: { tool: string; why: string }[]
  },
): Promise<string[] | null> {
  const listing = JSON.stringify({ server: l.server, refused: l.refused })
  const rows = await db.run<{ quarantined: string[] | null }>(
    (sql) => sql`
      select gate.record_upstream_listing(
        p_account => ${l.account_id}, p_upstream => ${l.upstream}, p_connection => ${l.connection}, p_tools => ${l.tools},
        p_definitions => ${l.definitions}, p_listing => ${listing}) as quarantined`,
  )
  return rows[0]!.quarantined
}

/** Records that the tools of a server could not be read. The longer that lasts, the later it is due, up to `putOffMs`. */
export async function recordListingFailure(
  db: Db,
  l: DueUpstream & { connection: string; failure: string; putOffMs: number },
): Promise<void> {
  await db.run(
    (sql) => sql`
      select gate.record_upstream_failure(
        p_account => ${l.account_id}, p_upstream => ${l.upstream}, p_connection => ${l.connection},
        p_failure => ${l.failure}, p_put_off_ms => ${l.putOffMs})`,
  )
}
