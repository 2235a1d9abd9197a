import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { actionKinds } from '../../src/actions/registry.ts'
import { operations } from '../../src/operations/registry.ts'
import { type ApiClient, apiClient } from '../support/api-client.ts'
import type { TestMember } from '../support/account.ts'
import { type OpenBroadcast, type TestGate, startGate } from '../support/gate.ts'
import { entriesOf } from '../support/ledger-entries.ts'
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

describe('every read treats what belongs to another member as absent:', () => {
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

describe('every write treats what belongs to another member as absent:', () => {
  const writes = operations(actionKinds).filter(({ tool }) => !tool.readOnly)
  const naming = ['id', 'conversation_id', 'preview_id']
  const named = writes.flatMap(({ name, input }) =>
    Object.keys(input.shape)
      .filter((field) => naming.includes(field))
      .map((field) => [name, field, Object.keys(input.shape)] as const),
  )
  let owner: TestMember
  let session: ApiClient
  let things: Record<string, [foreign: unknown, absent: unknown]>
  const harmless: Record<string, unknown> = {
    actor: asGrace,
    claim: 'A'.repeat(43),
    outcome: 'done',
    conversation_id: 'own',
  }

  beforeAll(async () => {
    const { account, client, proposer, id } = await gate.openBroadcast()
    owner = await account.addMember({ email: asGrace.email, tier: 'write' })
    const powers = ['read', 'propose', 'confirm', 'execute'] as const
    session = apiClient(gate.api.url, (await account.mintKey({ actors: [owner], powers: [...powers] })).key)
    await makeConversation(gate, account.account, 'theirs', [proposer])
    writeFiles(gate, account.account, 'theirs', { 'index.html': '<h1>Built</h1>' })
    const actor = { email: proposer.email }
    const preview = (await callTool(client, 'start_preview', { conversation_id: 'theirs', actor })).body
    things = {
      id: [id, 999_999],
      conversation_id: ['theirs', 'nothing'],
      preview_id: [preview.preview_id, `prev_${'0'.repeat(20)}`],
    }
  }, 60_000)

  test('the writes that name an action are among them', () => {
    const ofActions = named.filter(([, field]) => field === 'id').map(([name]) => name)
    expect(ofActions).toEqual(
      expect.arrayContaining(['confirm_action', 'cancel_action', 'claim_action', 'report_outcome']),
    )
  })

  testRows(named)('by any way to name it', async (name, field, fields) => {
    const own = Object.fromEntries(
      fields.map((f) => [f, harmless[f]]).filter(([, value]) => value !== undefined),
    )
    const ask = async (value: unknown) => {
      const { isError, body } = await callTool(session, name, { ...own, [field]: value })
      return { isError, body: { ...body, error: body.error?.replaceAll(String(value), '…'), request_id: '' } }
    }
    const [foreign, absent] = things[field]!
    const hidden = await ask(foreign)
    expect(hidden).toMatchObject({ isError: true, body: { code: 'not_found' } })
    expect(hidden).toEqual(await ask(absent))
  })
})

testRows(['confirm', 'cancel'] as const)(
  "a %s by a bound key, about an action that is another member's, is answered as if there were none, and is recorded",
  async (decision) => {
    const other = await open.account.addMember({
      name: 'Eve',
      email: `eve-${decision}@example.com`,
      tier: 'write',
    })
    for (const actor of [asGrace, open.actor, { email: other.email! }, { email: 'nobody@example.com' }]) {
      const [hidden, absent] = [await bound[decision](open.id, actor), await bound[decision](999_999, actor)]
      const told = ({ status, headers, body }: typeof hidden, id: number) => [
        status,
        { ...body, request_id: '', error: body.error.replace(String(id), '…') },
        [...headers.keys()].toSorted(),
      ]
      expect(told(hidden, open.id)).toEqual(told(absent, 999_999))
      expect(hidden.status).toBe(404)
    }
    const entries = await entriesOf(gate.database, open.account.account, open.id)
    const refused = entries.filter(({ entry }) => entry.data['decision'] === decision)
    expect(refused).toHaveLength(4)
    expect((await open.client.get(open.id)).body.status).toBe('proposed')
    await open.account.setActive(other, false)
  },
)

test('a key that is bound to several members gets its first answers again after one was deactivated', async () => {
  const { key } = await open.account.mintKey({ actors: [grace, open.proposer] })
  const both = apiClient(gate.api.url, key)
  const proposals = [
    await both.propose(asGrace, 'One', 'propose-1'),
    await both.propose(asGrace, 'Two', 'propose-2'),
  ]
  const [one, two] = proposals.map(({ body }) => body.id as number)
  const first = [
    proposals[0]!.body,
    (await both.confirm(one!, asGrace, { key: 'confirm-1' })).body,
    (await both.cancel(two!, asGrace, 'cancel-1')).body,
  ]
  expect(first.map(({ status }) => status)).toEqual(['proposed', 'executed', 'cancelled'])
  await open.account.setActive(grace, false)
  const again = [
    await both.propose(asGrace, 'One', 'propose-1'),
    await both.confirm(one!, asGrace, { key: 'confirm-1' }),
    await both.cancel(two!, asGrace, 'cancel-1'),
  ]
  expect(again.map(({ status }) => status)).toEqual([201, 200, 200])
  expect(again.map(({ body }) => [body.id, body.status])).toEqual(first.map(({ id, status }) => [id, status]))
  expect((await both.propose(asGrace, 'One', 'propose-new')).status).toBe(404)
  expect((await both.propose(asGrace, 'Another text', 'propose-1')).status).toBe(404)
  expect((await both.confirm(one!, asGrace)).status).toBe(403)
  await open.account.setActive(grace, true)
})

test('a key that is bound does not get the first answer of another member', async () => {
  const { key } = await open.account.mintKey({ actors: [open.proposer] })
  const other = apiClient(gate.api.url, key)
  const { body } = await open.client.propose(asGrace, 'Secret', 'shared-key')
  expect(body.status).toBe('proposed')
  const answer = await other.propose(asGrace, 'Secret', 'shared-key')
  expect([answer.status, answer.body.code]).toEqual([403, 'key_member_not_allowed'])
  // The address goes on to the other member, who has that key.
  await open.account.setActive(grace, false)
  await gate.database.asSuperuser(
    `update gate.member set email = null where account_id = '${open.account.account}' and email = 'grace@example.com';
     update gate.member set email = 'grace@example.com' where account_id = '${open.account.account}' and member_id = '${open.proposer.memberId}'`,
  )
  expect((await other.propose(asGrace, 'Secret', 'shared-key')).body).toMatchObject({
    code: 'idempotency_key_reused',
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
  // Of one of these members alone, it ended with them.
  await open.account.setActive(grace, true)
  expect((await bound.list()).status).toBe(401)
})
