import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { type AdminPower, adminPowers } from '../../src/keys/admin-powers.ts'
import type { KeyPower } from '../../src/keys/rights.ts'
import { verifyLedger } from '../../src/ledger/verify.ts'
import { hashKey } from '../../src/keys/api-key.ts'
import { addAdmin } from '../../src/operations/admins/add-admin.ts'
import { confirmIdentity } from '../../src/operations/members/confirm-identity.ts'
import { readMember } from '../../src/operations/members/read-member.ts'
import { sessionOf } from '../support/session.ts'
import { mintKey } from '../../src/operations/keys/mint-key.ts'
import { adminOperations } from '../../src/operations/administration/registry.ts'
import { type ApiClient, apiClient } from '../support/api-client.ts'
import { entriesOf } from '../support/ledger-entries.ts'
import { type TestGate, startGate } from '../support/gate.ts'

let gate: TestGate
let account: Awaited<ReturnType<TestGate['account']>>
let admin: ApiClient
beforeAll(async () => {
  gate = await startGate({ workers: false })
})
afterAll(() => gate.stop())
beforeEach(async () => {
  account = await gate.account()
  admin = await withPowers(adminPowers)
})

interface Rights {
  kinds?: string[]
  networks?: string[]
  actionsPerDay?: number
}
async function withPowers(powers: KeyPower[], rights: Rights = {}, expiresAt: Date | null = null) {
  const context = { db: gate.database.db, account: account.account, session: null }
  const { apiKey } = await mintKey(context, {
    name: 'office',
    expiresAt,
    actors: [],
    rights: { powers, ...rights },
  })
  return apiClient(gate.api.url, apiKey)
}

const get = (path: string, client = admin) => client.request('GET', `/api/v1/admin${path}`)
const post = (path: string, body: object = {}, client = admin, headers = {}) =>
  client.request('POST', `/api/v1/admin${path}`, { body, headers })
const entries = async (kind: string) =>
  (await entriesOf(gate.database, account.account)).filter((entry) => entry.kind === kind)
const csv = 'name,email,slack\nAda,ada@my.example,U0ADA\nGrace,grace@my.example,\n'
const curriculum = { slug: 'safe-sending', title: 'Safe sending', modules: 2, grants: 'guarded_write' }

describe('members', () => {
  test('come, change and go as by the command line; each change names the key', async () => {
    const { body: added } = await post('/members', { name: 'Ada', email: 'ada@my.example' })
    expect(added).toEqual({ member_id: expect.stringMatching(/^mem_/) })
    const ada = `/members/${added.member_id}`
    expect((await post(ada, { name: 'Ada King', slack: 'U0ADA' })).body).toMatchObject({
      name: 'Ada King',
      slack: 'U0ADA',
    })
    expect((await post('/members/slack:U0ADA/tier', { tier: 'write' })).body).toMatchObject({ tier: 'write' })
    expect((await post('/members/ada@my.example/tier', { clear: true })).body).toMatchObject({
      tier_source: 'default',
    })
    expect((await post(`${ada}/tier`)).status).toBe(422)
    expect((await post(ada, { remove: ['slack'], slack: 'U1' })).status).toBe(422)
    expect((await post(`${ada}/deactivate`)).body).toMatchObject({ active: false })
    expect((await post(`${ada}/activate`)).body).toMatchObject({ active: true })
    expect((await post('/members', { name: 'Other', email: 'ADA@my.example' })).status).toBe(409)
    expect(await get('/members/nobody@my.example')).toMatchObject({ status: 404, body: { param: 'member' } })
    expect((await get(ada)).body).toMatchObject({ name: 'Ada King', email: 'ada@my.example', slack: 'U0ADA' })
    const changes = (await entries('member_changed')).map(({ entry }) => entry.actor)
    expect(new Set(changes)).toEqual(new Set([expect.stringMatching(/^admin:key_/)]))
    expect(await verifyLedger(gate.database.db, account.account)).toMatchObject({ ok: true })
  })

  test('are imported all or none, each line as a call; a wrong line imports nobody', async () => {
    const wrong = await post('/members/import', { csv: `${csv}Alan,no address,\n` })
    expect(wrong).toMatchObject({ status: 422, body: { error: expect.stringContaining('Line 4') } })
    expect((await get('/members')).body.members).toEqual([])
    const dry = await post('/members/import', { csv: `${csv}Alan,no address,\n`, dry_run: true })
    expect(dry.body).toMatchObject({ added: 0, to_add: 2, problems: [{ line: 4 }] })
    expect((await post('/members/import', { csv })).body).toMatchObject({ added: 2 })
    expect((await post('/members/import', { csv })).body).toMatchObject({ added: 0, to_add: 0 })
    expect((await get('/members/export')).body).toContain('Ada,ada@my.example,U0ADA')
    const counts = (await entries('admin_called'))
      .filter(({ entry }) => entry.data['operation'] === 'import_members')
      .map(({ entry }) => entry.data['count'])
    expect(counts).toEqual([3, 1, 2, 2])
  })
})

