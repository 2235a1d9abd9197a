import { randomUUID } from 'node:crypto'
import { expect, test } from '@jest/globals'
import type { KeyPower } from '../../src/keys/rights.ts'
import { limits } from '../../src/limits.ts'
import { verifyLedger } from '../../src/ledger/verify.ts'
import { apiClient } from '../support/api-client.ts'
import {
  askedByMail,
  askedInSlack,
  decideBy,
  linksTo,
  pressInSandbox,
  slackRequests,
} from '../support/consent.ts'
import { customerDeletion, declare } from '../support/declared-kind.ts'
import { useGate } from '../support/use-gate.ts'
import { entryKindsOf } from '../support/ledger-entries.ts'
import { callTool, rpc } from '../support/mcp-tool.ts'
import { testRows } from '../support/rows.ts'
import { until } from '../support/until.ts'

const gate = useGate()

const proposer: KeyPower[] = ['read', 'propose']
const agent: KeyPower[] = ['read', 'propose', 'confirm']

let people = 0
const both = () => ({ email: `eve${++people}@example.com`, slack: `U0000EVE${people}` })

interface SceneOptions {
  powers?: KeyPower[]
  floor?: string
  identities?: { email?: string; slack?: string }
  policy?: object
}

/** An account with a floor for broadcasts, one member, and a key with these powers. */
async function scene({ powers = proposer, floor = 'chat', identities = both(), policy = {} }: SceneOptions) {
  const account = await gate.account()
  await account.setPolicy({ kinds: { broadcast: { tier: 'guarded_write', consent: floor } }, ...policy })
  const eve = await account.addMember({ name: 'Eve', ...identities, tier: 'guarded_write' })
  const { key, keyId } = await account.mintKey({ powers })
  const client = apiClient(gate.api.url, key)
  const actor = eve.email === null ? { provider: 'slack', external_id: eve.slack } : { email: eve.email }
  const propose = (more: object = {}, message = 'Lunch is at noon.', idempotencyKey?: string) =>
    client.request('POST', '/api/v1/actions', {
      body: { kind: 'broadcast', actor, payload: { message }, ...more },
      ...(idempotencyKey ? { headers: { 'idempotency-key': idempotencyKey } } : {}),
    })
  const requests = async () => {
    const [{ count }] = (await gate.database.asSuperuser(
      `select count(*) from gate.consent_request where account_id = '${account.account}'`,
    )) as [{ count: string }]
    return Number(count)
  }
  return { account, eve, actor, client, keyId, propose, requests }
}

testRows<[string, object]>([
  ['a key that cannot confirm', {}],
  ['a key that can, where the policy asks at once', { powers: agent, policy: { ask_when_proposed: true } }],
])(
  'a key that is revoked after its proposal was stored gets the proposal, and nobody is asked',
  async (_, given) => {
    const { account, keyId, propose, requests } = await scene(given)
    await gate.database.asSuperuser(`
    create function revoke_proposing_key() returns trigger language plpgsql security definer as $$
    begin
      update gate_private.api_key_hash set revoked_at = clock_timestamp() where key_id = '${keyId}';
      return new;
    end $$;
    create trigger revoke_key after insert on gate.action for each row
      when (new.account_id = '${account.account}') execute function revoke_proposing_key()`)
    try {
      const { status, body } = await propose()
      expect([status, body.status]).toEqual([201, 'proposed'])
      expect(body.consent_request_problem).toContain('The API key was revoked or limited meanwhile')
      expect(body).not.toHaveProperty('consent_request')
      expect(await requests()).toBe(0)
      expect((await propose()).status).toBe(401)
    } finally {
      await gate.database.asSuperuser('drop function revoke_proposing_key cascade')
    }
  },
)

