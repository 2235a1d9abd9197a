import { notDoneWords, resultWords } from '../../src/gate/result-words.ts'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { customerWords, factsOf } from '../../src/actions/billing/facts.ts'
import { verifyLedger } from '../../src/ledger/verify.ts'
import { type BillingScene, billingScene } from '../support/billing.ts'
import { type TestGate, startGate } from '../support/gate.ts'
import { rpc } from '../support/mcp-tool.ts'
import { testRows } from '../support/rows.ts'

let gate: TestGate
let scene: BillingScene
beforeAll(async () => {
  gate = await startGate()
  scene = await billingScene(gate)
}, 60_000)
afterAll(() => gate.stop())

const operations = (type: string) => gate.sandbox.stripeOperations().filter((o) => o.operation === type)

test('payments are listed newest first for any member, with what is needed to choose one, page by page', async () => {
  const first = await scene.tool('list_payments', { limit: 4 }, scene.reader)
  expect(first.body.payments.map((p: any) => p.id)).toEqual([
    'pi_Sandbox10',
    'pi_Sandbox09',
    'pi_Sandbox08',
    'pi_Sandbox07',
  ])
  expect(first.body.payments[0]).toEqual({
    id: 'pi_Sandbox10',
    amount_cents: 1_200,
    refunded_cents: 0,
    currency: 'usd',
    status: 'succeeded',
    customer: 'cus_SandboxBolt',
    description: 'Spare chain',
    created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
  })
  const next = await scene.tool('list_payments', { limit: 100, after: first.body.next_after })
  expect(next.body.payments).toHaveLength(6)
  expect(next.body).not.toHaveProperty('next_after')
  const ofOne = await scene.tool('list_payments', { customer: 'cus_SandboxCove' })
  expect(ofOne.body.payments.map((p: any) => p.refunded_cents)).toEqual([0, 3_000])
})

test('a refund without an amount is fixed, when proposed, to all that remains, and is done once by a confirm', async () => {
  const proposed = await scene.tool('issue_refund', { payment: 'pi_Sandbox04', reason: 'duplicate' })
  expect(proposed.body).toMatchObject({
    kind: 'refund',
    status: 'proposed',
    source: 'mcp',
    requires_confirmation: true,
    payload: {
      payment: 'pi_Sandbox04',
      amount_cents: 5_900,
      currency: 'usd',
      customer: 'cus_SandboxCove',
      reason: 'duplicate',
    },
    blast_radius: { slack: 0, email: 0, unreachable: 0 },
  })
  expect(operations('refund')).toEqual([])
  const { body } = await scene.tool('confirm_action', { id: proposed.body.id })
  expect(body).toMatchObject({
    status: 'executed',
    consent: { strength: 'agent_attested', by: 'gus@example.com', channel: 'mcp' },
    result: {
      outcome: 'done',
      provider: 'stripe',
      provider_id: expect.stringMatching(/^re_/),
      status: 'succeeded',
      amount_cents: 5_900,
      currency: 'usd',
      sandbox: true,
    },
  })
  expect(operations('refund')).toHaveLength(1)
  const again = await scene.tool('confirm_action', { id: proposed.body.id })
  expect(again.isError).toBe(true)
  expect(operations('refund')).toHaveLength(1)
})

