import { expect, test } from '@jest/globals'
import { verifyLedger } from '../../src/ledger/verify.ts'
import { apiClient } from '../support/api-client.ts'
import { entriesOf, entryKindsOf, overtake } from '../support/ledger-entries.ts'
import {
  askToConnect,
  bring,
  browser,
  connect,
  connectAsMember,
  goodForm,
  hiddenFields,
  installSlack,
  linkFor,
  ringOf,
  signedInFor,
} from '../support/connect.ts'
import { signedInAdmin } from '../support/console.ts'
import { useGate } from '../support/use-gate.ts'
import { callTool } from '../support/mcp-tool.ts'

const gate = useGate({ env: { SECRETS_KEYS: ringOf('k1') } })

const ada = { email: 'ada@example.com' }

async function accountOfAda(tier: 'guarded_write' | 'write' = 'write') {
  const account = await gate.account()
  const member = await account.addMember({ name: 'Ada Lovelace', ...ada, tier })
  return { ...account, member, link: (provider: string) => linkFor(account.client, ada, provider) }
}

const stored = (account: string) =>
  gate.database.asSuperuser(
    `select i.provider, i.state, count(s.field)::int as secrets from gate.integration i
     left join gate.integration_secret s using (account_id, integration_id)
     where account_id = '${account}' group by i.integration_id, i.provider, i.state, i.created_at order by i.created_at`,
  )

test.each(['stripe', 'resend', 'smtp', 'teams', 'slack'] as const)(
  '%s: an agent gets a link, a person connects by it, and the ledger tells the whole of it',
  async (provider) => {
    const { account, client } = await accountOfAda()
    const before = Date.now()
    const { body } = await askToConnect(client, ada, provider)
    const after = Date.now()
    expect(body).toMatchObject({
      status: 'pending',
      action: {
        id: 1,
        kind: 'integration',
        status: 'proposed',
        payload: { provider },
        requires_confirmation: true,
      },
      expires_at: body.action.expires_at,
    })
    expect(body.connect_url).toMatch(new RegExp(`^${gate.api.url}/integrations/connect/[A-Za-z0-9_-]{43}$`))
    const from = Date.parse(body.expires_at) - 900_000
    expect(from).toBeGreaterThanOrEqual(before - 1)
    expect(from).toBeLessThanOrEqual(after + 1)

    const page =
      provider === 'slack'
        ? await installSlack(await signedInFor(gate, body.connect_url), body.connect_url)
        : await connectAsMember(gate, body.connect_url, goodForm[provider])
    expect([page.status, page.text]).toEqual([
      200,
      expect.stringContaining('now uses this connection. You can close this page.'),
    ])
    const row = (await client.get(1)).body
    expect(row).toMatchObject({
      status: 'executed',
      consent: { strength: 'page', by: 'ada@example.com', channel: 'console' },
      result: {
        outcome: 'done',
        provider,
        integration_id: expect.stringMatching(/^int_\w{16}$/),
        sandbox: true,
      },
    })
    expect(await stored(account)).toEqual([{ provider, state: 'connected', secrets: 1 }])
    expect(await entryKindsOf(gate.database, account, 1)).toEqual(['proposed', 'confirmed', 'executed'])
    expect(await verifyLedger(gate.database.db, account)).toMatchObject({ ok: true })
  },
)

test('an account sends its mail by one provider: a mail server replaces Resend, and the other way round', async () => {
  const { account, client, link } = await accountOfAda()
  await connect(gate, client, ada, 'resend')
  const { url } = await link('smtp')
  const page = await (await signedInFor(gate, url)).open(url)
  expect(page.text).toContain('Currently in use Resend key ending in ount, sender')
  await connect(gate, client, ada, 'smtp')
  const mail = (await stored(account)).map(({ provider, state, secrets }) => [provider, state, secrets])
  expect(mail).toEqual([
    ['resend', 'disconnected', 0],
    ['smtp', 'connected', 1],
  ])
  const { text } = await (await signedInAdmin(gate, account)).open('/console/integrations')
  expect(text).toContain("Not connected. The account's mail goes by SMTP.")
  await connect(gate, client, ada, 'resend')
  expect((await stored(account)).filter(({ state }) => state === 'connected')).toMatchObject([
    { provider: 'resend', secrets: 1 },
  ])
  expect(await verifyLedger(gate.database.db, account)).toMatchObject({ ok: true })
})

