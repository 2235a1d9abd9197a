import { benchAccount } from '../support/accounts.ts'
import { expectStatus, getRequest, httpClient, httpClients } from '../support/http-client.ts'
import { compare, load } from '../support/load.ts'
import { type BenchCase, byRate, clientCounts } from './case.ts'

const warmUpMs = 2_500
const sliceMs = 1_000

/** Reads the capability of a certified member; both sides write a row for each read. */
export const capability: BenchCase = {
  name: 'capability',
  async run(services, { seconds }) {
    const { key, proposers } = await benchAccount(services, { proposers: 3 })
    const query = `email=${encodeURIComponent(proposers[0]!)}`
    const requests = {
      ours: { url: services.apiUrl, text: getRequest(`/api/v1/capability?${query}`, key) },
      bare: { url: services.bareUrl, text: getRequest(`/capability?${query}`, key) },
    }
    await expectSameAnswer(requests)
    const findings = []
    for (const clients of clientCounts) {
      const sides = {
        ours: httpClients(requests.ours.url, clients),
        bare: httpClients(requests.bare.url, clients),
      }
      const slice = (side: keyof typeof sides, ms: number) =>
        load(clients, { ms }, async (n) =>
          expectStatus(await sides[side].all[n]!.send(requests[side].text), 200),
        )
      await slice('ours', warmUpMs)
      await slice('bare', warmUpMs)
      const compared = await compare({
        pairs: Math.max(2, Math.round((seconds * 1_000) / sliceMs)),
        ours: () => slice('ours', sliceMs),
        bare: () => slice('bare', sliceMs),
      })
      findings.push(byRate('capability read', clients, compared, { atLeast: clients === 1 ? 0.95 : 1.5 }))
      sides.ours.close()
      sides.bare.close()
    }
    return findings
  },
}

async function expectSameAnswer(requests: Record<string, { url: string; text: string }>): Promise<void> {
  const answers = []
  for (const { url, text } of Object.values(requests)) {
    const client = httpClient(url)
    answers.push(expectStatus(await client.send(text), 200).body)
    client.close()
  }
  if (new Set(answers).size !== 1) throw new Error(`the answers differ: ${answers.join(' and ')}`)
}
