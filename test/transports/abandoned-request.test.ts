import { channel } from 'node:diagnostics_channel'
import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { hasWritten } from '../../src/db/writes.ts'
import { type TestGate, startGate } from '../support/gate.ts'

let gate: TestGate
beforeAll(async () => {
  gate = await startGate({ workers: false })
})
afterAll(async () => {
  await gate.stop()
})

// Without that, a lost database after the write would be answered, and logged, as "nothing was changed".
test('a request whose caller hangs up after its first write still knows of it at the next statement', async () => {
  const { account, actor, id } = await gate.openBroadcast({ recipients: 1 })
  const caller = new AbortController()
  let isClosed: Promise<unknown> | undefined
  const starts = channel('http.server.request.start')
  const onStart = (message: unknown) =>
    void (isClosed = once((message as { response: ServerResponse }).response, 'close'))
  starts.subscribe(onStart)
  const { db } = gate.deps
  const { read, run } = db
  const knew = new Promise<boolean>((resolve) => {
    db.read = (statement) => {
      if (caller.signal.aborted) resolve(hasWritten())
      return read(statement)
    }
  })
  db.run = async (statement) => {
    const rows = await run(statement)
    if (!caller.signal.aborted) {
      caller.abort()
      await isClosed
    }
    return rows
  }
  const confirmed = fetch(`${gate.api.url}/api/v1/actions/${id}/confirm`, {
    method: 'POST',
    headers: { authorization: `Bearer ${account.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ actor }),
    signal: caller.signal,
  })
  await expect(confirmed).rejects.toThrow('aborted')
  expect(await knew).toBe(true)
  starts.unsubscribe(onStart)
  Object.assign(db, { read, run })
})
