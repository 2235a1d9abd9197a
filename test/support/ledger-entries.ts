import postgres from 'postgres'
import type { TestDatabase } from './database.ts'
import { until } from './until.ts'

export interface LedgerEntry {
  seq: number
  kind: string
  actionId: number | null
  entry: { actor: string; key: string | null; data: Record<string, unknown> }
}

/** The ledger's entries of an account, oldest first; of one row where `id` is given. */
export async function entriesOf(
  database: TestDatabase,
  account: string,
  id?: number,
): Promise<LedgerEntry[]> {
  const rows = await database.asSuperuser(
    `select seq, kind, action_id, entry from gate.ledger where account_id = '${account}' order by seq`,
  )
  return rows
    .map((row) => ({
      seq: Number(row['seq']),
      kind: row['kind'] as string,
      actionId: row['action_id'] === null ? null : Number(row['action_id']),
      entry: JSON.parse(row['entry'] as string),
    }))
    .filter((row) => id === undefined || row.actionId === id)
}

export const entryKindsOf = async (database: TestDatabase, account: string, id?: number): Promise<string[]> =>
  (await entriesOf(database, account, id)).map((entry) => entry.kind)

/**
 * Holds the lock that every change of an account needs, so that requests sent meanwhile have read their facts and wait
 * to write; then makes a change of its own before any of them.
 * @param send  sends those requests; it is not waited for
 * @param change  one statement that runs before theirs
 */
export async function overtake<T>(
  database: TestDatabase,
  account: string,
  send: () => Promise<T>,
  change: string,
): Promise<T> {
  const holder = postgres(database.superuserUrl, { max: 1, onnotice: () => {} })
  try {
    await holder.unsafe('begin')
    await holder.unsafe(`select 1 from gate.ledger_head where account_id = '${account}' for update`)
    const answer = send()
    answer.catch(() => undefined)
    await until('a request waits for the lock', async () => (await waiting(database)) > 0)
    await holder.unsafe(change)
    await holder.unsafe('commit')
    return await answer
  } finally {
    await holder.end({ timeout: 2 })
  }
}

/**
 * How many statements of this database wait for a lock.
 * @param ports  counts only those whose connections come from one of these
 */
export async function waiting(database: TestDatabase, ports?: number[]): Promise<number> {
  const [row] = await database.asSuperuser(
    `select count(*)::int as n from pg_stat_activity
     where datname = '${database.name}' and wait_event_type = 'Lock' and query like '%gate.%'
       ${ports ? `and client_port = any('{${ports.join()}}')` : ''}`,
  )
  return row!['n'] as number
}
