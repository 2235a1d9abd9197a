import { readFileSync } from 'node:fs'
import postgres from 'postgres'
import { processorMs } from '../../bench/support/processor-time.ts'

/** What a table holds, with its indexes and long values. */
export interface TableSize {
  rows: number
  bytes: number
}
export type Sizes = Record<string, TableSize>

/** What a database holds after a vacuum, and what its server has used until before it. */
export interface DatabaseUse {
  tables: Sizes
  commits: number
  /** Bytes written ahead by the whole server. */
  wal: number
  /** Milliseconds of processor of the whole server, as far as its processes still run. */
  cpu: number
}

/** @param url  of a superuser */
export async function measureDatabase(url: string): Promise<DatabaseUse> {
  const sql = postgres(url, { max: 1, onnotice: () => {} })
  try {
    const [{ wal, commits, pid }] = await sql<[{ wal: string; commits: string; pid: number }]>`
      select pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0') as wal, xact_commit as commits, pg_backend_pid() as pid
      from pg_stat_database where datname = current_database()`
    const cpu = processorMs(serverOf(pid))
    // Rows that a queue has given back do not count as a cost of a proposal.
    await sql.unsafe('vacuum')
    const names = await sql<{ name: string }[]>`
      select format('%I.%I', schemaname, tablename) as name from pg_tables
      where schemaname not in ('pg_catalog', 'information_schema')`
    const tables: Sizes = {}
    for (const { name } of names) {
      const [size] = await sql.unsafe<[{ rows: string; bytes: string }]>(
        `select count(*) as rows, pg_total_relation_size('${name}') as bytes from ${name}`,
      )
      tables[name] = { rows: Number(size.rows), bytes: Number(size.bytes) }
    }
    return { tables, commits: Number(commits), wal: Number(wal), cpu }
  } finally {
    await sql.end({ timeout: 2 })
  }
}

/** The processes of the server that a backend belongs to. */
function serverOf(backend: number): number[] {
  const stat = readFileSync(`/proc/${backend}/stat`, 'utf8')
  const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])
  const children = readFileSync(`/proc/${parent}/task/${parent}/children`, 'utf8')
  return [parent, ...children.trim().split(' ').map(Number)]
}

/** What was added for each of `cycles`, without the tables that did not grow. */
export function perCycle(before: Sizes, after: Sizes, cycles: number): Sizes {
  return Object.fromEntries(
    Object.entries(after)
      .map(([name, { rows, bytes }]) => {
        const was = before[name] ?? { rows: 0, bytes: 0 }
        return [name, { rows: (rows - was.rows) / cycles, bytes: (bytes - was.bytes) / cycles }] as const
      })
      .filter(([, { rows, bytes }]) => rows !== 0 || bytes !== 0)
      .sort(([, a], [, b]) => b.bytes - a.bytes),
  )
}

export function sumOf(sizes: Sizes): TableSize {
  const all = Object.values(sizes)
  return {
    rows: all.reduce((sum, { rows }) => sum + rows, 0),
    bytes: all.reduce((sum, { bytes }) => sum + bytes, 0),
  }
}
