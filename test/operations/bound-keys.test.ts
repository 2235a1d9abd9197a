import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { actionKinds } from '../../src/actions/registry.ts'
import { operations } from '../../src/operations/registry.ts'
import { type ApiClient, apiClient } from '../support/api-client.ts'
import type { TestMember } from '../support/account.ts'
import { type OpenBroadcast, type TestGate, startGate } from '../support/gate.ts'
import { callTool } from '../support/mcp-tool.ts'
import { makeConversation, writeFiles } from '../support/site.ts'
import { testRows } from '../support/rows.ts'

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

/** Fields that name a row, a member or something of a member. */
const naming = ['id', 'email', 'member', 'actor', 'conversation_id', 'preview_id']

describe('of every read, what belongs to another member is as if absent:', () => {
  /** For each field that names something: what the key may see, what it may not, and what does not exist. */
  let things: Record<string, { own: unknown; foreign: unknown; absent: unknown }>
  let session: ApiClient
  const harmless: Record<string, unknown> = { path: 'index.html', limit: 1, timeout_seconds: 1 }

  beforeAll(async () => {
    const scene = await gate.openBroadcast()
    const { account, client, proposer } = scene
    const own = await account.addMember({ email: 'grace@example.com', tier: 'guarded_write' })
    session = apiClient(gate.api.url, (await account.mintKey({ actors: [own] })).key)
    const preview = async (conversation: string, member: TestMember) => {
      await makeConversation(gate, account.account, conversation, [member])
      writeFiles(gate, account.account, conversation, { 'index.html': '<h1>Built</h1>' })
      const actor = { email: member.email }
      return (await callTool(client, 'start_preview', { conversation_id: conversation, actor })).body
    }
    const [mine, theirs] = [await preview('mine', own), await preview('theirs', proposer)]
    const row = await session.propose(asGrace, 'My own message.')
    const members = { own: own.email, foreign: proposer.email, absent: 'nobody@example.com' }
    const actor = (email: unknown) => ({ email })
    things = {
      id: { own: row.body.id, foreign: scene.id, absent: 999_999 },
      email: members,
      member: members,
      actor: {
        own: actor(members.own),
        foreign: actor(members.foreign),
        absent: actor(members.absent),
      },
      conversation_id: { own: 'mine', foreign: 'theirs', absent: 'nothing' },
      preview_id: { own: mine.preview_id, foreign: theirs.preview_id, absent: `prev_${'0'.repeat(20)}` },
    }
  }, 60_000)

  const reads = operations(actionKinds).filter(({ tool }) => tool.readOnly)
  const named = reads.flatMap(({ name, input }) =>
    Object.keys(input.shape)
      .filter((field) => naming.includes(field))
      .map((field) => [name, field, Object.keys(input.shape)] as const),
  )

  test('every read names something that can be hidden', () => {
    expect([...new Set(named.map(([name]) => name))]).toEqual(reads.map(({ name }) => name))
  })

  testRows(named)('by any way to name it', async (name, field, fields) => {
    const given = (field: string) => things[field]?.own ?? harmless[field]
    const own = Object.fromEntries(
      fields.map((f) => [f, given(f)]).filter(([, value]) => value !== undefined),
    )
    const ask = async (value: unknown) => {
      const { isError, body } = await callTool(session, name, { ...own, [field]: value })
      const error = body.error?.replaceAll(String(value), '…')
      return { isError, body: isError ? { ...body, error, request_id: '' } : body }
    }
    const { own: mine, foreign, absent } = things[field]!
    expect(await ask(mine)).toMatchObject({ isError: false })
    const hidden = await ask(foreign)
    expect(hidden).toMatchObject({ isError: true, body: { code: 'not_found' } })
    expect(hidden).toEqual(await ask(absent))
  })
})

test("another member's row is absent to a key that is bound, over REST and MCP", async () => {
  expect((await bound.get(open.id)).status).toBe(404)
  const absent = await bound.get(999_999)
  expect((await bound.get(open.id)).body.error.replace(String(open.id), '999999')).toBe(absent.body.error)
  const tool = await callTool(bound, 'get_action', { id: open.id })
  expect(tool.isError).toBe(true)
})

test("beside its member's address, another member's Slack identity is absent too", async () => {
  await open.account.addMember({ name: 'Ada', slack: 'U0FOREIGN' })
  const [foreign, absent] = await Promise.all(
    ['U0FOREIGN', 'U0ABSENT'].map((id) =>
      bound.capability({ ...asGrace, provider: 'slack', external_id: id }),
    ),
  )
  const told = ({ status, body }: NonNullable<typeof foreign>) => [status, body.error, body.code]
  expect(told(foreign!)).toEqual([404, expect.any(String), 'not_found'])
  expect(told(foreign!)).toEqual(told(absent!))
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