test('the provider’s words at the proposal are kept for the card: not in the payload, and no reason for another action', async () => {
  const proposedBy = async (name: string, args: object) => {
    const { body } = await scene.tool(name, args as Record<string, unknown>, scene.writer)
    const [row] = await gate.database.asSuperuser(
      `select facts from gate.action where account_id = '${scene.account.account}' and id = ${body.id}`,
    )
    return { body, facts: row!['facts'] as [string, string][] }
  }
  const refund = await proposedBy('issue_refund', { payment: 'pi_Sandbox03', amount_cents: 1_000 })
  expect(refund.facts).toEqual([
    ['Customer', '“Elm Furniture”, “billing@elm-furniture.example”, cus_SandboxElm'],
    ['Description', '“Two chairs”'],
    ['Paid', expect.stringMatching(/^480\.00 EUR on \d{4}-\d\d-\d\d$/)],
    ['Refunded before', 'nothing'],
    ['Remaining after', '470.00 EUR'],
  ])
  expect(refund.body.payload).toEqual({
    payment: 'pi_Sandbox03',
    amount_cents: 1_000,
    currency: 'eur',
    customer: 'cus_SandboxElm',
  })
  const again = await proposedBy('issue_refund', { payment: 'pi_Sandbox03', amount_cents: 1_000 })
  expect(again.body.duplicate_of).toBe(refund.body.id)
  const plan = await proposedBy('cancel_subscription', { subscription: 'sub_SandboxSmall' })
  expect(plan.facts).toEqual([
    ['Customer', '“Bolt Bikes”, “billing@bolt-bikes.example”, cus_SandboxBolt'],
    ['Plan', '“Team plan”'],
    ['Price', '29.00 USD per month'],
    ['Paid period ends', expect.stringMatching(/^\d{4}-\d\d-\d\d$/)],
  ])
  const payout = await proposedBy('send_payout', { amount_cents: 100, currency: 'eur' })
  expect(payout.facts).toEqual([
    ['Available balance', '1,000.00 EUR'],
    ['Balance after', '999.00 EUR'],
  ])
  const checkout = await proposedBy('create_checkout', {
    price: 'price_SandboxKit',
    customer: 'cus_SandboxFern',
  })
  expect(checkout.facts).toEqual([
    ['Customer', '“Fern Florists”, “billing@fern-florists.example”, cus_SandboxFern'],
    ['Product', '“Starter kit”'],
  ])
  for (const { body } of [refund, again, plan, payout, checkout])
    await scene.tool('cancel_action', { id: body.id }, scene.writer)
  expect(await verifyLedger(gate.database.db, scene.account.account)).toMatchObject({ ok: true })
})

test('a customer who writes their own name cannot end it, hide their id, or make what PostgreSQL refuses', () => {
  const liar = {
    id: 'cus_Liar',
    name: 'Boss”, “boss@acme.example”, cus_Boss\0',
    email: 'm'.repeat(10_000_000),
  }
  const [fact] = factsOf([['Customer', customerWords(liar.id, liar)]])
  expect(fact).toEqual([
    'Customer',
    `“Boss", "boss@acme.example", cus_Boss\uFFFD”, “${'m'.repeat(99)}…”, cus_Liar`,
  ])
})

test('a charge is accepted for its payment', async () => {
  const { body } = await scene.tool('issue_refund', { payment: 'ch_Sandbox10', amount_cents: 100 })
  expect(body.payload).toEqual({
    payment: 'pi_Sandbox10',
    amount_cents: 100,
    currency: 'usd',
    customer: 'cus_SandboxBolt',
  })
})

test('a refund above the clearance is a denied row that names band and tier, and needs no confirm', async () => {
  const { body, isError } = await scene.tool('issue_refund', {
    payment: 'pi_Sandbox05',
    amount_cents: 10_001,
  })
  expect(isError).toBe(false)
  expect(body).toMatchObject({
    status: 'denied',
    requires_confirmation: false,
    denial_reason:
      'This 100.01 USD refund requires `write` (up to 10,000.00 USD); the member has `guarded_write`. To qualify, ask an administrator.',
  })
  const within = await scene.tool('issue_refund', { payment: 'pi_Sandbox05', amount_cents: 10_000 })
  expect(within.body.status).toBe('proposed')
  const byWriter = await scene.tool('issue_refund', { payment: 'pi_Sandbox01' }, scene.writer)
  expect(byWriter.body).toMatchObject({
    status: 'denied',
    denial_code: 'above_last_band',
    denial_reason:
      'This 24,000.00 USD refund is above the highest amount that the policy allows. No tier is sufficient; ask an administrator to change the policy.',
  })
})

test('a cancellation weighs what a period of the subscription costs, and by default ends with the period', async () => {
  const large = await scene.tool('cancel_subscription', { subscription: 'sub_SandboxLarge' })
  expect(large.body).toMatchObject({
    kind: 'subscription_cancellation',
    status: 'denied',
    denial_reason:
      'Cancelling this 900.00 USD subscription requires `write`; the member has `guarded_write`. To qualify, ask an administrator.',
  })
  const row = await scene.done('cancel_subscription', { subscription: 'sub_SandboxSmall' })
  expect(row).toMatchObject({
    status: 'executed',
    payload: {
      subscription: 'sub_SandboxSmall',
      at_period_end: true,
      amount_cents: 2_900,
      currency: 'usd',
      interval: 'month',
    },
    result: { outcome: 'done', provider_id: 'sub_SandboxSmall', status: 'active' },
  })
  const again = await scene.tool('cancel_subscription', { subscription: 'sub_SandboxSmall' })
  expect(again).toMatchObject({ isError: true, body: { error: expect.stringContaining('already ends') } })
  const atOnce = await scene.done(
    'cancel_subscription',
    { subscription: 'sub_SandboxLarge', at_period_end: false },
    scene.writer,
  )
  expect(atOnce.result).toMatchObject({ outcome: 'done', status: 'canceled' })
})

