import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { type TestGate, startGate } from '../support/gate.ts'
import { isProven } from '../seals/scene.ts'

let gate: TestGate
beforeAll(async () => {
  gate = await startGate()
}, 60_000)
afterAll(() => gate.stop())

const get = (path: string, key?: string) =>
  fetch(`${gate.api.url}${path}`, key === undefined ? {} : { headers: { authorization: `Bearer ${key}` } })

test('the proof of an entry is answered as text once the entry is sealed', async () => {
  const { key } = await gate.account()
  const answer = await get('/api/v1/ledger/1/proof?wait=sealed', key)
  expect(answer.status).toBe(200)
  expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8')
  expect(isProven(await answer.text())).toBe(true)
  const checkpoint = await get('/api/v1/ledger/checkpoint')
  expect(checkpoint.status).toBe(200)
  expect(await checkpoint.text()).toContain('/epochs\n')
}, 60_000)