testRows<[string, object, object]>([
  ['a key that cannot confirm', {}, {}],
  ['a key that can, and wishes it', { powers: agent }, { ask: true }],
])(
  'where facts keep changing after a proposal was stored, %s gets the proposal, and its repeat asks',
  async (_, given, more) => {
    const { account, propose, requests } = await scene(given)
    const versions = 'text, text, bigint, bigint, bigint'
    await gate.database.asSuperuser(`
    alter function gate_private.confirm_obstacle(${versions}) rename to kept_obstacle;
    create function gate_private.confirm_obstacle(text, text, bigint, bigint, bigint) returns text language sql stable as $$
      select case when $1 = '${account.account}' then 'stale' else gate_private.kept_obstacle($1, $2, $3, $4, $5) end $$`)
    const key = randomUUID()
    try {
      const { status, body } = await propose(more, 'Lunch is at noon.', key)
      expect([status, body.status]).toEqual([201, 'proposed'])
      expect(body.consent_request_problem).toMatch(
        /^Nobody was asked: .* changed several times.* repeat this request/s,
      )
      expect(await requests()).toBe(0)
    } finally {
      await gate.database.asSuperuser(`
      drop function gate_private.confirm_obstacle(${versions});
      alter function gate_private.kept_obstacle(${versions}) rename to confirm_obstacle`)
    }
    const { body } = await propose(more, 'Lunch is at noon.', key)
    expect(body.consent_request).toMatchObject({ required: 'chat' })
    expect(await requests()).toBe(1)
  },
)

test('a proposal by a key that cannot confirm asks the member, whose press executes it', async () => {
  const { account, eve, client, propose } = await scene({})
  const { status, body } = await propose()
  expect([status, body.status, body.consent_required]).toEqual([201, 'proposed', 'chat'])
  expect(body.consent_request).toEqual({
    required: 'chat',
    requested_via: 'slack',
    requested_at: expect.any(String),
    next: `The gate asks the member in Slack: tell them. Wait with GET /api/v1/actions/${body.id}?wait=50.`,
  })
  expect(body).not.toHaveProperty('consent_request_problem')
  const request = await askedInSlack(gate, eve.slack!)
  expect((await pressInSandbox(gate, request.message)).status).toBe(303)
  expect(gate.sandbox.messages(1_000).find(({ id }) => id === request.message.id)?.pressed).toBe('Approve')
  const ended = await client.request('GET', `/api/v1/actions/${body.id}?wait=50`)
  expect(ended.body).toMatchObject({ status: 'executed', consent: { strength: 'chat', channel: 'slack' } })
  expect((await entryKindsOf(gate.database, account.account, body.id)).slice(0, 4)).toEqual([
    'proposed',
    'consent_requested',
    'consent_message_frozen',
    'confirmed',
  ])
  expect(await verifyLedger(gate.database.db, account.account)).toMatchObject({ ok: true })
})

// powers, floor, ask, setting of the account: who is asked, and for what.
testRows<[KeyPower[], string, boolean | null | undefined, boolean, string | null, string | null]>([
  [proposer, 'page', undefined, false, 'email', 'page'],
  [proposer, 'agent_attested', undefined, false, 'slack', 'chat'],
  [['propose'], 'chat', undefined, false, 'slack', 'chat'],
  [['read', 'propose', 'execute'], 'chat', undefined, false, 'slack', 'chat'],
  // Some agents have to fill in every field.
  [proposer, 'chat', false, false, 'slack', 'chat'],
  [agent, 'chat', undefined, false, null, null],
  [agent, 'chat', false, false, null, null],
  [agent, 'chat', true, false, 'slack', 'chat'],
  [agent, 'page', true, false, 'email', 'page'],
  [agent, 'agent_attested', true, false, 'slack', 'chat'],
  [agent, 'chat', undefined, true, 'slack', 'chat'],
  // The setting concerns what requires the member's own consent.
  [agent, 'agent_attested', undefined, true, null, null],
])(
  'a proposal asks its member at once by the powers of the key, the floor, `ask` and the setting of the policy',
  async (powers, floor, ask, setting, via, required) => {
    const { propose, requests } = await scene({ powers, floor, policy: { ask_when_proposed: setting } })
    const { body } = await propose(ask === undefined ? {} : { ask })
    expect([
      body.consent_request?.requested_via ?? null,
      body.consent_request?.required ?? null,
      body.consent_required,
    ]).toEqual([via, required, floor])
    expect(await requests()).toBe(via === null ? 0 : 1)
  },
)