test('below write it is a denied row that says how to qualify, and there is no link', async () => {
  const { account, client } = await accountOfAda('guarded_write')
  const { body, isError } = await askToConnect(client, ada, 'stripe')
  expect(isError).toBe(false)
  expect(Object.keys(body).toSorted()).toEqual(['action', 'status'])
  expect(body).toMatchObject({
    status: 'denied',
    action: {
      status: 'denied',
      denial_reason:
        'Connecting this integration requires `write`; the member has `guarded_write`. To qualify, ask an administrator.',
    },
  })
  expect(await entryKindsOf(gate.database, account, 1)).toEqual(['denied'])
})

test("an admin's policy may let a lower tier connect", async () => {
  const { client, setPolicy } = await accountOfAda('guarded_write')
  await setPolicy({ kinds: { integration: { tier: 'guarded_write', consent: 'agent_attested' } } })
  expect((await connect(gate, client, ada, 'stripe')).page.status).toBe(200)
})

test('a policy may keep proposals for days: the link and its row live for 15 minutes all the same', async () => {
  const { client, setPolicy } = await accountOfAda()
  await setPolicy({ expires_after_hours: 8_000, kinds: {} })
  const { body } = await askToConnect(client, ada, 'stripe')
  expect(Date.parse(body.expires_at) - Date.now()).toBeLessThan(900_001)
})

test('no credential is taken as an argument, and none is repeated', async () => {
  const { client } = await accountOfAda()
  for (const extra of [{ api_key: 'sk_test_hush' }, { token: 'xoxb-hush' }, { provider: 'sk_test_hush' }]) {
    const given = { actor: ada, provider: 'stripe', ...extra }
    const { isError, body } = await callTool(client, 'connect_integration', given)
    expect([isError, body.error]).toEqual([true, expect.not.stringContaining('hush')])
  }
  expect((await client.list()).body.actions).toEqual([])
})

test('an agent cannot confirm it: 409 over both ways, and the link still works', async () => {
  const { account, client, link } = await accountOfAda()
  const { url, id } = await link('stripe')
  const overRest = await client.confirm(id, ada)
  const overMcp = await callTool(client, 'confirm_action', { id, actor: ada })
  expect([overRest.status, overMcp.isError]).toEqual([409, true])
  expect(overRest.body.error).toBe(overMcp.body.error)
  expect(overRest.body.error).toContain('connect_url')
  expect((await client.get(id)).body.status).toBe('proposed')
  expect((await connectAsMember(gate, url, goodForm.stripe)).status).toBe(200)
  const kinds = await entryKindsOf(gate.database, account, id)
  expect(kinds).toEqual(['proposed', 'decision_refused', 'decision_refused', 'confirmed', 'executed'])
})

test('a cancel kills the link', async () => {
  const { account, client, link } = await accountOfAda()
  const { url, id } = await link('stripe')
  expect((await client.cancel(id, ada)).body).toMatchObject({
    status: 'cancelled',
    closed_reason: 'proposer',
  })
  for (const page of [await browser().open(url), await connectAsMember(gate, url, goodForm.stripe)])
    expect([page.status, page.text]).toEqual([410, expect.stringContaining('was cancelled')])
  expect(await stored(account)).toEqual([])
})

test('where the link cannot be made its row is not left open', async () => {
  const { client } = await accountOfAda()
  const rename = (from: string, to: string) =>
    gate.database.asSuperuser(`alter function gate.${from} rename to ${to}`)
  await rename('make_connect_link', 'away')
  try {
    expect((await askToConnect(client, ada, 'stripe')).isError).toBe(true)
  } finally {
    await rename('away', 'make_connect_link')
  }
  const { actions } = (await client.list()).body
  expect(actions).toMatchObject([{ kind: 'integration', status: 'cancelled', closed_reason: 'proposer' }])
})

test('two forms at once connect once', async () => {
  const { account, link } = await accountOfAda()
  const { url, id } = await link('stripe')
  const visitor = await signedInFor(gate, url)
  const fields = hiddenFields(await bring(visitor, url, goodForm.stripe))
  const send = () => Promise.all([1, 2, 3].map(() => visitor.send(url, fields)))
  // All three have read the open link and wait to write.
  const pages = await overtake(gate.database, account, send, `select 1`)
  expect(pages.map((page) => page.status).sort()).toEqual([200, 410, 410])
  expect(await stored(account)).toEqual([{ provider: 'stripe', state: 'connected', secrets: 1 }])
  expect(await entryKindsOf(gate.database, account, id)).toEqual(['proposed', 'confirmed', 'executed'])
})

