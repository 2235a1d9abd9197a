import { expect, test } from '@jest/globals'
import { type Json, canonical } from '../../src/gate/canonical.ts'
import { type RowOfKind, kindsOf } from '../../src/actions/account-kinds.ts'
import { cardText } from '../../src/consent/card.ts'
import { eraseAsAdmin } from '../../src/operations/actions/erase-payload.ts'
import { explainPolicy } from '../../src/operations/policy/explain-policy.ts'
import { parsePolicyDocument } from '../../src/operations/policy/parse-policy-document.ts'
import { setPolicy } from '../../src/operations/policy/set-policy.ts'
import { decideInConsole, readProposal } from '../../src/operations/decisions/decide-in-console.ts'
import type { Session } from '../../src/operations/sign-in/session.ts'
import { limits } from '../../src/limits.ts'
import { retireKind } from '../../src/operations/kinds/declared-kinds.ts'
import { apiClient } from '../support/api-client.ts'
import { creditNote, customerDeletion, declare, throwawayPerformer } from '../support/declared-kind.ts'
import { useGate } from '../support/use-gate.ts'
import { entriesOf, entryKindsOf, overtake } from '../support/ledger-entries.ts'
import { callTool, rpc } from '../support/mcp-tool.ts'
import { sessionOf } from '../support/session.ts'

const setKind = (account: string, document: Record<string, unknown>) =>
  `select set_config('gate.account', '${account}', true), gate.set_kind(
    '${account}', null, '${String(document['kind'])}', '${canonical(document as Json).replaceAll("'", "''")}', 100,
    gen_random_uuid())`

const performed: string[] = []

const gate = useGate({ performers: throwawayPerformer(performed) })

async function accountOfAda() {
  const account = await gate.account()
  const member = await account.addMember({ email: 'ada@example.com', tier: 'guarded_write' })
  const { client } = account
  const actor = { email: 'ada@example.com' }
  return {
    account,
    member,
    client,
    actor,
    declare: (document: Record<string, unknown>) => declare(gate.deps.db, account.account, document),
    retire: (kind: string) => retireKind({ db: gate.deps.db, account: account.account, session: null }, kind),
    propose: (kind: string, payload: unknown, more: Record<string, unknown> = {}) =>
      client.request('POST', '/api/v1/actions', { body: { kind, actor, payload, ...more } }),
  }
}

const ofCustomer = (id: string) => ({ customer: { id } })

test('a declared kind is proposed over REST, confirmed and executed', async () => {
  const { account, client, actor, declare, propose } = await accountOfAda()
  expect(await declare(customerDeletion())).toEqual({ kind: 'customer_deletion', version: 1, isNew: true })
  const proposed = await propose('customer_deletion', ofCustomer('cus_1'))
  expect([proposed.status, proposed.body]).toMatchObject([
    201,
    { kind: 'customer_deletion', kind_version: 1, status: 'proposed', payload: ofCustomer('cus_1') },
  ])
  const { id } = proposed.body
  expect((await client.confirm(id, actor)).body).toMatchObject({
    status: 'executed',
    result: { outcome: 'done' },
  })
  expect(performed).toContain(`customer_deletion ${id}: Delete a customer`)
  expect(await entryKindsOf(gate.database, account.account, id)).toEqual([
    'proposed',
    'confirmed',
    'executed',
  ])
})

test('a declared kind is proposed by request_action and by a tool of its own, whose arguments are its payload', async () => {
  const { client, actor, declare } = await accountOfAda()
  await declare(customerDeletion())
  const { tools } = (await rpc(client, 'tools/list')).body.result
  const tool = tools.find(({ name }: { name: string }) => name === 'propose_customer_deletion')
  expect(tool).toMatchObject({
    title: 'Delete a customer',
    description: expect.stringContaining('everything that belongs to them'),
    inputSchema: {
      properties: { actor: {}, customer: { properties: { id: { type: 'string', maxLength: 40 } } }, why: {} },
      required: ['actor', 'customer'],
    },
  })
  const byTool = await callTool(client, 'propose_customer_deletion', { actor, ...ofCustomer('cus_2') })
  const byRequest = await callTool(client, 'request_action', {
    kind: 'customer_deletion',
    actor,
    payload: ofCustomer('cus_3'),
  })
  expect([byTool.body, byRequest.body]).toMatchObject([
    { id: 1, status: 'proposed', kind_version: 1, payload: ofCustomer('cus_2') },
    { id: 2, status: 'proposed', kind_version: 1, payload: ofCustomer('cus_3') },
  ])
})