test('after a request at once a confirm sends no second one, and where the word suffices it decides', async () => {
  const asked = await scene({ powers: agent })
  const { body } = await asked.propose({ ask: true })
  expect(body.consent_request.next).toContain('Do not confirm again.')
  expect((await asked.client.confirm(body.id, asked.actor)).status).toBe(202)
  expect(await asked.requests()).toBe(1)

  const word = await scene({ powers: agent, floor: 'agent_attested' })
  const { body: open } = await word.propose({ ask: true })
  expect((await word.client.confirm(open.id, word.actor)).body).toMatchObject({
    status: 'executed',
    consent: { strength: 'agent_attested' },
  })
})

test('each tool of MCP that proposes asks the member at once, and names only tools that the key has', async () => {
  const { account, actor, client } = await scene({
    policy: { kinds: { broadcast: { tier: 'guarded_write', consent: 'page' } } },
  })
  const { body } = await callTool(client, 'request_action', {
    kind: 'broadcast',
    actor,
    payload: { message: 'Over MCP' },
  })
  expect(body.consent_request.next).toBe(
    'The gate asks the member by e-mail: tell them. Wait with await_action.',
  )
  const rich = await account.addMember({ name: 'Wil', ...both(), tier: 'write' })
  const paid = await callTool(client, 'list_payments', { actor })
  const refund = await callTool(client, 'issue_refund', {
    actor: { email: rich.email },
    payment: paid.body.payments[0].id,
    amount_cents: 500,
  })
  expect(refund.body).toMatchObject({ status: 'proposed', consent_request: { requested_via: 'slack' } })
  const { link } = await askedByMail(gate, actor.email as string)
  expect((await decideBy(link)).status).toBe(200)
  const ended = await callTool(client, 'await_action', { id: body.id, timeout_seconds: 50 })
  expect(ended.body.status).toBe('executed')
})

test('an identical proposal does not ask again while the member is asked, and says about which one they are', async () => {
  const { client, actor, propose, requests } = await scene({})
  const first = await propose()
  const key = randomUUID()
  const second = await propose({}, undefined, key)
  expect(second.body).toMatchObject({
    duplicate_of: first.body.id,
    consent_request_problem: expect.stringContaining(`action ${first.body.id}, which is identical`),
  })
  expect(second.body).not.toHaveProperty('consent_request')
  expect(await requests()).toBe(1)
  expect((await propose({}, 'Lunch is at one.')).body).toHaveProperty('consent_request')

  // A repeat asks once the first is decided.
  await client.cancel(first.body.id, actor)
  const repeated = await propose({}, undefined, key)
  expect(repeated.headers.get('idempotent-replayed')).toBe('true')
  expect(repeated.body).toMatchObject({ id: second.body.id, consent_request: { requested_via: 'slack' } })
  expect(repeated.body).not.toHaveProperty('consent_request_problem')
  expect(await requests()).toBe(3)
})

test('many identical proposals at once ask once', async () => {
  const { propose, requests } = await scene({})
  const answers = await Promise.all(Array.from({ length: 8 }, () => propose()))
  expect(answers.filter(({ body }) => body.consent_request)).toHaveLength(1)
  expect(answers.filter(({ body }) => body.consent_request_problem)).toHaveLength(7)
  expect(await requests()).toBe(1)
})

test('a repeat under its Idempotency-Key gets the first answer and asks nobody twice', async () => {
  const { eve, client, propose, requests } = await scene({ floor: 'page' })
  const key = randomUUID()
  const [one, two] = await Promise.all([propose({}, 'Once', key), propose({}, 'Once', key)])
  expect(two.body).toEqual(one.body)
  await decideBy((await askedByMail(gate, eve.email!)).link)
  await client.request('GET', `/api/v1/actions/${one.body.id}?wait=50`)
  expect((await propose({}, 'Once', key)).body).toEqual(one.body)
  expect([await requests(), linksTo(gate, eve.email!).length]).toEqual([1, 1])
})

test('the bound of requests to a member holds: the proposal stands, and the answer says how they come to be asked', async () => {
  const { account, actor, propose, requests } = await scene({})
  // Another key proposes for this member too: each has its share.
  await account.client.propose(actor, 'By another key')
  const asked = limits.consentAsksPerHourMax / 2
  for (let n = 0; n < asked; n++) await propose({}, `Message ${n}`)
  const { status, body } = await propose({}, 'One more', randomUUID())
  expect([status, body.status]).toEqual([201, 'proposed'])
  expect(body.consent_request_problem).toBe(
    'This API key has used its half of the consent requests that this member may get. The rest is reserved for other keys. The proposal stays open: the member can decide it in the console. To have them asked, repeat this request with the same Idempotency-Key later.',
  )
  expect(await requests()).toBe(asked)
})

