import { randomBytes, randomUUID } from 'node:crypto'
import { describe, expect, test } from '@jest/globals'
import { erasePayload } from '../../src/db/queries/actions/erase.ts'
import {
  type ToolCallAsker,
  noteToolCounts,
  recordToolCalls,
  reportToolOutcome,
} from '../../src/db/queries/runner/tool-calls.ts'
import { hashKey } from '../../src/keys/api-key.ts'
import { verifyLedger } from '../../src/ledger/verify.ts'
import { adminWrite } from '../../src/db/admin-write.ts'
import { checkpointPath } from '../../src/transports/ledger-routes.ts'
import { apiClient } from '../support/api-client.ts'
import { askedInSlack, inOneLine, pressInSandbox } from '../support/consent.ts'
import { useGate } from '../support/use-gate.ts'
import { entriesOf } from '../support/ledger-entries.ts'
import { rpc } from '../support/mcp-tool.ts'
import { testHook } from '../support/runner.ts'
import { until } from '../support/until.ts'
import { testRows } from '../support/rows.ts'

const gate = useGate()

let people = 0
async function scene() {
  const account = await gate.account()
  const slack = `U000ATTK${++people}`
  const grace = await account.addMember({
    name: 'Grace Hopper',
    email: `attacked${people}@example.com`,
    slack,
    tier: 'guarded_write',
  })
  const hook = await testHook(gate, account, grace)
  const status = async (id: number) => (await account.client.get(id)).body.status
  return {
    ...account,
    grace,
    hook,
    anotherHook: () => testHook(gate, account, grace),
    rows: async () => (await account.client.list({ kind: 'runner_tool', limit: '200' })).body.actions,
    card: async () => (await askedInSlack(gate, slack)).text,
    /** Has the member asked about a call, and approves it. */
    async approved(input: Parameters<typeof hook.ask>[0], given: Parameters<typeof hook.ask>[1] = {}) {
      const { action } = await hook.ask(input, given)
      await pressInSandbox(gate, (await askedInSlack(gate, slack)).message)
      await until('the call is approved', async () => (await status(action!)) === 'executed')
      return action!
    },
    verify: () => verifyLedger(gate.database.db, account.account),
    counted: async () => {
      const [row] = await gate.database.asSuperuser(
        `select sum(allowed)::int as allowed, sum(denied)::int as denied from gate.tool_count
        where account_id = '${account.account}'`,
      )
      return row
    },
  }
}

const remove = 'rm -rf build'
const everything = (record: 'refused' | 'all') => ({
  runner: { rules: [{ tool: '*', decision: 'allow', note: 'Everything' }], record },
})

describe('an id that the runner gives twice', () => {
  test('another call with the id of an earlier one is judged by itself', async () => {
    const { hook } = await scene()
    const call = { callId: 'toolu_twice', tool: 'Read' }
    expect((await hook.ask({ file_path: '/work/project/a' }, call)).decision).toBe('allow')
    expect((await hook.ask({ file_path: '/root/.ssh/id_rsa' }, call)).decision).toBe('deny')
    expect((await hook.ask(remove, { callId: 'toolu_twice' })).decision).toBe('deny')
  })

  test.each([
    ['input', 'rm -rf src', {}],
    ['folder', remove, { cwd: '/work/other' }],
    ['tool', remove, { tool: 'Shell' }],
  ])(
    'a call with another %s and the id of an earlier one is a row and a count of its own',
    async (_, input, other) => {
      const { hook, rows, setPolicy, counted, verify } = await scene()
      await setPolicy(everything('all'))
      const callId = 'toolu_twice'
      await hook.ask(remove, { callId })
      await hook.ask(input, { callId, ...other })
      // The same call again adds no action.
      await hook.ask(remove, { callId })
      expect(await rows()).toHaveLength(2)
      expect(await counted()).toEqual({ allowed: 2, denied: 0 })
      expect(await verify()).toMatchObject({ ok: true })
    },
  )

  test('refused calls with one id are all recorded', async () => {
    const { hook, rows } = await scene()
    for (const name of ['a', 'b', 'c'])
      await hook.ask({ file_path: `/root/.ssh/${name}` }, { callId: 'toolu_twice', tool: 'Read' })
    expect(await rows()).toHaveLength(3)
  })

  test('calls without an id in two folders are two calls', async () => {
    const { hook, rows } = await scene()
    for (const cwd of ['/work/a', '/work/b'])
      await hook.ask({ file_path: '/root/.ssh/id_rsa' }, { callId: null, tool: 'Read', cwd })
    expect(await rows()).toHaveLength(2)
  })
})

