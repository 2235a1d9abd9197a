import postgres from 'postgres'
import { waiting } from './ledger-entries.ts'
import type { TestDatabase } from './database.ts'
import type { TcpProxy } from './tcp-proxy.ts'
import { until } from './until.ts'

/**
 * Sends a request whose write commits, while its answer is lost on the way from the database, and so is the repeat: the
 * connection is cut, and new ones are refused until `edge.accept()`.
 * @param edge  stands between the API and the database
 * @param isDone  whether the write is there, as a superuser sees it
 */
export async function loseAnswer<T>(
  { database, edge, account }: { database: TestDatabase; edge: TcpProxy; account: string },
  send: () => Promise<T>,
  isDone: () => Promise<boolean>,
): Promise<T> {
  const holder = postgres(database.superuserUrl, { max: 1, onnotice: () => {} })
  try {
    await holder.unsafe('begin')
    await holder.unsafe(`select 1 from gate.ledger_head where account_id = '${account}' for update`)
    const answer = send()
    answer.catch(() => undefined)
    // A statement of a worker, which may wait too, is not the write.
    await until('the write waits for the lock', async () => (await waiting(database, edge.ports())) > 0)
    edge.holdAnswers()
    await holder.unsafe('commit')
    await until('the write is committed', isDone)
    await edge.refuse()
    return await answer
  } finally {
    await holder.end({ timeout: 2 })
  }
}
