import { benchAccount } from '../support/accounts.ts'
import { fillHistory } from '../support/history.ts'
import { expectStatus, getRequest, httpClients } from '../support/http-client.ts'
import { compare, load } from '../support/load.ts'
import { type BenchCase, byRate, clientCounts } from './case.ts'

const rows = 1_000
const warmUpMs = 1_500
const sliceMs = 1_000

/** A page of 50 actions, compared with a plain select of the key and of as many rows. */
export const page: BenchCase = {
  name: 'page',
  async run(services, { seconds }) {
    const { account, key, ...given } = await benchAccount(services, { proposers: 1 })
    await fillHistory(services, { account, key, ...given }, rows)
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
        pairs: Math.max(2, Math.round((seconds * 1_000) / sliceMs)),
        ours: () => slice('ours', sliceMs),
        bare: () => slice('bare', sliceMs),
      })
      findings.push(byRate('list page of 50', clients, compared, { atLeast: 0.5 }))
      sides.ours.close()
      sides.bare.close()
    }
    return findings
  },
}