test('a checkout weighs its total and answers the page to pay at, for an amount or a price', async () => {
  const row = await scene.done('create_checkout', {
    amount_cents: 2_500,
    quantity: 3,
    currency: 'EUR',
    description: 'Team lunch',
    customer: 'cus_SandboxAcme',
  })
  expect(row).toMatchObject({
    status: 'executed',
    payload: { mode: 'payment', amount_cents: 2_500, quantity: 3, total_cents: 7_500, currency: 'eur' },
    result: { outcome: 'done', amount_cents: 7_500, currency: 'eur', status: 'open' },
  })
  const page = await fetch(row.result.url)
  expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('Team lunch')])
  const priced = await scene.tool('create_checkout', { price: 'price_SandboxPlan', quantity: 35 })
  expect(priced.body).toMatchObject({
    status: 'denied',
    payload: { mode: 'subscription', amount_cents: 2_900, total_cents: 101_500, price: 'price_SandboxPlan' },
  })
})

test('a customer comes back to a page that claims nothing about the payment', async () => {
  const done = await fetch(new URL('/checkout/done', gate.api.url))
  expect([done.status, await done.text()]).toEqual([200, expect.stringContaining('Thank you')])
  expect(done.headers.get('content-security-policy')).toContain("default-src 'none'")
  const left = await fetch(new URL('/checkout/done?cancelled=1', gate.api.url))
  expect(await left.text()).toContain('You left the payment page')
})

test('a payout needs write, and one that the balance does not cover ends cancelled with the provider’s code', async () => {
  const denied = await scene.tool('send_payout', { amount_cents: 100 })
  expect(denied.body).toMatchObject({
    kind: 'payout',
    status: 'denied',
    denial_reason:
      'A payout requires at least `write`; the member has `guarded_write`. To qualify, ask an administrator.',
  })
  const row = await scene.done('send_payout', { amount_cents: 50_000, description: 'October' }, scene.writer)
  expect(row.result).toMatchObject({
    outcome: 'done',
    provider_id: expect.stringMatching(/^po_/),
    amount_cents: 50_000,
  })
  const uncovered = await scene.done('send_payout', { amount_cents: 200_000, currency: 'eur' }, scene.writer)
  expect(uncovered).toMatchObject({
    status: 'cancelled',
    closed_reason: 'refused',
    result: {
      outcome: 'refused',
      provider: 'stripe',
      code: 'balance_insufficient',
      provider_message: expect.any(String),
    },
  })
  expect(uncovered).not.toHaveProperty('executed_at')
  expect(operations('payout')).toHaveLength(1)
})

test('a repeat under its key gets its first answer, also when the same could not be proposed any more', async () => {
  const args = { payment: 'pi_Sandbox09', idempotency_key: 'once' }
  const first = await scene.tool('issue_refund', args, scene.writer)
  await scene.tool('confirm_action', { id: first.body.id }, scene.writer)
  const again = await scene.tool('issue_refund', args, scene.writer)
  expect(again.body).toMatchObject({ id: first.body.id, status: 'proposed' })
  const other = await scene.tool('issue_refund', { ...args, amount_cents: 5 }, scene.writer)
  expect(other).toMatchObject({ isError: true, body: { error: expect.stringContaining('Idempotency-Key') } })
  const fresh = await scene.tool('issue_refund', { payment: 'pi_Sandbox09' })
  expect(fresh).toMatchObject({ isError: true, body: { error: 'payment is already fully refunded.' } })
})