describe('an approval', () => {
  testRows([
    ['1 as a text', { n: '1' }],
    ['another number', { n: 1.0000001 }],
    ['a name in another Unicode form', { n: 1, 'e\u0301': 'x' }],
    ['`__proto__` beside it', '{"n":1,"é":"x","__proto__":{"n":2}}'],
    ['a list', { n: [1] }],
  ])('is not good for another input', async (_, other) => {
    const { hook, approved } = await scene()
    const input = { n: 1, é: 'x' }
    await approved(input, { tool: 'mcp__x__y' })
    const given = typeof other === 'string' ? (JSON.parse(other) as Record<string, unknown>) : other
    expect((await hook.ask(given, { tool: 'mcp__x__y' })).decision).not.toBe('allow')
    expect((await hook.ask(input, { tool: 'mcp__x__y' })).decision).toBe('allow')
  })

  test('is not requested for a call with a number that is read as another one', async () => {
    const { hook, rows } = await scene()
    const asked = []
    for (const digits of ['9007199254740992', '9007199254740993'])
      asked.push(await hook.ask(JSON.parse(`{"id":${digits}}`), { tool: 'mcp__x__y' }))
    expect(asked).toMatchObject([{ decision: 'deny' }, { decision: 'deny' }])
    expect(asked.map(({ reason }) => reason)).toEqual([
      expect.stringContaining('send it as text'),
      expect.stringContaining('send it as text'),
    ])
    expect(await rows()).toMatchObject([
      { status: 'denied', denial_code: 'call_unreadable' },
      { status: 'denied', denial_code: 'call_unreadable' },
    ])
  })

  test('is not good for another key of the member, whatever session it names', async () => {
    const { hook, approved, anotherHook } = await scene()
    const other = await anotherHook()
    await approved(remove)
    expect((await other.ask(remove, { session: hook.session })).decision).toBe('deny')
    expect((await other.ask(remove, { session: hook.keyId })).decision).toBe('deny')
  })

  test('of a call without a session is not good for a session that has the name of its key', async () => {
    const { hook, approved, anotherHook } = await scene()
    const other = await anotherHook()
    await approved(remove, { session: '' })
    expect((await other.ask(remove, { session: hook.keyId })).decision).toBe('deny')
    expect((await hook.ask(remove, { session: hook.keyId })).decision).toBe('deny')
    expect((await hook.ask(remove, { session: '' })).decision).toBe('allow')
  })

  test('given in chat is not used where every tool call now requires a page, and a new consent request is sent', async () => {
    const { hook, approved, setPolicy } = await scene()
    const id = await approved(remove)
    await setPolicy({ kinds: { runner_tool: { tier: 'read_only', consent: 'page' } } })
    const after = await hook.ask(remove)
    expect(after).toMatchObject({ status: 200, decision: 'deny' })
    expect(after.action).not.toBe(id)
    expect(after.reason).toMatch(/Waiting for the consent/)
  })

  test('given in chat is not used where its rule now requires a page, and a new consent request is sent', async () => {
    const { hook, approved, setPolicy } = await scene()
    const id = await approved(remove)
    await setPolicy({
      runner: {
        rules: [{ tool: '*', decision: 'consent', consent: 'page', note: 'On a page' }],
        record: 'refused',
      },
    })
    const after = await hook.ask(remove)
    expect(after).toMatchObject({ status: 200, decision: 'deny' })
    expect(after.action).not.toBe(id)
  })

  test('is not used where every tool call now requires a higher tier', async () => {
    const { hook, approved, setPolicy, verify } = await scene()
    await approved(remove)
    await setPolicy({ kinds: { runner_tool: { tier: 'write', consent: 'chat' } } })
    expect(await hook.ask(remove)).toMatchObject({ status: 200, decision: 'deny' })
    expect(await verify()).toMatchObject({ ok: true })
  })

  test('is not used by a member who was demoted, nor under a policy that denies', async () => {
    const { hook, approved, setTier, setPolicy, grace } = await scene()
    await approved(remove)
    await setTier(grace, 'read_only')
    expect((await hook.ask(remove)).reason).toMatch(/requires `guarded_write`/)
    await setTier(grace, 'guarded_write')
    await setPolicy({ runner: { rules: [{ tool: '*', decision: 'deny', note: 'No' }], record: 'refused' } })
    expect((await hook.ask(remove)).decision).toBe('deny')
  })

  test('is not used after it expired', async () => {
    const { hook, account, approved } = await scene()
    const id = await approved(remove)
    await gate.database.asSuperuser(
      `update gate.tool_consent set granted_at = now() - interval '31 minutes', expires_at = now() - interval '1 minute'
      where account_id = '${account}'`,
    )
    const after = await hook.ask(remove)
    expect(after.decision).toBe('deny')
    expect(after.action).not.toBe(id)
  })

  test('of a revoked key is used by nobody', async () => {
    const { hook, approved, anotherHook, revokeKey } = await scene()
    await approved(remove)
    const other = await anotherHook()
    await revokeKey(hook.keyId)
    expect((await hook.ask(remove)).status).toBe(401)
    expect((await other.ask(remove, { session: hook.session })).decision).toBe('deny')
  })
})

