import type { CallsMade } from '../bare/limited-providers.ts'
import type { Finding } from '../report.ts'
import { benchAccount } from '../support/accounts.ts'
import { median } from '../support/load.ts'
import type { Services } from '../support/services.ts'
import { broadcastTo } from './broadcast.ts'
import { type BenchCase, byFigure } from './case.ts'

/** The limits that the stand-in enforces and the gate is configured with by default, in calls a second. */
const providers = [
  { name: 'slack', perSecond: 3, calls: 48 },
  { name: 'resend', perSecond: 2, calls: 32 },
]
const emailsPerCall = 100
const broadcasts = 3
const settlingMs = 1_000

/**
 * Three broadcasts of 16 s to the same members, by providers that enforce their published limits: how much of these the gate
 * uses. Slack lets an app open 50 conversations a minute, so fewer members than that have Slack.
 */
export const limitedBroadcast: BenchCase = {
  name: 'broadcast-limits',
  run: (services) => measure(services),
}

async function measure(services: Services): Promise<Finding[]> {
  const [slack, resend] = providers.map(({ calls }) => calls) as [number, number]
  const account = await benchAccount(services, {
    proposers: 1,
    slack: slack - 1,
    email: resend * emailsPerCall,
  })
  await services.useProviders('limited')
  const rounds: CallsMade[] = []
  for (let n = 0; n < broadcasts; n++) {
    await services.quiet()
    await broadcastTo(services, account)
    rounds.push((await (await fetch(new URL('/calls', services.sandboxUrl()))).json()) as CallsMade)
  }
  return [...providers.map(({ name, perSecond }) => shareUsed(name, perSecond, rounds)), refusals(rounds)]
}

/** The calls accepted from the first to the last of a broadcast, as a share of those that the limit allows in that time. */
function shareUsed(name: string, perSecond: number, rounds: CallsMade[]): Finding {
  const shares = rounds.map(({ accepted }) => {
    const times = accepted[name] ?? []
    const seconds = (times.at(-1)! - times[0]!) / 1_000
    return (times.length - 1) / seconds / perSecond
  })
  const share = median(shares)
  return {
    case: `broadcast under the limit of ${name}`,
    clients: 1,
    unit: 'calls/s',
    ours: share * perSecond,
    bare: perSecond,
    ratio: share,
    target: { atLeast: 0.97 },
    more: { lowest: Math.min(...shares), highest: Math.max(...shares) },
  }
}

/** The calls refused with 429 after the first second of a broadcast. */
function refusals(rounds: CallsMade[]): Finding {
  const late = rounds.map(({ accepted, refused }) => {
    const from = Math.min(...[...Object.values(accepted), ...Object.values(refused)].flat())
    return Object.values(refused)
      .flat()
      .filter((at) => at > from + settlingMs).length
  })
  const count = late.reduce((a, b) => a + b, 0)
  return byFigure('broadcast under limits, calls refused after the first second', [count, 'calls'], {
    atMost: 0,
  })
}
