import { randomUUID } from 'node:crypto'
import { describe, expect, test } from '@jest/globals'
import { GateError } from '../../src/errors.ts'
import { useGate } from '../support/use-gate.ts'
import { entryKindsOf } from '../support/ledger-entries.ts'
import { runnerScene } from '../support/runner-scene.ts'
import { shorten } from '../support/shorten.ts'
import { until } from '../support/until.ts'

const gate = useGate()

const scene = (tier?: 'read_only' | 'guarded_write') => runnerScene(gate, tier)

const remove = 'rm -rf build'

describe('calls that the rules decide', () => {
  test('a call that only reads is allowed, without a row', async () => {
    const { hook, rows } = await scene('read_only')
    const answer = await hook.ask({ file_path: '/work/project/README.md' }, { tool: 'Read' })
    expect(answer).toMatchObject({ status: 200, decision: 'allow' })
    expect(await rows()).toEqual([])
  })

  test('a call that a rule denies is a denied row with its reason', async () => {
    const { hook, row, rows, verify } = await scene()
    const answer = await hook.ask({ file_path: '/root/.ssh/id_ed25519' }, { tool: 'Read', callId: 'toolu_1' })
    expect(answer).toMatchObject({ status: 200, decision: 'deny' })
    expect(await row(answer.action!)).toMatchObject({
      kind: 'runner_tool',
      status: 'denied',
      source: 'runner',
      denial_code: 'runner_rule',
      requires_confirmation: false,
      payload: {
        runner: 'claude',
        tool: 'Read',
        call_id: 'toolu_1',
        cwd: '/work/project',
        effect: 'credentials',
      },
    })
    expect(await rows()).toHaveLength(1)
    expect(await verify()).toMatchObject({ ok: true })
  })

  test('a member whose tier is too low is denied, with the tier that would suffice', async () => {
    const { hook, row } = await scene('read_only')
    const answer = await hook.ask(remove)
    expect(answer.decision).toBe('deny')
    expect(await row(answer.action!)).toMatchObject({
      status: 'denied',
      denial_code: 'tier_insufficient',
      needed_tier: 'guarded_write',
    })
  })

  test('the same call asked again gets the same answer and no second row', async () => {
    const { hook, rows } = await scene('read_only')
    const asked = { callId: 'toolu_same' }
    const answers = await Promise.all([hook.ask(remove, asked), hook.ask(remove, asked)])
    expect(new Set(answers.map(({ action }) => action)).size).toBe(1)
    expect(await rows()).toHaveLength(1)
  })

  test('a call without an id counts as the same one within ten seconds', async () => {
    const { hook, rows } = await scene('read_only')
    await hook.ask(remove, { callId: null })
    await hook.ask(remove, { callId: null })
    await hook.ask(`${remove} dist`, { callId: null })
    expect(await rows()).toHaveLength(2)
  })

  test('every call is a row where the policy says so', async () => {
    const { hook, rows, setPolicy, verify } = await scene()
    await setPolicy({
      runner: { rules: [{ tool: '*', decision: 'allow', note: 'Everything' }], record: 'all' },
    })
    await hook.ask(remove)
    const [row] = await rows()
    expect(row).toMatchObject({
      status: 'executed',
      requires_confirmation: false,
      result: { outcome: 'done' },
    })
    expect(await verify()).toMatchObject({ ok: true })
  })

  test('the canary of a hook is denied whatever the rules say', async () => {
    const { hook, row, setPolicy } = await scene()
    await setPolicy({
      runner: { rules: [{ tool: '*', decision: 'allow', note: 'Everything' }], record: 'refused' },
    })
    const answer = await hook.ask({}, { tool: 'gate_canary' })
    expect(answer.decision).toBe('deny')
    expect(await row(answer.action!)).toMatchObject({ status: 'denied', denial_code: 'canary' })
  })

  test('a suspended account denies every call', async () => {
    const { hook, row, suspend } = await scene()
    await suspend(true)
    const answer = await hook.ask({ file_path: '/work/project/README.md' }, { tool: 'Read' })
    expect(answer.decision).toBe('deny')
    expect(await row(answer.action!)).toMatchObject({ denial_code: 'account_suspended' })
  })

  test('a body that cannot be read is denied, as a row', async () => {
    const { hook, row } = await scene()
    const answer = await hook.ask({}, { tool: '' })
    expect(answer.decision).toBe('deny')
    expect(await row(answer.action!)).toMatchObject({ denial_code: 'call_unreadable' })
  })
})

