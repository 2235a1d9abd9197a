import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { Webhook } from 'standardwebhooks'
import { verifyReceipt } from '#receipts'
import { unsignedNow } from '../../src/actions/declared/webhook/record-of-attempt.ts'
import type { BegunExecutorCall } from '../../src/db/queries/executors/executor-calls.ts'
import { limits } from '../../src/limits.ts'
import { shorten } from '../support/shorten.ts'
import { type Desk, type ExecutorScene, executorScene, kindNames } from './scene.ts'
import { answerJson } from './stand-in.ts'

// A key that cannot be read: its row names a key of SECRETS_KEYS that this service does not have, until it is given back.

let scene: ExecutorScene
let desk: Desk
let restore: () => void
beforeAll(async () => {
  restore = shorten({ receiptKeysKeptMs: 1, receiptKeysAgainMs: 1 })
  scene = await executorScene({ env: { CONFIRM_WAIT_MS: '100' } })
}, 60_000)
afterAll(async () => {
  await scene.stop()
  restore()
})
beforeEach(async () => {
  scene.answers((_request, response) => answerJson(response, 200, { deleted: true }))
  desk = await scene.customerDesk()
})
afterEach(() => isReadable(true))

const called = () => scene.executor.received

async function isReadable(is: boolean): Promise<void> {
  const kid = is ? 'k1' : 'gone'
  await scene.gate.database.asSuperuser(`update gate.kind_secret set kid = '${kid}'`)
  await scene.gate.database.asSuperuser(`update gate_private.receipt_key set secrets_kid = '${kid}'`)
}

const unread = (id: number) => desk.recorded(id, { code: 'key_unreadable', state: 'pending' })

async function expectSigned(id: number): Promise<void> {
  const { headers, body } = called()[0]!
  const { data } = new Webhook(desk.secret).verify(body, headers as never) as any
  const jwks = (await (await fetch(`${scene.gate.api.url}/.well-known/gate-receipts.json`)).json()) as {
    keys: []
  }
  const claims = await verifyReceipt(data.receipt, {
    jwks,
    account: desk.account.account,
    kind: data.kind,
    payload: data.payload,
  })
  expect(claims).toMatchObject({ action: id })
}

test('an action whose receipt cannot be signed now is tried again, and called with it once the key can be read', async () => {
  // This is the first consent of this gate: no receipt was signed before.
  await isReadable(false)
  const id = await desk.start()
  expect(await unread(id)).toMatchObject({ is_maybe_done: false })
  expect(called()).toEqual([])
  expect((await desk.account.client.get(id)).body.status).toBe('proposed')
  await isReadable(true)
  await desk.pass(id, 1)
  expect((await desk.ended(id)).result).toMatchObject({ outcome: 'done' })
  expect(called()).toHaveLength(1)
  await expectSigned(id)
})

test('an action whose secret cannot be decrypted now is tried again, and signed once it can', async () => {
  await scene.gate.database.asSuperuser(`update gate.kind_secret set kid = 'gone'`)
  const id = await desk.start()
  await unread(id)
  await isReadable(true)
  await desk.pass(id, 1)
  expect((await desk.ended(id)).result).toMatchObject({ outcome: 'done' })
  expect(called()).toHaveLength(1)
  await expectSigned(id)
})

test('an action whose key stays unreadable for 24 hours is refused, with nothing done', async () => {
  await scene.gate.database.asSuperuser(`update gate.kind_secret set kid = 'gone'`)
  const id = await desk.start()
  await unread(id)
  await desk.pass(id, 25)
  const { status, result } = await desk.ended(id)
  expect([status, result]).toEqual([
    'cancelled',
    { outcome: 'refused', code: 'key_unreadable', executor: 'webhook' },
  ])
  expect(called()).toEqual([])
})

test('questions that could not be signed take no try of those that can: the first signed one may get no answer', async () => {
  let status = 503
  scene.answers(({ method }, response) =>
    method === 'POST' ? void response.destroy() : answerJson(response, status, { asked: true }),
  )
  const id = await desk.start(kindNames.asked)
  await desk.recorded(id, { state: 'pending', is_maybe_done: true })
  await isReadable(false)
  await desk.pass(id, 25)
  const unsigned = limits.executorStatusTriesMax + 1
  for (let n = 1; n <= unsigned; n++) {
    await desk.recorded(id, { state: 'asking', attempts: n, code: 'key_unreadable' })
    if (n < unsigned) await desk.pass(id, 1)
  }
  expect(called().map(({ method }) => method)).toEqual(['POST'])
  await isReadable(true)
  for (let n = 1; n < limits.executorStatusTriesMax; n++) {
    await desk.pass(id, 1)
    await desk.recorded(id, { state: 'asking', attempts: unsigned + n, code: 'http_503' })
  }
  status = 200
  await desk.pass(id, 1)
  expect((await desk.ended(id)).result).toMatchObject({ outcome: 'done', result: { asked: true } })
})

test('a question about the status that cannot be signed does not count as an answer, for about a day', () => {
  const asking = (unsigned: number) =>
    unsignedNow({
      outcome: 'ask',
      call: { state: 'asking', attempts: unsigned + 1, unsigned, is_maybe_done: true },
    } as BegunExecutorCall)
  expect(asking(limits.executorStatusTriesMax)).toMatchObject({ state: 'asking', code: 'key_unreadable' })
  let waited = 0
  let unsigned = 0
  for (; asking(unsigned).state === 'asking'; unsigned = asking(unsigned).unsigned!)
    waited += asking(unsigned).againMs!
  expect(asking(unsigned)).toMatchObject({ state: 'unknown', code: 'key_unreadable', againMs: null })
  expect(waited / 3_600_000).toBeGreaterThan(23)
  expect(waited / 3_600_000).toBeLessThan(26)
})