test('a payload that its schema does not allow is refused with the field', async () => {
  const scene = await accountOfAda()
  const { declare, propose } = scene
  await declare(customerDeletion())
  const answers = await Promise.all([
    propose('customer_deletion', {}),
    propose('customer_deletion', { customer: { id: 'x'.repeat(41) } }),
    propose('customer_deletion', { customer: { id: 'cus_1', admin: true } }),
    propose('customer_deletion', { customer: { id: 'cus_1\n' } }),
  ])
  expect(answers.map(({ status, body }) => [status, body.param])).toEqual([
    [422, 'payload.customer'],
    [422, 'payload.customer.id'],
    [422, 'payload.customer.admin'],
    [422, 'payload.customer.id'],
  ])
  const { client, actor } = scene
  const byTool = { actor, customer: { id: 'cus_1\u200b' } }
  expect((await callTool(client, 'propose_customer_deletion', byTool)).body).toMatchObject({
    code: 'invalid',
    param: 'customer.id',
  })
})

test('bands and daily limits count the amount that its document points to, for each subject', async () => {
  const { client, actor, declare, propose } = await accountOfAda()
  await declare(creditNote())
  const note = (cents: number, customer = 'cus_1') =>
    propose('credit_note', { customer, cents, currency: 'usd' })
  const first = await note(6_000)
  expect(first.body).toMatchObject({ status: 'proposed', card: expect.stringContaining('Amount: 60.00 USD') })
  expect((await client.confirm(first.body.id, actor)).body.status).toBe('executed')
  const [second, other] = [await note(6_000), await note(6_000, 'cus_2')]
  expect([second.body.status, other.body.status]).toEqual(['denied', 'proposed'])
  expect(second.body.denial_reason).toContain('60.00 USD already confirmed for the same subject')
})

test('an action keeps the version that it was proposed with, when its kind is changed before the confirm', async () => {
  const { account, client, actor, declare, propose } = await accountOfAda()
  await declare(customerDeletion())
  const { id } = (await propose('customer_deletion', ofCustomer('cus_1'))).body
  expect(await declare(customerDeletion({ title: 'Archive a customer' }))).toMatchObject({ version: 2 })
  const confirmed = await client.confirm(id, actor)
  expect(confirmed.body).toMatchObject({ status: 'executed', kind_version: 1 })
  expect(performed).toContain(`customer_deletion ${id}: Delete a customer`)
  const reader = { account: account.account, adminId: 'adm_1', memberId: null } as unknown as Session
  expect(await readProposal(gate.deps, reader, id)).toMatchObject({
    title: 'Delete a customer',
    done: 'Done: Delete a customer',
  })
  expect((await propose('customer_deletion', ofCustomer('cus_1'))).body.kind_version).toBe(2)
})