describe('calls that need consent', () => {
  test('a call is denied until its member approves it, and then runs once', async () => {
    const { hook, row, rows, decide, isGranted, account, verify } = await scene()
    const asked = await hook.ask(remove)
    expect(asked).toMatchObject({ decision: 'deny' })
    expect(asked.reason).toMatch(/call again unchanged/)
    const id = asked.action!
    expect(await row(id)).toMatchObject({ status: 'proposed', source: 'runner', consent_required: 'chat' })

    await decide('approve')
    await isGranted(id)
    expect(await hook.ask(remove)).toMatchObject({ decision: 'allow', action: id })
    expect(await entryKindsOf(gate.database, account, id)).toEqual([
      'proposed',
      'consent_requested',
      'consent_message_frozen',
      'confirmed',
      'executed',
      'grant_used',
    ])
    // The next call is another one.
    const again = await hook.ask(remove)
    expect(again.decision).toBe('deny')
    expect(again.action).not.toBe(id)
    expect(await rows()).toHaveLength(2)
    expect(await verify()).toMatchObject({ ok: true })
  })

  test('a hook that waits is answered when the member approves', async () => {
    const { hook, decide } = await scene()
    const waiting = hook.ask(remove, { wait: 20 })
    await decide('approve')
    expect(await waiting).toMatchObject({ decision: 'allow' })
  })

  test('a hook that waits is answered when the member declines, and the next call is not asked about', async () => {
    const { hook, decide, rows } = await scene()
    const waiting = hook.ask(remove, { wait: 20 })
    await decide('decline')
    expect((await waiting).reason).toMatch(/declined/)
    expect((await hook.ask(remove)).reason).toMatch(/declined/)
    const statuses = (await rows()).map((row: { status: string }) => row.status)
    expect(statuses.toSorted()).toEqual(['cancelled', 'denied'])
  })

  test('a hook that waits is not told that nothing was changed when the database is lost: the member was asked', async () => {
    const { hook, rows } = await scene()
    const restore = shorten({ awaitPollMs: 200 })
    const waiting = hook.ask(remove, { wait: 20 }).finally(restore)
    await until('the member is asked', async () => (await rows())[0]?.['consent_request']?.requested_via)
    const { db } = gate.deps
    const { read } = db
    db.read = () => {
      const lost = new GateError('unavailable', 'The database cannot be reached. Nothing was changed.')
      return Promise.reject(Object.assign(lost, { cause: new Error('ECONNREFUSED') }))
    }
    const { status, body } = await waiting.finally(() => (db.read = read))
    expect([status, body.code]).toEqual([503, 'outcome_unknown'])
    expect(await rows()).toHaveLength(1)
  })

  test('headless Claude Code gets `defer`, and the same call is allowed when it is resumed', async () => {
    const { hook, decide, isGranted } = await scene()
    const call = {
      callId: `toolu_${randomUUID()}`,
      query: { headless: '1' },
      headers: { 'x-runner-entrypoint': 'sdk-cli' },
    }
    const deferred = await hook.ask(remove, call)
    expect(deferred.decision).toBe('defer')
    await decide('approve')
    await isGranted(deferred.action!)
    expect(await hook.ask(remove, call)).toMatchObject({ decision: 'allow' })
    // Its answer may have been lost, but the tool may also have run.
    expect((await hook.ask(remove, call)).reason).toMatch(/already used/)
  })

  test.each([
    [
      'its installation does not say that it has no terminal',
      { headers: { 'x-runner-entrypoint': 'sdk-cli' } },
    ],
    ['its process does not say so', { query: { headless: '1' } }],
    ['it was started at a terminal', { query: { headless: '1' }, headers: { 'x-runner-entrypoint': 'cli' } }],
    [
      'a subagent asks',
      { query: { headless: '1' }, headers: { 'x-runner-entrypoint': 'sdk-cli' }, agent: 'agent_1' },
    ],
  ])('Claude Code gets no `defer` where %s: it would run the call', async (_, given) => {
    const { hook } = await scene()
    expect((await hook.ask(remove, given)).decision).toBe('deny')
  })

  test('two equal calls at once make one row that is asked about, and one call runs', async () => {
    const { hook, decide, rows } = await scene()
    const waiting = Promise.all([hook.ask(remove, { wait: 8 }), hook.ask(remove, { wait: 8 })])
    await decide('approve')
    const decisions = (await waiting).map(({ decision }) => decision).toSorted()
    expect(decisions).toEqual(['allow', 'deny'])
    expect((await rows()).filter((row: { status: string }) => row.status === 'executed')).toHaveLength(1)
  })

  test.each([
    ['one byte changed', { input: 'rm -rf Build' }],
    ['another folder', { cwd: '/work/other' }],
    ['another session', { session: randomUUID() }],
    ['another tool', { tool: 'Shell' }],
  ])('an approval is not good for %s', async (_, change) => {
    const { hook, decide, isGranted } = await scene()
    const asked = await hook.ask(remove)
    await decide('approve')
    await isGranted(asked.action!)
    const { input = remove, ...given } = change as { input?: string }
    expect(await hook.ask(input, given)).toMatchObject({ decision: 'deny' })
    expect(await hook.ask(remove)).toMatchObject({ decision: 'allow' })
  })

  test('an approval is not good for the hook of another member', async () => {
    const { hook, decide, isGranted, addMember, anotherHook } = await scene()
    const asked = await hook.ask(remove)
    await decide('approve')
    await isGranted(asked.action!)
    const ada = await addMember({ name: 'Ada', slack: 'U0000ADAR1', tier: 'guarded_write' })
    const other = await anotherHook(ada)
    expect(await other.ask(remove, { session: hook.session })).toMatchObject({ decision: 'deny' })
  })

  test('suspending the account ends an approval that was not used, and resuming does not bring it back', async () => {
    const { account, hook, decide, isGranted, suspend, verify } = await scene()
    const asked = await hook.ask(remove)
    await decide('approve')
    await isGranted(asked.action!)
    await suspend(true)
    expect((await hook.ask(remove)).decision).toBe('deny')
    await suspend(false)
    const after = await hook.ask(remove)
    expect(after.decision).toBe('deny')
    expect(after.action).not.toBe(asked.action)
    // The ledger records why it ended before its time, so it is no finding; that it goes on in spite of the suspension is one.
    expect(await verify()).toMatchObject({ ok: true })
    const endsLater = `update gate.tool_consent set expires_at = granted_at + interval '30 minutes'`
    await gate.database.asSuperuser(`${endsLater} where account_id = '${account}' and granted_at is not null`)
    expect(await verify()).toMatchObject({
      ok: false,
      place: `action ${asked.action}`,
      problem: 'the end of its consent does not match the ledger',
    })
  })

  test('suspending the account leaves an approval that was used before as it was', async () => {
    const { account, hook, decide, isGranted, suspend, verify } = await scene()
    const asked = await hook.ask(remove)
    await decide('approve')
    await isGranted(asked.action!)
    expect((await hook.ask(remove)).decision).toBe('allow')
    await suspend(true)
    expect(await verify()).toMatchObject({ ok: true })
    await gate.database.asSuperuser(
      `update gate.tool_consent set expires_at = clock_timestamp() where account_id = '${account}' and granted_at is not null`,
    )
    expect(await verify()).toMatchObject({ ok: false, place: `action ${asked.action}` })
  })

  test('neither the key of the runner nor another one can confirm the call', async () => {
    const { hook, grace, client, row, mintKey } = await scene()
    const { action: id } = await hook.ask(remove)
    const byRunner = await client.request('POST', `/api/v1/actions/${id}/confirm`, {
      body: { actor: { email: grace.email } },
      headers: { authorization: `Bearer ${hook.key}` },
    })
    expect(byRunner.status).toBe(403)
    const { key } = await mintKey()
    const byOther = await client.request('POST', `/api/v1/actions/${id}/confirm`, {
      body: { actor: { email: grace.email } },
      headers: { authorization: `Bearer ${key}` },
    })
    expect(byOther.status).toBe(202)
    expect(await row(id!)).toMatchObject({ status: 'proposed' })
  })
})

