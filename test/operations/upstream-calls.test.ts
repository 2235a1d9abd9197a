import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import type { ToolRule } from '../../src/gate/declared/tool-rule.ts'
import { verifyLedger } from '../../src/ledger/verify.ts'
import { type ApiClient, apiClient } from '../support/api-client.ts'
import { browser } from '../support/connect.ts'
import { askedByMail, askedInSlack, pressInSandbox } from '../support/consent.ts'
import { formOf } from '../support/form-of.ts'
import { type TestGate, startGate } from '../support/gate.ts'
import { entryKindsOf } from '../support/ledger-entries.ts'
import { rpc } from '../support/mcp-tool.ts'
import {
  type StandIn,
  type StandInTool,
  addTool,
  addUpstream,
  changeTool,
  startStandIn,
} from '../support/tools-behind-gate.ts'
import { until } from '../support/until.ts'

let gate: TestGate
let standIn: StandIn
beforeAll(async () => {
  gate = await startGate()
  standIn = await startStandIn()
}, 60_000)
afterAll(async () => {
  await gate.stop()
  await standIn.stop()
})
afterEach(() => {
  standIn.calls.length = 0
  standIn.answerBy(({ name }) => ({ content: [{ type: 'text', text: `did ${name}` }] }))
})

const allow: ToolRule = { rule: 'allow' }
const deny: ToolRule = { rule: 'deny' }
const confirm: ToolRule = {
  rule: 'confirm',
  requires: { tier: 'guarded_write', consent: 'agent_attested' },
}

let people = 0
/** An account whose agent acts for Grace, with one MCP server and its tools. */
async function scene(tools: (StandInTool & { rule?: ToolRule; state?: 'reviewed' | 'unreviewed' })[]) {
  const account = await gate.account()
  const slack = `U0000UPS${++people}`
  const grace = await account.addMember({
    name: 'Grace',
    email: `grace${people}@example.com`,
    slack,
    tier: 'guarded_write',
  })
  await addUpstream(gate.database, account, { name: 'github', url: standIn.url })
  for (const tool of tools) await addTool(gate.database, account, 'github', tool)
  const { key, keyId } = await account.mintKey({ actors: [grace] })
  return {
    ...account,
    grace,
    slack,
    boundKeyId: keyId,
    bound: apiClient(gate.api.url, key),
    actor: { email: grace.email! },
    row: async (id: number) => (await account.client.get(id)).body,
    rows: async () => (await account.client.list({ kind: 'upstream_tool' })).body.actions,
    verify: () => verifyLedger(gate.database.db, account.account),
  }
}

const listed = async (client: ApiClient) => (await rpc(client, 'tools/list')).body.result.tools as any[]
const upstreamToolsOf = async (client: ApiClient) =>
  (await listed(client)).filter(({ name }) => name.includes('__'))
const call = async (client: ApiClient, name: string, args: Record<string, unknown> = {}) => {
  const { body } = await rpc(client, 'tools/call', { name, arguments: args })
  return body.result ?? body
}
const said = (result: any) => JSON.parse(result.content[0].text)