test('the versions of some actions are read by one statement, and then kept', async () => {
  const { account, declare, propose } = await accountOfAda()
  for (const title of ['One title', 'Two titles', 'Three titles']) {
    await declare(customerDeletion({ title }))
    await propose('customer_deletion', ofCustomer('cus_1'))
  }
  const rows = (await account.client.list()).body.actions.map(
    ({ kind, kind_version }: { kind: string; kind_version: number }) => ({ kind, kind_version }),
  )
  let reads = 0
  const { db } = gate.deps
  const counted: typeof db = {
    ...db,
    read(statement) {
      reads++
      return db.read(statement)
    },
  }
  const kinds = kindsOf(counted)
  const titlesOf = async () => {
    const kindOf = await kinds.ofRows(account.account, rows)
    return rows.map((row: RowOfKind) => kindOf(row)?.declared?.document.title).toSorted()
  }
  expect(await titlesOf()).toEqual(['One title', 'Three titles', 'Two titles'])
  expect(await titlesOf()).toHaveLength(3)
  expect(reads).toBe(1)
  const kindOf = await kinds.ofRows(account.account, [{ kind: 'broadcast', kind_version: null }])
  expect([kindOf({ kind: 'broadcast', kind_version: null })?.kind, reads]).toEqual(['broadcast', 1])
})

test('a retired kind cannot be proposed, and its open proposals are denied', async () => {
  const { client, actor, declare, retire, propose } = await accountOfAda()
  await declare(customerDeletion())
  const { id } = (await propose('customer_deletion', ofCustomer('cus_1'))).body
  await retire('customer_deletion')
  const refused = await propose('customer_deletion', ofCustomer('cus_2'))
  expect([refused.status, refused.body]).toMatchObject([
    422,
    {
      code: 'invalid',
      param: 'kind',
      error:
        'The kind customer_deletion was retired and cannot be proposed. Ask an administrator to declare it again.',
    },
  ])
  const confirmed = await client.confirm(id, actor)
  expect(confirmed.body).toMatchObject({
    status: 'denied',
    denial_code: 'kind_off',
    denial_reason:
      'The kind customer_deletion was retired. Ask an administrator to declare it again, then propose the action again.',
  })
  expect(await declare(customerDeletion())).toMatchObject({ version: 2, isNew: true })
  expect((await propose('customer_deletion', ofCustomer('cus_2'))).status).toBe(201)
})

test('for an unknown kind, the refusal is about the kind alone and lists those that the key can propose', async () => {
  const { account, client, actor, declare, propose, retire } = await accountOfAda()
  await declare(customerDeletion())
  await declare(creditNote())
  await declare(customerDeletion({ kind: 'former_kind' }))
  await retire('former_kind')
  const refused = await propose('customer_deletoin', ofCustomer('cus_1'))
  expect([refused.status, refused.body]).toMatchObject([
    422,
    {
      code: 'invalid',
      param: 'kind',
      error: 'kind must be one of: broadcast, credit_note, customer_deletion.',
    },
  ])
  const request = { kind: 'customer_deletoin', actor, payload: ofCustomer('cus_1') }
  expect((await callTool(client, 'request_action', request)).body).toMatchObject({
    code: 'invalid',
    param: 'kind',
    error: refused.body.error,
  })
  const { key } = await account.mintKey({ kinds: ['credit_note'] })
  const ofKey = await apiClient(gate.api.url, key).request('POST', '/api/v1/actions', { body: request })
  expect(ofKey.body.error).toBe('kind must be one of: credit_note.')
  const without = await client.request('POST', '/api/v1/actions', { body: { ...request, kind: undefined } })
  expect(without.body.error).toMatch(/^kind is required; /)
})

test('the refusal of an unknown kind lists at most so many kinds, and says where the others are', async () => {
  const { declare, propose } = await accountOfAda()
  for (let n = 0; n <= limits.kindsNamedMax; n++) await declare(customerDeletion({ kind: `kind_${n}` }))
  const { error } = (await propose('no_such_kind', {})).body
  expect(error.split(', ')).toHaveLength(limits.kindsNamedMax + 2)
  expect(error).toMatch(/, and 2 more, which GET \/llms\.txt lists\.$/)
})

test('the kinds of another account are unknown', async () => {
  const [one, other] = [await accountOfAda(), await accountOfAda()]
  await one.declare(customerDeletion())
  const refused = await other.propose('customer_deletion', ofCustomer('cus_1'))
  expect([refused.status, refused.body.error]).toEqual([422, 'kind must be one of: broadcast.'])
  const { tools } = (await rpc(other.client, 'tools/list')).body.result
  expect(tools.map(({ name }: { name: string }) => name)).not.toContain('propose_customer_deletion')
})