describe('certifications', () => {
  beforeEach(async () => {
    await post('/members/import', { csv })
    await post('/curricula', curriculum)
  })
  const pass = { member: 'ada@my.example', curriculum: 'safe-sending', module: 1 }
  const passes = async () => (await entries('pass_recorded')).length

  test('a pass with an external id is recorded once, whatever key sends it again, and is of one pass alone', async () => {
    const sent = { ...pass, external_id: 'attempt-7', at: '2026-01-31T12:00:00Z' }
    const answers = await Promise.all(Array.from({ length: 5 }, () => post('/certifications', sent)))
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200])
    expect(
      await post('/certifications', sent, await withPowers(['admin:certifications.write'])),
    ).toMatchObject({ status: 200, body: { modules_passed: 1 } })
    expect(await passes()).toBe(1)
    expect(await post('/certifications', { ...sent, member: 'grace@my.example' })).toMatchObject({
      status: 422,
      body: { code: 'idempotency_key_reused' },
    })
    await post('/certifications/revoke', pass)
    await post('/certifications', sent)
    expect((await get('/certifications?member=ada@my.example')).body.certifications).toMatchObject([
      { modules_passed: 0 },
    ])
    const keyed = { 'idempotency-key': 'once' }
    await post('/certifications', pass, admin, keyed)
    await post('/certifications', pass, admin, keyed)
    expect(await passes()).toBe(3)
  })

  test('an xAPI statement that passed or completed certifies; any other changes nothing', async () => {
    const statement = (changed: object = {}) => ({
      statement: {
        id: '6b1f0c52-5a3e-4d0f-9a54-1f1f0a6a7c11',
        actor: { objectType: 'Agent', mbox: 'mailto:grace@my.example' },
        verb: { id: 'http://adlnet.gov/expapi/verbs/completed', display: { en: 'completed' } },
        object: { id: 'https://learn.example.com/xapi/curricula/safe-sending' },
        timestamp: '2026-01-31T12:00:00.000+01:00',
        version: '1.0.3',
        ...changed,
      },
    })
    for (const other of [
      { verb: { id: 'http://adlnet.gov/expapi/verbs/failed' } },
      { result: { success: false } },
      { object: { id: 'https://learn.example.com/safe-sending' } },
      { object: { id: 'https://learn.example.com/curricula/safe-sending/modules/3' } },
      { actor: { mbox: 'mailto:nobody@my.example' } },
    ])
      expect([422, 404]).toContain((await post('/certifications/statements', statement(other))).status)
    expect(await passes()).toBe(0)
    for (let n = 0; n < 2; n++)
      expect(await post('/certifications/statements', statement())).toMatchObject({
        status: 200,
        body: { certified: true, modules_passed: 2, last_passed_at: '2026-01-31T11:00:00.000Z' },
      })
    expect(await passes()).toBe(2)
    expect((await get('/members/grace@my.example')).body).toMatchObject({ tier: 'guarded_write' })
  })

  test('curricula change, with their effect, and retire', async () => {
    await post('/certifications', { ...pass, module: undefined })
    expect((await post('/curricula/safe-sending', { modules: 3, dry_run: true })).body).toMatchObject({
      is_dry_run: true,
      certified_no_longer: 1,
    })
    expect((await post('/curricula/safe-sending/retire')).body).toMatchObject({ certified_no_longer: 1 })
    expect((await post('/certifications', pass)).status).toBe(409)
    expect((await post('/curricula/safe-sending/restore')).status).toBe(200)
    expect((await get('/curricula')).body.curricula).toMatchObject([{ modules: 2, certified: 1 }])
  })
})

