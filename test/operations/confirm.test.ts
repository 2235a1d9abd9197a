import { describe, expect, test } from '@jest/globals'
import { entriesOf, entryKindsOf, overtake } from '../support/ledger-entries.ts'
import { useGate } from '../support/use-gate.ts'
import { errorBody } from '../support/error-body.ts'
import { until } from '../support/until.ts'

const gate = useGate()

const broadcastRule = (tier: string) => ({ kinds: { broadcast: { tier, consent: 'agent_attested' } } })

test('a confirm delivers to everyone through one channel each and answers the counts', async () => {
  const { client, actor, id, proposer } = await gate.openBroadcast({ recipients: 3 })
  const before = gate.sandbox.messages().length
  const answer = await client.confirm(id, actor)
  expect(answer.status).toBe(200)
  expect(answer.body).toMatchObject({
    id,
    status: 'executed',
    executed_at: expect.stringMatching(/Z$/),
    requires_confirmation: true,
    result: {
      outcome: 'done',
      slack: 2,
      email: 1,
      unreachable: 0,
      failed: { slack: 0, email: 0 },
      unknown: { slack: 0, email: 0 },
      sandbox: true,
    },
    consent: {
      strength: 'agent_attested',
      by: proposer.email,
      channel: 'api',
      at: expect.stringMatching(/Z$/),
    },
  })
  expect(answer.body).not.toHaveProperty('execution')
  const sent = gate.sandbox.messages().slice(0, gate.sandbox.messages().length - before)
  expect(sent.map((m) => m.to).toSorted()).toEqual(['U00000000', 'U00000001', 'member2@example.com'])
  // Each carries the number of its row.
  expect(sent.map((m) => m.action)).toEqual([id, id, id])
  expect((await client.get(id)).body).toEqual(answer.body)
})

test('a cancel closes the proposal at once, and nothing is ever delivered', async () => {
  const { account, client, actor, id, proposer } = await gate.openBroadcast()
  const before = gate.sandbox.messages().length
  const answer = await client.cancel(id, actor)
  expect([answer.status, answer.body]).toEqual([
    200,
    expect.objectContaining({
      id,
      status: 'cancelled',
      closed_reason: 'proposer',
      consent: expect.objectContaining({ strength: 'agent_attested', by: proposer.email, channel: 'api' }),
    }),
  ])
  expect(answer.body).not.toHaveProperty('executed_at')
  expect(answer.body).not.toHaveProperty('result')
  expect((await client.confirm(id, actor)).status).toBe(409)
  expect(gate.sandbox.messages()).toHaveLength(before)
  expect(await entryKindsOf(gate.database, account.account, id)).toEqual([
    'proposed',
    'cancelled',
    'decision_refused',
  ])
})