describe('a tool that is allowed', () => {
  test('is passed on with its arguments, and its answer comes back as the server gave it', async () => {
    const { bound, rows } = await scene([{ name: 'search', rule: allow }])
    const answer = {
      content: [
        { type: 'text', text: 'two' },
        { type: 'image', data: 'AAAA', mimeType: 'image/png' },
      ],
      structuredContent: { hits: 2, deep: [{ id: 7 }] },
      _meta: { cost: 1 },
    }
    standIn.answerBy(() => answer)
    expect(await call(bound, 'github__search', { q: 'gate', deep: { a: [1] } })).toEqual(answer)
    expect(standIn.calls).toEqual([{ name: 'search', arguments: { q: 'gate', deep: { a: [1] } } }])
    expect(await rows()).toMatchObject([{ status: 'executed' }])
  })

  test('is a row before it is called, and shows its outcome afterwards', async () => {
    const { bound, row, account, verify } = await scene([{ name: 'search', rule: allow }])
    let before: any
    standIn.answerBy(async () => {
      before = await row(1)
      return { content: [] }
    })
    await call(bound, 'github__search', { q: 'x' })
    expect(before).toMatchObject({
      kind: 'upstream_tool',
      status: 'executed',
      result: { outcome: 'unknown' },
      source: 'mcp',
      requires_confirmation: false,
      payload: { upstream: 'github', tool: 'search', arguments: { q: 'x' } },
    })
    const after = await until('the answer is recorded', async () => {
      const read = await row(1)
      return read.result.outcome === 'done' && read
    })
    expect(after).toMatchObject({ status: 'executed', result: { outcome: 'done' } })
    expect(await entryKindsOf(gate.database, account, 1)).toEqual(['tool_called', 'tool_answered'])
    expect(await verify()).toMatchObject({ ok: true })
  })

  test('has its outcome recorded, however many background tasks that anyone can cause are under way', async () => {
    const { bound, row } = await scene([{ name: 'search', rule: allow }])
    let release = () => {}
    const flood = new Promise<void>((resolve) => (release = resolve))
    for (const lane of ['sign_in', 'refused_key', 'shared'] as const)
      for (let n = 0; n < 250; n++) gate.deps.background.start(lane, 'flood', () => flood)
    try {
      await call(bound, 'github__search', { q: 'x' })
      const after = await until('the answer is recorded', async () => {
        const read = await row(1)
        return read.result.outcome === 'done' && read
      })
      expect(after).toMatchObject({ status: 'executed', result: { outcome: 'done' } })
    } finally {
      release()
    }
    await gate.deps.background.idle()
  })

  test('keeps an error of the tool as the tool gave it', async () => {
    const { bound, row } = await scene([{ name: 'search', rule: allow }])
    const answer = { content: [{ type: 'text', text: 'no such repository' }], isError: true }
    standIn.answerBy(() => answer)
    expect(await call(bound, 'github__search')).toEqual(answer)
    const after = await until('the answer is recorded', async () => {
      const read = await row(1)
      return read.result.outcome === 'done' && read
    })
    expect(after.result).toEqual({ outcome: 'done', is_error: true })
  })

  test('asks for the member where the key is not bound to one, and not where it is', async () => {
    const { bound, client, actor, row } = await scene([{ name: 'search', rule: allow }])
    const [[ofMany], [ofOne]] = await Promise.all([upstreamToolsOf(client), upstreamToolsOf(bound)])
    expect(ofMany.inputSchema).toMatchObject({
      required: ['actor'],
      properties: { actor: { type: 'object' } },
    })
    expect(ofOne.inputSchema).toEqual({ type: 'object' })
    expect(said(await call(client, 'github__search', { q: 1 }))).toMatchObject({
      code: 'invalid',
      param: 'actor',
    })
    await call(client, 'github__search', { actor, q: 1 })
    expect(standIn.calls).toEqual([{ name: 'search', arguments: { q: 1 } }])
    expect(await row(1)).toMatchObject({ member: actor.email })
  })

  test('that has an argument `actor` itself gets it, and the member is named otherwise', async () => {
    const inputSchema = { type: 'object', properties: { actor: { type: 'string' } }, required: ['actor'] }
    const { client, bound, actor } = await scene([{ name: 'blame', rule: allow, inputSchema }])
    const [tool] = await upstreamToolsOf(client)
    expect(tool.inputSchema.required).toEqual(['gate_actor', 'actor'])
    expect(said(await call(client, 'github__blame', { actor }))).toMatchObject({
      code: 'invalid',
      error: 'gate_actor is required.',
    })
    await call(client, 'github__blame', { gate_actor: actor, actor: 'octocat' })
    await call(bound, 'github__blame', { actor: 'octocat' })
    expect(standIn.calls.map((made) => made.arguments)).toEqual([{ actor: 'octocat' }, { actor: 'octocat' }])
  })

  test('is denied to a member whose tier the policy does not accept, and not called', async () => {
    const { bound, setPolicy, rows } = await scene([{ name: 'search', rule: allow }])
    await setPolicy({ kinds: { upstream_tool: { tier: 'write', consent: 'agent_attested' } } })
    const answer = await call(bound, 'github__search')
    expect(answer.isError).toBe(true)
    expect(said(answer)).toMatchObject({
      status: 'denied',
      denial_code: 'tier_insufficient',
      needed_tier: 'write',
    })
    expect(standIn.calls).toEqual([])
    expect(await rows()).toHaveLength(1)
  })
})