describe('the key of a runner', () => {
  test('reads, decides and changes nothing, by any operation of the API or tool', async () => {
    const { hook, client } = await scene()
    const { action } = await hook.ask(remove)
    const runner = apiClient(gate.api.url, hook.key)
    const { paths } = (await client.request('GET', '/api/openapi.json')).body
    const calls = Object.entries(paths as Record<string, object>).flatMap(([path, methods]) =>
      // Operations that need no key are for everyone.
      Object.entries(methods as Record<string, { security?: [] }>)
        .filter(([, { security }]) => security?.length !== 0)
        .map(([method]) => [method.toUpperCase(), path] as const),
    )
    // The checkpoint of the epochs is for strangers: once there is one, everybody reads it, without a key.
    const open = ['/api/v1/runner/', checkpointPath]
    const asked = calls.filter(
      ([, path]) => path.startsWith('/api/v1/') && !open.some((start) => path.startsWith(start)),
    )
    expect(asked.length).toBeGreaterThan(5)
    for (const [method, path] of asked) {
      const url = path.replaceAll(/\{\w+\}/g, String(action))
      const body = method === 'GET' ? {} : { body: {} }
      const answer = await runner.request(method, url, body)
      expect([method, path, answer.status >= 400 && answer.status < 500]).toEqual([method, path, true])
      expect(JSON.stringify(answer.body)).not.toContain('rm -rf')
    }
    const tools = (await rpc(client, 'tools/list')).body.result.tools as { name: string }[]
    for (const { name } of tools) {
      const { body } = await rpc(runner, 'tools/call', { name, arguments: {} })
      expect([name, body.result?.isError ?? body.error !== undefined]).toEqual([name, true])
    }
    expect((await client.get(action!)).body.status).toBe('proposed')
  })

  test("reports nothing about another key's calls", async () => {
    const { hook, anotherHook } = await scene()
    const other = await anotherHook()
    const call = { tool: 'Read', callId: 'toolu_1', session: hook.session }
    const input = { file_path: '/work/project/a' }
    await hook.ask(input, call)
    expect((await other.report(input, call)).body).toEqual({ recorded: false })
    expect((await hook.report(input, call)).body).toEqual({ recorded: true })
  })
})

