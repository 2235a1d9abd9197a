import type { TestGate } from './gate.ts'
import { temporalOf } from './temporal-client.ts'

/** Every row of every table, as text; bytes in hex, as PostgreSQL writes them. */
export async function wholeDatabase(gate: TestGate): Promise<string> {
  const tables = await gate.database.asSuperuser(
    `select c.oid::regclass::text as name from pg_class c
     where c.relnamespace in ('gate'::regnamespace, 'gate_private'::regnamespace) and c.relkind = 'r'`,
  )
  const rows = await Promise.all(
    tables.map(({ name }) => gate.database.asSuperuser(`select t::text as line from ${String(name)} t`)),
  )
  return rows
    .flat()
    .map(({ line }) => String(line))
    .join('\n')
}

/** Every event of every workflow, payloads as they read. */
export async function wholeHistory(gate: TestGate): Promise<string> {
  const { connection, workflow } = await temporalOf(gate)
  try {
    const histories: string[] = []
    for await (const { workflowId } of workflow.list()) {
      const history = await workflow.getHandle(workflowId).fetchHistory()
      histories.push(
        JSON.stringify(history, (_, value) =>
          value instanceof Uint8Array || value?.type === 'Buffer'
            ? Buffer.from(value.data ?? value).toString('utf8')
            : value,
        ),
      )
    }
    return histories.join('\n')
  } finally {
    await connection.close()
  }
}
