import { setTimeout as sleep } from 'node:timers/promises'
import type { WorkflowHandle } from '@temporalio/client'
import { projectRoot } from '../../src/process/root.ts'
import { proposalWorkflowId } from '../../src/temporal/names.ts'
import { ended } from '../../test/faults/broadcasts.ts'
import { expectInvariants } from '../../test/faults/invariants.ts'
import { type Fault, hang, workThenHang } from '../../test/support/fault-provider.ts'
import {
  type ProcessName,
  type Service,
  type ServiceAccount,
  startService,
  until,
} from '../../test/support/supervisor.ts'
import type { Finding } from '../report.ts'
import { type BenchCase, type CaseOptions, byFigure, repeated } from './case.ts'

const boundMs = 120_000
/** Until thousands of workflows have started, and have run their first task. */
const heldMs = 1_800_000
const perAccount = 1_000
const atMost = 4

/** Where in its cycle a proposal is when its worker is killed: the call that does not return, if any. */
interface Point {
  name: string
  others: 'slack' | 'email'
  call?: string
  fault?: Fault
  /** It takes half a minute, so a quarter of the kills must do. */
  isSlow?: true
  /** The kill may come before a message of a claimed slice has left, which nobody can tell from one that was lost. */
  mayBeUnknown?: true
}
const openPoint: Point = { name: 'open confirm', others: 'slack' }
const points: Point[] = [
  openPoint,
  { name: 'confirm that looks up addresses', others: 'slack', call: 'conversations.open', fault: hang },
  { name: 'confirm that sends e-mail', others: 'email', call: 'emails/batch', fault: workThenHang },
  {
    name: 'confirm that posts in Slack',
    others: 'slack',
    call: 'chat.postMessage',
    fault: workThenHang,
    isSlow: true,
    mayBeUnknown: true,
  },
]

/**
 * The time from the SIGKILL of the worker that has a proposal until another worker has it, and until its end: at several points of
 * a confirm, and while thousands of other proposals are open. Each kill counts as a run. It has a service of its own, whose
 * providers fail on demand.
 */
export const recovery: BenchCase = {
  name: 'recovery',
  isOnRequest: true,
  async run(services, options) {
    const service = await startService({ program: projectRoot, env: { CONFIRM_WAIT_MS: '0' } })
    let stopping: Promise<void> | undefined
    const stop = () => (stopping ??= service.stop())
    services.onStop(stop)
    try {
      const workers: Workers = { alive: 'worker', spare: 'worker2' }
      const findings: Finding[] = []
      for (const point of points)
        findings.push(...(await recoveries(service, workers, { point, ...options })))
      await holdOpen(service, options.held)
      options.log(`${options.held} proposals are open`)
      const suffix = `, ${options.held.toLocaleString('en')} open`
      findings.push(...(await recoveries(service, workers, { point: openPoint, suffix, ...options })))
      return findings
    } finally {
      await stop()
    }
  },
}

type Workers = { alive: ProcessName; spare: ProcessName }

function recoveries(
  service: Service,
  workers: Workers,
  { point, suffix = '', kills, log }: { point: Point; suffix?: string } & Pick<CaseOptions, 'kills' | 'log'>,
): Promise<Finding[]> {
  const title = (what: string) => `${point.name} after the death of its worker, ${what}${suffix}`
  return repeated(point.isSlow ? Math.ceil(kills / 4) : kills, async () => {
    const { takenOverMs, endedMs, unknown } = await killedAt(service, workers, point)
    if (point.mayBeUnknown) log(`  ${point.name}: ${unknown} unknown recipients`)
    const target = point === openPoint ? { atMost } : undefined
    return [
      byFigure(title('taken over'), [takenOverMs / 1_000, 's'], target),
      byFigure(title('ended'), [endedMs / 1_000, 's'], target),
    ]
  })
}

/** Milliseconds from the kill. */
interface Recovered {
  takenOverMs: number
  endedMs: number
  /** Recipients. */
  unknown: number
}

async function killedAt(
  service: Service,
  workers: Workers,
  { others, call, fault, mayBeUnknown }: Point,
): Promise<Recovered> {
  const account = await newAccount(service, others)
  const actor = { email: 'ada@example.com' }
  const proposed = await account.api.propose(actor, `To the members of ${account.account}.`)
  const id = proposed.body.id as number
  const workflow = await waitingFor(service, account.account, id)
  await service.start(workers.spare)
  // A worker that has just started must have asked for work before it counts as another one.
  await sleep(1_000)

  service.provider.requests.length = 0
  service.provider.faultFor = (request) => (request.call === call ? fault : undefined)
  if (call) {
    await account.api.confirm(id, actor)
    await service.provider.arrived(call)
  }
  const begin = Date.now()
  await service.kill(workers.alive)
  service.provider.faultFor = () => undefined
  if (!call) await account.api.confirm(id, actor)
  const { row } = await ended(service, account.account, id, boundMs)
  const endedMs = Date.now() - begin
  Object.assign(workers, { alive: workers.spare, spare: workers.alive })

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
async function newAccount(service: Service, others: Point['others']): Promise<ServiceAccount> {
  const account = await service.account()
  await account.addMember({ name: 'Ada', email: 'ada@example.com', tier: 'guarded_write' })
  for (let n = 0; n < 2; n++) {
    const name = `U${n}${account.account.slice(-8).toUpperCase()}`
    await account.addMember({ name, ...(others === 'slack' ? { slack: name } : { email: `${name}@e.org` }) })
  }
  return account
}

/** Its workflow has run its first task, so that a worker has it in its cache. */
async function waitingFor(
  service: Service,
  account: string,
  id: number,
  withinMs = boundMs,
): Promise<WorkflowHandle> {
  const rows = await service.sql(
    `select uuid from gate.action where account_id = '${account}' and id = ${id}`,
  )
  const client = await service.temporal()
  const handle = client.workflow.getHandle(proposalWorkflowId({ account, id, uuid: rows[0]!['uuid'] }))
  await until(`the workflow of ${id} waits`, withinMs, () =>
    handle.query('state').then(
      (state) => state === 'waiting',
      () => false,
    ),
  )
  return handle
}

async function holdOpen(service: Service, count: number): Promise<void> {
  let last = { account: '', id: 0 }
  // Each proposal counts the open ones of its member.
  for (let done = 0; done < count; done += perAccount) {
    const account = await newAccount(service, 'email')
    await account.setPolicy({ open_max_per_member: perAccount })
    let left = Math.min(perAccount, count - done)
    const lane = async () => {
      while (left-- > 0) {
        const { status, body } = await account.api.propose({ email: 'ada@example.com' }, `Open ${left}.`)
        if (status !== 201) throw new Error(`proposing answered ${status}`)
        last = { account: account.account, id: body.id as number }
      }
    }
    await Promise.all(Array.from({ length: 8 }, lane))
  }
  await until('their workflows have started', heldMs, async () => {
    const due = await service.sql('select 1 from gate_private.open_action where due_at is not null limit 1')
    return due.length === 0
  })
  // Their first tasks are handed out in the order of their starts.
  await waitingFor(service, last.account, last.id, heldMs)
}
