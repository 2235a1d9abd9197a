import { beforeAll, describe, expect, test } from '@jest/globals'
import postgres from 'postgres'
import { errorBody } from '../support/error-body.ts'
import type { TestGate } from '../support/gate.ts'
import { useGate } from '../support/use-gate.ts'
import { apiClient } from '../support/api-client.ts'
import { mailsTo, visitor } from '../support/console.ts'
import { callTool } from '../support/mcp-tool.ts'
import { waiting } from '../support/ledger-entries.ts'
import { until } from '../support/until.ts'
import { testRows } from '../support/rows.ts'

const gate = useGate({ workers: false })

const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000)

test('a member with an international domain is named by either form, and signs in with either', async () => {
  const account = await gate.account()
  await account.addMember({ name: 'Ada', email: 'ada@xn--bcher-kva.example', tier: 'write' })
  for (const email of ['ada@bücher.example', 'ada@xn--bcher-kva.example', 'Ada@Bu\u0308cher.example']) {
    const named = [{ email }, { provider: 'email', external_id: email }]
    for (const actor of named) expect((await account.client.capability(actor)).body.member?.name).toBe('Ada')
    expect((await account.client.list({ member: email })).status).toBe(200)
    expect((await account.client.propose({ email }, 'Lunch.')).body.member).toBe('ada@xn--bcher-kva.example')
  }
  const before = mailsTo(gate, 'ada@xn--bcher-kva.example').length
  await visitor(gate).send('/console/sign-in', { email: 'ada@bücher.example' })
  await until('a link is sent', async () => mailsTo(gate, 'ada@xn--bcher-kva.example').length > before)
  for (const email of ['jürgen@example.com', 'ada@bücher.example/x'])
    expect((await account.client.capability({ email })).status).toBe(404)
})

describe('the tier', () => {
  test('is read_only by default, with every curriculum of the account listed at nothing passed', async () => {
    const account = await gate.account()
    await account.addMember({ name: 'Ada', email: 'ada@example.com' })
    await account.addCurriculum({
      slug: 'safe-sending',
      title: 'Safe sending',
      modules: 4,
      grants: 'guarded_write',
    })
    await account.addCurriculum({ slug: 'budgets', title: 'Budgets', modules: 1, grants: 'write' })
    const answer = await account.client.capability({ email: 'ada@example.com' })
    const nothing = { certified: false, modules_passed: 0, last_passed_at: null }
    expect(answer.status).toBe(200)
    expect(answer.body).toEqual({
      member: { name: 'Ada', email: 'ada@example.com', providers: ['email'] },
      tier: 'read_only',
      tier_source: 'default',
      certified: false,
      certifications: [
        { curriculum: 'budgets', title: 'Budgets', modules_total: 1, ...nothing },
        { curriculum: 'safe-sending', title: 'Safe sending', modules_total: 4, ...nothing },
      ],
    })
  })

  test('comes from certification once every module is passed, and not before', async () => {
    const account = await gate.account()
    const ada = await account.addMember({ email: 'ada@example.com' })
    await account.addCurriculum({ slug: 's', title: 'S', modules: 2, grants: 'guarded_write' })
    await account.pass(ada, 's', 1)
    const halfway = await account.client.capability({ email: 'ada@example.com' })
    await account.pass(ada, 's', 2)
    const certified = await account.client.capability({ email: 'ada@example.com' })
    expect(halfway.body).toMatchObject({ tier: 'read_only', tier_source: 'default', certified: false })
    expect(halfway.body.certifications[0]).toMatchObject({ modules_passed: 1, modules_total: 2 })
    expect(certified.body).toMatchObject({
      tier: 'guarded_write',
      tier_source: 'certification',
      certified: true,
    })
  })

  test('set by an admin wins over certification, up and down, until it is cleared', async () => {
    const account = await gate.account()
    const ada = await account.addMember({ email: 'ada@example.com' })
    await account.addCurriculum({ slug: 's', title: 'S', modules: 1, grants: 'guarded_write' })
    await account.pass(ada, 's', 1)
    const standings = []
    for (const tier of ['read_only', 'write', null] as const) {
      await account.setTier(ada, tier)
      const { body } = await account.client.capability({ email: 'ada@example.com' })
      standings.push([body.tier, body.tier_source, body.certified])
    }
    expect(standings).toEqual([
      ['read_only', 'admin', true],
      ['write', 'admin', true],
      ['guarded_write', 'certification', true],
    ])
  })

  test('is the highest of several certifications', async () => {
    const account = await gate.account()
    const ada = await account.addMember({ email: 'ada@example.com' })
    for (const [slug, grants] of [
      ['a', 'write'],
      ['b', 'guarded_write'],
    ] as const) {
      await account.addCurriculum({ slug, title: slug, modules: 1, grants })
      await account.pass(ada, slug, 1)
    }
    expect((await account.client.capability({ email: 'ada@example.com' })).body.tier).toBe('write')
  })

  test('falls when a pass has expired, while last_passed_at still tells when it was', async () => {
    const account = await gate.account()
    const ada = await account.addMember({ email: 'ada@example.com' })
    await account.addCurriculum({ slug: 's', title: 'S', modules: 2, grants: 'write', validDays: 30 })
    const [old, young] = [daysAgo(31), daysAgo(29)]
    await account.pass(ada, 's', 1, old)
    await account.pass(ada, 's', 2, young)
    const expired = await account.client.capability({ email: 'ada@example.com' })
    await account.pass(ada, 's', 1)
    const renewed = await account.client.capability({ email: 'ada@example.com' })
    expect(expired.body).toMatchObject({ tier: 'read_only', tier_source: 'default', certified: false })
    expect(expired.body.certifications[0]).toMatchObject({
      modules_passed: 1,
      modules_total: 2,
      last_passed_at: young.toISOString(),
    })
    expect(renewed.body).toMatchObject({ tier: 'write', tier_source: 'certification' })
  })
})

