import { once } from 'node:events'
import type { DirectLoop, DirectLoopAnswer } from '../bare/direct-loop.ts'
import { limits } from '../../src/limits.ts'
import { type BenchAccount, benchAccount } from '../support/accounts.ts'
import { expectStatus, getRequest, httpClient } from '../support/http-client.ts'
import { type Slice, compare } from '../support/load.ts'
import type { Services } from '../support/services.ts'
import { type BenchCase, byRate } from './case.ts'
import { confirmRequest, proposeMany } from './confirm.ts'

const recipients = 10_000
const emailsPerCall = 100
const slackPerSlice = 20
const endMs = 120_000

/**
 * A broadcast to 10,000 members, half by Slack (two calls each), half by e-mail (batches of a hundred), from its confirm to
 * its end; compared with a loop that makes the same calls through the same SDKs, with the same parallelism, and stores
 * nothing.
 */
export const broadcast: BenchCase = {
  name: 'broadcast',
  async run(services, { seconds }) {
    const ours = async (count: number) => broadcastTo(services, await freshRecipients(services, count))
    const bare = (count: number) => loopTo(services, count)
    await ours(1_000)
    await bare(1_000)
    const compared = await compare({
      pairs: Math.max(2, Math.round(seconds / 2)),
      ours: () => ours(recipients),
      bare: () => bare(recipients),
      between: () => services.quiet(),
    })
    return [byRate('broadcast to 10,000, provider answers at once', 1, compared, { atLeast: 0.5 })]
  },
}

/** New ones every time, because a known conversation saves one call. */
function freshRecipients(services: Services, count: number): Promise<BenchAccount> {
  const half = Math.floor(count / 2)
  return benchAccount(services, { proposers: 1, slack: half - 1, email: count - half })
}

/** Confirms a broadcast to all members of an account, and waits for its end. */
async function broadcastTo(services: Services, account: BenchAccount): Promise<Slice> {
  const [open] = await proposeMany(services, account, 1)
  await services.quiet()
  const client = httpClient(services.apiUrl)
  const startedAt = performance.now()
  let answer = await client.send(confirmRequest(account, open!))
  while (answer.status === 202 || answer.body.includes('"state":"running"')) {
    if (performance.now() - startedAt > endMs)
      throw new Error(`not finished after ${endMs / 1_000} s: ${answer.body}`)
    await new Promise((resolve) => setTimeout(resolve, 50))
    answer = await client.send(getRequest(`/api/v1/actions/${open!.id}`, account.key))
  }
  const elapsedMs = performance.now() - startedAt
  client.close()
  if (!expectStatus(answer, 200).body.includes('"outcome":"done"')) throw new Error(`not all: ${answer.body}`)
  return perRecipient(account.members, elapsedMs)
}

let rounds = 0

async function loopTo(services: Services, count: number): Promise<Slice> {
  const half = Math.floor(count / 2)
  const round = rounds++
  const order: DirectLoop = {
    sandboxUrl: services.sandboxUrl(),
    slackIds: Array.from({ length: half }, (_, n) => `UB${round}X${n}`),
    emails: Array.from({ length: count - half }, (_, n) => `b${n}.${round}@example.com`),
    slackConcurrency: limits.stepsWindow * limits.slicesInFlight * slackPerSlice,
    emailConcurrency: limits.stepsWindow * limits.slicesInFlight,
    emailsPerCall,
    text: 'Lunch is at noon.',
  }
  const { child } = services.directLoop
  child.send(order)
  const [answer] = (await once(child, 'message')) as [DirectLoopAnswer | { error: string }]
  if ('error' in answer) throw new Error(answer.error)
  if (answer.delivered !== count) throw new Error(`the loop delivered ${answer.delivered} of ${count}`)
  return perRecipient(count, answer.ms)
}

/** A slice with a single latency, for all recipients. */
function perRecipient(count: number, elapsedMs: number): Slice {
  return { latenciesMs: [elapsedMs], elapsedMs, calls: count }
}
