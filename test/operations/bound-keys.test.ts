import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { type ApiClient, apiClient } from '../support/api-client.ts'
import type { TestMember } from '../support/account.ts'
import { type OpenBroadcast, type TestGate, startGate } from '../support/gate.ts'
import { callTool } from '../support/mcp-tool.ts'

let gate: TestGate
let open: OpenBroadcast
let grace: TestMember
let bound: ApiClient
beforeAll(async () => {
  gate = await startGate()
})
afterAll(() => gate.stop())
beforeEach(async () => {
  open = await gate.openBroadcast()
  grace = await open.account.addMember({ name: 'Grace', email: 'grace@example.com', tier: 'guarded_write' })
  bound = apiClient(gate.api.url, (await open.account.mintKey({ actors: [grace] })).key)
})

const asGrace = { email: 'grace@example.com' }

test("another member's row is absent to a key that is bound, over REST and MCP", async () => {
  expect((await bound.get(open.id)).status).toBe(404)
  const absent = await bound.get(999_999)
  expect((await bound.get(open.id)).body.error.replace(String(open.id), '999999')).toBe(absent.body.error)
  const tool = await callTool(bound, 'get_action', { id: open.id })
  expect(tool.isError).toBe(true)
})

test('a list holds the rows of its members alone, page by page, with every filter', async () => {
  const own: number[] = []
  for (let n = 0; n < 3; n++) {
    own.push((await bound.propose(asGrace, `Message ${n}`)).body.id)
    await open.client.propose(open.actor, `Other message ${n}`)
  }
  await bound.cancel(own[1]!, asGrace)
  const ids = (answer: { body: { actions: { id: number }[] } }) => answer.body.actions.map(({ id }) => id)
  expect(ids(await bound.list())).toEqual(own)
  const first = await bound.list({ limit: '2' })
  expect(ids(first)).toEqual(own.slice(0, 2))
  expect(ids(await bound.list({ limit: '2', after: String(first.body.next_after) }))).toEqual(own.slice(2))
  expect(ids(await bound.list({ status: 'cancelled', kind: 'broadcast' }))).toEqual([own[1]])
  const listed = await callTool(bound, 'list_actions', {})
  expect(ids(listed)).toEqual(own)
})

test('a key that is bound to several members lists their rows in one order', async () => {
  const both = apiClient(gate.api.url, (await open.account.mintKey({ actors: [grace, open.proposer] })).key)
  const proposed = await both.propose(asGrace, 'From Grace')
  const later = await both.propose(open.actor, 'From Ada')
  expect((await both.list()).body.actions.map(({ id }: { id: number }) => id)).toEqual([
    open.id,
    proposed.body.id,
    later.body.id,
  ])
})

test('a key whose members are all inactive holds no more', async () => {
  expect((await bound.list()).status).toBe(200)
  await open.account.setActive(grace, false)
  expect((await bound.list()).status).toBe(401)
  expect((await bound.capability(asGrace)).status).toBe(401)
  await open.account.setActive(grace, true)
  expect((await bound.list()).status).toBe(200)
})