describe('a member is found', () => {
  let account: Awaited<ReturnType<TestGate['account']>>
  beforeAll(async () => {
    account = await gate.account()
    await account.addMember({ name: 'Ada', email: 'Ada@Example.com', slack: 'U00000001' })
    await account.addMember({ name: 'Bob', email: 'bob@example.com' })
    await account.addMember({ name: 'Cleo', slack: 'U00000003' })
  })

  testRows([
    ['by e-mail', { email: 'Ada@Example.com' }],
    ['by e-mail in other case', { email: 'aDA@eXAMPLE.COM' }],
    ['by provider=email, which means the same', { provider: 'email', external_id: 'ada@example.com' }],
    ['by provider=slack', { provider: 'slack', external_id: 'U00000001' }],
    [
      'by both forms that mean the same member',
      { email: 'ada@example.com', provider: 'slack', external_id: 'U00000001' },
    ],
    [
      'by the same e-mail in both forms',
      { email: 'ada@example.com', provider: 'email', external_id: 'ADA@example.com' },
    ],
  ])('by e-mail or Slack id, however it is written', async (_how, query) => {
    const { status, body } = await account.client.capability(query)
    expect([status, body.member]).toEqual([
      200,
      { name: 'Ada', email: 'Ada@Example.com', providers: ['email', 'slack'] },
    ])
  })

  test('without an e-mail, which is null then', async () => {
    const { body } = await account.client.capability({ provider: 'slack', external_id: 'U00000003' })
    expect(body.member).toEqual({ name: 'Cleo', email: null, providers: ['slack'] })
  })

  testRows([
    ['no identity at all', {}, 'email'],
    ['a provider without an external_id', { provider: 'slack' }, 'external_id'],
    ['an external_id without a provider', { external_id: 'U00000001' }, 'provider'],
    ['a provider that is none', { provider: 'teams', external_id: 'x' }, 'provider'],
    ['an empty e-mail', { email: '' }, 'email'],
    [
      'two forms that mean different members',
      { email: 'bob@example.com', provider: 'slack', external_id: 'U00000001' },
      'two different members',
    ],
    [
      'two different e-mails',
      { email: 'bob@example.com', provider: 'email', external_id: 'ada@example.com' },
      'two different members',
    ],
    ['a parameter that is none', { email: 'bob@example.com', emial: 'x' }, 'emial'],
  ])('never by what names no member: 422', async (_what, query, named) => {
    const { status, body } = await account.client.capability(query as Record<string, string>)
    expect([status, body]).toEqual([
      422,
      errorBody('invalid', expect.stringContaining(named), expect.any(String)),
    ])
  })

  testRows([
    ['an unknown e-mail', { email: 'nobody@example.com' }],
    ['an unknown Slack id', { provider: 'slack', external_id: 'U99999999' }],
    ['a Slack id in other case', { provider: 'slack', external_id: 'u00000001' }],
    ['an e-mail with a wildcard', { email: '%' }],
    [
      'a known e-mail with a Slack id nobody has',
      { email: 'ada@example.com', provider: 'slack', external_id: 'U99999999' },
    ],
  ])('never by what names another: 404', async (_what, query) => {
    const { status, body } = await account.client.capability(query)
    expect([status, body]).toEqual([
      404,
      errorBody('not_found', expect.stringContaining('identity'), 'actor'),
    ])
  })

  test('never in another account: 404', async () => {
    const other = await gate.account()
    expect((await other.client.capability({ email: 'ada@example.com' })).status).toBe(404)
  })

  test('never once deactivated: 404', async () => {
    const dora = await account.addMember({ email: 'dora@example.com' })
    await account.setActive(dora, false)
    expect((await account.client.capability({ email: 'dora@example.com' })).status).toBe(404)
    await account.setActive(dora, true)
    expect((await account.client.capability({ email: 'dora@example.com' })).status).toBe(200)
  })
})