describe('facts that were read for an earlier call', () => {
  const read = { tool: 'Read' }
  const readme = { file_path: '/work/project/README.md' }
  const edit = [
    { file_path: '/work/project/README.md', old_string: 'a', new_string: 'b' },
    { tool: 'Edit' },
  ] as const

  test('a key that was revoked since is refused, and so is its report', async () => {
    const { hook, revokeKey } = await scene()
    const call = { ...read, callId: 'toolu_before' }
    expect((await hook.ask(readme, call)).decision).toBe('allow')
    await revokeKey(hook.keyId)
    expect((await hook.ask(readme, read)).status).toBe(401)
    expect((await hook.ask(remove)).status).toBe(401)
    expect((await hook.report(readme, call)).status).toBe(401)
  })

  test('a tier, a policy and a suspension that changed since decide', async () => {
    const { hook, grace, setTier, setPolicy, suspend } = await scene()
    expect((await hook.ask(...edit)).decision).toBe('allow')
    await setTier(grace, 'read_only')
    expect((await hook.ask(...edit)).reason).toMatch(/requires `guarded_write`/)
    await setTier(grace, 'guarded_write')
    expect((await hook.ask(...edit)).decision).toBe('allow')
    await setPolicy({
      runner: { rules: [{ tool: '*', decision: 'deny', note: 'Not today' }], record: 'refused' },
    })
    expect((await hook.ask(...edit)).reason).toMatch(/Not today/)
    await setPolicy({})
    await suspend(true)
    expect((await hook.ask(...edit)).reason).toMatch(/suspended/)
    await suspend(false)
    expect((await hook.ask(...edit)).decision).toBe('allow')
  })

  test('a member who was deactivated since has no key', async () => {
    const { hook, grace, setActive } = await scene()
    expect((await hook.ask(readme, read)).decision).toBe('allow')
    await setActive(grace, false)
    expect((await hook.ask(readme, read)).status).toBe(401)
  })
})

