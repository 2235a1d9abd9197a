import { createHash, randomUUID } from 'node:crypto'
import { Client, Connection } from '@temporalio/client'
import Fastify, { type FastifyRequest } from 'fastify'
import postgres from 'postgres'
import { standing, type Tier } from '../../src/gate/tier.ts'
import { limits } from '../../src/limits.ts'
import { bareExpiresMs, bareQueue, bareWorkflow } from './names.ts'

/**
 * The same answers with as few statements as possible: no chain, no locks, no row-level security, no roles, no outbox, no
 * input validation. Uses the same framework, driver, pool and server as the gate.
 */
const sql = postgres(process.env['DATABASE_URL']!, {
  max: limits.databaseConnectionsMax,
  types: { bigint: { to: 20, from: [20], serialize: String, parse: Number } },
})
const temporal = new Client({
  connection: await Connection.connect({ address: process.env['TEMPORAL_ADDRESS']! }),
})
const app = Fastify({ logger: false })
let startsUnderWay = 0

app.get('/capability', async (request) => {
  const { account_id } = await holderOf(request)
  const { email } = request.query as { email: string }
  const { member, ...rest } = await standingOf(account_id, email)
  const { tier, tierSource, certified, certifications } = rest
  const result = { tier, tier_source: tierSource, certified }
  await sql`
    insert into bare.action
      (account_id, kind, status, member, tier_at_request, source, payload, requires_confirmation, result)
    values (${account_id}, 'capability_check', 'executed', ${member.email}, ${tier}, 'api', '{}', false, ${sql.json(result)})`
  const providers = [...(member.email === null ? [] : ['email']), ...(member.slack === null ? [] : ['slack'])]
  return {
    member: { name: member.name, email: member.email, providers },
    tier,
    tier_source: tierSource,
    certified,
    certifications,
  }
})

// One select and one insert: no rules, no repeats, no counts. The tool alone decides.
app.post('/tool-calls', async (request) => {
  const key = request.headers.authorization!.slice('Bearer '.length)
  const hash = createHash('sha256').update(key).digest()
  const [holder] = await sql<{ account_id: string; key_id: string; email: string }[]>`
    select k.account_id, k.key_id, m.email from bare.api_key k
    join bare.member m on m.account_id = k.account_id where k.hash = ${hash} limit 1`
  const { account_id, key_id, email } = holder!
  const { session_id, tool_use_id, tool_name, tool_input } = request.body as {
    [name: string]: string
  } & { tool_input: Record<string, string> }
  const decision = tool_input['file_path']!.includes('.ssh') ? 'deny' : 'allow'
  await sql`
    insert into bare.tool_call (account_id, key_id, member, tier, runner, session, call_id, tool, input, decision)
    values (${account_id}, ${key_id}, ${email}, 'read_only', 'claude', ${session_id!}, ${tool_use_id!}, ${tool_name!},
      ${sql.json(tool_input)}, ${decision})`
  return {
    hookSpecificOutput: {
      hookEventName: 'PreToolUse',
      permissionDecision: decision,
      permissionDecisionReason: 'by the tool',
    },
  }
})

// Answers when the row is written and the workflow has started.
app.post('/propose', async (request, reply) => {
  const { row, started } = await propose(request)
  await started
  return reply.code(201).send(row)
})

// Answers when the row is written; nothing retries a failed start.
app.post('/propose-background', async (request, reply) => reply.code(201).send((await propose(request)).row))

app.get('/starts-under-way', async () => ({ startsUnderWay }))

await app.listen({ host: '127.0.0.1', port: Number(process.env['PORT']) })
process.on('disconnect', () => process.exit(0))

async function propose(request: FastifyRequest) {
  const { account_id } = await holderOf(request)
  const { kind, actor, payload } = request.body as {
    kind: string
    actor: { email: string }
    payload: { message: string }
  }
  const { member, tier } = await standingOf(account_id, actor.email)
  const reach = await reachOf(account_id)
  const [made] = await sql<{ id: number; created_at: Date; expires_at: Date }[]>`
    insert into bare.action
      (account_id, kind, status, member, tier_at_request, source, payload, requires_confirmation, reach_slack,
       reach_email, expires_at)
    values (${account_id}, ${kind}, 'proposed', ${member.email}, ${tier}, 'api', ${sql.json(payload)}, true,
      ${reach.slack}, ${reach.email}, now() + interval '168 hours')
    returning id, created_at, expires_at`
  const { id, created_at, expires_at } = made!
  startsUnderWay++
  const started = temporal.workflow
    .start(bareWorkflow, { taskQueue: bareQueue, workflowId: `bare:${randomUUID()}`, args: [bareExpiresMs] })
    .finally(() => startsUnderWay--)
  started.catch(() => undefined)
  const body = { account: account_id, id, kind, member: member.email, payload, recipients: null }
  const row = {
    id,
    kind,
    status: 'proposed',
    member: member.email,
    tier_at_request: tier,
    source: 'api',
    payload,
    created_at,
    requires_confirmation: true,
    blast_radius: reach,
    expires_at,
    digest: createHash('sha256').update(JSON.stringify(body)).digest('hex'),
  }
  return { row, started }
}

async function holderOf(request: FastifyRequest): Promise<{ account_id: string }> {
  const key = request.headers.authorization!.slice('Bearer '.length)
  const hash = createHash('sha256').update(key).digest()
  const rows = await sql<
    { account_id: string }[]
  >`select account_id, key_id from bare.api_key where hash = ${hash}`
  return rows[0]!
}

interface Line {
  now: Date
  name: string
  email: string | null
  slack: string | null
  admin_tier: Tier | null
  slug: string | null
  title: string
  modules: number
  grants: Tier
  valid_days: number | null
  module: number | null
  passed_at: Date
}

async function standingOf(account: string, email: string) {
  const lines = await sql<Line[]>`
    select now() as now, m.name, m.email, m.slack, m.admin_tier,
      c.slug, c.title, c.modules, c.grants, c.valid_days, p.module, p.passed_at
    from bare.member m
    left join bare.curriculum c on c.account_id = m.account_id
    left join bare.pass p on p.account_id = m.account_id and p.member_id = m.member_id and p.curriculum = c.slug
    where m.account_id = ${account} and lower(m.email) = lower(${email})`
  const first = lines[0]!
  const bySlug = new Map<string, Line[]>()
  for (const line of lines) {
    if (line.slug === null) continue
    bySlug.set(line.slug, [...(bySlug.get(line.slug) ?? []), line])
  }
  const curricula = [...bySlug].map(([slug, [one, ...more]]) => ({
    slug,
    title: one!.title,
    modules: one!.modules,
    grants: one!.grants,
    validDays: one!.valid_days,
    passes: [one!, ...more].flatMap(({ module, passed_at }) =>
      module === null ? [] : [{ module, passedAt: passed_at, latestAt: passed_at }],
    ),
  }))
  return { member: first, ...standing({ adminTier: first.admin_tier, curricula, now: first.now }) }
}

const reaches = new Map<string, { slack: number; email: number; unreachable: number }>()

// Cached, as the gate caches it by roster version.
async function reachOf(account: string) {
  const known = reaches.get(account)
  if (known) return known
  const [reach] = await sql<{ slack: number; email: number; unreachable: number }[]>`
    select count(*) filter (where slack is not null)::int as slack,
      count(*) filter (where slack is null and email is not null)::int as email,
      count(*) filter (where slack is null and email is null)::int as unreachable
    from bare.member where account_id = ${account}`
  reaches.set(account, reach!)
  return reach!
}