describe('a decision is checked in the order of the contract', () => {
  test('an action that does not exist: 404 for every caller', async () => {
    const { client, actor } = await gate.openBroadcast()
    const nobody = { email: 'nobody@example.com' }
    const answers = await Promise.all([
      client.confirm(99, actor),
      client.cancel(99, actor),
      client.confirm(99, nobody),
      client.confirm(99, actor, { digest: '0'.repeat(64) }),
    ])
    expect(answers.map((a) => a.status)).toEqual([404, 404, 404, 404])
  })

  test('an actor who is not the proposer: 403, also an unknown one, also on a row that is closed', async () => {
    const { account, client, actor, id } = await gate.openBroadcast()
    await account.addMember({ email: 'bob@example.com', tier: 'write' })
    const before = (await client.get(id)).body
    const [bob, nobody] = [{ email: 'bob@example.com' }, { email: 'nobody@example.com' }]
    const open = await Promise.all([
      client.confirm(id, bob),
      client.cancel(id, bob),
      client.confirm(id, nobody),
      client.cancel(id, nobody),
    ])
    expect(open.map((a) => a.status)).toEqual([403, 403, 403, 403])
    expect(open[0]!.body).toEqual(
      errorBody('not_proposer', `Only the member who proposed action ${id} can confirm it.`, 'actor'),
    )
    expect((await client.get(id)).body).toEqual(before)
    await client.cancel(id, actor)
    expect((await client.confirm(id, bob)).status).toBe(403)
  })

  test('a deactivated proposer gets 403', async () => {
    const { account, client, actor, id, proposer } = await gate.openBroadcast()
    await account.setActive(proposer, false)
    expect([(await client.confirm(id, actor)).status, (await client.cancel(id, actor)).status]).toEqual([
      403, 403,
    ])
  })

  test('a proposer may be named in any of their forms', async () => {
    const { client, id, proposer } = await gate.openBroadcast()
    const answer = await client.confirm(id, { provider: 'slack', external_id: proposer.slack })
    expect(answer.status).toBe(200)
  })

  test('a row that is not open: 409, before the digest', async () => {
    const { account, client, actor, id } = await gate.openBroadcast()
    await client.confirm(id, actor)
    const wrong = { digest: '0'.repeat(64) }
    const executed = [await client.confirm(id, actor, wrong), await client.cancel(id, actor)]
    await account.addMember({ email: 'low@example.com' })
    const denied = (await client.propose({ email: 'low@example.com' }, 'May I?')).body
    await client.capability({ email: 'low@example.com' })
    const low = { email: 'low@example.com' }
    const others = [
      await client.confirm(denied.id, low),
      await client.cancel(denied.id, low),
      await client.confirm(denied.id + 1, low),
      await client.cancel(denied.id + 1, low),
    ]
    expect(executed.map((a) => [a.status, a.body.error])).toEqual(
      executed.map(() => [409, expect.stringContaining('already executed')]),
    )
    expect(others.map((a) => a.status)).toEqual([409, 409, 409, 409])
    expect(others[0]!.body.error).toContain('already denied')
    expect((await client.get(denied.id)).body).toEqual(denied)
  })

  test('a digest that is not the row’s: 409, before tier and policy; the right one executes', async () => {
    const { account, client, actor, id, proposer } = await gate.openBroadcast()
    const { digest } = (await client.get(id)).body
    await account.setTier(proposer, 'read_only')
    const wrong = await client.confirm(id, actor, { digest: '0'.repeat(64) })
    expect([wrong.status, (await client.get(id)).body.status]).toEqual([409, 'proposed'])
    await account.setTier(proposer, 'write')
    expect((await client.confirm(id, actor, { digest })).body.status).toBe('executed')
  })

  test('a digest of another form: 422', async () => {
    const { client, actor, id } = await gate.openBroadcast()
    const answer = await client.confirm(id, actor, { digest: 'x' })
    expect([answer.status, answer.body.error]).toEqual([422, expect.stringContaining('digest')])
  })

  test('a tier that no longer suffices: 200 with the row, denied, and nothing is delivered', async () => {
    const { account, client, actor, id, proposer } = await gate.openBroadcast()
    const before = gate.sandbox.messages().length
    await account.setTier(proposer, 'read_only')
    const answer = await client.confirm(id, actor)
    expect([answer.status, answer.body]).toEqual([
      200,
      expect.objectContaining({
        status: 'denied',
        tier_at_request: 'guarded_write',
        requires_confirmation: true,
        denial_reason:
          'This broadcast requires `guarded_write`; the member has `read_only`. To qualify, ask an administrator.',
        denial_code: 'tier_insufficient',
        needed_tier: 'guarded_write',
      }),
    ])
    expect((await client.confirm(id, actor)).status).toBe(409)
    expect(gate.sandbox.messages()).toHaveLength(before)
    expect(await entryKindsOf(gate.database, account.account, id)).toEqual([
      'proposed',
      'denied',
      'decision_refused',
    ])
  })

  test('a policy that was made stricter meanwhile: 200 with the row, denied', async () => {
    const { account, client, actor, id } = await gate.openBroadcast()
    await account.setPolicy(broadcastRule('write'))
    const answer = await client.confirm(id, actor)
    expect([answer.status, answer.body.status]).toEqual([200, 'denied'])
    expect(answer.body.denial_reason).toBe(
      'This broadcast requires `write`; the member has `guarded_write`. To qualify, ask an administrator.',
    )
  })
})