test('every successful check is an executed row of the ledger, and a failed one is none', async () => {
  const account = await gate.account()
  const ada = await account.addMember({ email: 'ada@example.com', slack: 'U1', tier: 'write' })
  await account.client.capability({ email: 'nobody@example.com' })
  await account.client.capability({ provider: 'slack', external_id: 'U1' })
  const { body } = await account.client.list()
  expect(body.actions).toEqual([
    {
      id: 1,
      kind: 'capability_check',
      status: 'executed',
      member: ada.email,
      tier_at_request: 'write',
      source: 'api',
      requested_by: 'test',
      payload: {},
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      requires_confirmation: false,
      blast_radius: { slack: 0, email: 0, unreachable: 0 },
      result: { tier: 'write', tier_source: 'admin', certified: false },
      executed_at: body.actions[0].created_at,
    },
  ])
})

test('a member without an e-mail stands in the ledger as slack:U…', async () => {
  const account = await gate.account()
  await account.addMember({ slack: 'U1' })
  await account.client.capability({ provider: 'slack', external_id: 'U1' })
  expect((await account.client.get(1)).body.member).toBe('slack:U1')
})

test('a key that is bound to members answers 404 for any other, in the words for one that does not exist', async () => {
  const account = await gate.account()
  const ada = await account.addMember({ email: 'ada@example.com' })
  await account.addMember({ email: 'bob@example.com' })
  const { key } = await account.mintKey({ actors: [ada] })
  const ask = (email: string) =>
    account.client.request('GET', `/api/v1/capability?email=${email}`, {
      headers: { authorization: `Bearer ${key}` },
    })
  const answers = await Promise.all(['ada', 'bob', 'nobody'].map((name) => ask(`${name}@example.com`)))
  expect(answers.map((a) => a.status)).toEqual([200, 404, 404])
  expect(answers[1]!.body.error).toBe(answers[2]!.body.error)
})

test('many checks at once are all rows, with ids that leave no gap', async () => {
  const account = await gate.account()
  await account.addMember({ email: 'ada@example.com' })
  await Promise.all(
    Array.from({ length: 150 }, () => account.client.capability({ email: 'ada@example.com' })),
  )
  const { body } = await account.client.list({ limit: '200' })
  expect(body.actions.map((a: { id: number }) => a.id)).toEqual(Array.from({ length: 150 }, (_, i) => i + 1))
})