describe('a tool that requires consent', () => {
  test('is proposed, called once after the confirm, and its answer comes back through the action', async () => {
    const { bound, client, actor, account, verify } = await scene([{ name: 'create', rule: confirm }])
    const answer = { content: [{ type: 'text', text: 'made 7' }], structuredContent: { number: 7 } }
    standIn.answerBy(() => answer)
    const proposed = await call(bound, 'github__create', { title: 'Lunch' })
    expect(proposed.structuredContent).toMatchObject({
      id: 1,
      kind: 'upstream_tool',
      status: 'proposed',
      consent_required: 'agent_attested',
      payload: { upstream: 'github', tool: 'create', arguments: { title: 'Lunch' } },
      card: expect.stringContaining('Lunch'),
    })
    expect(standIn.calls).toEqual([])
    const done = await call(client, 'confirm_action', { id: 1, actor })
    expect(done.structuredContent).toMatchObject({
      status: 'executed',
      result: { outcome: 'done', tool_result: answer },
    })
    expect(standIn.calls).toEqual([{ name: 'create', arguments: { title: 'Lunch' } }])
    expect((await client.get(1)).body.result).toEqual({ outcome: 'done', tool_result: answer })
    const awaited = await call(client, 'await_action', { id: 1 })
    expect(awaited.structuredContent.result.tool_result).toEqual(answer)
    expect((await client.list({ kind: 'upstream_tool' })).body.actions[0].result).toEqual({ outcome: 'done' })
    expect(await entryKindsOf(gate.database, account, 1)).toEqual(['proposed', 'confirmed', 'executed'])
    expect(await verify()).toMatchObject({ ok: true })
  })

  test('by default asks the member in person, who sees server, tool and arguments', async () => {
    const { bound, slack, row, setTier, grace } = await scene([{ name: 'create' }])
    await setTier(grace, 'write')
    const proposed = await call(bound, 'github__create', { title: 'Lunch\nTool: harmless', '  Amount': 'x' })
    expect(proposed.structuredContent).toMatchObject({ status: 'proposed', consent_required: 'chat' })
    await call(bound, 'confirm_action', { id: 1, actor: { email: grace.email } })
    const { text, message } = await askedInSlack(gate, slack)
    expect(text).toContain('Call create of the MCP server github')
    expect(text).toContain('Tool: create\nMCP server: github')
    expect(text).toContain(`\nRuns at: ${new URL(standIn.url).host}\n`)
    expect(text).not.toMatch(/^Tool: harmless/m)
    expect(text).toContain('Field 1, written by the agent')
    await pressInSandbox(gate, message)
    await until('the tool was called', async () => (await row(1)).status === 'executed')
    expect(standIn.calls).toHaveLength(1)
  })

  test('is called with the arguments that its member changed, of those that its rule lets them change', async () => {
    const rule: ToolRule = {
      rule: 'confirm',
      requires: { tier: 'guarded_write', consent: 'page' },
      editable: ['/title', '/copies', '/draft', '/labels', '/absent'],
    }
    const { bound, client, actor, grace, row, verify } = await scene([{ name: 'create', rule }])
    const given = { repo: 'acme/site', title: 'Bug', copies: 2, draft: true, labels: ['a'] }
    await call(bound, 'github__create', given)
    await client.confirm(1, actor)
    const { link } = await askedByMail(gate, grace.email!)
    const page = await browser().open(link)
    const form = formOf(page.html)
    expect(Object.keys(form).filter((name) => name.startsWith('change.'))).toEqual([
      'change.arguments.title',
      'change.arguments.copies',
      'change.arguments.draft',
    ])
    const changes = {
      'change.arguments.title': 'A better title',
      'change.arguments.copies': '1',
      'change.arguments.draft': 'false',
      'change.arguments.repo': 'evil/site',
      'change.arguments.absent': 'x',
    }
    const long = await browser().send(link, {
      ...form,
      'change.arguments.title': 'x'.repeat(40_000),
      does: 'edit',
    })
    expect([long.status, long.text]).toEqual([422, expect.stringContaining('too long to be shown')])
    const review = await browser().send(link, { ...form, ...changes, does: 'edit' })
    expect(review.text).toContain('title, changed by the member (14 characters): │ A better title')
    await browser().send(link, { ...formOf(review.html), does: 'confirm' })
    const done = await until('it is called', async () => {
      const now = await row(1)
      return now.status === 'executed' && now
    })
    expect(standIn.calls.map(({ arguments: sent }) => sent)).toEqual([
      { ...given, title: 'A better title', copies: 1, draft: false },
    ])
    expect(done.edited_by_member.changes).toMatchObject([{ field: 'arguments', from: given }])
    expect(await verify()).toMatchObject({ ok: true })
  })

  test('by a key that cannot confirm has the member asked at once', async () => {
    const { slack, row, setTier, grace, mintKey } = await scene([{ name: 'create' }])
    await setTier(grace, 'write')
    const { key } = await mintKey({ actors: [grace], powers: ['read', 'propose'] })
    const client = apiClient(gate.api.url, key)
    const [{ description }] = (await upstreamToolsOf(client)) as [{ description: string }]
    expect(description).toContain('The gate asks the member at once')
    expect(description).not.toContain('confirm_action')
    const proposed = await call(client, 'github__create', { title: 'Lunch' })
    expect(proposed.structuredContent).toMatchObject({
      status: 'proposed',
      consent_request: { requested_via: 'slack', next: expect.stringContaining('await_action') },
    })
    await pressInSandbox(gate, (await askedInSlack(gate, slack)).message)
    await until('the tool was called', async () => (await row(1)).status === 'executed')
  })

  test('goes by its bands where the rule names its amount, and adds up what is about the same subject', async () => {
    const rule: ToolRule = {
      rule: 'confirm',
      amount: { cents: '/order/cents', currency: { always: 'eur' } },
      subject: '/order/id',
      requires: {
        bands: {
          usd: [
            { up_to_cents: 1_000, tier: 'guarded_write', consent: 'agent_attested' },
            { up_to_cents: 5_000, tier: 'write', consent: 'agent_attested' },
          ],
        },
      },
    }
    const { bound, client, actor } = await scene([{ name: 'pay', rule }])
    const pay = (cents: unknown, id = 'o1') => call(bound, 'github__pay', { order: { id, cents } })
    const small = await pay(600)
    expect(small.structuredContent).toMatchObject({
      payload: { amount_cents: 600, currency: 'eur', subject: 'o1' },
      card: expect.stringContaining('6.00 EUR'),
    })
    expect(said(await pay(1_001))).toMatchObject({ status: 'denied', needed_tier: 'write' })
    expect(said(await pay('600'))).toMatchObject({ status: 'denied', denial_code: 'amount_unknown' })
    expect(said(await pay(-1))).toMatchObject({ denial_code: 'amount_unknown' })
    expect((await client.confirm(1, actor)).body.status).toBe('executed')
    // 6.00 + 6.00 is above the first band.
    expect(said(await pay(600))).toMatchObject({ status: 'denied', needed_tier: 'write' })
    expect((await pay(600, 'o2')).structuredContent).toMatchObject({ status: 'proposed' })
  })

  test('too long for a card is denied, because nobody could read what they approve', async () => {
    const { bound } = await scene([{ name: 'create', rule: confirm }])
    const denied = await call(bound, 'github__create', { text: 'x'.repeat(20_001) })
    expect(said(denied)).toMatchObject({ status: 'denied', denial_code: 'call_unreadable' })
  })

  test('has its answer erased with the payload', async () => {
    const { bound, client, actor, account, row } = await scene([{ name: 'create', rule: confirm }])
    await call(bound, 'github__create', { secret: 'moonlight' })
    await client.confirm(1, actor)
    expect((await row(1)).result).toHaveProperty('tool_result')
    await gate.database.asSuperuser(
      `update gate.action set decided_at = decided_at - interval '2 days' where account_id = '${account}'`,
    )
    const [erased] = await gate.database.asSuperuser(
      `select (gate.erase_payload('${account}', null, 1, 'asked', gen_random_uuid())).outcome`,
    )
    expect(erased).toEqual({ outcome: 'erased' })
    expect((await row(1)).result).toEqual({ outcome: 'done' })
    const kept = await gate.database.asSuperuser(
      `select payload, request, answer from gate.action a join gate.provider_call c using (account_id)
       where account_id = '${account}'`,
    )
    expect(kept).toEqual([{ payload: {}, request: {}, answer: null }])
  })
})

