import { afterAll, beforeAll, test } from '@jest/globals'
import { type Service, startService, until } from '../support/supervisor.ts'
import { sayRecovery, senderTo } from './broadcasts.ts'
import { acknowledgedMore, expectAllStored, startLoad } from './load.ts'

let service: Service
beforeAll(async () => {
  service = await startService({ isSandbox: true, hasOwnPostgres: true, env: { CONFIRM_WAIT_MS: '2000' } })
}, 300_000)
afterAll(() => service.stop(), 60_000)

test('PostgreSQL killed under load: calls get 503, every acknowledged write is stored, and the service recovers by itself', async () => {
  const senders = await Promise.all(Array.from({ length: 3 }, () => senderTo(service, 4)))
  const load = senders.map((sender) => startLoad(sender))
  for (let round = 0; round < 2; round++) {
    await acknowledgedMore(load, 12)
    await service.kill('postgres')
    await until('the load meets the fault', 60_000, () => load.every((one) => one.refused503 > round))
    await service.start('postgres')
    const ms = await acknowledgedMore(load, 6)
    sayRecovery('PostgreSQL is back, until writes are acknowledged', ms)
  }
  await expectAllStored(service, load)
}, 180_000)

test('every connection to PostgreSQL terminated again and again under load: nothing acknowledged is lost, and no process dies', async () => {
  const senders = await Promise.all(Array.from({ length: 2 }, () => senderTo(service, 3)))
  const load = senders.map((sender) => startLoad(sender))
  for (let round = 0; round < 6; round++) {
    await acknowledgedMore(load, 2)
    // A storm: it also meets connections that are only just being made.
    for (let gust = 0; gust < 40; gust++) await service.sql(terminateAll)
  }
  await expectAllStored(service, load)
}, 300_000)

const terminateAll = `select pg_terminate_backend(pid) from pg_stat_activity
  where pid <> pg_backend_pid() and backend_type = 'client backend'`
