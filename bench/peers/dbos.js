import { randomUUID } from 'node:crypto'
import { DBOS } from '@dbos-inc/dbos-sdk'
import Fastify from 'fastify'
import postgres from 'postgres'
import { mail, postInSlack } from './send.js'

/**
 * The same job with DBOS, on PostgreSQL alone: a row and a workflow for each proposal, which waits for a confirm, delivers to
 * three recipients in a step each, and records the end. No policy, no ledger, no lock.
 */
const sql = postgres(process.env.DATABASE_URL, { max: 10, onnotice: () => {} })
await sql`
  create table action (
    id uuid primary key, message text not null, status text not null, sent text[],
    created_at timestamptz not null default now(), executed_at timestamptz
  )`

const expiresSeconds = 168 * 3_600
const deliver = DBOS.registerWorkflow(
  async (id, message) => {
    const isConfirmed = await DBOS.recv('confirm', { timeoutSeconds: expiresSeconds })
    if (isConfirmed === null) return 'expired'
    const sent = await Promise.all([
      DBOS.runStep(() => postInSlack('UPEER1', message), { name: 'first' }),
      DBOS.runStep(() => postInSlack('UPEER2', message), { name: 'second' }),
      DBOS.runStep(() => mail('peer@example.com', message, `${id}-email`), { name: 'third' }),
    ])
    await DBOS.runStep(
      () => sql`update action set status = 'executed', sent = ${sent}, executed_at = now() where id = ${id}`,
      { name: 'finish' },
    )
    return 'executed'
  },
  { name: 'deliver' },
)

DBOS.setConfig({
  name: 'gate-bench-peer',
  applicationVersion: '1',
  systemDatabaseUrl: process.env.DATABASE_URL,
  logLevel: 'error',
  runAdminServer: false,
})
await DBOS.launch()

// The handle is kept: it resolves in this process, without asking the database.
const running = new Map()
const app = Fastify({ logger: false })
app.get('/readyz', async () => ({ status: 'ready' }))
app.post('/propose', async (request, reply) => {
  const { message } = request.body
  const id = randomUUID()
  await sql`insert into action (id, message, status) values (${id}, ${message}, 'proposed')`
  running.set(id, await DBOS.startWorkflow(deliver, { workflowID: id })(id, message))
  return reply.code(201).send({ id })
})
app.post('/confirm', async (request) => {
  const { id } = request.body
  await DBOS.send(id, true, 'confirm')
  const status = await running.get(id).getResult()
  running.delete(id)
  return { status }
})
await app.listen({ host: '127.0.0.1', port: Number(process.env.PORT) })
process.on('disconnect', () => process.exit(0))
