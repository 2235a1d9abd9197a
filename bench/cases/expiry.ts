import { setTimeout as sleep } from 'node:timers/promises'
import type { BenchAccount } from '../support/accounts.ts'
import { type Slice, measured } from '../support/load.ts'
import type { Services } from '../support/services.ts'
import { type BenchCase, byFigure, byTail } from './case.ts'
import { type OpenProposal, confirmOpen, proposeMany } from './confirm.ts'
import { manyAccounts, proposeStanding } from './standing.ts'

const warmUpCount = 100
const steadyCount = 500
const baselineMs = 10_000
const minuteMs = 60_000
const confirmEveryMs = 100
/** How long creating the proposals may take: longer by this than that of a measured few, so that none expires too early. */
const slackShare = 1.25
const slackMs = 15_000
const allExpiredMs = 600_000
const openMax = 10_000

/** Confirms of one account while the proposals of others expire within a minute; compared with the time before. Their workflows end up to an hour later. */
export const expiry: BenchCase = {
  name: 'expiry',
  isOnRequest: true,
  leavesWork: true,
  async run(services, { expiring, log }) {
    const [steady, ...accounts] = await manyAccounts(services)
    const [warmUp = []] = await proposeStanding(services, [steady!], warmUpCount)
    const startedAt = performance.now()
    const measuredFew = await proposeMany(services, steady!, steadyCount)
    const msToPropose = (performance.now() - startedAt) / steadyCount
    await services.quiet()
    const open = [...warmUp, ...measuredFew]
    const msPerProposal = (performance.now() - startedAt) / steadyCount
    const expireAt = performance.now() + expiring * msPerProposal * slackShare + baselineMs + slackMs
    await proposeExpiring(services, accounts, { count: expiring, expireAt, msToPropose })
    log(`${expiring} proposals expire in ${Math.round((expireAt - performance.now()) / 1_000)} s`)

    const before = await confirmPaced(services, steady!, open, performance.now() + baselineMs)
    if (performance.now() > expireAt) throw new Error('proposals expired before all had been created')
    await sleep(expireAt - performance.now())
    const meanwhile = await confirmPaced(services, steady!, open, performance.now() + minuteMs)
    const late = await untilAllExpired(services, accounts)

    const [ours, bare] = [measured([meanwhile]), measured([before])]
    const title = (what: string) => `${what} while ${expiring.toLocaleString('en')} expire in a minute`
    const p99Ratio = ours.p99Ms / bare.p99Ms
    return [
      {
        case: title('confirm'),
        clients: 1,
        unit: 'ms p50',
        ours: ours.p50Ms,
        bare: bare.p50Ms,
        ratio: ours.p50Ms / bare.p50Ms,
        target: { atMost: 2 },
        more: { confirms: meanwhile.latenciesMs.length },
      },
      byTail(`  ${title('confirm')}, the slowest of a hundred`, 1, { ours, bare, p99Ratio }),
      byFigure(title('from expiry to its entry, p99,'), [late, 's']),
    ]
  },
}

/** Spreads the expiry of all proposals over a minute: each account's begins a little later than the one before. */
async function proposeExpiring(
  services: Services,
  accounts: BenchAccount[],
  { count, expireAt, msToPropose }: { count: number; expireAt: number; msToPropose: number },
): Promise<void> {
  const perAccount = Math.ceil(count / accounts.length)
  const apartMs = Math.max(0, minuteMs - perAccount * msToPropose) / accounts.length
  let begun = 0
  await proposeStanding(services, accounts, perAccount, async (account) => {
    const leftMs = expireAt + begun++ * apartMs - performance.now()
    await account.setPolicy({ open_max_per_member: openMax, expires_after_hours: leftMs / 3_600_000 })
  })
}

/** One confirm after another, with a rest between, so that there are enough proposals for the whole time. */
async function confirmPaced(
  services: Services,
  account: BenchAccount,
  open: OpenProposal[],
  until: number,
): Promise<Slice> {
  const startedAt = performance.now()
  const latenciesMs: number[] = []
  while (performance.now() < until && open.length > 0) {
    const { latenciesMs: taken } = await confirmOpen(services, account, 1, open.splice(0, 1))
    latenciesMs.push(...taken)
    await sleep(confirmEveryMs)
  }
  return { latenciesMs, elapsedMs: performance.now() - startedAt }
}

/** @returns the seconds from their expiry to their entry in the ledger that 99 of 100 proposals took at most */
async function untilAllExpired(services: Services, accounts: BenchAccount[]): Promise<number> {
  const list = accounts.map(({ account }) => `'${account}'`).join()
  const end = performance.now() + allExpiredMs
  for (;;) {
    const [row] = await services.asSuperuser(`
      select count(*) filter (where status = 'proposed')::int as left,
        percentile_disc(0.99) within group (order by extract(epoch from decided_at - expires_at))::float8 as late
      from gate.action where account_id in (${list})`)
    if (row!['left'] === 0) return row!['late'] as number
    if (performance.now() > end) throw new Error(`${String(row!['left'])} proposals have not expired`)
    await sleep(500)
  }
}