test('a kind that is changed while a proposal of it is on its way is not proposed by its former version', async () => {
  const { account, client, declare, propose } = await accountOfAda()
  await declare(customerDeletion())
  const answer = await overtake(
    gate.database,
    account.account,
    () => propose('customer_deletion', ofCustomer('cus_1')),
    setKind(account.account, customerDeletion({ title: 'Archive a customer' })),
  )
  expect([answer.status, answer.body]).toMatchObject([
    409,
    { code: 'conflict', param: 'kind', error: expect.stringContaining('was changed meanwhile') },
  ])
  expect((await client.list()).body.actions).toEqual([])
})

test('the database itself stores no proposal of a version that is not in force', async () => {
  const { account, client, declare, propose } = await accountOfAda()
  await declare(customerDeletion())
  const { kinds } = gate.deps
  const former = await kinds.now(account.account)
  await declare(customerDeletion({ title: 'Archive a customer' }))
  // A process that never learns of the change.
  const { now, of } = kinds
  Object.assign(kinds, { now: async () => former, of: async () => former })
  try {
    expect((await propose('customer_deletion', ofCustomer('cus_1'))).status).toBe(503)
  } finally {
    Object.assign(kinds, { now, of })
  }
  expect((await client.list()).body.actions).toEqual([])
})

test('a confirm that a retirement overtakes executes nothing', async () => {
  const { account, client, actor, declare, propose } = await accountOfAda()
  await declare(customerDeletion())
  const { id } = (await propose('customer_deletion', ofCustomer('cus_overtaken'))).body
  const confirmed = await overtake(
    gate.database,
    account.account,
    () => client.confirm(id, actor),
    `select set_config('gate.account', '${account.account}', true), gate.retire_kind(
      '${account.account}', null, 'customer_deletion', gen_random_uuid())`,
  )
  expect(confirmed.body).toMatchObject({ status: 'denied', denial_code: 'kind_off' })
})

test('subject and amount stand in the row as the database read them, by the version of the proposal', async () => {
  const { account, client, actor, declare, propose } = await accountOfAda()
  await declare(creditNote())
  const { id } = (await propose('credit_note', { customer: 'cus_1', cents: 6_000, currency: 'usd' })).body
  const stored = () =>
    gate.database.asSuperuser(
      `select kind_version, subject, amount_cents::int, amount_currency from gate.action where account_id = '${account.account}' and id = ${id}`,
    )
  expect(await stored()).toEqual([
    { kind_version: 1, subject: 'cus_1', amount_cents: 6_000, amount_currency: 'usd' },
  ])
  expect((await client.confirm(id, actor)).body.status).toBe('executed')
  // The same fields mean something else in the next version.
  const { payload } = creditNote() as { payload: { properties: object } }
  const properties = {
    ...payload.properties,
    total: { type: 'integer', minimum: 0, maximum: 10_000_000 },
  }
  const required = ['customer', 'currency', 'total']
  const amount = { cents: '/total', currency: '/currency' }
  await declare(creditNote({ payload: { ...payload, properties, required }, amount }))
  const next = await propose('credit_note', { customer: 'cus_1', total: 6_000, currency: 'usd' })
  expect(next.body).toMatchObject({ status: 'denied', denial_reason: expect.stringContaining('60.00 USD') })
})

test("a key's ceiling counts the amounts of declared kinds", async () => {
  const { account, client, actor, declare } = await accountOfAda()
  await declare(creditNote())
  const { key } = await account.mintKey({ centsPerDay: { usd: 10_000 } })
  const limited = apiClient(gate.api.url, key)
  const propose = (customer: string) =>
    limited.request('POST', '/api/v1/actions', {
      body: { kind: 'credit_note', actor, payload: { customer, cents: 6_000, currency: 'usd' } },
    })
  const { id } = (await propose('cus_1')).body
  expect((await client.confirm(id, actor)).body.status).toBe('executed')
  expect((await propose('cus_2')).body).toMatchObject({ status: 'denied', denial_code: 'key_limit' })
})

