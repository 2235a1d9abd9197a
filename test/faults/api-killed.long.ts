import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { type Service, startService } from '../support/supervisor.ts'
import { claimed, ended, sayRecovery, senderTo } from './broadcasts.ts'
import { expectInvariants } from './invariants.ts'

let service: Service
beforeAll(async () => {
  service = await startService({
    processes: ['api', 'api2', 'worker'],
    isSandbox: true,
    // On a busy machine Temporal may take longer than the usual second to take a signal.
    env: { CONFIRM_SIGNAL_MS: '10000' },
  })
}, 300_000)
afterAll(() => service.stop(), 60_000)

test('an API killed between the commit of a confirm and its signal: the action executes without a further call', async () => {
  const sender = await senderTo(service, 5)
  const { id } = await sender.propose()
  // Nothing reaches Temporal: the claim commits, and the signal cannot go out.
  service.edges.temporal.hold()
  const lost = sender.account.api.confirm(id, sender.actor).catch(() => 'lost')
  await claimed(service, sender.account.account, id)
  await service.kill('api')
  expect(await lost).toBe('lost')
  service.edges.temporal.release()
  const { row, ms } = await ended(service, sender.account.account, id, 120_000)
  sayRecovery('API killed before its signal, until executed', ms)
  expect(row['result']).toMatchObject({ outcome: 'done', slack: 2, email: 3 })
  await service.start('api')
  expect((await sender.account.api.get(id)).body.status).toBe('executed')
  await expectInvariants(service, sender.account.account)
}, 300_000)

test('a confirm that was lost with its API gets its answer when it is repeated with its key, and nothing runs twice', async () => {
  const sender = await senderTo(service, 5)
  const { id } = await sender.propose()
  service.edges.temporal.hold()
  const lost = sender.account.api.confirm(id, sender.actor, { key: 'once' }).catch(() => 'lost')
  await claimed(service, sender.account.account, id)
  await service.kill('api')
  expect(await lost).toBe('lost')
  service.edges.temporal.release()
  const repeated = await sender.account.api2.confirm(id, sender.actor, { key: 'once' })
  expect([repeated.status, repeated.body.status]).toEqual([200, 'executed'])
  await service.start('api')
  await expectInvariants(service, sender.account.account, [repeated.body])
}, 300_000)

test('API and worker killed while a confirm was answered 202: the action executes when the worker is back', async () => {
  const sender = await senderTo(service, 45)
  const { id } = await sender.propose()
  service.edges.provider.hold()
  service.edges.temporal.hold()
  const answer = await sender.account.api.confirm(id, sender.actor)
  expect(answer.status).toBe(202)
  await service.kill('api', 'worker')
  service.edges.temporal.release()
  service.edges.provider.release()
  await service.start('worker')
  const { row, ms } = await ended(service, sender.account.account, id, 120_000)
  sayRecovery('API and worker killed at a 202, until executed', ms)
  expect(row['status']).toBe('executed')
  await service.start('api')
  await expectInvariants(service, sender.account.account, [answer.body])
}, 300_000)

test('exactly one of 20 confirms and cancels through two API processes wins', async () => {
  const sender = await senderTo(service, 3)
  const { api, api2, account } = sender.account
  for (let round = 0; round < 6; round++) {
    const { id } = await sender.propose()
    const calls = Array.from({ length: 20 }, (_, n) => {
      const client = n % 2 === 0 ? api : api2
      const verb = (n + round) % 4 < 2 ? 'confirm' : 'cancel'
      return client[verb](id, sender.actor)
    })
    const answers = await Promise.all(calls)
    const won = answers.filter((answer) => answer.status !== 409)
    expect([won.length, won[0]!.status]).toEqual([1, 200])
    const { body } = await api.get(id)
    expect(body.status).toBe(won[0]!.body.status)
    await expectInvariants(service, account, [won[0]!.body])
  }
}, 300_000)