const refused: [string, Record<string, unknown>, string][] = [
  ['issue_refund', { payment: 'pi_Sandbox05', amount_cents: 0 }, 'amount_cents must be at least 1 cent'],
  ['issue_refund', { payment: 'pi_Sandbox05', amount_cents: -5 }, 'amount_cents must be at least 1 cent'],
  [
    'issue_refund',
    { payment: 'pi_Sandbox05', amount_cents: 1.5 },
    'amount_cents must be a whole number of cents',
  ],
  [
    'issue_refund',
    { payment: 'pi_Sandbox05', amount_cents: '5' },
    'amount_cents must be a whole number of cents: send it as a number, without quotation marks',
  ],
  [
    'send_payout',
    { amount_cents: ' 12.50 ' },
    'amount_cents must be a whole number of cents: send it as a number, without quotation marks',
  ],
  [
    'create_checkout',
    { price: 'price_SandboxKit', quantity: '2' },
    'send it as a number, without quotation marks',
  ],
  [
    'issue_refund',
    { payment: 'pi_Sandbox05', amount_cents: 90_001 },
    'amount_cents exceeds the remaining 900.00 USD',
  ],
  ['issue_refund', { payment: 'pi_Sandbox02' }, 'payment is already fully refunded'],
  [
    'issue_refund',
    { payment: 'pi_Sandbox08' },
    'payment has status requires_payment_method: nothing was paid',
  ],
  [
    'issue_refund',
    { payment: 'pi_Nowhere' },
    'Payment pi_Nowhere was not found. Use list_payments to see available payments',
  ],
  ['issue_refund', { payment: 're_Sandbox04' }, 'payment must be the id of a payment: pi_… or ch_…'],
  ['issue_refund', { payment: 'sub_SandboxSmall' }, 'payment must be the id of a payment'],
  ['issue_refund', { payment: 'pi_Sandbox05', reason: 'because' }, 'reason must be duplicate, fraudulent or'],
  ['issue_refund', { payment: 'pi_Sandbox05', ammount: 3 }, 'unknown field ammount'],
  ['issue_refund', {}, 'payment is required'],
  ['cancel_subscription', { subscription: 'sub_SandboxEnded' }, 'subscription is already cancelled'],
  ['cancel_subscription', { subscription: 'sub_Nowhere' }, 'Subscription sub_Nowhere was not found'],
  [
    'cancel_subscription',
    { subscription: 'cus_SandboxAcme' },
    'subscription must be the id of a subscription: sub_…',
  ],
  ['send_payout', { amount_cents: 100_000_000_000 }, 'amount_cents must be at most 99999999999'],
  [
    'send_payout',
    { amount_cents: 100, currency: 'jpy' },
    'currency must be a currency whose amounts are in cents',
  ],
  [
    'send_payout',
    { amount_cents: 100, currency: 'dollars' },
    'currency must be a currency whose amounts are in cents',
  ],
  ['send_payout', { amount_cents: 100, description: 'a\u0007b' }, 'description must be one line'],
  ['send_payout', {}, 'amount_cents is required'],
  ['create_checkout', {}, 'amount_cents is required, together with description, unless price is given'],
  ['create_checkout', { amount_cents: 100 }, 'description is required with amount_cents'],
  [
    'create_checkout',
    { amount_cents: 100, description: 'x', price: 'price_SandboxKit' },
    'cannot be combined with price',
  ],
  [
    'create_checkout',
    { amount_cents: 100, description: 'x', mode: 'subscription' },
    'mode subscription requires a price',
  ],
  ['create_checkout', { price: 'price_SandboxKit', mode: 'subscription' }, 'mode must be payment'],
  ['create_checkout', { price: 'price_SandboxFleet' }, 'price is no longer active'],
  ['create_checkout', { price: 'prod_SandboxKit' }, 'price must be the id of a price: price_…'],
  ['create_checkout', { price: 'price_SandboxKit', quantity: 0 }, 'quantity must be at least 1'],
  [
    'create_checkout',
    { amount_cents: 99_999_999_999, description: 'x', quantity: 2 },
    'quantity times the price exceeds',
  ],
  ['list_payments', { limit: 0 }, 'limit must be at least 1'],
  ['list_payments', { limit: 101 }, 'limit must be at most 100'],
  ['list_payments', { after: 'ch_Sandbox05' }, 'after must be the id of a payment: pi_…'],
]
testRows(refused)(
  'a call that cannot be made is refused with a sentence, and no row is made',
  async (name, args, sentence) => {
    const rows = async () => (await scene.client.list({ limit: '200' })).body.actions.length
    const before = await rows()
    const { isError, body } = await scene.tool(name, args, scene.writer)
    expect([isError, body.error]).toEqual([true, expect.stringContaining(sentence)])
    expect(await rows()).toBe(before)
  },
)