describe("a holder of the service's role", () => {
  const call = (who: Pick<ToolCallAsker, 'keyId' | 'memberId' | 'apiKey'>) => ({
    asker: {
      member: 'x',
      tier: 'guarded_write' as const,
      memberVersion: 1,
      curriculaVersion: 1,
      policyVersion: 1,
      isSuspended: false,
      ...who,
    },
    runner: 'claude',
    tool: 'Read',
    effect: 'reads' as const,
    ref: randomBytes(32),
    binding: randomBytes(32),
    hasId: true,
    decision: 'allow' as const,
    rule: 1,
    call: null,
    row: null,
  })

  test('records a call for no other key and no other member than those of the key', async () => {
    const { account, hook, grace, anotherHook, addMember } = await scene()
    const other = await anotherHook()
    const ada = await addMember({ name: 'Ada', tier: 'guarded_write' })
    const own = { keyId: hook.keyId, memberId: grace.memberId, apiKey: hashKey(hook.key) }
    const outcomes = await recordToolCalls(gate.database.db, account, [
      call(own),
      call({ ...own, keyId: other.keyId }),
      call({ ...own, keyId: 'key_made_up' }),
      call({ ...own, memberId: ada.memberId }),
    ])
    expect(outcomes.slice(1).map(({ outcome }) => outcome)).toEqual(Array(3).fill('unauthenticated'))
    expect(outcomes[0]!.outcome).not.toBe('unauthenticated')
  })

  test("reports no outcome of another key's call", async () => {
    const { account, hook, anotherHook } = await scene()
    const other = await anotherHook()
    await hook.ask({ file_path: '/work/project/a' }, { tool: 'Read' })
    const [called] = await gate.database.asSuperuser(
      `select ref from gate.tool_call where account_id = '${account}'`,
    )
    const report = (key: string) =>
      reportToolOutcome(gate.database.db, {
        account,
        apiKey: hashKey(key),
        ref: called!['ref'] as Buffer,
        outcome: 'failed',
      })
    expect(await report(other.key)).toBe(false)
    expect(await report(hook.key)).toBe(true)
  })
})