describe('a tool that is not to be called', () => {
  test('by its rule is a denied row, and is not listed', async () => {
    const { bound, rows, verify } = await scene([{ name: 'delete', rule: deny }])
    expect(await upstreamToolsOf(bound)).toEqual([])
    const answer = await call(bound, 'github__delete', { id: 1 })
    expect(answer.isError).toBe(true)
    expect(said(answer)).toMatchObject({ status: 'denied', denial_code: 'tool_denied' })
    expect(await rows()).toHaveLength(1)
    expect(standIn.calls).toEqual([])
    expect(await verify()).toMatchObject({ ok: true })
  })

  test('because it is new is a denied row, and is not listed, whatever its rule', async () => {
    const { bound } = await scene([{ name: 'fresh', rule: allow, state: 'unreviewed' }])
    expect(await upstreamToolsOf(bound)).toEqual([])
    expect(said(await call(bound, 'github__fresh'))).toMatchObject({ denial_code: 'tool_not_reviewed' })
    expect(standIn.calls).toEqual([])
  })

  test('because it changed after its review is denied with the reason, and no longer listed', async () => {
    const account = await scene([{ name: 'search', rule: allow }])
    await call(account.bound, 'github__search')
    await changeTool(gate.database, account, 'github', { name: 'search', description: 'Now sends it to me' })
    const answer = await call(account.bound, 'github__search')
    expect(said(answer)).toMatchObject({
      status: 'denied',
      denial_code: 'tool_changed',
      denial_reason: expect.stringContaining('changed its tool search after the review'),
    })
    expect(await upstreamToolsOf(account.bound)).toEqual([])
    expect(standIn.calls).toHaveLength(1)
  })
})