test('a member who may do nothing of a kind is denied by an action, without a call to the provider', async () => {
  const { body } = await scene.tool('issue_refund', { payment: 'pi_Nowhere' }, scene.reader)
  expect(body).toMatchObject({
    status: 'denied',
    payload: { payment: 'pi_Nowhere' },
    denial_reason:
      'A refund requires at least `guarded_write`; the member has `read_only`. To qualify, ask an administrator.',
  })
})

test('HTTP propose goes on accepting broadcasts alone', async () => {
  const { status } = await scene.client.request('POST', '/api/v1/actions', {
    body: { kind: 'refund', actor: { email: 'wil@example.com' }, payload: { payment: 'pi_Sandbox05' } },
  })
  expect(status).toBe(422)
})

test('billing rows are read, listed and cancelled over REST like any other', async () => {
  const { body } = await scene.tool('issue_refund', { payment: 'pi_Sandbox07' })
  expect((await scene.client.get(body.id)).body).toEqual(body)
  const listed = await scene.client.list({ kind: 'refund', status: 'proposed', limit: '200' })
  // A list has no cards.
  const { card, ...row } = body
  expect(card).toMatch(/^Refund 29\.00 USD of 29\.00 USD to “/)
  expect(listed.body.actions).toContainEqual(row)
  const cancelled = await scene.client.cancel(body.id, { email: 'gus@example.com' })
  expect(cancelled.body).toMatchObject({ status: 'cancelled', closed_reason: 'proposer' })
})

test('without their group the tools are not listed, not described, and unknown when called', async () => {
  const other = await startGate({ env: { TOOLS: 'gate' }, workers: false })
  try {
    const { client } = await other.account()
    const { body } = await rpc(client, 'tools/list')
    expect(body.result.tools.map((tool: { name: string }) => tool.name)).not.toContain('issue_refund')
    const called = await rpc(client, 'tools/call', { name: 'issue_refund', arguments: {} })
    expect(called.body.error.message).toContain('Unknown tool issue_refund')
    const text = await (await fetch(new URL('/llms.txt', other.api.url))).text()
    expect(text).toContain('confirm_action')
    expect(text).not.toContain('refund')
    const description = await (await fetch(new URL('/api/openapi.json', other.api.url))).text()
    expect(description).not.toContain('issue_refund')
  } finally {
    await other.stop()
  }
})

test('an account without a payment provider is told so, and no row is made', async () => {
  const other = await startGate({ env: { SLACK_BOT_TOKEN: 'xoxb-no-stripe' }, workers: false })
  try {
    const bare = await billingScene(other)
    for (const [name, args] of [
      ['list_payments', {}],
      ['issue_refund', { payment: 'pi_Sandbox05' }],
      ['send_payout', { amount_cents: 100 }],
      ['create_checkout', { amount_cents: 100, description: 'Tea' }],
    ] as const) {
      const { isError, body } = await bare.tool(name, args, bare.writer)
      expect([isError, body.error]).toEqual([
        true,
        expect.stringContaining('No payment provider is connected'),
      ])
    }
    expect((await bare.client.list()).body.actions).toEqual([])
  } finally {
    await other.stop()
  }
})

test('a refund that the provider refuses says why in its words, wherever the outcome is shown', async () => {
  const proposals = [
    await scene.tool('issue_refund', { payment: 'pi_Sandbox07', amount_cents: 100 }),
    await scene.tool('issue_refund', { payment: 'pi_Sandbox07' }),
  ]
  const [first, second] = proposals.map(({ body }) => body.id as number)
  expect((await scene.tool('confirm_action', { id: first })).body.status).toBe('executed')
  const { body } = await scene.tool('confirm_action', { id: second })
  const words = expect.stringMatching(
    /^Refund amount \([\d.]+ USD\) is greater than unrefunded amount on charge \([\d.]+ USD\)/,
  )
  expect(body).toMatchObject({ status: 'cancelled', result: { outcome: 'refused', provider_message: words } })
  expect(resultWords('refund', body.result)).toMatch(
    /^Refused by Stripe: “Refund amount .* greater than .*”\. Nothing was done/,
  )
  expect(notDoneWords('refund', body.result)).toMatch(
    /^The provider refused it: “Refund amount .*”\. Nothing was executed$/,
  )
})
