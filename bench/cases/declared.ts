import { once } from 'node:events'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { addKind } from '../../src/operations/kinds/declared-kinds.ts'
import { rotateKindSecret } from '../../src/operations/kinds/rotate-kind-secret.ts'
import { parseKeyRing } from '../../src/secrets/key-ring.ts'
import { type BenchAccount, benchAccount } from '../support/accounts.ts'
import { type Slice, compare } from '../support/load.ts'
import { startNode } from '../support/processes.ts'
import type { Services } from '../support/services.ts'
import { type BenchCase, byLatency, byTail, clientCounts } from './case.ts'
import { confirmOpen, proposeMany } from './confirm.ts'

/** Confirms per slice, by number of clients. */
const perSlice: Record<number, number> = { 1: 40, 16: 160 }

const kind = 'customer_deletion'

/**
 * Confirms an action of a declared kind whose executor answers at once; compared with the confirm of a broadcast to one recipient.
 * Each is one call to another process.
 */
export const declared: BenchCase = {
  name: 'declared',
  async run(services, { seconds }) {
    const account = await benchAccount(services, { proposers: 1, openMax: 10_000 })
    const program = fileURLToPath(new URL('../bare/executor.js', import.meta.url))
    const logFile = join(services.folder, 'executor.log')
    const executor = startNode({ program, env: {}, logFile })
    try {
      const [port] = (await once(executor.child, 'message')) as [number]
      await declareKind(services, account, `http://127.0.0.1:${port}/`)
      return await compareConfirms(services, account, Math.max(3, Math.round(seconds / 2)))
    } finally {
      await executor.stop()
    }
  },
}

async function compareConfirms(services: Services, account: BenchAccount, pairs: number) {
  const findings = []
  for (const clients of clientCounts) {
    const count = perSlice[clients]!
    const ours = () =>
      confirmMany(services, account, { clients, count, of: { kind, payload: { customer: 'cus_1' } } })
    const bare = () => confirmMany(services, account, { clients, count })
    await ours()
    await bare()
    const compared = await compare({ pairs, ours, bare })
    findings.push(
      byLatency('confirm of a declared kind', clients, compared, { atMost: 1.1 }),
      byTail('  confirm of a declared kind, the slowest of a hundred', clients, compared, { atMost: 2 }),
    )
  }
  return findings
}

/** Only the confirms are measured. */
async function confirmMany(
  services: Services,
  account: BenchAccount,
  given: { clients: number; count: number; of?: { kind: string; payload: object } },
): Promise<Slice> {
  const open = await proposeMany(services, account, given.count, given.of)
  await services.quiet()
  return confirmOpen(services, account, given.clients, open)
}

async function declareKind(services: Services, { account }: BenchAccount, url: string): Promise<void> {
  const context = { db: services.db, account, session: null }
  const document = {
    kind,
    title: 'Delete a customer',
    description: 'Delete a customer.',
    payload: { type: 'object', properties: { customer: { type: 'string' } }, required: ['customer'] },
    card: [{ label: 'Customer', value: '/customer', format: 'text' }],
    default_rule: { tier: 'guarded_write', consent: 'agent_attested' },
    executor: { type: 'webhook', url },
  }
  await addKind(context, document, ['127.0.0.1'])
  await rotateKindSecret(context, parseKeyRing(services.secretsKeys), kind)
}