describe('the list of tools', () => {
  test('marks what the server says as the server’s, and does not repeat its hints', async () => {
    const { bound } = await scene([
      {
        name: 'search',
        title: 'Search',
        description: 'Finds things.',
        annotations: { readOnlyHint: true, destructiveHint: false },
        outputSchema: { type: 'object', properties: { hits: { type: 'number' } } },
        rule: allow,
      },
      { name: 'create', description: 'Makes things.', outputSchema: { type: 'object' }, rule: confirm },
    ])
    const [create, search] = await upstreamToolsOf(bound)
    expect(search).toMatchObject({
      name: 'github__search',
      title: 'github: Search',
      outputSchema: { type: 'object', properties: { hits: { type: 'number' } } },
      annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
    })
    expect(search.description).toMatch(
      /^From the MCP server github, not from the gate: Finds things\.\nThe server claims that it only reads/,
    )
    expect(create.description).toMatch(
      /^From the MCP server github, not from the gate: Makes things\.\nCalling it only proposes/,
    )
    expect(create).not.toHaveProperty('outputSchema')
    expect(create.annotations).toMatchObject({ destructiveHint: false, openWorldHint: false })
  })

  test('reads the database once', async () => {
    const { bound } = await scene([{ name: 'search', rule: allow }])
    await upstreamToolsOf(bound)
    // The gate's other work may read at the same time: only what this answer needs counts.
    const statements: string[] = []
    const { read } = gate.deps.db
    gate.deps.db.read = (statement) =>
      read((sql) =>
        statement(
          new Proxy(sql, {
            apply(target, self, parts) {
              if (/authenticate|upstream/.test(String(parts[0]))) statements.push(String(parts[0]))
              return Reflect.apply(target, self, parts)
            },
          }),
        ),
      )
    try {
      expect(await upstreamToolsOf(bound)).toHaveLength(1)
    } finally {
      gate.deps.db.read = read
    }
    expect(statements).toEqual([expect.stringContaining('gate.authenticate(')])
  })
})

