import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js'
import { createConversation } from '../../src/db/queries/previews/conversations.ts'
import { adminWrite } from '../../src/db/admin-write.ts'
import { projectRoot } from '../../src/process/root.ts'
import { previewWorkflowId, proposalWorkflowId } from '../../src/temporal/names.ts'
import { customerDeletion, declare } from '../support/declared-kind.ts'
import { decideBy } from '../support/consent.ts'
import { tooMany } from '../support/fault-provider.ts'
import { callTool } from '../support/mcp-tool.ts'
import { type ServiceAccount, startService, until } from '../support/supervisor.ts'

/**
 * Records what `replay.test.ts` replays: runs the service, leads a proposal to each of its ends, and writes the histories
 * to test/histories. Usage: node --import ./test/support/run-ts.js test/workflows/record.ts [NAME…]
 */
const actor = { email: 'proposer@example.com' }
const wanted = process.argv.slice(2)
const service = await startService({ env: { CONFIRM_WAIT_MS: '60000' } })
try {
  await record(
    'executed',
    () => propose(2),
    (one) => one.confirm(),
  )
  await record(
    'cancelled',
    () => propose(2),
    (one) => one.account.api.cancel(one.id, actor),
  )
  await record(
    'expired',
    () => propose(2, 2),
    () => undefined,
  )
  await record(
    'signalled-by-hand',
    () => propose(2),
    async (one) => {
      const handle = (await service.temporal()).workflow.getHandle(one.workflowId)
      await handle.signal('confirm')
      await until(
        'the signal by hand was looked at',
        10_000,
        async () => (await handle.query<string>('state')) === 'waiting',
      )
      await one.confirm()
    },
  )
  await record(
    'many-steps',
    () => propose(1_100),
    (one) => one.confirm(),
  )
  await record(
    'put-off',
    () => propose(3),
    (one) => {
      service.provider.failNext('chat.postMessage', tooMany({ 'retry-after': '1' }))
      return one.confirm()
    },
  )
  await record(
    'asked',
    () => propose(2, undefined, 'page'),
    async (one) => {
      await one.confirm()
      await decideBy(await linkOf(1))
    },
  )
  await record(
    'reminded',
    () => propose(2, 8, 'page'),
    async (one) => {
      await one.confirm()
      await linkOf(2)
    },
  )
  await record(
    'given-up',
    () => propose(2, 16, 'page'),
    async (one) => {
      service.edges.provider.hold()
      await one.confirm()
      const givenUp = await giveUpAsking(one)
      await until('the member is asked again', 20_000, async () => {
        const asking = await askingOf(one)
        return asking !== undefined && asking !== givenUp
      })
      service.edges.provider.release()
      await decideBy(await linkOf(1))
    },
  )
  await record(
    'worker-killed',
    () => propose(60),
    async (one) => {
      service.edges.provider.hold()
      const confirmed = one.confirm()
      await until('a slice is under way', 20_000, async () => {
        const found = await service.sql(
          `select 1 from gate.delivery where 'sending' = any (states) and account_id = '${one.account.account}'`,
        )
        return found.length > 0
      })
      await service.kill('worker')
      service.edges.provider.release()
      await service.start('worker')
      await confirmed
    },
  )
  await record('claimed', proposeDeletion, async ({ account: { api }, id, confirm }) => {
    await confirm()
    const { body } = await api.request('POST', `/api/v1/actions/${id}/claim`)
    const outcome = { claim: body.claim, outcome: 'done' }
    await api.request('POST', `/api/v1/actions/${id}/outcome`, { body: outcome })
  })
  await record('preview', startPreview, async (one) => {
    const handle = (await service.temporal()).workflow.getHandle(one.workflowId)
    await until('it runs', 20_000, async () => (await handle.query<string>('state')) === 'running')
    await callTool(one.account.api, 'start_preview', { conversation_id: 'site', actor })
    await callTool(one.account.api, 'stop_preview', { preview_id: one.previewId, actor })
  })
} finally {
  await service.stop()
}
process.exit(0)

interface Begun {
  account: ServiceAccount
  workflowId: string
}

interface Proposed extends Begun {
  id: number
  confirm(): Promise<unknown>
}

/** Waits for so many decision links in the proposer's mailbox, and gives the last. */
async function linkOf(times: number): Promise<string> {
  const links = () =>
    service.provider.emails.flatMap(({ text }) => /http\S+\/decide\/[\w-]{43}/.exec(text)?.slice(0, 1) ?? [])
  await until('the proposer was asked', 20_000, async () => links().length === times)
  return links().at(-1)!
}

