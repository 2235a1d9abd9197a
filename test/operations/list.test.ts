import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { ApiClient } from '../support/api-client.ts'
import { errorBody } from '../support/error-body.ts'
import { type TestGate, startGate } from '../support/gate.ts'
import { testRows } from '../support/rows.ts'

let gate: TestGate
let client: ApiClient
const ids = (answer: { body: { actions: { id: number }[] } }) => answer.body.actions.map((row) => row.id)
const upTo = (n: number) => Array.from({ length: n }, (_, i) => i + 1)

// Rows 1 to 70: a check, a denial, a proposal that is cancelled and one that stays, and again.
beforeAll(async () => {
  gate = await startGate({ workers: false })
  const account = await gate.account()
  client = account.client
  await account.addMember({ email: 'low@example.com' })
  await account.addMember({ email: 'high@example.com', tier: 'write' })
  const [low, high] = [{ email: 'low@example.com' }, { email: 'high@example.com' }]
  for (let n = 0; n < 70; n += 10) {
    await client.capability(low)
    await client.propose(low, 'denied')
    const { body } = await client.propose(high, 'cancelled')
    await client.cancel(body.id, high)
    await client.propose(high, 'open')
    await Promise.all(upTo(6).map(() => client.capability(high)))
  }
}, 60_000)
afterAll(() => gate.stop())

test('the ledger is listed oldest first, 50 rows where no limit is given', async () => {
  const answer = await client.list()
  expect([answer.status, ids(answer), answer.body.next_after]).toEqual([200, upTo(50), 50])
})

test('a page says where the next begins, the last one does not', async () => {
  const pages: number[][] = []
  let after: string | undefined = '0'
  while (after !== undefined) {
    const page = await client.list({ limit: '30', after })
    pages.push(ids(page))
    after = page.body.next_after?.toString()
  }
  expect(pages.map((page) => page.length)).toEqual([30, 30, 10])
  expect(pages.flat()).toEqual(upTo(70))
})

test('a page that ends exactly at the last row says that there is no more', async () => {
  const answer = await client.list({ limit: '20', after: '50' })
  expect(ids(answer)).toEqual(upTo(70).slice(50))
  expect(answer.body).not.toHaveProperty('next_after')
})

test('a limit of 200 is accepted, 1 too', async () => {
  expect(ids(await client.list({ limit: '200' }))).toEqual(upTo(70))
  expect(ids(await client.list({ limit: '1' }))).toEqual([1])
})

testRows([
  ['a kind', { kind: 'capability_check' }, (row: Row) => row.kind === 'capability_check'],
  ['a status', { status: 'denied' }, (row: Row) => row.status === 'denied'],
  [
    'kinds to leave out',
    { exclude_kind: 'capability_check,runner_tool' },
    (row: Row) => row.kind === 'broadcast',
  ],
  ['a member', { member: 'LOW@example.com' }, (row: Row) => row.member === 'low@example.com'],
  [
    'a member, a status and a kind to leave out',
    { member: 'high@example.com', status: 'proposed', exclude_kind: 'capability_check' },
    (row: Row) =>
      row.member === 'high@example.com' && row.status === 'proposed' && row.kind !== 'capability_check',
  ],
  [
    'a kind and a status, of which both hold',
    { kind: 'broadcast', status: 'cancelled' },
    (row: Row) => row.kind === 'broadcast' && row.status === 'cancelled',
  ],
])('the list is filtered, in both orders', async (_what, query, holds) => {
  const all: Row[] = (await client.list({ limit: '200' })).body.actions
  const wanted = all.filter(holds)
  expect((await client.list({ limit: '200', ...query })).body.actions).toEqual(wanted)
  const newest = await client.list({ limit: '200', order: 'desc', ...query })
  expect(newest.body.actions).toEqual(wanted.toReversed())
  expect(wanted.length).toBeGreaterThan(0)
})

test('a row of a list is byte for byte what reading the action answers', async () => {
  const { actions } = (await client.list({ limit: '4' })).body
  const read = await Promise.all(actions.map(({ id }: Row) => client.get(id)))
  expect(actions.map((row: Row) => JSON.stringify(row))).toEqual(read.map(({ body }) => JSON.stringify(body)))
})

test('a list is refused to a key that was revoked since its last request', async () => {
  const account = await gate.account()
  const { key, keyId } = await account.mintKey()
  const list = (query: string) =>
    account.client.request('GET', `/api/v1/actions${query}`, { headers: { authorization: `Bearer ${key}` } })
  const before = await list('')
  await account.revokeKey(keyId)
  const after = [await list(''), await list('?limit=0'), await list('?member=nobody')]
  expect([before, ...after].map(({ status }) => status)).toEqual([200, 401, 401, 401])
})

test('newest first, `next_after` leads down to the oldest row', async () => {
  const pages: number[][] = []
  for (let after: string | undefined = '0'; after !== undefined;) {
    const page = await client.list({ order: 'desc', limit: '30', after })
    pages.push(ids(page))
    after = page.body.next_after?.toString()
  }
  expect(pages.map((page) => page.length)).toEqual([30, 30, 10])
  expect(pages.flat()).toEqual(upTo(70).toReversed())
})