test('a proposal past its expiry is closed as expired, and a decision about it answers 409', async () => {
  const { account, client, actor } = await gate.openBroadcast()
  await account.setPolicy({ expires_after_hours: 0.00001, kinds: {} })
  const [toConfirm, toCancel] = [await client.propose(actor, '1'), await client.propose(actor, '2')]
  await until('both are past their expiry', async () => Date.parse(toCancel.body.expires_at) < Date.now())
  const answers = [
    await client.confirm(toConfirm.body.id, actor),
    await client.cancel(toCancel.body.id, actor),
    await client.confirm(toConfirm.body.id, actor),
  ]
  expect(answers.map((a) => a.status)).toEqual([409, 409, 409])
  for (const { body } of [toConfirm, toCancel]) {
    const row = (await client.get(body.id)).body
    expect(row).toMatchObject({ status: 'cancelled', closed_reason: 'expired', expires_at: body.expires_at })
    expect(row).not.toHaveProperty('consent')
    expect(await entryKindsOf(gate.database, account.account, body.id)).toContain('expired')
  }
})

test('while the account is suspended a confirm answers 409 and the proposal stays open', async () => {
  const { account, client, actor, id } = await gate.openBroadcast()
  await account.suspend(true)
  const stopped = await client.confirm(id, actor)
  expect([stopped.status, stopped.body.error]).toEqual([409, expect.stringContaining('suspended')])
  expect((await client.get(id)).body).toMatchObject({ status: 'proposed' })
  await account.suspend(false)
  expect((await client.confirm(id, actor)).body.status).toBe('executed')
})

test('exactly one of 20 confirms and cancels at once wins, the others get 409, and nothing runs twice', async () => {
  for (const round of [1, 2, 3]) {
    const { account, client, actor, id } = await gate.openBroadcast()
    const before = gate.sandbox.messages().length
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        (i + round) % 2 === 0 ? client.confirm(id, actor) : client.cancel(id, actor),
      ),
    )
    const statuses = answers.map((a) => a.status).toSorted()
    expect(statuses).toEqual([200, ...Array.from({ length: 19 }, () => 409)])
    const winner = answers.find((a) => a.status === 200)!.body
    const row = (await client.get(id)).body
    expect(row).toEqual(winner)
    expect(gate.sandbox.messages().length - before).toBe(row.status === 'executed' ? 3 : 0)
    const kinds = await entryKindsOf(gate.database, account.account, id)
    expect(kinds.filter((k) => k === 'confirmed' || k === 'cancelled')).toHaveLength(1)
    expect(kinds.filter((k) => k === 'decision_refused')).toHaveLength(19)
  }
})

describe('a revocation never loses the race against a confirm', () => {
  test.each([
    [
      'the tier is set lower',
      (member: string) =>
        `update gate.member set admin_tier = 'read_only', version = version + 1 where member_id = '${member}'`,
    ],
    [
      'the policy is set stricter',
      (_: string, account: string) => `select gate.set_policy('${account}', null, 1,
        '{"kinds":{"broadcast":{"tier":"write","consent":"agent_attested"}}}', '{broadcast}', null, null, gen_random_uuid())`,
    ],
  ])('%s between its reading and its claim: the row is denied', async (_what, change) => {
    const { account, client, actor, id, proposer } = await gate.openBroadcast()
    const before = gate.sandbox.messages().length
    const answer = await overtake(
      gate.database,
      account.account,
      () => client.confirm(id, actor),
      change(proposer.memberId, account.account),
    )
    expect([answer.status, answer.body.status]).toEqual([200, 'denied'])
    expect(gate.sandbox.messages()).toHaveLength(before)
  })

  test('the account is suspended between its reading and its claim: 409', async () => {
    const { account, client, actor, id } = await gate.openBroadcast()
    const answer = await overtake(
      gate.database,
      account.account,
      () => client.confirm(id, actor),
      `update gate.account set suspended_at = now() where account_id = '${account.account}'`,
    )
    expect(answer.status).toBe(409)
    expect((await client.get(id)).body.status).toBe('proposed')
  })

  test('the tier is raised and the account suspended between its reading and its denial: nothing is denied, 409', async () => {
    const { account, client, actor, id, proposer } = await gate.openBroadcast()
    await account.setTier(proposer, 'read_only')
    const answer = await overtake(
      gate.database,
      account.account,
      () => client.confirm(id, actor),
      `update gate.member set admin_tier = 'write', version = version + 1 where member_id = '${proposer.memberId}';
       update gate.account set suspended_at = now() where account_id = '${account.account}'`,
    )
    expect([answer.status, answer.body.error]).toEqual([409, expect.stringContaining('suspended')])
    await account.suspend(false)
    expect((await client.confirm(id, actor)).body.status).toBe('executed')
  })

  test('at whatever moment it comes, no confirm stands in the ledger after it', async () => {
    for (let round = 0; round < 8; round++) {
      const { account, client, actor, id, proposer } = await gate.openBroadcast({ recipients: 1 })
      const [answer] = await Promise.all([client.confirm(id, actor), account.setTier(proposer, 'read_only')])
      const kinds = (await entriesOf(gate.database, account.account)).map((e) => e.kind)
      const revoked = kinds.lastIndexOf('tier_set')
      expect(kinds.slice(revoked)).not.toContain('confirmed')
      expect([answer.status, answer.body.status]).toEqual([
        200,
        kinds.includes('confirmed') ? 'executed' : 'denied',
      ])
    }
  })
})

