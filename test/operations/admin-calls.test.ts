import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals'
import type { AdminPower } from '../../src/keys/admin-powers.ts'
import { verifyLedger } from '../../src/ledger/verify.ts'
import { mintKey } from '../../src/operations/keys/mint-key.ts'
import { type ApiClient, apiClient } from '../support/api-client.ts'
import { entriesOf } from '../support/ledger-entries.ts'
import { type TestGate, startGate } from '../support/gate.ts'
import { rpc } from '../support/mcp-tool.ts'

let gate: TestGate
let account: Awaited<ReturnType<TestGate['account']>>
beforeAll(async () => {
  gate = await startGate({ workers: false })
  account = await gate.account()
  await account.addMember({ name: 'Grace', email: 'grace@example.com', tier: 'write' })
  await account.addMember({ name: 'Alan', slack: 'U0ALAN' })
})
afterAll(() => gate.stop())

/** A client with a key of these powers, minted as the command line does, and its id. */
async function administrator(
  powers: AdminPower[],
  adminCallsPerDay: number | null = null,
  of = account.account,
): Promise<{ client: ApiClient; keyId: string }> {
  const context = { db: gate.database.db, account: of, session: null }
  const rights = { powers, adminCallsPerDay }
  const { apiKey, keyId } = await mintKey(context, {
    name: 'roster sync',
    expiresAt: null,
    actors: [],
    rights,
  })
  return { client: apiClient(gate.api.url, apiKey), keyId }
}

const entries = async (kind: string, of = account.account) =>
  (await entriesOf(gate.database, of)).filter((entry) => entry.kind === kind)
const members = '/api/v1/admin/members'

describe('a key that administrates', () => {
  test('lists members page by page, and each call is an entry that names the key', async () => {
    const { client, keyId } = await administrator(['admin:members.read'])
    const first = await client.request('GET', `${members}?limit=1`)
    expect(first).toMatchObject({ status: 200, body: { members: [{ active: true }] } })
    const rest = await client.request('GET', `${members}?after=${first.body.next_after}`)
    const all = [...first.body.members, ...rest.body.members]
    expect(rest.body).not.toHaveProperty('next_after')
    expect(all.map(({ name, tier }) => [name, tier]).sort()).toEqual([
      ['Alan', 'read_only'],
      ['Grace', 'write'],
    ])
    const called = (await entries('admin_called')).filter(({ entry }) => entry.actor === `admin:${keyId}`)
    expect(called).toMatchObject([
      { entry: { key: keyId, data: { operation: 'list_members', count: 1 } } },
      { entry: { key: keyId } },
    ])
    const minted = (await entries('key_minted')).find(({ entry }) => entry.data['key'] === keyId)
    expect(minted).toMatchObject({ entry: { actor: 'admin', data: { admin_calls_per_day: 1_000 } } })
    expect(await verifyLedger(gate.database.db, account.account)).toMatchObject({ ok: true })
  })

  test('does nothing that its powers do not name: it neither acts for members nor has a tool', async () => {
    const { client } = await administrator(['admin:members.read'])
    expect((await client.propose({ email: 'grace@example.com' }, 'Hi.')).status).toBe(403)
    expect((await client.capability({ email: 'grace@example.com' })).status).toBe(403)
    expect((await rpc(client, 'tools/list')).body.result.tools).toEqual([])
    const { client: other } = await administrator(['admin:keys.read'])
    expect(await other.request('GET', members)).toMatchObject({
      status: 403,
      body: { code: 'key_power_missing', error: expect.stringContaining('"admin:members.read"') },
    })
  })

  test('is limited by day, also where its calls race, and after a rotation', async () => {
    const { client, keyId } = await administrator(['admin:members.read'], 3)
    // The entry is one a day: no day ends during these calls.
    const ofOneDay = async <T>(calls: () => Promise<T>): Promise<T> => {
      const noon = jest.spyOn(Date.prototype, 'toISOString').mockReturnValue('2026-11-20T12:00:00.000Z')
      return calls().finally(() => noon.mockRestore())
    }
    const times = (n: number, by = client) =>
      ofOneDay(() => Promise.all(Array.from({ length: n }, () => by.request('GET', members))))
    const answers = await times(8)
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 429, 429, 429, 429, 429])
    const refused = answers.find(({ status }) => status === 429)!
    expect(refused.body).toMatchObject({ code: 'admin_calls_limit' })
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(86_000)
    // However many were refused.
    const beyond = async () =>
      (await entries('write_refused')).filter(({ entry }) => entry.data['reason'] === 'admin_calls_limit')
    const ofKey = (key: string) => ({
      entry: { key, data: { operation: 'list_members', reason: 'admin_calls_limit', source: 'api' } },
    })
    expect(await beyond()).toMatchObject([ofKey(keyId)])
    const { rotateKey } = await import('../../src/operations/keys/rotate-key.ts')
    const context = { db: gate.database.db, account: account.account, session: null }
    const next = await rotateKey(context, keyId)
    const rotated = apiClient(gate.api.url, next.apiKey)
    expect((await times(3, rotated)).map(({ status }) => status)).toEqual([429, 429, 429])
    expect(await beyond()).toMatchObject([ofKey(keyId), ofKey(next.keyId)])
    expect(await verifyLedger(gate.database.db, account.account)).toMatchObject({ ok: true })
  })

  test('sees nothing of another account', async () => {
    const other = await gate.account()
    const { client } = await administrator(['admin:members.read'], null, other.account)
    expect((await client.request('GET', members)).body).toEqual({ members: [] })
  })
})

test('a key with every power of an agent is refused on every route of administration, and the tries are entries', async () => {
  const { key } = await account.mintKey({ powers: ['read', 'propose', 'confirm', 'execute'] })
  const before = (await entries('write_refused')).length
  expect((await apiClient(gate.api.url, key).request('GET', members)).status).toBe(403)
  expect((await entries('write_refused')).slice(before)).toMatchObject([
    { entry: { data: { operation: 'list_members', reason: 'no_power_admin:members.read', source: 'api' } } },
  ])
})

test('a key of administration is no key in a query, and a revoked one is 401', async () => {
  const { client, keyId } = await administrator(['admin:members.read'])
  const bare = await fetch(`${gate.api.url}${members}?key=${client.key}&api_key=${client.key}`)
  expect(bare.status).toBe(401)
  expect((await client.request('GET', `${members}?key=${client.key}`)).status).toBe(422)
  await account.revokeKey(keyId)
  expect((await client.request('GET', members)).status).toBe(401)
})

test('no power of administration is in a default, and a key with one is about the whole account', async () => {
  const context = { db: gate.database.db, account: account.account, session: null }
  const plain = { name: 'agent', expiresAt: null, actors: [] }
  const { rights } = await mintKey(context, plain)
  expect(rights.powers).toEqual(['read', 'propose', 'confirm'])
  await expect(mintKey(context, { ...plain, rights: { adminCallsPerDay: 5 } })).rejects.toMatchObject({
    code: 'invalid',
  })
  await expect(
    mintKey(context, {
      ...plain,
      actors: [{ email: 'grace@example.com' }],
      rights: { powers: ['admin:members.read'] },
    }),
  ).rejects.toMatchObject({ code: 'invalid', param: 'members' })
})
