import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Db } from '../../src/db/connect.ts'
import { customerDeletion, declare } from '../support/declared-kind.ts'
import { type ServiceAccount, startService } from '../support/supervisor.ts'
import { testPort } from '../support/test-port.ts'
import { until } from '../support/until.ts'
import { scrape, valueOf } from './scrape.ts'

export interface Scraped {
  /** One scrape of each process: api, worker, sealer. */
  texts: Record<'api' | 'worker' | 'sealer', string>
  /** The same as files. */
  files: string[]
}

/** API, worker and sealer as processes of their own, after an action was executed and another was denied. */
export async function scrapedServices(): Promise<Scraped> {
  const ports = { api: await testPort(), worker: await testPort(), sealer: await testPort() }
  const service = await startService({
    isSandbox: true,
    processes: ['api', 'worker', 'sealer'],
    env: (name) => ({
      METRICS_PORT: String(ports[name as keyof typeof ports]),
      ...(name === 'sealer' ? {} : { SEAL_LEDGERS: '0' }),
    }),
  })
  try {
    await act(await service.account(), service.db)
    const texts = {
      api: await scrape(ports.api),
      worker: await until('the worker has executed it', async () => {
        const text = await scrape(ports.worker)
        const isDone = ['gate_executions_total', 'gate_consent_requests_total'].every((name) =>
          valueOf(text, name),
        )
        return isDone && text
      }),
      sealer: await until('the sealer has sealed it', async () => {
        const text = await scrape(ports.sealer)
        return (valueOf(text, 'gate_seal_epoch') ?? 0) > 0 && text
      }),
    }
    const files = Object.entries(texts).map(([name, text]) => {
      const file = join(process.env['TEST_RUN_DIR']!, `${name}.prom`)
      writeFileSync(file, text)
      return file
    })
    return { texts, files }
  } finally {
    await service.stop()
  }
}

async function act({ api: client, ...account }: ServiceAccount, db: Db): Promise<void> {
  const ada = await account.addMember({
    name: 'Ada',
    email: 'ada@example.com',
    slack: 'U1',
    tier: 'guarded_write',
  })
  const bob = await account.addMember({ name: 'Bob', email: 'bob@example.com' })
  const actor = { email: ada.email }
  await client.propose({ email: bob.email }, 'Lunch is at noon.')
  const { body } = await client.propose(actor, 'Lunch is at noon.')
  await client.confirm(body.id, actor)
  const rule = { tier: 'guarded_write', consent: 'chat' }
  await declare(db, account.account, customerDeletion({ default_rule: rule }))
  const payload = { customer: { id: 'cus_1' } }
  const asked = await client.request('POST', '/api/v1/actions', {
    body: { kind: 'customer_deletion', actor, payload },
  })
  await client.confirm(asked.body.id, actor)
  await client.get(99_999)
}