describe('outcomes', () => {
  test('a runner reports whether an allowed call ran', async () => {
    const { hook } = await scene()
    const call = { tool: 'Read', callId: 'toolu_read' }
    const input = { file_path: '/work/project/README.md' }
    await hook.ask(input, call)
    expect((await hook.report(input, call)).body).toEqual({ recorded: true })
    expect((await hook.report(input, call)).body).toEqual({ recorded: false })
    expect((await hook.report(input, { ...call, callId: 'toolu_other' })).body).toEqual({ recorded: false })
  })
})

describe('keys', () => {
  test('the key of a runner can do nothing else, and no other key can ask about tool calls', async () => {
    const { hook, client, mintKey } = await scene()
    const headers = { authorization: `Bearer ${hook.key}` }
    expect((await client.request('GET', '/api/v1/actions', { headers })).status).toBe(403)
    const { key } = await mintKey()
    const asked = await client.request('POST', '/api/v1/runner/tool-calls?runner=claude', {
      body: {},
      headers: { authorization: `Bearer ${key}` },
    })
    expect(asked.status).toBe(403)
  })

  test('a revoked key is refused', async () => {
    const { hook, revokeKey } = await scene()
    await revokeKey(hook.keyId)
    expect((await hook.ask('ls')).status).toBe(401)
  })
})