/** The id of the activity that asks the member now. */
async function askingOf({ workflowId }: Begun): Promise<string | undefined> {
  const { raw } = await (await service.temporal()).workflow.getHandle(workflowId).describe()
  return (
    raw.pendingActivities?.find(({ activityType }) => activityType?.name === 'askMember')?.activityId ??
    undefined
  )
}

/** Fails that activity for good, as the server does when its time is over. Returns its id. */
async function giveUpAsking(one: Begun): Promise<string> {
  const { workflowService } = await service.temporal()
  await until('the member is asked', 20_000, () => askingOf(one))
  const activityId = (await askingOf(one))!
  const failure = { message: 'given up', applicationFailureInfo: { nonRetryable: true } }
  const which = { namespace: 'default', workflowId: one.workflowId, activityId, identity: 'recorded' }
  // It cannot fail before a worker has taken it.
  await until('it is given up', 20_000, () =>
    workflowService.respondActivityTaskFailedById({ ...which, failure }).then(
      () => true,
      () => false,
    ),
  )
  return activityId
}

async function propose(
  recipients: number,
  expiresAfterSeconds?: number,
  consent = 'agent_attested',
): Promise<Proposed> {
  // Mails of another record are none of this one's.
  service.provider.emails.length = 0
  const account = await service.account()
  await account.setPolicy({
    ...(expiresAfterSeconds ? { expires_after_hours: expiresAfterSeconds / 3_600 } : {}),
    kinds: { broadcast: { tier: 'guarded_write', consent } },
  })
  await account.addMember({ ...actor, tier: 'guarded_write' })
  const others = Array.from({ length: recipients - 1 }, (_, n) =>
    n % 20 === 0 ? { email: `m${n}@example.com` } : { slack: `U${n}` },
  )
  await Promise.all(others.map((address) => account.addMember(address)))
  return proposedAs(account, (await account.api.propose(actor, 'Recorded.')).body)
}

/** Proposes an action of a declared kind, which is executed by claim. */
async function proposeDeletion(): Promise<Proposed> {
  const account = await service.account()
  await account.addMember({ ...actor, tier: 'guarded_write' })
  await declare(service.db, account.account, customerDeletion())
  const payload = { customer: { id: 'cus_1' } }
  const request = { body: { kind: 'customer_deletion', actor, payload } }
  return proposedAs(account, (await account.api.request('POST', '/api/v1/actions', request)).body)
}

async function proposedAs(account: ServiceAccount, body: { id: number }): Promise<Proposed> {
  const [{ uuid }] = (await service.sql<{ uuid: string }>(
    `select uuid from gate.action where account_id = '${account.account}' and id = ${body.id}`,
  )) as [{ uuid: string }]
  const workflowId = proposalWorkflowId({ account: account.account, id: body.id, uuid })
  return { account, id: body.id, workflowId, confirm: () => account.api.confirm(body.id, actor) }
}

async function startPreview(): Promise<Begun & { previewId: string }> {
  const account = await service.account()
  const member = await account.addMember({ ...actor, tier: 'guarded_write' })
  await createConversation(service.db, {
    ...adminWrite(account.account),
    conversationId: 'site',
    title: 'Recorded.',
    memberIds: [member.memberId],
  })
  const folder = join(service.dataDir, 'workspaces', account.account, 'site')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'index.html'), '<h1>Recorded.</h1>')
  const { body } = await callTool(account.api, 'start_preview', { conversation_id: 'site', actor })
  const previewId = body.preview_id as string
  return { account, previewId, workflowId: previewWorkflowId({ account: account.account, previewId }) }
}

async function record<One extends Begun>(
  name: string,
  begin: () => Promise<One>,
  lead: (one: One) => unknown,
): Promise<void> {
  if (wanted.length > 0 && !wanted.includes(name)) return
  const one = await begin()
  const handle = (await service.temporal()).workflow.getHandle(one.workflowId)
  await until('the workflow waits', 20_000, () =>
    handle.query('state').then(
      () => true,
      () => false,
    ),
  )
  await lead(one)
  await handle.result()
  const history = JSON.parse(historyToJSON(await handle.fetchHistory()))
  writeFileSync(
    join(projectRoot, 'test', 'histories', `${name}.json`),
    `${JSON.stringify(anonymous(history), null, 1)}\n`,
  )
  process.stdout.write(`recorded ${name}: ${history.events.length} events\n`)
}

/** Who ran it, and where, tells nothing about the workflow: identities, sticky queues and stacks name processes and machines. */
function anonymous(value: unknown): unknown {
  if (typeof value === 'string') return /^\d+@/.test(value) ? 'recorded' : value
  if (Array.isArray(value)) return value.map(anonymous)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, key === 'stackTrace' ? '' : anonymous(inner)]),
  )
}