test('a key can be limited to declared kinds, and sees and proposes no others', async () => {
  const { account, actor, declare } = await accountOfAda()
  await declare(customerDeletion())
  await declare(creditNote())
  const clientOf = async (kinds: string[]) => apiClient(gate.api.url, (await account.mintKey({ kinds })).key)
  const [deletes, broadcasts] = [await clientOf(['customer_deletion']), await clientOf(['broadcast'])]
  const toolsOf = async (client: typeof deletes) =>
    (await rpc(client, 'tools/list')).body.result.tools
      .map(({ name }: { name: string }) => name)
      .filter((name: string) => name.startsWith('propose_'))
  expect(await Promise.all([deletes, broadcasts].map(toolsOf))).toEqual([['propose_customer_deletion'], []])
  const body = { kind: 'customer_deletion', actor, payload: ofCustomer('cus_1') }
  const [allowed, refused] = await Promise.all(
    [deletes, broadcasts].map((client) => client.request('POST', '/api/v1/actions', { body })),
  )
  expect([allowed!.status, refused!.status, refused!.body.code]).toEqual([201, 403, 'key_kind_not_allowed'])
})

test('the policy rules a declared kind like any other, and explains its ruling', async () => {
  const { account, declare, propose } = await accountOfAda()
  await declare(customerDeletion())
  const context = { db: gate.deps.db, kinds: gate.deps.kinds, account: account.account, session: null }
  const kinds = await gate.deps.kinds.now(account.account)
  await setPolicy(
    context,
    parsePolicyDocument(kinds, { kinds: { customer_deletion: { tier: 'write', consent: 'page' } } }),
  )
  const denied = await propose('customer_deletion', ofCustomer('cus_1'))
  expect(denied.body).toMatchObject({
    status: 'denied',
    denial_code: 'tier_insufficient',
    needed_tier: 'write',
  })
  expect(
    await explainPolicy(context, account.account, { kind: 'customer_deletion', tier: 'write' }),
  ).toMatchObject({ allowed: true, consent: 'page', rule: 'This customer_deletion requires `write`' })
  const bands = { bands: { usd: [{ tier: 'write' }] } }
  expect(() => parsePolicyDocument(kinds, { kinds: { customer_deletion: bands } })).toThrow(
    /kinds.customer_deletion/,
  )
})

test('with a key, OpenAPI and llms.txt describe the kinds of its account; without one they stay as they are', async () => {
  const { client, declare } = await accountOfAda()
  const read = async (path: string, headers: Record<string, string> = {}) => {
    const response = await fetch(`${gate.api.url}${path}`, { headers })
    return { status: response.status, text: await response.text() }
  }
  const paths = ['/api/openapi.json', '/llms.txt']
  const before = await Promise.all(paths.map((path) => read(path)))
  await declare(customerDeletion())
  const withKey = { authorization: `Bearer ${client.key}` }
  const [openapi, llms] = await Promise.all(paths.map((path) => read(path, withKey)))
  expect(await Promise.all(paths.map((path) => read(path)))).toEqual(before)
  const { paths: described, components } = JSON.parse(openapi!.text)
  const { schema } = described['/api/v1/actions'].post.requestBody.content['application/json']
  expect(schema).toEqual({ $ref: '#/components/schemas/Proposal' })
  const { Proposal, CustomerDeletionProposal, CustomerDeletionInput, CustomerDeletionPayload } =
    components.schemas
  expect(Object.keys(Proposal.discriminator.mapping)).toEqual(['broadcast', 'customer_deletion'])
  expect(CustomerDeletionProposal.properties.kind).toEqual({ type: 'string', const: 'customer_deletion' })
  expect(CustomerDeletionInput.properties.customer.properties.id).toMatchObject({ maxLength: 40 })
  expect(CustomerDeletionPayload.properties).toHaveProperty('customer')
  expect(llms!.text).toContain('- customer_deletion, tool propose_customer_deletion: Delete a customer and')
  expect((await read('/llms.txt', { authorization: 'Bearer qgk_wrong' })).status).toBe(401)
})