test('a key that is bound to other members can neither confirm nor cancel: 404', async () => {
  const { account, client, actor, id } = await gate.openBroadcast()
  const bob = await account.addMember({ email: 'bob@example.com', tier: 'write' })
  const { key } = await account.mintKey({ actors: [bob] })
  const headers = { authorization: `Bearer ${key}` }
  const answers = await Promise.all(
    ['confirm', 'cancel'].map((verb) =>
      client.request('POST', `/api/v1/actions/${id}/${verb}`, { headers, body: { actor } }),
    ),
  )
  expect(answers.map((a) => a.status)).toEqual([404, 404])
  expect((await client.get(id)).body.status).toBe('proposed')
})

test.each(['confirm', 'cancel'])(
  'a %s without an actor, or with a field unknown to it, is refused: 422',
  async (verb) => {
    const { client, actor, id } = await gate.openBroadcast()
    const path = `/api/v1/actions/${id}/${verb}`
    const answers = [
      await client.request('POST', path, { body: {} }),
      await client.request('POST', path, { body: { actor: {} } }),
      await client.request('POST', path, { body: { actor, force: true } }),
      await client.request('POST', path, { body: { actor, id } }),
      await client.request('POST', `${path}?force=1`, { body: { actor } }),
    ]
    expect(answers.map((a) => a.status)).toEqual([422, 422, 422, 422, 422])
    expect(answers.map((a) => a.body.error)).toEqual(
      ['actor', 'email', 'force', 'id', 'force'].map((named) => expect.stringContaining(named)),
    )
    expect((await client.get(id)).body.status).toBe('proposed')
  },
)

test('the ledger names the person and the key of every step, and never has the text of the message', async () => {
  const { account, client, actor, id, proposer } = await gate.openBroadcast()
  await client.capability(actor)
  await account.addMember({ email: 'bob@example.com' })
  await client.confirm(id, { email: 'bob@example.com' })
  await client.confirm(id, actor)
  const all = await entriesOf(gate.database, account.account)
  const ofRow = all.filter((entry) => entry.actionId === id)
  expect(ofRow.map((e) => e.kind)).toEqual([
    'proposed',
    'decision_refused',
    'confirmed',
    'delivered',
    'delivered',
    'executed',
  ])
  expect(ofRow[0]!.entry).toMatchObject({ actor: proposer.memberId, key: account.keyId })
  expect(ofRow[1]!.entry.data).toEqual({ decision: 'confirm', reason: 'not_proposer', source: 'api' })
  expect(ofRow[2]!.entry).toMatchObject({
    actor: proposer.memberId,
    key: account.keyId,
    data: { strength: 'agent_attested', channel: 'api', tier: 'guarded_write' },
  })
  expect(ofRow.at(-1)!.entry).toMatchObject({ actor: 'system', data: { outcome: 'done' } })
  expect(all.find((e) => e.kind === 'checked')!.entry.data).toMatchObject({ tier: 'guarded_write' })
  expect(JSON.stringify(all)).not.toContain('Lunch')
  expect(JSON.stringify(all)).not.toContain('example.com')
  expect(all.map((e) => e.seq)).toEqual(all.map((_, i) => i + 1))
})
