import { randomUUID } from 'node:crypto'
import { bareExpiresMs, bareQueue, bareSignal, bareWorkflow } from '../bare/names.ts'
import { type BenchAccount, benchAccount } from '../support/accounts.ts'
import {
  type HttpAnswer,
  expectStatus,
  getRequest,
  httpClients,
  postRequest,
} from '../support/http-client.ts'
import { type Slice, compare, load } from '../support/load.ts'
import type { Services } from '../support/services.ts'
import { type BenchCase, byLatency, byTail, clientCounts } from './case.ts'

/** Confirms per slice, by number of clients. */
const perSlice: Record<number, number> = { 1: 40, 16: 160 }

const proposersAtOnce = 16
/** Until a confirm counts as lost. */
const confirmBoundMs = 300_000

/** Confirms a broadcast to three recipients whose workflow is waiting; compared with a plain round trip through Temporal. */
export const confirm: BenchCase = {
  name: 'confirm',
  async run(services, { seconds }) {
    const account = await benchAccount(services, { proposers: 1, slack: 1, email: 1, openMax: 10_000 })
    const findings = []
    for (const clients of clientCounts) {
      const count = perSlice[clients]!
      const ours = () => confirmProposals(services, account, clients, count)
      const bare = () => confirmBare(services, clients, count)
      await ours()
      await bare()
      const compared = await compare({ pairs: Math.max(3, Math.round(seconds / 2)), ours, bare })
      findings.push(
        byLatency('confirm of 3 recipients', clients, compared, { atMost: 1.15 }),
        byTail('  confirm of 3 recipients, the slowest of a hundred', clients, compared, { atMost: 2 }),
      )
    }
    return findings
  },
}

interface OpenProposal {
  id: number
  email: string
}

/** Creates proposals, waits until their workflows are idle, and confirms them. Only the confirms are measured. */
async function confirmProposals(
  services: Services,
  account: BenchAccount,
  clients: number,
  count: number,
): Promise<Slice> {
  const open = await proposeMany(services, account, count)
  await services.quiet()
  return confirmOpen(services, account, clients, open)
}

export async function proposeMany(
  services: Services,
  account: BenchAccount,
  count: number,
): Promise<OpenProposal[]> {
  const open: OpenProposal[] = []
  const clients = Math.min(proposersAtOnce, count)
  const sides = httpClients(services.apiUrl, clients)
  await load(clients, { count }, async (n) => {
    const email = account.proposers[open.length % account.proposers.length]!
    const body = { kind: 'broadcast', payload: { message: 'Lunch is at noon.' }, actor: { email } }
    const answer = expectStatus(
      await sides.all[n]!.send(postRequest('/api/v1/actions', account.key, body)),
      201,
    )
    open.push({ id: (JSON.parse(answer.body) as { id: number }).id, email })
  })
  sides.close()
  return open
}

async function confirmOpen(
  services: Services,
  account: BenchAccount,
  clients: number,
  open: OpenProposal[],
): Promise<Slice> {
  const left = [...open]
  const sides = httpClients(services.apiUrl, clients)
  const slice = await load(clients, { count: open.length }, async (n) => {
    const proposal = left.pop()!
    let answer = await sides.all[n]!.send(confirmRequest(account, proposal))
    // Answered before its end, as Temporal is busy: it counts until its end.
    const giveUpAt = performance.now() + confirmBoundMs
    while (isUnderWay(answer) && performance.now() < giveUpAt)
      answer = await sides.all[n]!.send(getRequest(`/api/v1/actions/${proposal.id}?wait=50`, account.key))
    const { body } = expectStatus(answer, 200)
    if (!body.includes('"outcome":"done"')) throw new Error(`not delivered: ${body}`)
  })
  sides.close()
  return slice
}

export function confirmRequest(account: BenchAccount, { id, email }: OpenProposal): string {
  return postRequest(`/api/v1/actions/${id}/confirm`, account.key, { actor: { email } })
}

const isUnderWay = ({ status, body }: HttpAnswer): boolean =>
  status === 202 || (status === 200 && body.includes('"status":"proposed"'))

async function confirmBare(services: Services, clients: number, count: number): Promise<Slice> {
  const { workflow } = services.temporal
  const options = { taskQueue: bareQueue, args: [bareExpiresMs] as [number] }
  const ids = Array.from({ length: count }, () => `bare:${randomUUID()}`)
  await Promise.all(ids.map((workflowId) => workflow.start(bareWorkflow, { ...options, workflowId })))
  await services.quiet()
  return load(clients, { count }, async () => {
    const handle = await workflow.signalWithStart(bareWorkflow, {
      ...options,
      workflowId: ids.pop()!,
      signal: bareSignal,
    })
    await handle.result()
  })
}
