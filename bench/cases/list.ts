import { type BenchAccount, benchAccount } from '../support/accounts.ts'
import { expectStatus, getRequest, httpClients } from '../support/http-client.ts'
import { compare, load } from '../support/load.ts'
import type { Services } from '../support/services.ts'
import { type BenchCase, byLatency, byRate, clientCounts } from './case.ts'

const few = 1_000
const many = 1_000_000
const sliceMs = 300
const warmUpMs = 1_500

/** The requested pages, by their start as a share of all rows. */
const pages = [
  { name: 'first', query: () => '' },
  { name: 'last', query: (rows: number) => `after=${rows - 60}` },
  { name: 'status', query: (rows: number) => `status=denied&after=${rows / 2}` },
  { name: 'kind and rare status', query: () => 'kind=broadcast&status=cancelled' },
]

/** A page of an account with a million rows; compared with the same page of an account with a thousand. */
export const list: BenchCase = {
  name: 'list',
  async run(services, { seconds, log }) {
    const account = { few: await seeded(services, few), many: await seeded(services, many) }
    await services.asSuperuser('vacuum (analyze) gate.action')
    log(`seeded ${many} rows`)
    const findings = await besideBare(services, account.few, seconds)
    for (const clients of clientCounts) {
      for (const { name, query } of pages) {
        const slice = async (side: keyof typeof account, ms: number) => {
          const sides = httpClients(services.apiUrl, clients)
          const path = `/api/v1/actions?${query(side === 'few' ? few : many)}`
          const request = getRequest(path, account[side].key)
          const slice = await load(clients, { ms }, async (n) =>
            expectStatus(await sides.all[n]!.send(request), 200),
          )
          sides.close()
          return slice
        }
        await slice('few', sliceMs)
        await slice('many', sliceMs)
        const compared = await compare({
          pairs: Math.max(6, Math.round((seconds * 1_000) / sliceMs / pages.length)),
          ours: () => slice('many', sliceMs),
          bare: () => slice('few', sliceMs),
        })
        findings.push(
          byLatency(`list 1,000,000 compared with 1,000: ${name}`, clients, compared, { atMost: 1.1 }),
        )
      }
    }
    return findings
  },
}

/** A page of 50 beside a plain select of its key and its rows. */
async function besideBare(services: Services, { key, account }: BenchAccount, seconds: number) {
  await services.asSuperuser(`
    insert into bare.action (account_id, id, kind, status, member, tier_at_request, source, payload, created_at,
      requires_confirmation, result, reach_slack, reach_email, expires_at)
    overriding system value
    select account_id, id, kind, status, member, tier_at_request, source, payload, created_at, requires_confirmation,
      result, reach_slack, reach_email, expires_at
    from gate.action where account_id = '${account}';
    analyze bare.action`)
  const findings = []
  for (const clients of clientCounts) {
    const sides = {
      ours: httpClients(services.apiUrl, clients),
      bare: httpClients(services.bareUrl, clients),
    }
    const texts = {
      ours: getRequest('/api/v1/actions?limit=50&after=500', key),
      bare: getRequest('/actions?after=500', key),
    }
    const slice = (side: keyof typeof sides, ms: number) =>
      load(clients, { ms }, async (n) => expectStatus(await sides[side].all[n]!.send(texts[side]), 200))
    await slice('ours', warmUpMs)
    await slice('bare', warmUpMs)
    const compared = await compare({
      pairs: Math.max(2, Math.round(seconds)),
      ours: () => slice('ours', 1_000),
      bare: () => slice('bare', 1_000),
    })
    findings.push(byRate('list page of 50', clients, compared, { atLeast: 0.5 }))
    sides.ours.close()
    sides.bare.close()
  }
  return findings
}

/** Typical rows, written in one statement: half are broadcasts; a few of these, at the end, are cancelled. */
async function seeded(services: Services, rows: number): Promise<BenchAccount> {
  const account = await benchAccount(services, { proposers: 1 })
  await services.asSuperuser(`
    set session_replication_role = replica;
    insert into gate.action (
      account_id, id, uuid, kind, status, member, tier_at_request, source, payload, created_at, requires_confirmation,
      denial_reason, closed_reason, result, executed_at, decision
    )
    select '${account.account}', n, gen_random_uuid(), case n % 2 when 0 then 'broadcast' else 'capability_check' end,
      case when n > ${rows - 20} and n % 2 = 0 then 'cancelled' when n % 10 = 0 then 'denied' else 'executed' end,
      'ada@example.com', 'guarded_write', 'api', '{"message":"Lunch is at noon."}', now(), n % 2 = 0,
      case when n % 10 = 0 then 'This broadcast requires \`guarded_write\`; Ada has \`read_only\`.' end, 'expired', '{"outcome":"done"}', now(),
      'confirm'
    from generate_series(1, ${rows}) n;
    set session_replication_role = origin;
    update gate.ledger_head set action_seq = ${rows} where account_id = '${account.account}'`)
  return account
}