describe('the ledger', () => {
  test('verifies after every kind of tool call, repeats, long names and erased inputs', async () => {
    const { account, hook, approved, rows, setPolicy, addCurriculum, setTier, grace, verify } = await scene()
    const id = await approved('rm -rf "bäüild" \u{1f600}')
    await hook.ask('rm -rf "bäüild" \u{1f600}', { callId: 'toolu_x' })
    await hook.report('rm -rf "bäüild" \u{1f600}', { callId: 'toolu_x' })
    await addCurriculum({ slug: 'safe', title: 'Safe "tools" \\ ü', modules: 3, grants: 'write' })
    await setTier(grace, null)
    await hook.ask(remove)
    await setTier(grace, 'write')
    const note = '"\\'.repeat(100)
    await setPolicy({
      runner: {
        rules: [
          { tool: '?'.repeat(255), decision: 'deny', note },
          { tool: '*', decision: 'allow', note },
        ],
        record: 'all',
      },
    })
    const long = '"\\ü'.repeat(85)
    await Promise.all(
      Array.from({ length: 60 }, (_, at) =>
        hook.ask(
          { a: `"'${at % 20}\\`, é: [null, 1e-21, -0, true] },
          { tool: at % 3 ? long : 'T', callId: `toolu_${at % 20}` },
        ),
      ),
    )
    expect((await rows()).length).toBeGreaterThan(20)
    for (const row of (await rows()).slice(0, 30).concat([{ id, status: 'executed' }]))
      if (row.status !== 'proposed')
        await erasePayload(gate.database.db, { ...adminWrite(account), id: row.id, reason: 'Test' } as never)
    expect(await verify()).toMatchObject({ ok: true })
  }, 60_000)

  test('takes the counts of the longest names, and loses none that come later in their hour', async () => {
    const { account, hook, setPolicy, verify } = await scene()
    await setPolicy(everything('refused'))
    const names = Array.from({ length: 60 }, (_, at) => `${at}`.padEnd(255, '"\\'))
    await Promise.all(names.map((tool) => hook.ask({}, { tool })))
    const counts = async () =>
      (await entriesOf(gate.database, account))
        .filter(({ kind }) => kind === 'tool_calls_counted')
        .flatMap(({ entry }) => entry.data['counts'] as unknown[])
    // A reconciler whose clock is hours ahead.
    const clock = Date.now
    Date.now = () => clock() + 7_200_000 * 2
    try {
      await noteToolCounts(gate.database.db, account)
    } finally {
      Date.now = clock
    }
    expect(await counts()).toHaveLength(0)
    await gate.database.asSuperuser(
      `update gate.tool_count set hour = hour - interval '3 hours' where account_id = '${account}';
      update gate.tool_call set at = at - interval '3 hours' where account_id = '${account}'`,
    )
    for (let isMore = true; isMore;) isMore = await noteToolCounts(gate.database.db, account)
    expect(await counts()).toHaveLength(60)
    expect(await verify()).toMatchObject({ ok: true })
  }, 60_000)
})

describe('the stop switch', () => {
  test('ends a request that waits, and denies the hook that waits for it', async () => {
    const { hook, suspend, card, verify } = await scene()
    const waiting = hook.ask(remove, { wait: 6 })
    await card()
    await suspend(true)
    expect((await waiting).decision).not.toBe('allow')
    expect((await hook.ask({ file_path: '/work/project/a' }, { tool: 'Read' })).reason).toMatch(/suspended/)
    expect(await verify()).toMatchObject({ ok: true })
  }, 30_000)
})

describe('the card', () => {
  test('shows names of fields that are sentences as text of the agent, and none of them as a label', async () => {
    const { hook, card } = await scene()
    await hook.ask(
      { 'Checked by: your administrator\nApproved already': 'x', '*Requested by*': 'Ada' },
      { tool: 'mcp__x__y' },
    )
    const text = await card()
    for (const line of text.split('\n').filter((one) => /administrator|already|Ada\b|\*Requested/.test(one)))
      expect(line).toMatch(/^[│┊] /)
    expect(inOneLine(text)).toMatch(/administrator/)
  })

  test('shows every field, also where secrets in two names are masked alike', async () => {
    const { hook, card } = await scene()
    const name = (end: string) => `sk-${'a'.repeat(30)}${end}`
    await hook.ask({ [name('b')]: 'rm first', [name('c')]: 'rm second' }, { tool: 'mcp__x__y' })
    const text = await card()
    expect(text).toMatch(/rm first/)
    expect(text).toMatch(/rm second/)
  })

  test('hides no command as a secret', async () => {
    const { hook, card } = await scene()
    await hook.ask(
      'env "token=" rm -rf src ""; PASSWORD="$(make evil)" npm test; echo -----BEGIN PRIVATE KEY-----; rm x',
      {
        callId: randomUUID(),
      },
    )
    const text = inOneLine(await card())
    for (const part of ['rm -rf src', 'make evil', 'rm x']) expect(text).toContain(part)
  })

  test('of a thousand fields is shown whole, or the call is denied', async () => {
    const { hook, rows } = await scene()
    const input = Object.fromEntries(Array.from({ length: 1_500 }, (_, at) => [`f${at}`, at]))
    expect((await hook.ask(input, { tool: 'mcp__x__y' })).decision).toBe('deny')
    expect((await rows())[0].status).toMatch(/denied|proposed/)
  })
})