test('two windows of time that touch hold every row once: from is inclusive, before is not', async () => {
  const all: Row[] = (await client.list({ limit: '200' })).body.actions
  const middle = all[34]!.created_at
  const later = await client.list({ limit: '200', created_after: middle })
  const earlier = await client.list({ limit: '200', created_before: middle, order: 'desc' })
  expect(ids(later)).toContain(35)
  expect([...ids(earlier).toReversed(), ...ids(later)]).toEqual(upTo(70))
  const berlin = new Date(Date.parse(middle) + 3_600_000).toISOString().replace('Z', '+01:00')
  expect(await client.list({ limit: '200', created_after: berlin })).toMatchObject({ body: later.body })
  const none = await client.list({ created_after: middle, created_before: middle })
  expect(none.body).toEqual({ actions: [] })
  expect(ids(await client.list({ limit: '200', created_after: '0000-01-01T00:00:00Z' }))).toEqual(upTo(70))
  const pastTheYear9999 = '9999-12-31T23:59:59-23:59'
  expect(ids(await client.list({ limit: '200', created_before: pastTheYear9999 }))).toEqual(upTo(70))
  expect(ids(await client.list({ limit: '200', created_after: pastTheYear9999 }))).toEqual([])
})

test.each(['nobody@example.com', 'slack:U00000000', 'high', 'slack:'])(
  'a list of the unknown member %s is a 404',
  async (member) => {
    const answer = await client.list({ member })
    expect([answer.status, answer.body]).toEqual([404, errorBody('not_found', expect.any(String), 'member')])
  },
)

test('a filter and a page go together', async () => {
  const denied = ids(await client.list({ limit: '200', status: 'denied' }))
  const first = await client.list({ limit: '3', status: 'denied' })
  const second = await client.list({ limit: '200', status: 'denied', after: String(first.body.next_after) })
  expect([...ids(first), ...ids(second)]).toEqual(denied)
})

testRows([
  ['a kind that nobody knows', { kind: 'no_such_kind' }],
  ['a kind of later versions', { kind: 'runner_tool' }],
  ['a kind that is a trick', { kind: "x' or '1'='1" }],
  ['everything after the end', { after: '70' }],
  ['everything after a far row', { after: String(Number.MAX_SAFE_INTEGER) }],
])('a filter that nothing meets is an empty list', async (_what, query) => {
  const answer = await client.list(query as Record<string, string>)
  expect([answer.status, answer.body]).toEqual([200, { actions: [] }])
})

describe('a list is refused with 422 and the field named', () => {
  testRows([
    ['limit', '0'],
    ['limit', '201'],
    ['limit', '-1'],
    ['limit', '1.5'],
    ['limit', 'ten'],
    ['limit', ''],
    ['after', '-1'],
    ['after', 'x'],
    ['after', '9'.repeat(17)],
    ['status', 'open'],
    ['status', ''],
    ['kind', 'k'.repeat(65)],
    ['kind', '\0'],
    ['offset', '1'],
    ['order', 'newest'],
    ['member', ''],
    ['exclude_kind', ''],
    ['exclude_kind', 'broadcast,'],
    ['exclude_kind', Array.from({ length: 21 }, (_, n) => `k${n}`).join(',')],
    ['created_after', 'yesterday'],
    ['created_after', '2026-01-01'],
    ['created_before', '2026-01-01T00:00:00'],
    ['created_before', '2026-13-01T00:00:00Z'],
  ])('where a parameter does not fit', async (name, value) => {
    const answer = await client.list({ [name]: value })
    expect([answer.status, answer.body]).toEqual([
      422,
      errorBody('invalid', expect.stringContaining(name), expect.stringContaining(name)),
    ])
  })

  test('where a parameter is given twice', async () => {
    const answer = await client.request('GET', '/api/v1/actions?limit=1&limit=2')
    expect([answer.status, answer.body.error]).toEqual([422, expect.stringContaining('limit')])
  })
})

test('a kind may have 64 characters', async () => {
  expect((await client.list({ kind: 'k'.repeat(64) })).status).toBe(200)
})

testRows(['0', '-1', '01', '1.0', 'abc', '1e1', '%201', '9007199254740993', '9'.repeat(30), '9'.repeat(300)])(
  'an id in a path that cannot be one is a 404',
  async (id) => {
    for (const [method, path] of [
      ['GET', ''],
      ['POST', '/confirm'],
      ['POST', '/cancel'],
    ] as const) {
      const body = method === 'POST' ? { body: { actor: { email: 'high@example.com' } } } : {}
      const answer = await client.request(method, `/api/v1/actions/${id}${path}`, body)
      expect([answer.status, answer.body]).toEqual([404, errorBody('not_found', expect.any(String), 'id')])
    }
  },
)

test('one row reads as it does in the list', async () => {
  const { actions } = (await client.list({ limit: '4' })).body
  for (const row of actions) expect((await client.get(row.id)).body).toEqual(row)
})

interface Row {
  id: number
  kind: string
  status: string
  member: string
  created_at: string
}