test('groups are made, filled, renamed and removed', async () => {
  await post('/members/import', { csv })
  const { group } = (await post('/groups', { name: 'Finance leads' })).body
  const ada = { member: 'ada@my.example' }
  expect((await post(`/groups/${group}/members`, ada)).body).toMatchObject({ in_group: true })
  expect((await get(`/groups/${group}/members`)).body.members).toHaveLength(1)
  expect((await post(`/groups/${group}`, { name: 'Finance' })).body).toEqual({ group, name: 'Finance' })
  expect((await get('/groups')).body.groups).toMatchObject([{ group, name: 'Finance' }])
  expect((await post(`/groups/${group}/members/remove`, ada)).body).toMatchObject({ in_group: false })
  expect((await post(`/groups/${group}/remove`)).body).toMatchObject({ removed: true })
  expect((await post(`/groups/${group}/remove`)).status).toBe(404)
})

describe('keys', () => {
  const agent = { name: 'agent', powers: ['read', 'propose'] }

  test('a key mints none with more power than its own', async () => {
    const own: AdminPower[] = ['admin:keys.write', 'admin:keys.read']
    const forbidden = async (body: object, client: ApiClient) =>
      expect([body, await post('/keys', body, client)]).toMatchObject([body, { status: 403 }])
    await forbidden(agent, await withPowers(own))
    const minter = await withPowers([...own, 'read', 'propose'], {
      kinds: ['refund', 'payout'],
      networks: ['127.0.0.0/8', '::/0'],
    })
    const within = { ...agent, kinds: ['refund'], networks: ['127.0.0.0/16'] }
    for (const more of [
      agent,
      { ...within, powers: ['read', 'confirm'] },
      { ...within, kinds: ['broadcast'] },
      { ...within, networks: ['10.0.0.0/8'] },
      { ...within, networks: ['0.0.0.0/0'] },
      { ...within, networks: undefined },
    ])
      await forbidden(more, minter)
    expect((await post('/keys', { ...within, powers: ['admin:keys.write'] }, minter)).status).toBe(422)
    const { body: minted } = await post('/keys', within, minter)
    expect((await apiClient(gate.api.url, minted.api_key).list()).status).toBe(200)
    const { body: listed } = await get('/keys', minter)
    expect(listed.keys.find((key: any) => key.key_id === minted.key_id)).toMatchObject({ minted_by: 'admin' })
    expect(JSON.stringify(listed)).not.toContain(minted.api_key)
    await forbidden(agent, await withPowers([...own, 'read', 'propose'], { actionsPerDay: 5 }))
    const ends = new Date(Date.now() + 3_600_000)
    const ending = await withPowers([...own, 'read', 'propose'], {}, ends)
    await forbidden(agent, ending)
    expect((await post('/keys', { ...agent, expires_at: ends.toISOString() }, ending)).status).toBe(200)
    // A rotation shows the new secret: of a stronger key it is refused, too.
    const strong = listed.keys.find((key: any) => key.powers.includes('admin:members.erase'))
    expect((await post(`/keys/${strong.key_id}/rotate`, {}, minter)).status).toBe(403)
    expect((await post(`/keys/${account.keyId}/rotate`, {}, minter)).status).toBe(403)
    expect((await post(`/keys/${account.keyId}/revoke`, {}, minter)).body).toMatchObject({ state: 'revoked' })
    expect((await account.client.list()).status).toBe(401)
  })

  test('of another account neither keys nor members are found', async () => {
    const other = await gate.account()
    const stranger = await other.addMember({ email: 'eve@my.example' })
    expect((await post(`/keys/${other.keyId}/revoke`)).status).toBe(404)
    expect((await get(`/members/${stranger.memberId}`)).status).toBe(404)
    expect((await post(`/members/${stranger.memberId}/deactivate`)).status).toBe(404)
    expect((await other.client.list()).status).toBe(200)
  })
})

