import { setTimeout as sleep } from 'node:timers/promises'
import type { WorkflowHandle } from '@temporalio/client'
import { proposalWorkflowId } from '../../src/temporal/names.ts'
import { type Fault, hang, workThenHang } from '../support/fault-provider.ts'
import { type ProcessName, type ServiceAccount, startService, until } from '../support/supervisor.ts'
import { ended } from './broadcasts.ts'
import { expectInvariants } from './invariants.ts'

/**
 * Measures the time from the SIGKILL of the worker that has a proposal until another worker has it, and until its end. Usage:
 * KILLS=10 OPEN=2000 npm run test:recovery. OPEN: further proposals that are open meanwhile.
 */
const kills = Number(process.env['KILLS'] ?? 10)
const open = Number(process.env['OPEN'] ?? 0)
const boundMs = 120_000
const perAccount = 1_000
const say = (line: string) => void process.stdout.write(`${line}\n`)

/** Where in its cycle a proposal is when its worker is killed: the call that does not return, if any. */
interface Point {
  name: string
  kills: number
  others: 'slack' | 'email'
  call?: string
  fault?: Fault
  /** The kill may come before a message of a claimed slice has left, which nobody can tell from one that was lost. */
  mayBeUnknown?: true
}
const slow = Math.ceil(kills / 4)
const points: Point[] = [
  { name: 'open, confirmed after the kill', kills, others: 'slack' },
  { name: 'looking up its addresses', kills, others: 'slack', call: 'conversations.open', fault: hang },
  { name: 'sending its e-mail', kills, others: 'email', call: 'emails/batch', fault: workThenHang },
  {
    name: 'posting in Slack',
    kills: slow,
    others: 'slack',
    call: 'chat.postMessage',
    fault: workThenHang,
    mayBeUnknown: true,
  },
]

const service = await startService({ env: { CONFIRM_WAIT_MS: '0' } })
let [alive, spare]: [ProcessName, ProcessName] = ['worker', 'worker2']
let people = 0
let exitCode = 0
try {
  if (open > 0) await holdOpen(open)
  for (const point of points) {
    const times: Recovered[] = []
    for (let n = 0; n < point.kills; n++) times.push(await killedAt(point))
    say(`${point.name}: ${times.length} kills, ${open} open`)
    say(`  taken over after ${range(times.map((time) => time.takenOverMs))}`)
    say(`  ended after ${range(times.map((time) => time.endedMs))}`)
    if (point.mayBeUnknown) say(`  unknown recipients: ${times.map(({ unknown }) => unknown).join(', ')}`)
  }
} catch (error) {
  say(error instanceof Error ? error.stack! : String(error))
  exitCode = 1
} finally {
  await service.stop()
}
process.exit(exitCode)

/** Milliseconds from the kill. */
interface Recovered {
  takenOverMs: number
  endedMs: number
  /** Recipients. */
  unknown: number
}

function range(times: number[]): string {
  const sorted = times.toSorted((a, b) => a - b)
  return `${sorted[Math.floor(sorted.length / 2)]} ms (p50), ${sorted[0]} to ${sorted.at(-1)} ms`
}

async function killedAt({ others, call, fault, mayBeUnknown }: Point): Promise<Recovered> {
  const account = await newAccount(others)
  const actor = { email: 'ada@example.com' }
  const proposed = await account.api.propose(actor, `To the members of ${account.account}.`)
  const id = proposed.body.id as number
  const workflow = await waitingFor(account.account, id)
  await service.start(spare)
  // A worker that has just started must have asked for work before it counts as another one.
  await sleep(1_000)

  service.provider.requests.length = 0
  service.provider.faultFor = (request) => (request.call === call ? fault : undefined)
  if (call) {
    await account.api.confirm(id, actor)
    await service.provider.arrived(call)
  }
  const begin = Date.now()
  await service.kill(alive)
  service.provider.faultFor = () => undefined
  if (!call) await account.api.confirm(id, actor)
  const { row } = await ended(service, account.account, id, boundMs)
  const endedMs = Date.now() - begin
  ;[alive, spare] = [spare, alive]

  const { outcome, failed, unknown } = row['result']
  const isAsExpected = mayBeUnknown ? failed.slack === 0 : outcome === 'done'
  if (!isAsExpected) throw new Error(JSON.stringify(row['result']))
  await expectInvariants(service, account.account)
  const takenOverMs = (await takenOverAt(workflow, begin)) - begin
  return { takenOverMs, endedMs, unknown: unknown.slack + unknown.email }
}

/** When the first task after the kill began. */
async function takenOverAt(workflow: WorkflowHandle, killedAt: number): Promise<number> {
  const { events } = await workflow.fetchHistory()
  const times = events!.flatMap(({ eventTime, workflowTaskStartedEventAttributes: started }) =>
    started ? [Number(eventTime!.seconds) * 1_000 + Math.round(eventTime!.nanos! / 1e6)] : [],
  )
  return times.find((time) => time > killedAt)!
}

/** Three members; the others than the first are some whom no worker has sent to. */
async function newAccount(others: Point['others']): Promise<ServiceAccount> {
  const account = await service.account()
  await account.addMember({ name: 'Ada', email: 'ada@example.com', tier: 'guarded_write' })
  for (let n = 0; n < 2; n++) {
    const name = `U${1_000_000 + people++}`
    await account.addMember({ name, ...(others === 'slack' ? { slack: name } : { email: `${name}@e.org` }) })
  }
  return account
}

/** Its workflow has run its first task, so that a worker has it in its cache. */
async function waitingFor(account: string, id: number): Promise<WorkflowHandle> {
  const rows = await service.sql(
    `select uuid from gate.action where account_id = '${account}' and id = ${id}`,
  )
  const client = await service.temporal()
  const handle = client.workflow.getHandle(proposalWorkflowId({ account, id, uuid: rows[0]!['uuid'] }))
  await until(`the workflow of ${id} waits`, boundMs, () =>
    handle.query('state').then(
      (state) => state === 'waiting',
      () => false,
    ),
  )
  return handle
}

async function holdOpen(count: number): Promise<void> {
  // Each proposal counts the open ones of its member.
  for (let done = 0; done < count; done += perAccount) {
    const account = await newAccount('email')
    await account.setPolicy({ open_max_per_member: perAccount })
    let left = Math.min(perAccount, count - done)
    const lane = async () => {
      while (left-- > 0) {
        const { status } = await account.api.propose({ email: 'ada@example.com' }, `Open ${left}.`)
        if (status !== 201) throw new Error(`proposing answered ${status}`)
      }
    }
    await Promise.all(Array.from({ length: 8 }, lane))
  }
  await until('their workflows have started', 1_800_000, async () => {
    const due = await service.sql('select 1 from gate_private.open_action where due_at is not null limit 1')
    return due.length === 0
  })
  say(`${count} proposals are open`)
}
