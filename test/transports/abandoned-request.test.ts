import { channel } from 'node:diagnostics_channel'
import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { hasWritten } from '../../src/db/writes.ts'
import { type TestGate, startGate } from '../support/gate.ts'
import { until } from '../support/until.ts'

let gate: TestGate
beforeAll(async () => {
  gate = await startGate({ workers: false })
})
afterAll(async () => {
  await gate.stop()
})

/** A request whose caller hangs up as soon as `hangUp` is called. `closed`: the API has seen that. */
function callAndHangUp(path: string, key: string, body: object) {
  const caller = new AbortController()
  let response: WeakRef<ServerResponse> | undefined
  let closed: Promise<unknown> | undefined
  const starts = channel('http.server.request.start')
  const onStart = (message: unknown) => {
    const started = (message as { response: ServerResponse }).response
    response = new WeakRef(started)
    closed = once(started, 'close').then(() => undefined)
  }
  starts.subscribe(onStart)
  const answer = fetch(`${gate.api.url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal: caller.signal,
  }).finally(() => starts.unsubscribe(onStart))
  return {
    answer,
    hasBegun: () => closed !== undefined,
    hasHungUp: () => caller.signal.aborted,
    hangUp: () => {
      caller.abort()
      return closed
    },
    isKept: () => response?.deref() !== undefined,
  }
}

// Without that, a lost database after the write would be answered, and logged, as "nothing was changed".
test('a request whose caller hangs up after its first write still knows of it at the next statement', async () => {
  const { account, actor, id } = await gate.openBroadcast({ recipients: 1 })
  const { db } = gate.deps
  const { read, run } = db
  const call = callAndHangUp(`/api/v1/actions/${id}/confirm`, account.key, { actor })
  const knew = new Promise<boolean>((resolve) => {
    db.read = (statement) => {
      if (call.hasHungUp()) resolve(hasWritten())
      return read(statement)
    }
  })
  db.run = async (statement) => {
    const rows = await run(statement)
    if (call.hasBegun() && !call.hasHungUp()) await call.hangUp()
    return rows
  }
  await expect(call.answer).rejects.toThrow('aborted')
  expect(await knew).toBe(true)
  Object.assign(db, { read, run })
})

// Its body may take fifteen times its bytes, and a caller may hang up hundreds of times in a minute.
test('nothing of a request whose caller hung up is kept once its work is done', async () => {
  const { account, actor, id } = await gate.openBroadcast({ recipients: 1 })
  const { db } = gate.deps
  const { read } = db
  const call = callAndHangUp(`/api/v1/actions/${id}/cancel`, account.key, { actor })
  let reads = 0
  db.read = async (statement) => {
    // The first is of the key, before the body is read.
    if (call.hasBegun() && ++reads === 2) await call.hangUp()
    return read(statement)
  }
  await expect(call.answer).rejects.toThrow('aborted')
  expect(call.hasBegun()).toBe(true)
  db.read = read
  setFlagsFromString('--expose-gc')
  const collectGarbage = runInNewContext('gc') as () => void
  await until('the request is collected', async () => {
    collectGarbage()
    return !call.isKept()
  })
})