test('a policy is reviewed, set as of the review, explained and restored', async () => {
  const document = { kinds: { broadcast: { tier: 'write' } } }
  const { body: reviewed } = await post('/policies/review', { document })
  expect(reviewed).toMatchObject({ version: 1, changed_in_all: 0 })
  expect(reviewed.changes.length).toBeGreaterThan(0)
  const set = await post('/policies', { document: { ...document, version: 1 }, note: 'Only for writers.' })
  expect(set.body).toMatchObject({ version: 2, kinds: { broadcast: { tier: 'write' } } })
  expect((await post('/policies', { document: { ...document, version: 1 } })).status).toBe(409)
  const question = { kind: 'broadcast', tier: 'guarded_write' }
  expect((await post('/policies/explain', question)).body).toMatchObject({
    allowed: false,
    needed_tier: 'write',
  })
  expect((await get('/policies/versions')).body.versions).toMatchObject([
    { version: 2, by: expect.stringMatching(/^admin:key_/), note: 'Only for writers.' },
    { version: 1 },
  ])
  expect((await post('/policies/restore', { version: 1 })).body).toMatchObject({ version: 3 })
  expect((await get('/policies')).body).toMatchObject({ kinds: { broadcast: { tier: 'guarded_write' } } })
})

test('in a suspended account keys read, and resume only with that power', async () => {
  const stopper = await withPowers(['admin:account.write', 'admin:members.read', 'admin:members.write'])
  expect((await post('/account/suspend', {}, stopper)).body).toMatchObject({ suspended: true })
  expect((await get('/members', stopper)).status).toBe(200)
  expect(await post('/members', { name: 'Ada' }, stopper)).toMatchObject({
    status: 409,
    body: { code: 'account_suspended' },
  })
  expect((await post('/account/resume', {}, stopper)).status).toBe(403)
  expect((await post('/account/resume')).body).toMatchObject({ suspended: false })
  expect((await post('/members', { name: 'Ada' }, stopper)).status).toBe(200)
})

test('actions of any member are found, told, cancelled and erased', async () => {
  const ada = await account.addMember({ email: 'ada@my.example', tier: 'write' })
  const { body: open } = await account.client.propose({ email: ada.email }, 'Hi.')
  expect((await get('/actions?status=proposed')).body.actions).toMatchObject([{ id: open.id }])
  expect((await post(`/actions/${open.id}/cancel`, { reason: 'wrong list' })).body).toMatchObject({
    status: 'cancelled',
    closed_reason: 'admin',
  })
  expect((await post(`/actions/${open.id}/cancel`, { reason: 'again' })).status).toBe(409)
  expect((await get(`/actions/${open.id}/story`)).body).toMatchObject({ id: open.id })
  expect((await post(`/actions/${open.id}/erase`, { reason: 'asked' })).body).toMatchObject({ payload: {} })
  expect((await get(`/actions/${open.id}`)).body).toMatchObject({ payload: {} })
  expect(await verifyLedger(gate.database.db, account.account)).toMatchObject({ ok: true })
})