test('a cancel that comes before the claim leaves nothing behind', async () => {
  const { account, client, link } = await accountOfAda()
  const { url, id } = await link('stripe')
  const visitor = await signedInFor(gate, url)
  const fields = hiddenFields(await bring(visitor, url, goodForm.stripe))
  const cancelled = client.cancel(id, { email: ada.email })
  const page = visitor.send(url, fields)
  const [answer, { status }] = await Promise.all([cancelled, page])
  const isCancelled = answer.status === 200
  expect([answer.status, status]).toEqual(isCancelled ? [200, 410] : [409, 200])
  expect(await stored(account)).toHaveLength(isCancelled ? 0 : 1)
})

test('a member who lost the tier meanwhile is refused at the form, and the row becomes denied', async () => {
  const { account, client, link, member, setTier } = await accountOfAda()
  const { url, id } = await link('stripe')
  await setTier(member, 'guarded_write')
  const page = await connectAsMember(gate, url, goodForm.stripe)
  expect([page.status, page.text]).toEqual([
    403,
    expect.stringContaining('Connecting this integration requires write'),
  ])
  expect((await client.get(id)).body).toMatchObject({ status: 'denied' })
  expect(await stored(account)).toEqual([])
  expect((await connectAsMember(gate, url, goodForm.stripe)).status).toBe(410)
})

test('a revocation never loses the race against the form', async () => {
  const { account, client, link, member } = await accountOfAda()
  const { url, id } = await link('stripe')
  const visitor = await signedInFor(gate, url)
  const fields = hiddenFields(await bring(visitor, url, goodForm.stripe))
  const page = await overtake(
    gate.database,
    account,
    () => visitor.send(url, fields),
    `select gate.tenant('${account}'); update gate.member set admin_tier = 'read_only', version = version + 1
     where account_id = '${account}' and member_id = '${member.memberId}'`,
  )
  expect(page.status).toBe(403)
  expect((await client.get(id)).body.status).toBe('denied')
  expect(await stored(account)).toEqual([])
})

test('in a suspended account nothing is connected', async () => {
  const { account, link, suspend } = await accountOfAda()
  const { url } = await link('stripe')
  await suspend(true)
  const page = await connectAsMember(gate, url, goodForm.stripe)
  expect([page.status, page.text]).toEqual([409, expect.stringContaining('suspended')])
  await suspend(false)
  expect((await connectAsMember(gate, url, goodForm.stripe)).status).toBe(200)
  expect(await stored(account)).toHaveLength(1)
})

test('a former member cannot connect by an old link', async () => {
  const { account, link, member, setActive } = await accountOfAda()
  const { url } = await link('stripe')
  const visitor = await signedInFor(gate, url)
  await setActive(member, false)
  const page = await visitor.send(url, goodForm.stripe)
  expect([page.status, page.text]).toEqual([410, expect.stringContaining('no longer active')])
  expect(await stored(account)).toEqual([])
})

test('a key that is bound to other members gets no link', async () => {
  const { client, addMember, mintKey } = await accountOfAda()
  const eve = await addMember({ email: 'eve@example.com', tier: 'write' })
  const { key } = await mintKey({ actors: [eve] })
  const { isError, body } = await askToConnect(apiClient(gate.api.url, key), ada, 'stripe')
  expect([isError, body.error]).toEqual([true, expect.stringContaining('bound to other members')])
  expect((await client.list()).body.actions).toEqual([])
})

test('the entries name provider and member, and nothing that connects', async () => {
  const { account, client } = await accountOfAda()
  const { id } = await connect(gate, client, ada, 'resend')
  const [, confirmed, executed] = await entriesOf(gate.database, account, id)
  expect(confirmed!.entry).toMatchObject({
    actor: expect.stringMatching(/^mem_/),
    key: null,
    data: { strength: 'page', channel: 'console', tier: 'write', integration: expect.any(String) },
  })
  expect(executed!.entry.data).toEqual({
    outcome: 'done',
    provider: 'resend',
    integration_id: expect.any(String),
    sandbox: true,
  })
})