describe('a key', () => {
  test('without the power to propose sees no tool, and calls none', async () => {
    const { mintKey, grace, rows } = await scene([{ name: 'search', rule: allow }])
    const { key } = await mintKey({ actors: [grace], powers: ['read', 'confirm'] })
    const client = apiClient(gate.api.url, key)
    expect(await upstreamToolsOf(client)).toEqual([])
    expect(await call(client, 'github__search')).toMatchObject({ error: { code: -32602 } })
    expect(await rows()).toEqual([])
    expect(standIn.calls).toEqual([])
  })

  test('that is limited to other kinds sees no tool, and calls none; one for this kind does', async () => {
    const { mintKey, grace } = await scene([{ name: 'search', rule: allow }])
    const clientFor = async (kinds: string[]) =>
      apiClient(gate.api.url, (await mintKey({ actors: [grace], kinds })).key)
    const [other, own] = [await clientFor(['broadcast']), await clientFor(['upstream_tool'])]
    expect(await upstreamToolsOf(other)).toEqual([])
    expect(await call(other, 'github__search')).toMatchObject({ error: { code: -32602 } })
    expect(await upstreamToolsOf(own)).toHaveLength(1)
    expect(await call(own, 'github__search')).not.toHaveProperty('isError')
  })

  test('that was revoked a moment ago calls nothing, although it was kept', async () => {
    const { bound, boundKeyId, revokeKey, account } = await scene([{ name: 'search', rule: allow }])
    await call(bound, 'github__search')
    await revokeKey(boundKeyId)
    const { status } = await rpc(bound, 'tools/call', { name: 'github__search', arguments: {} })
    expect(status).toBe(401)
    expect(standIn.calls).toHaveLength(1)
    const kinds = await until('the refusal is recorded', async () => {
      const all = await entryKindsOf(gate.database, account)
      return all.includes('write_refused') && all
    })
    expect(kinds).toContain('write_refused')
  })
})

describe('kept facts refuse nothing:', () => {
  test('an identity that another member has now is found by a key of that member', async () => {
    const { client, addMember, mintKey, setIdentity } = await scene([{ name: 'search', rule: allow }])
    const moved = { email: 'moved@example.com' }
    const before = await addMember({ ...moved, tier: 'write' })
    const after = await addMember({ email: 'after@example.com', tier: 'write' })
    const other = await addMember({ email: 'other@example.com', tier: 'write' })
    const { key } = await mintKey({ actors: [after, other] })
    const search = (by: ApiClient) => call(by, 'github__search', { actor: moved })
    expect((await search(client)).isError).not.toBe(true)
    await setIdentity(before, { email: 'before@example.com' })
    await setIdentity(after, moved)
    expect((await search(apiClient(gate.api.url, key))).content).toMatchObject([{ text: 'did search' }])
  })

  test('a tool that has an argument `actor` itself since its review is called with it', async () => {
    const { client, actor, account } = await scene([{ name: 'search', rule: allow }])
    expect((await call(client, 'github__search', { actor })).isError).not.toBe(true)
    const inputSchema = { type: 'object', properties: { actor: { type: 'string' } } }
    await addTool(gate.database, { account }, 'github', { name: 'search', inputSchema })
    await call(client, 'github__search', { gate_actor: actor, actor: 'Tom Hanks' })
    expect(standIn.calls.at(-1)).toEqual({ name: 'search', arguments: { actor: 'Tom Hanks' } })
  })
})

test('no tool of a suspended account is called, not even one that was allowed a moment ago', async () => {
  const { bound, suspend, client, actor } = await scene([
    { name: 'search', rule: allow },
    { name: 'create', rule: confirm },
  ])
  await call(bound, 'github__search')
  await call(bound, 'github__create')
  await suspend(true)
  expect(said(await call(bound, 'github__search'))).toMatchObject({ denial_code: 'account_suspended' })
  expect((await client.confirm(2, actor)).status).toBe(409)
  expect(standIn.calls).toHaveLength(1)
})