describe('the facts of a check may be kept, and count only while they hold:', () => {
  let account: Awaited<ReturnType<TestGate['account']>>
  let ada: Awaited<ReturnType<typeof account.addMember>>
  const actor = { email: 'ada@example.com' }
  const check = (key: string, query: Record<string, string> = actor) =>
    account.client.request('GET', `/api/v1/capability?${new URLSearchParams(query)}`, {
      headers: { authorization: `Bearer ${key}` },
    })
  const checks = async () =>
    (await account.client.list({ kind: 'capability_check', limit: '200' })).body.actions.length as number
  beforeAll(async () => {
    account = await gate.account()
    ada = await account.addMember({ name: 'Ada', ...actor })
    await account.client.capability(actor)
  })

  test('a key that another process revoked is refused at its next check, which is no row', async () => {
    const { key, keyId } = await account.mintKey()
    expect((await check(key)).status).toBe(200)
    const before = await checks()
    await account.revokeKey(keyId)
    const refused = await check(key)
    expect([refused.status, refused.body]).toEqual([
      401,
      errorBody('unauthenticated', expect.stringContaining('missing or not valid')),
    ])
    expect(await checks()).toBe(before)
  })

  test('a revoked key learns nothing from a request that is refused for another reason', async () => {
    const { key, keyId } = await account.mintKey()
    await check(key)
    await account.revokeKey(keyId)
    const answers = [await check(key, { email: 'nobody@example.com' }), await check(key, { emial: 'x' })]
    expect(answers.map(({ status }) => status)).toEqual([401, 401])
  })

  test('the statement records nothing without a key', async () => {
    const before = await checks()
    const [row] = await gate.database.db.run<{ outcomes: string[] }>(
      (sql) => sql`
        select gate.record_checks(
          p_account => ${account.account}, p_uuids => array[gen_random_uuid()], p_member_ids => array[${ada.memberId}],
          p_members => array['x'], p_tiers => array['write'], p_tier_sources => array['admin'], p_certified => array[true],
          p_sources => array['api'], p_api_key_ids => array['key_x'], p_api_keys => array[null]::bytea[],
          p_member_versions => array[1]::bigint[], p_curricula_versions => array[1]::bigint[]) as outcomes`,
    )
    expect(row!.outcomes).toEqual(['unauthenticated'])
    expect(await checks()).toBe(before)
  })

  test('a key that expires is refused from then on', async () => {
    const expires = new Date(Date.now() + 1_500)
    const { key } = await account.mintKey({ expires })
    expect((await check(key)).status).toBe(200)
    await until('the key has expired', async () => (await check(key)).status === 401)
    expect(Date.now()).toBeGreaterThanOrEqual(expires.getTime())
  })

  test('a tier, a curriculum, a name and an identity that another process changed count at the next check', async () => {
    const seen = async () => {
      const { status, body } = await account.client.capability(actor)
      return status === 200 ? [body.tier, body.member.name, body.certifications.length] : status
    }
    const before = await seen()
    await account.setTier(ada, 'write')
    const raised = await seen()
    await account.addCurriculum({ slug: 's', title: 'S', modules: 1, grants: 'guarded_write' })
    const withCurriculum = await seen()
    await account.setIdentity(ada, { email: 'other@example.com' })
    const renamed = await seen()
    expect([before, raised, withCurriculum, renamed]).toEqual([
      ['read_only', 'Ada', 0],
      ['write', 'Ada', 0],
      ['write', 'Ada', 1],
      404,
    ])
  })

  test('an identity that another member has now is found by a key of that member', async () => {
    const moved = { email: 'moved@example.com' }
    const before = await account.addMember({ name: 'Before', ...moved })
    const after = await account.addMember({ name: 'After', email: 'after@example.com' })
    const { key } = await account.mintKey({ actors: [after] })
    expect((await account.client.capability({ email: 'after@example.com' })).status).toBe(200)
    expect((await check(key, { email: 'after@example.com' })).status).toBe(200)
    expect((await account.client.capability(moved)).body.member.name).toBe('Before')
    await account.setIdentity(before, { email: 'before@example.com' })
    await account.setIdentity(after, moved)
    const { body } = await callTool(apiClient(gate.api.url, key), 'check_capability', moved)
    expect(body).toMatchObject({ member: { name: 'After' } })
  })

  test('what is kept after its record waited is as old as when it was read', async () => {
    const { account: id } = account
    const holder = postgres(gate.database.superuserUrl, { max: 1, onnotice: () => {} })
    await account.addMember({ email: 'ada@waits.example' })
    try {
      await holder.unsafe('begin')
      await holder.unsafe(`select 1 from gate.ledger_head where account_id = '${id}' for update`)
      const sentAt = performance.now()
      const checked = account.client.capability({ email: 'ada@waits.example' })
      await until('the check waits for the ledger', async () => (await waiting(gate.database)) > 0)
      const [during] = await holder.unsafe('select clock_timestamp() as at')
      // Longer than it took to read: by so much the time that is kept may be early.
      await holder.unsafe(`select pg_sleep(${(performance.now() - sentAt) / 1_000})`)
      await holder.unsafe('commit')
      expect((await checked).status).toBe(200)
      const now = gate.deps.kept.checked.get(id, { email: 'ada@waits.example', slack: null })!.now.getTime()
      const [after] = await holder.unsafe('select clock_timestamp() as at')
      expect(now).toBeGreaterThanOrEqual(during!['at'].getTime() - 1)
      expect(now).toBeLessThanOrEqual(after!['at'].getTime() + 1)
    } finally {
      await holder.end({ timeout: 2 })
    }
  })

  test('checks that wait together are recorded or refused each by its own key', async () => {
    const other = await account.addMember({ email: 'bob@example.com' })
    const held = await account.mintKey({ actors: [other] })
    const revoked = await account.mintKey()
    const bob = { email: 'bob@example.com' }
    await Promise.all([check(held.key, bob), check(revoked.key, bob)])
    await account.revokeKey(revoked.keyId)
    const before = await checks()
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) => check(n % 2 ? held.key : revoked.key, bob)),
    )
    expect(answers.map(({ status }) => status)).toEqual(answers.map((_, n) => (n % 2 ? 200 : 401)))
    expect(await checks()).toBe(before + 10)
  })
})