test('the ledger is streamed as the command line exports it; a stream that is cut is found', async () => {
  const { verifyExport } = await import('../../src/ledger/verify-file.ts')
  const { mkdtempSync, writeFileSync } = await import('node:fs')
  const { body, headers } = await get('/ledger/export')
  expect(headers.get('content-type')).toContain('application/octet-stream')
  const file = `${mkdtempSync('/tmp/export-')}/ledger.jsonl`
  const verdict = (text: string) => {
    writeFileSync(file, text)
    return verifyExport(file, { anchors: [], unsealed: false })
  }
  expect(await verdict(body)).toMatchObject({ ok: true })
  expect(await verdict(body.slice(0, body.lastIndexOf('\n', body.length - 2) + 1))).toMatchObject({
    ok: false,
  })
  expect(await verdict(body.slice(0, -20))).toMatchObject({ ok: false })
})

test('each route of administration refuses a key that has every other power, and says which it lacks', async () => {
  const examples = adminOperations.map(({ name, http, power, example }) => ({ name, http, power, example }))
  for (const { name, http, power, example } of examples) {
    const input = example.input as Record<string, string>
    const path = http.path.replaceAll(/\{(\w+)\}/g, (_, field: string) =>
      encodeURIComponent(String(input[field])),
    )
    const client = await withPowers([
      'read',
      'propose',
      'confirm',
      'execute',
      ...adminPowers.filter((one) => one !== power),
    ])
    const body = Object.fromEntries(
      Object.entries(input).filter(([field]) => !http.path.includes(`{${field}}`)),
    )
    const query = http.method === 'GET' ? `?${new URLSearchParams(body)}` : ''
    const answer = await client.request(http.method, path + query, http.method === 'GET' ? {} : { body })
    expect([name, answer]).toMatchObject([
      name,
      { status: 403, body: { code: 'key_power_missing', error: expect.stringContaining(`"${power}"`) } },
    ])
  }
  expect((await entries('write_refused')).length).toBe(examples.length)
})

test('the other lists answer', async () => {
  for (const path of ['/apps', '/integrations', '/conversations', '/kinds', '/upstreams', '/mandates'])
    expect([path, await get(path)]).toMatchObject([path, { status: 200, body: { [path.slice(1)]: [] } }])
  const created = await post('/conversations', { conversation_id: 'project-1', title: 'Launch page' })
  expect(created.body).toMatchObject({ conversation_id: 'project-1' })
  await account.addMember({ email: 'ada@my.example' })
  const ada = { member: 'ada@my.example' }
  expect((await post('/conversations/project-1/participants', ada)).body).toMatchObject({
    participates: true,
  })
  expect((await post('/conversations/project-1/participants/remove', ada)).status).toBe(200)
  expect((await post('/account', { key_limits: 'shared' })).body).toMatchObject({ key_limits: 'shared' })
})

test('a change of a program that needs a second administrator waits for one who did not mint its key', async () => {
  const { db } = gate.database
  const none = { db, account: account.account, session: null }
  for (const email of ['eve@my.example', 'bob@my.example']) await addAdmin(none, email)
  const eve = await sessionOf(gate.deps, account.account, 'eve@my.example')
  const bob = await sessionOf(gate.deps, account.account, 'bob@my.example')
  const { apiKey } = await mintKey(
    { ...none, session: eve },
    { name: 'sync', expiresAt: null, actors: [], rights: { powers: ['admin:members.write'] } },
  )
  const ada = await account.addMember({ name: 'Ada', email: 'ada@my.example' })
  const change = { email: 'eves.own@my.example' }
  expect((await post(`/members/${ada.memberId}`, change, apiClient(gate.api.url, apiKey))).status).toBe(200)
  const [{ changedAt } = { changedAt: null }] = (await readMember(none, ada.memberId)).identityChanges
  const confirm = (session: Buffer) =>
    confirmIdentity({ ...none, session }, ada.memberId, { via: 'email', changedAt: changedAt! })
  await expect(confirm(eve)).rejects.toMatchObject({
    message: expect.stringContaining('You made this change'),
  })
  await expect(confirm(hashKey(apiKey))).rejects.toMatchObject({ code: 'forbidden' })
  await confirm(bob)
  expect(await verifyLedger(db, account.account)).toMatchObject({ ok: true })
})