test('each change is an entry, and the same document changes nothing', async () => {
  const { account, declare, retire } = await accountOfAda()
  await declare(customerDeletion())
  expect(await declare(customerDeletion())).toEqual({ kind: 'customer_deletion', version: 1, isNew: false })
  await retire('customer_deletion')
  await retire('customer_deletion')
  const entries = (await entriesOf(gate.database, account.account)).filter(({ kind }) =>
    kind.startsWith('kind_'),
  )
  expect(entries.map(({ kind, entry }) => [kind, entry.actor, entry.data])).toEqual([
    [
      'kind_set',
      'admin',
      { kind: 'customer_deletion', version: 1, document: expect.stringMatching(/^[0-9a-f]{64}$/) },
    ],
    ['kind_retired', 'admin', { kind: 'customer_deletion', version: 1 }],
  ])
})

test('without the group `kinds` of TOOLS there is no tool, and REST goes on', async () => {
  const { client, actor, declare, propose } = await accountOfAda()
  await declare(customerDeletion())
  const { config } = gate.deps
  const { TOOLS } = config
  Object.assign(config, { TOOLS: TOOLS.filter((group) => group !== 'kinds') })
  try {
    const called = await rpc(client, 'tools/call', {
      name: 'propose_customer_deletion',
      arguments: { actor, ...ofCustomer('cus_1') },
    })
    expect(called.body.error).toMatchObject({ message: expect.stringContaining('Unknown tool') })
    expect((await propose('customer_deletion', ofCustomer('cus_1'))).status).toBe(201)
  } finally {
    Object.assign(config, { TOOLS })
  }
})

test('erasing a payload erases what the database read of it', async () => {
  const { account, client, actor, declare, propose } = await accountOfAda()
  await declare(creditNote())
  const { id } = (await propose('credit_note', { customer: 'cus_1', cents: 100, currency: 'usd' })).body
  await client.confirm(id, actor)
  const ours = `account_id = '${account.account}' and id = ${id}`
  await gate.database.asSuperuser(
    `update gate.action set decided_at = decided_at - interval '2 days' where ${ours}`,
  )
  await eraseAsAdmin({ db: gate.deps.db, account: account.account, session: null }, id, 'asked for')
  const rows = await gate.database.asSuperuser(
    `select payload::text, subject, amount_cents, amount_currency from gate.action where ${ours}`,
  )
  expect(rows).toEqual([{ payload: '{}', subject: null, amount_cents: null, amount_currency: null }])
})

test('a member consents on a page to a declared kind, by a card that shows all of it', async () => {
  const { account, member, client, actor, declare, propose } = await accountOfAda()
  await declare(customerDeletion({ default_rule: { tier: 'guarded_write', consent: 'page' } }))
  const payload = { customer: { id: 'cus_1' }, keep_invoices: false }
  const { id } = (await propose('customer_deletion', payload)).body
  const reader = {
    account: account.account,
    adminId: null,
    memberId: member.memberId,
    tokenHash: await sessionOf(gate.deps, account.account, actor.email),
    isSuspended: false,
  } as unknown as Session
  const { open } = await readProposal(gate.deps, reader, id)
  expect(cardText(open!.card).replaceAll('\n┊ ', '')).toContain('{"keep_invoices":false}')
  const row = (await client.get(id)).body
  await decideInConsole(gate.deps, reader, id, { does: 'confirm', shown: open!.shown, digest: row.digest })
  expect((await client.get(id)).body).toMatchObject({
    status: 'executed',
    consent: { strength: 'page', channel: 'console' },
  })
})
