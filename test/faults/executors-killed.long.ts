import { afterEach, expect, test } from '@jest/globals'
import type { ServerResponse } from 'node:http'
import { addKind } from '../../src/operations/kinds/declared-kinds.ts'
import { rotateKindSecret } from '../../src/operations/kinds/rotate-kind-secret.ts'
import { parseKeyRing } from '../../src/secrets/key-ring.ts'
import { type Received, type StandIn, answerJson, standIn } from '../executors/stand-in.ts'
import { ringOf } from '../support/connect.ts'
import { customerDeletion } from '../support/declared-kind.ts'
import type { Bounds } from '../support/shorten.ts'
import { type Service, startService, until } from '../support/supervisor.ts'
import { ended, sayRecovery } from './broadcasts.ts'
import { expectInvariants } from './invariants.ts'

let service: Service
let executor: StandIn | undefined
afterEach(async () => {
  await service.stop()
  await executor?.close()
  executor = undefined
}, 60_000)

const actor = { email: 'wil@example.com' }
/** Short bounds of a call: an attempt that nobody recorded is repeated within seconds. */
const shortCalls = { executorCallMs: 2_000, executorCloseMs: 500 }

/** A service with a kind of that executor, and a member who may use it. */
async function start(executorOf: Record<string, unknown>, bounds: Bounds = {}) {
  const keys = ringOf('k1')
  service = await startService({
    env: { CONFIRM_WAIT_MS: '0', SECRETS_KEYS: keys, EXECUTOR_ALLOW: '127.0.0.1' },
    bounds,
  })
  const account = await service.account()
  await account.addMember({ name: 'Wil', ...actor, tier: 'guarded_write' })
  const context = { db: service.db, account: account.account, session: null }
  const payload = { type: 'object', properties: { customer: { type: 'string' } }, required: ['customer'] }
  await addKind(context, customerDeletion({ payload, subject: undefined, card: [], executor: executorOf }), [
    '127.0.0.1',
  ])
  if (executorOf['type'] === 'webhook')
    await rotateKindSecret(context, parseKeyRing(keys), 'customer_deletion')
  return {
    account,
    async confirm() {
      const body = { kind: 'customer_deletion', actor, payload: { customer: 'cus_1' } }
      const proposed = await account.api.request('POST', '/api/v1/actions', { body })
      const id = proposed.body.id as number
      const answer = await account.api.confirm(id, actor)
      expect([proposed.status, answer.status]).toEqual([201, 202])
      return { id, answer }
    },
  }
}

/** An executor that does each id once, and answers calls as the test says. `done`: what it did. */
async function doer(answer: (one: Received, response: ServerResponse, n: number) => void) {
  const done: string[] = []
  executor = await standIn((one, response, n) => {
    const id = String(one.headers['webhook-id'])
    if (one.method === 'POST' && !done.includes(id)) done.push(id)
    return answer(one, response, n)
  })
  const type = 'webhook'
  return { done, declared: { type, url: `${executor.url}/delete`, status_url: `${executor.url}/calls/{id}` } }
}

/** Kills the worker when the executor has been called and has not answered: its intent is recorded, and nothing else. */
async function killInMidCall(account: string, id: number) {
  await until('the executor is called', 60_000, () => executor!.received.length > 0)
  await service.kill('worker')
  const rows = await service.sql(
    `select state, attempts from gate.executor_call where account_id = '${account}' and action_id = ${id}`,
  )
  expect(rows).toEqual([{ state: 'sending', attempts: 1 }])
  await service.start('worker')
}

test('a worker killed between the intent and the record of a call: the same id is called again until the executor, which did it once, says so', async () => {
  // A 409 to a repeat says nothing about the call whose answer was lost.
  const { done, declared } = await doer((_request, response, n) =>
    n === 1 ? undefined : answerJson(response, n === 2 ? 409 : 200, { deleted: 'cus_1' }),
  )
  const { account, confirm } = await start(declared, shortCalls)
  const { id, answer } = await confirm()
  await killInMidCall(account.account, id)
  const { row, ms } = await ended(service, account.account, id, 120_000)
  sayRecovery('worker killed during a call of an executor, until executed', ms)
  expect(row).toMatchObject({ status: 'executed', result: { outcome: 'done' } })
  const { received } = executor!
  expect([received.length, done.length]).toEqual([3, 1])
  expect(new Set(received.map(({ body }) => body)).size).toBe(1)
  expect(new Set(received.map(({ headers }) => headers['webhook-id'])).size).toBe(1)
  await expectInvariants(service, account.account, [answer.body])
}, 300_000)

test.each([
  ['says at its status_url that it was done', 200, { outcome: 'done' }],
  ['says at its status_url that it was not', 422, { outcome: 'refused', code: 'http_422' }],
  ['cannot tell', 404, { outcome: 'unknown', code: 'http_404' }],
] as const)(
  'a worker killed during a call whose time to repeat is over when it is back, and an executor that %s: that is how the action ends, and nothing is called twice',
  async (_what, status, result) => {
    const { done, declared } = await doer(({ method }, response) =>
      method === 'POST' ? undefined : answerJson(response, status, {}),
    )
    const bounds = { ...shortCalls, executorRepeatMs: 1, executorAgainMsMax: 1_000 }
    const { account, confirm } = await start(declared, bounds)
    const { id, answer } = await confirm()
    await killInMidCall(account.account, id)
    const { row } = await ended(service, account.account, id, 120_000)
    expect(row['result']).toMatchObject(result)
    expect([executor!.received.filter(({ method }) => method === 'POST').length, done.length]).toEqual([1, 1])
    await expectInvariants(service, account.account, [answer.body])
  },
  300_000,
)

test('an API killed between the report of a claim and its signal: the action ends as reported, once', async () => {
  const { account, confirm } = await start({ type: 'claim', lease_minutes: 15 })
  const { id, answer } = await confirm()
  const path = `/api/v1/actions/${id}`
  const { body } = await account.api.request('POST', `${path}/claim`)
  const report = { body: { claim: body.claim, outcome: 'done', result: { deleted: 'cus_1' } } }
  // From now on no signal arrives, and the worker, which would send it in its place, is dead as well.
  await service.kill('worker')
  service.edges.temporal.hold()
  const lost = account.api.request('POST', `${path}/outcome`, report).catch(() => undefined)
  await until('the report is recorded', 60_000, async () => {
    const rows = await service.sql(
      `select state from gate.claim where account_id = '${account.account}' and action_id = ${id}`,
    )
    return rows[0]?.['state'] === 'reported'
  })
  await service.kill('api')
  expect(await lost).toBeUndefined()
  service.edges.temporal.cut()
  service.edges.temporal.release()
  await service.start('api', 'worker')
  const { row, ms } = await ended(service, account.account, id, 120_000)
  sayRecovery('API killed between the report of a claim and its signal, until executed', ms)
  expect(row).toMatchObject({ status: 'executed', result: { outcome: 'done', reported: 'done' } })
  const again = await account.api.request('POST', `${path}/outcome`, report)
  expect([again.status, again.body.status]).toEqual([200, 'executed'])
  await expectInvariants(service, account.account, [answer.body])
}, 300_000)
