import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { bodyOf } from '../../src/actions/declared/webhook/body.ts'
import { webhookPerformer } from '../../src/actions/declared/webhook/performer.ts'
import type { KindDeps } from '../../src/actions/kind-deps.ts'
import { type Db, connect } from '../../src/db/connect.ts'
import { readAction } from '../../src/db/queries/actions/actions.ts'
import type { StartedAction } from '../../src/db/queries/actions/execution.ts'
import { beginExecutorCall } from '../../src/db/queries/executors/executor-calls.ts'
import { KeyUnreadable, OutcomeUnknown } from '../../src/errors.ts'
import { openKindSecrets } from '../../src/integrations/kind-secrets.ts'
import { limits } from '../../src/limits.ts'
import { receipts } from '../../src/receipts/receipts.ts'
import { shorten } from '../support/shorten.ts'
import { type TcpProxy, startTcpProxy } from '../support/tcp-proxy.ts'
import { until } from '../support/until.ts'
import { type Desk, type ExecutorScene, executorScene } from './scene.ts'
import { answerJson } from './stand-in.ts'

// Without workers: each attempt is made where a test makes it.
let scene: ExecutorScene
/** Between the attempts of these tests and the database. */
let edge: TcpProxy
let far: Db
let desk: Desk
beforeAll(async () => {
  scene = await executorScene({ workers: false, env: { CONFIRM_WAIT_MS: '0' } })
  const url = new URL(scene.gate.config.DATABASE_URL!)
  edge = await startTcpProxy(url.host)
  url.host = edge.address
  far = connect(url.href, { applicationName: 'gate test' })
  desk = await scene.customerDesk()
}, 60_000)
afterAll(async () => {
  await far.close()
  await edge.stop()
  await scene.stop()
})
beforeEach(() => scene.answers((_request, response) => answerJson(response, 200, { deleted: true })))

const called = () => scene.executor.received
const performer = () => webhookPerformer({ type: 'webhook', url: `${scene.executor.url}/delete` })

/** A confirmed action that nothing has executed yet. */
async function confirmed(): Promise<StartedAction> {
  const row = await readAction(scene.gate.database.db, desk.account.account, await desk.start())
  return row as StartedAction
}

const perform = (row: StartedAction, changes: Partial<KindDeps> = {}) =>
  performer().perform({ ...scene.gate.deps, ...changes }, row, 'call', {
    isBrief: false,
    signal: new AbortController().signal,
  })

describe('a lost connection to the database', () => {
  test('between the intent and the record of a call costs no second call, and no wait', async () => {
    scene.answers(async (_request, response) => {
      await edge.refuse()
      answerJson(response, 200, { deleted: true })
      setTimeout(() => void edge.accept(), 1_500)
    })
    const row = await confirmed()
    expect(await perform(row, { db: far })).toBeUndefined()
    expect(called()).toHaveLength(1)
    expect(await desk.call(row.id)).toMatchObject({ state: 'ok', attempts: 1, is_maybe_done: true })
  })

  test('that loses the answer to each statement makes one attempt of one attempt', async () => {
    let isLost = false
    const run: Db['run'] = async (statement) => {
      const rows = await scene.gate.database.db.run(statement)
      isLost = !isLost
      if (isLost) throw new OutcomeUnknown()
      return rows
    }
    const row = await confirmed()
    expect(await perform(row, { db: { ...scene.gate.database.db, run } })).toBeUndefined()
    expect(called()).toHaveLength(1)
    expect(await desk.call(row.id)).toMatchObject({ state: 'ok', attempts: 1 })
  })

  test('does not let another attempt begin: the intent of one is its own alone', async () => {
    const row = await confirmed()
    const begin = (attempt: string) =>
      beginExecutorCall(scene.gate.database.db, {
        account: row.account_id,
        id: row.id,
        step: 'call',
        body: '{}',
        attempt,
        callMs: limits.executorCallMs,
        repeatMs: limits.executorRepeatMs,
      })
    const [first, second] = [crypto.randomUUID(), crypto.randomUUID()]
    const outcomes = [await begin(first), await begin(first), await begin(second), await begin(first)]
    expect(outcomes.map(({ outcome, call }) => [outcome, call.attempts, call.is_maybe_done])).toEqual([
      ['call', 1, false],
      ['call', 1, false],
      ['early', 1, false],
      ['call', 1, false],
    ])
  })

  test('is not waited for where the process ends', async () => {
    const own = await executorScene({ workers: false, env: { CONFIRM_WAIT_MS: '0' } })
    const restore = shorten({ executorCloseMs: 200 })
    try {
      const other = await own.customerDesk()
      own.answers(async (_request, response) => {
        await edge.refuse()
        answerJson(response, 200, {})
      })
      const id = await other.start()
      const row = (await readAction(own.gate.database.db, other.account.account, id)) as StartedAction
      const url = new URL(own.gate.config.DATABASE_URL!)
      url.host = edge.address
      const db = connect(url.href, { applicationName: 'gate test' })
      const made = webhookPerformer({ type: 'webhook', url: `${own.executor.url}/delete` })
        .perform({ ...own.gate.deps, db }, row, 'call', {
          isBrief: false,
          signal: new AbortController().signal,
        })
        .catch((error: unknown) => error)
      await until('the call has arrived', async () => own.executor.received.length > 0)
      await own.gate.deps.executors.close()
      expect(await made).toBeInstanceOf(Error)
      await db.close()
    } finally {
      restore()
      await edge.accept()
      await own.stop()
    }
  }, 60_000)
})

