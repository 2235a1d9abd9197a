import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startSandbox } from '../../dev/sandbox/sandbox.ts'
import { freshAccount } from '../support/account.ts'
import { apiClient } from '../support/api-client.ts'
import { freshDatabase } from '../support/database.ts'
import { customerDeletion, declare } from '../support/declared-kind.ts'
import { endSchedule, freshNamespace } from '../support/namespace.ts'
import { until } from '../support/until.ts'
import { scrape, valueOf } from './scrape.ts'
import { type Service, startService } from './services.ts'

export interface Scraped {
  /** One scrape of each process: api, worker, sealer. */
  texts: Record<'api' | 'worker' | 'sealer', string>
  /** The same as files. */
  files: string[]
}

/** API, worker and sealer as processes of their own, after an action was executed and another was denied. */
export async function scrapedServices(): Promise<Scraped> {
  const sandbox = await startSandbox({ gateUrl: () => '' })
  const [database, namespace] = await Promise.all([freshDatabase(), freshNamespace()])
  const env = { SANDBOX: '1', SANDBOX_URL: sandbox.url, TEMPORAL_NAMESPACE: namespace }
  const services: Service[] = []
  const start = async (name: 'api' | 'worker' | 'sealer', more: Record<string, string> = {}) => {
    const service = await startService(name, { database, env: { ...env, ...more } })
    services.push(service)
    return service
  }
  try {
    const api = await start('api')
    const [worker, sealer] = await Promise.all([
      start('worker', { SEAL_LEDGERS: '0', PUBLIC_URL: api.url }),
      start('sealer'),
    ])
    await act(api.url, database.db)
    const texts = {
      api: await scrape(api.metricsPort),
      worker: await until('the worker has executed it', async () => {
        const text = await scrape(worker.metricsPort)
        const isDone = ['gate_executions_total', 'gate_consent_requests_total'].every((name) =>
          valueOf(text, name),
        )
        return isDone && text
      }),
      sealer: await until('the sealer has sealed it', async () => {
        const text = await scrape(sealer.metricsPort)
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
    for (const service of services) await service.stop()
    await sandbox.stop()
    await database.drop()
    await endSchedule(namespace)
  }
}

async function act(url: string, db: Parameters<typeof declare>[0]): Promise<void> {
  const account = await freshAccount(db)
  const client = apiClient(url, account.key)
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
