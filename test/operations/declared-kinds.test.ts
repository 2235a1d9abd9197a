import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { retireKind } from '../../src/operations/kinds/declared-kinds.ts'
import { creditNote, customerDeletion, declare, throwawayPerformer } from '../support/declared-kind.ts'
import { type TestGate, startGate } from '../support/gate.ts'
import { entryKindsOf } from '../support/ledger-entries.ts'
import { callTool, rpc } from '../support/mcp-tool.ts'

const performed: string[] = []

let gate: TestGate
beforeAll(async () => {
  gate = await startGate({ performers: throwawayPerformer(performed) })
}, 60_000)
afterAll(() => gate.stop())

async function accountOfAda() {
  const account = await gate.account()
  await account.addMember({ email: 'ada@example.com', tier: 'guarded_write' })
  const { client } = account
  const actor = { email: 'ada@example.com' }
  return {
    account,
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

test('it is proposed by request_action and by a tool of its own, whose arguments are its payload', async () => {
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
  const { declare, propose } = await accountOfAda()
  await declare(customerDeletion())
  const answers = await Promise.all([
    propose('customer_deletion', {}),
    propose('customer_deletion', { customer: { id: 'x'.repeat(41) } }),
    propose('customer_deletion', { customer: { id: 'cus_1', admin: true } }),
  ])
  expect(answers.map(({ status, body }) => [status, body.param])).toEqual([
    [422, 'payload.customer'],
    [422, 'payload.customer.id'],
    [422, 'payload.customer.admin'],
  ])
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
  const { client, actor, declare, propose } = await accountOfAda()
  await declare(customerDeletion())
  const { id } = (await propose('customer_deletion', ofCustomer('cus_1'))).body
  expect(await declare(customerDeletion({ title: 'Archive a customer' }))).toMatchObject({ version: 2 })
  const confirmed = await client.confirm(id, actor)
  expect(confirmed.body).toMatchObject({ status: 'executed', kind_version: 1 })
  expect(performed).toContain(`customer_deletion ${id}: Delete a customer`)
  expect((await propose('customer_deletion', ofCustomer('cus_1'))).body.kind_version).toBe(2)
})

test('a retired kind is unknown to proposals, and its open proposals are denied', async () => {
  const { client, actor, declare, retire, propose } = await accountOfAda()
  await declare(customerDeletion())
  const { id } = (await propose('customer_deletion', ofCustomer('cus_1'))).body
  await retire('customer_deletion')
  const unknown = await propose('no_such_kind', ofCustomer('cus_2'))
  const refused = await propose('customer_deletion', ofCustomer('cus_2'))
  expect([refused.status, refused.body.error]).toEqual([unknown.status, unknown.body.error])
  const confirmed = await client.confirm(id, actor)
  expect(confirmed.body).toMatchObject({ status: 'denied', denial_code: 'kind_off' })
  expect(await declare(customerDeletion())).toMatchObject({ version: 2, isNew: true })
  expect((await propose('customer_deletion', ofCustomer('cus_2'))).status).toBe(201)
})

test('the kinds of another account are unknown', async () => {
  const [one, other] = [await accountOfAda(), await accountOfAda()]
  await one.declare(customerDeletion())
  expect((await other.propose('customer_deletion', ofCustomer('cus_1'))).status).toBe(422)
  const { tools } = (await rpc(other.client, 'tools/list')).body.result
  expect(tools.map(({ name }: { name: string }) => name)).not.toContain('propose_customer_deletion')
})