describe('an action that ends before it was called', () => {
  test('is refused, and an attempt that comes late calls nobody', async () => {
    const row = await confirmed()
    expect(await performer().conclude(scene.gate.deps, row)).toEqual({
      status: 'cancelled',
      closedReason: 'refused',
      result: { outcome: 'refused', code: 'not_called', executor: 'webhook' },
    })
    expect(await perform(row)).toBeUndefined()
    expect(called()).toEqual([])
    expect(await desk.call(row.id)).toMatchObject({ state: 'not_done', code: 'not_called', attempts: 0 })
  })

  test('ends in one way, whichever of both comes first', async () => {
    for (let n = 0; n < 10; n++) {
      scene.answers((_request, response) => answerJson(response, 422, {}))
      const row = await confirmed()
      const [, conclusion] = await Promise.all([perform(row), performer().conclude(scene.gate.deps, row)])
      const isRefused = conclusion.result.outcome === 'refused' && conclusion.result['code'] === 'not_called'
      expect([n, isRefused ? called().length : 0]).toEqual([n, 0])
      expect(await performer().conclude(scene.gate.deps, row)).toEqual(conclusion)
    }
  })
})

describe('an attempt that nobody recorded', () => {
  test('has the next one look and call nobody until the time of a call is over, and then call under the same id', async () => {
    const row = await confirmed()
    // A process that dies between its intent and its record leaves this.
    const died = { account: row.account_id, id: row.id, step: 'call', body: bodyOf(row, 'the first receipt') }
    const { executorCallMs, executorCloseMs, executorRepeatMs: repeatMs } = limits
    const callMs = executorCallMs + executorCloseMs
    const attempt = crypto.randomUUID()
    await beginExecutorCall(scene.gate.database.db, { ...died, attempt, callMs, repeatMs })
    const earlier = (ms: number) =>
      scene.gate.database.asSuperuser(
        `update gate.executor_call set attempted_at = attempted_at - interval '${ms} milliseconds'
         where account_id = '${row.account_id}' and action_id = ${row.id}`,
      )
    // The time left is short, so that a bound shorter than that of a call would be over.
    const leftMs = 5_000
    for (const ms of [0, callMs - leftMs]) {
      await earlier(ms)
      expect(await perform(row)).toEqual({ inMs: limits.executorLookAgainMs })
      expect(called()).toEqual([])
      expect(await desk.call(row.id)).toMatchObject({ state: 'sending', attempts: 1, is_maybe_done: false })
    }
    await earlier(leftMs)
    expect(await perform(row)).toBeUndefined()
    expect(called().map(({ body }) => body)).toEqual([died.body])
    expect(await desk.call(row.id)).toMatchObject({ state: 'ok', attempts: 2, is_maybe_done: true })
  })
})

describe('a receipt that cannot be signed', () => {
  const failing = (error: Error) => ({
    receipts: { ...scene.gate.deps.receipts, receiptToSend: () => Promise.reject(error) },
  })

  test('for another reason than its key fails the attempt, which is no attempt yet, and is made again', async () => {
    const row = await confirmed()
    await expect(perform(row, failing(new TypeError('a mistake')))).rejects.toThrow('a mistake')
    expect([called(), await desk.call(row.id)]).toEqual([[], {}])
    expect(await perform(row)).toBeUndefined()
    expect(called()).toHaveLength(1)
  })

  test('because its key cannot be decrypted is waited for', async () => {
    const row = await confirmed()
    expect(await perform(row, failing(new KeyUnreadable('no key')))).toEqual({ inMs: limits.executorAgainMs })
    expect(await desk.call(row.id)).toMatchObject({ state: 'pending', code: 'key_unreadable' })
  })

  test('is logged with its reason', async () => {
    const warned: unknown[] = []
    const log = { error: () => {}, warn: (...all: unknown[]) => void warned.push(all) } as never
    const publicUrl = () => {
      throw new TypeError('no address')
    }
    const { db } = scene.gate.database
    const broken = receipts({ db, keys: scene.gate.deps.secretsKeys, publicUrl, log })
    const row = await confirmed()
    await expect(perform(row, { receipts: broken })).rejects.toThrow('no address')
    expect(warned).toEqual([[expect.objectContaining({ action: row.id }), 'a receipt could not be signed']])
  })
})

describe('an account with as many calls under way as it may', () => {
  test('has its other actions wait between 5 and 30 seconds, not all equally long', async () => {
    const row = await confirmed()
    const full = { ...scene.gate.deps.executors, once: () => undefined }
    const waits: number[] = []
    for (let n = 0; n < 200; n++) {
      const again = await perform(row, { executors: full })
      waits.push((again as { inMs: number }).inMs)
    }
    expect(Math.min(...waits)).toBeGreaterThanOrEqual(5_000)
    expect(Math.max(...waits)).toBeLessThanOrEqual(30_000)
    expect(Math.max(...waits) - Math.min(...waits)).toBeGreaterThan(15_000)
  })
})

describe('without SECRETS_KEYS', () => {
  let logged: unknown[] = []
  afterEach(() => void (logged = []))
  const log = { error: (...all: unknown[]) => void logged.push(all), warn: () => {} } as never

  test('an action is refused as not signed, at once', async () => {
    const { publicUrl } = scene.gate.deps
    const without = receipts({ db: scene.gate.database.db, keys: undefined, publicUrl, log })
    for (const changes of [
      { receipts: without },
      { openKindSecrets: openKindSecrets({ keys: undefined, log }) },
    ]) {
      const row = await confirmed()
      expect(await perform(row, changes)).toBeUndefined()
      expect(await desk.call(row.id)).toMatchObject({ state: 'not_done', code: 'not_signed', attempts: 1 })
    }
    expect(called()).toEqual([])
    expect(logged).toHaveLength(1)
  })
})