test('a member who cannot be asked is not denied where the word would suffice, and the answer says why', async () => {
  const { eve, account, propose, requests } = await scene({ floor: 'agent_attested' })
  await account.setIdentity(eve, { email: 'eve-changed@example.com', slack: 'U0CHANGED' })
  const changed = await propose({ actor: { email: 'eve-changed@example.com' } })
  expect(changed.body.consent_request_problem).toMatch(/^Nobody was asked: the address .* changed recently/)
  expect(await requests()).toBe(0)
  const other = await scene({})
  await other.account.suspend(true)
  const suspended = await other.propose({}, 'Suspended')
  expect(suspended.body.consent_request_problem).toMatch(/^The account is suspended/)
  expect(await other.requests()).toBe(0)
})

test('a denied proposal asks nobody', async () => {
  const { account, eve, propose, requests } = await scene({})
  await account.setTier(eve, 'read_only')
  expect((await propose()).body).toMatchObject({ status: 'denied', denial_code: 'tier_insufficient' })
  expect(await requests()).toBe(0)
  await until('nothing is in Slack', async () => slackRequests(gate, eve.slack!).length === 0)
})

testRows<[KeyPower[], string[], string[]]>([
  [agent, ['confirm_action', 'await_action'], []],
  [proposer, ['await_action', 'gate asks the member'], ['confirm_action']],
  [['propose'], ['gate asks the member'], ['confirm_action', 'await_action', 'Check']],
  [['read'], ['Check their capability.'], ['confirm_action', 'propose']],
])('instructions and descriptions name only tools that the key has', async (powers, has, lacks) => {
  const { client } = await scene({ powers })
  const initialized = await rpc(client, 'initialize', {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'test', version: '1' },
  })
  const { instructions } = initialized.body.result
  for (const word of has) expect(instructions).toContain(word)
  for (const word of lacks) expect(instructions).not.toContain(word)
  const { tools } = (await rpc(client, 'tools/list')).body.result as { tools: Described[] }
  const names = new Set(tools.map(({ name }) => name))
  const described = tools.map(({ description }) => description).join('\n')
  const named = [...`${instructions}\n${described}`.matchAll(/\b[a-z]+(?:_[a-z]+)+\b/g)].map(([name]) => name)
  const absent = named.filter((name) => everyTool.has(name) && !names.has(name))
  expect(absent).toEqual([])
})

test('a refusal names no tool that the key lacks', async () => {
  const wordsFor = async (powers: KeyPower[]) => {
    const { account, client } = await scene({ powers })
    const rich = await account.addMember({ name: 'Wil', ...both(), tier: 'write' })
    const given = { actor: { email: rich.email }, payment: 'pi_nope' }
    return (await callTool(client, 'issue_refund', given)).body.error
  }
  expect(await wordsFor(proposer)).toBe(
    'Payment pi_nope was not found. Use list_payments to see available payments.',
  )
  expect(await wordsFor(['propose'])).toBe('Payment pi_nope was not found.')
})

test('a declared kind with a field that is called ask keeps it, and the member of its proposals is asked too', async () => {
  const { account, client, actor } = await scene({})
  await declare(
    gate.database.db,
    account.account,
    customerDeletion({
      kind: 'survey',
      payload: { type: 'object', properties: { ask: { type: 'string', maxLength: 200 } }, required: ['ask'] },
      subject: '/ask',
      card: [],
    }),
  )
  const { body } = await callTool(client, 'propose_survey', { actor, ask: 'How was it?' })
  expect(body).toMatchObject({
    payload: { ask: 'How was it?' },
    consent_request: { required: expect.any(String) },
  })
})

interface Described {
  name: string
  description: string
}

const everyTool = new Set([
  'check_capability',
  'request_action',
  'confirm_action',
  'cancel_action',
  'get_action',
  'await_action',
  'list_actions',
  'list_payments',
  'issue_refund',
  'connect_integration',
  'start_preview',
  'preview_status',
])
