import { setTimeout as sleep } from 'node:timers/promises'
import type { Finding } from '../report.ts'
import { benchAccount } from '../support/accounts.ts'
import type { Services } from '../support/services.ts'
import type { BenchCase } from './case.ts'
import { oursCycles } from './cycle.ts'

const clients = 8
const perRound = 250
const restMs = 60_000
const mostMb: Record<string, number> = { api: 150, worker: 280 }

/** Resident memory of both processes a minute after the last request: before any, and after full cycles. Takes minutes. */
export const memory: BenchCase = {
  name: 'memory',
  isOnRequest: true,
  async run(services, { cycles, log }) {
    const account = await benchAccount(services, { proposers: 1, slack: 1, email: 1, openMax: 10_000 })
    const atRest = await findings(services, 'memory at rest')
    for (let done = 0; done < cycles; done += perRound) {
      await oursCycles(services, account, { clients, count: Math.min(perRound, cycles - done) })
      if (done > 0 && done % 2_500 === 0) log(`  ${done} of ${cycles} cycles`)
    }
    return [...atRest, ...(await findings(services, `memory at rest after ${cycles} cycles`))]
  },
}

async function findings(services: Services, title: string): Promise<Finding[]> {
  await services.quiet()
  await sleep(restMs)
  return Object.entries(services.residentMb()).map(([name, mb]) => ({
    case: `${title}: ${name}`,
    clients,
    unit: 'MB',
    ours: mb,
    bare: null,
    ratio: null,
    target: { atMost: mostMb[name]! },
  }))
}
