import { mkdtempSync, chmodSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { sayRecovery, senderTo } from '../faults/broadcasts.ts'
import { acknowledgedMore, expectAllStored, startLoad } from '../faults/load.ts'
import { type Service, startService, until } from '../support/supervisor.ts'
import { expectAllDelivered } from './delivered.ts'
import { type ReplicatedDatabase, startReplicatedDatabase } from './standby.ts'

let database: ReplicatedDatabase
let service: Service
beforeAll(async () => {
  const folder = mkdtempSync(join(process.env['TEST_RUN_DIR']!, 'replicated-'))
  chmodSync(folder, 0o711)
  database = await startReplicatedDatabase(folder)
  service = await startService({ isSandbox: true, database, env: { CONFIRM_WAIT_MS: '5000' } })
})
afterAll(async () => {
  await service?.stop()
  await database?.stop()
}, 120_000)

test('a write whose standby is away is answered 503 with an unknown outcome, and stands once the standby is back', async () => {
  const sender = await senderTo(service, 2)
  const { account, api } = sender.account
  // Stores the recipients, so that the next one is a single write.
  const first = await sender.propose()
  await database.stall()
  const begin = performance.now()
  const answer = await api.propose(sender.actor, 'While the standby was away.')
  sayRecovery('a proposal while the standby is away is answered 503', Math.round(performance.now() - begin))
  database.resume()
  expect([answer.status, answer.body.error]).toEqual([503, expect.stringMatching(/unknown/i)])
  await until('the proposal stands', 60_000, async () => {
    const rows = await service.sql<{ message: string }>(
      `select payload->>'message' as message from gate.action where account_id = '${account}' order by id`,
    )
    return rows.map(({ message }) => message).join() === `${first.text},While the standby was away.`
  })
})

test('the primary killed under load and its synchronous standby promoted: no acknowledged write is lost, and every confirmed broadcast arrives once', async () => {
  const senders = await Promise.all(Array.from({ length: 3 }, () => senderTo(service, 4)))
  const load = senders.map((sender) => startLoad(sender))
  await acknowledgedMore(load, 30)
  // The stall leaves commits that the standby does not have, and that nobody was told of.
  await database.stall()
  await database.commitWaits()
  await database.killPrimary()
  await until('the load meets the fault', 60_000, () => load.every((one) => one.refused503 > 0))
  await database.promote()
  const ms = await acknowledgedMore(load, 30)
  sayRecovery('the standby is promoted, until 30 more writes of each account are acknowledged', ms)
  await expectAllStored(service, load)
  for (const { sender } of load) {
    const { account } = sender.account
    expect(await expectAllDelivered(service, account)).toBeGreaterThan(0)
    expect(await service.gate('ledger', 'verify', '--account', account)).toMatchObject({ ok: true })
  }
})
