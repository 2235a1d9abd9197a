import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { appendFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Stripe } from 'stripe'
import { startSandbox, type Sandbox, type SandboxOptions } from '../../dev/sandbox/sandbox.ts'
import { asOf } from '../../dev/sandbox/stripe/clock.ts'
import { stripeSeed } from '../../dev/sandbox/stripe/seed.ts'
import { testRows } from '../support/rows.ts'

let folder: string
let sandbox: Sandbox
let stripe: Stripe
const setUp = async () => {
  folder = mkdtempSync(join(tmpdir(), 'stripe-sandbox-'))
  await start()
}
beforeEach(setUp)
const tearDown = async () => {
  await sandbox.stop()
  rmSync(folder, { recursive: true })
}
afterEach(tearDown)

async function start(options: SandboxOptions = {}): Promise<void> {
  sandbox = await startSandbox({ dataFile: join(folder, 'sandbox.jsonl'), ...options })
  stripe = clientOf(sandbox)
}

async function restart(options: SandboxOptions = {}): Promise<void> {
  await sandbox.stop()
  await start(options)
}

function clientOf({ stripeApiUrl }: Sandbox, key = 'sk_test_sandbox'): Stripe {
  const { hostname: host, port } = new URL(stripeApiUrl)
  return new Stripe(key, {
    apiVersion: '2026-10-28.endive',
    maxNetworkRetries: 0,
    timeout: 20_000,
    telemetry: false,
    host,
    port,
    protocol: 'http',
  })
}

/** What a call was refused with. */
async function refusalOf(call: Promise<unknown>) {
  const error = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (!(error instanceof Stripe.errors.StripeError)) throw new TypeError('The call was not refused.')
  const { statusCode: status, rawType: type, code, param, message } = error
  return { status, type, code, param, message }
}

const idsOf = (list: { data: { id: string }[] }) => list.data.map(({ id }) => id)
const operationIds = () => sandbox.stripeOperations().map(({ id }) => id)
const available = async (currency: string) =>
  (await stripe.balance.retrieve()).available.find((fund) => fund.currency === currency)!.amount

/** A call that the SDK would not let through, or with what the SDK hides. */
async function raw(method: string, path: string, options: { headers?: object; body?: string } = {}) {
  const answer = await fetch(`${sandbox.stripeApiUrl}${path}`, {
    method,
    headers: {
      authorization: 'Bearer sk_test_sandbox',
      'content-type': 'application/x-www-form-urlencoded',
      ...options.headers,
    },
    ...(options.body === undefined ? {} : { body: options.body }),
  })
  return { status: answer.status, headers: answer.headers, body: (await answer.json()) as any }
}

describe('the sandbox begins with', () => {
  test('ten payments of several customers, newest first, with what was refunded of them', async () => {
    const { data } = await stripe.paymentIntents.list({ expand: ['data.latest_charge'] })
    const shown = data.map(({ id, amount, currency, status, latest_charge }) => {
      const charge = latest_charge as Stripe.Charge
      return [id, amount, currency, status, charge.amount_refunded, charge.refunded]
    })
    expect(shown).toEqual([
      ['pi_Sandbox10', 1_200, 'usd', 'succeeded', 0, false],
      ['pi_Sandbox09', 4_900, 'usd', 'succeeded', 0, false],
      ['pi_Sandbox08', 32_000, 'usd', 'requires_payment_method', 0, false],
      ['pi_Sandbox07', 2_900, 'usd', 'succeeded', 0, false],
      ['pi_Sandbox06', 540_000, 'usd', 'succeeded', 0, false],
      ['pi_Sandbox05', 90_000, 'usd', 'succeeded', 0, false],
      ['pi_Sandbox04', 8_900, 'usd', 'succeeded', 3_000, false],
      ['pi_Sandbox03', 48_000, 'eur', 'succeeded', 0, false],
      ['pi_Sandbox02', 125_000, 'usd', 'succeeded', 125_000, true],
      ['pi_Sandbox01', 2_400_000, 'usd', 'succeeded', 0, false],
    ])
    const created = data.map((payment) => payment.created)
    expect(created).toEqual(created.toSorted((a, b) => b - a))
    expect(created[0]).toBeLessThan(Date.now() / 1000)
    expect(new Set(data.map(({ customer }) => customer)).size).toBeGreaterThanOrEqual(5)
  })

  test('refunds that add up with their charges', async () => {
    const { data } = await stripe.refunds.list()
    expect(data.map(({ id, amount, charge }) => [id, amount, charge])).toEqual([
      ['re_Sandbox04', 3_000, 'ch_Sandbox04'],
      ['re_Sandbox02', 125_000, 'ch_Sandbox02'],
    ])
  })

  test('a small, a large and a cancelled subscription, whose periods lie around now', async () => {
    const { data } = await stripe.subscriptions.list({ status: 'all' })
    const now = Date.now() / 1000
    expect(data.map(({ id, status, items }) => [id, status, items.data[0]!.price.unit_amount])).toEqual([
      ['sub_SandboxSmall', 'active', 2_900],
      ['sub_SandboxLarge', 'active', 90_000],
      ['sub_SandboxEnded', 'canceled', 2_900],
    ])
    for (const { items } of data.slice(0, 2)) {
      expect(items.data[0]!.current_period_start).toBeLessThan(now)
      expect(items.data[0]!.current_period_end).toBeGreaterThan(now)
    }
    expect(idsOf(await stripe.subscriptions.list())).toEqual(['sub_SandboxSmall', 'sub_SandboxLarge'])
  })

  test('a price to pay once and a monthly one; one that is not sold any more shows when asked for', async () => {
    const { data } = await stripe.prices.list()
    expect(data.map(({ id, unit_amount, recurring }) => [id, unit_amount, recurring?.interval])).toEqual([
      ['price_SandboxPlan', 2_900, 'month'],
      ['price_SandboxKit', 4_900, undefined],
    ])
    expect(idsOf(await stripe.prices.list({ active: false }))).toEqual(['price_SandboxFleet'])
    const price = await stripe.prices.retrieve('price_SandboxPlan', { expand: ['product'] })
    expect(price).toMatchObject({ object: 'price', type: 'recurring', product: { name: 'Team plan' } })
    expect(String(price.unit_amount_decimal)).toBe('2900')
  })

  test('a balance in two currencies, and the account', async () => {
    expect(await stripe.balance.retrieve()).toMatchObject({
      object: 'balance',
      livemode: false,
      available: [
        { amount: 25_000_000, currency: 'usd' },
        { amount: 100_000, currency: 'eur' },
      ],
    })
    expect(await stripe.accounts.retrieveCurrent()).toMatchObject({
      object: 'account',
      payouts_enabled: true,
    })
  })

  test('the same in every new sandbox', async () => {
    const before = await stripe.charges.list()
    rmSync(join(folder, 'sandbox.stripe.jsonl'))
    await restart()
    const after = await stripe.charges.list()
    const lasting = (charge: Stripe.Charge) => ({ ...charge, created: 0 })
    expect(after.data.map(lasting)).toEqual(before.data.map(lasting))
  })
})

describe('reading', () => {
  testRows<[string, (id: string) => Promise<{ id: string; object: string }>, string]>(
    [
      ['charge', (id) => stripe.charges.retrieve(id), 'ch_Sandbox01'],
      ['customer', (id) => stripe.customers.retrieve(id), 'cus_SandboxAcme'],
      ['payment_intent', (id) => stripe.paymentIntents.retrieve(id), 'pi_Sandbox01'],
      ['price', (id) => stripe.prices.retrieve(id), 'price_SandboxKit'],
      ['product', (id) => stripe.products.retrieve(id), 'prod_SandboxKit'],
      ['refund', (id) => stripe.refunds.retrieve(id), 're_Sandbox04'],
      ['subscription', (id) => stripe.subscriptions.retrieve(id), 'sub_SandboxSmall'],
    ],
    [tearDown, setUp],
  )('each object by its id, and 404 resource_missing for another id', async (object, retrieve, id) => {
    expect(await retrieve(id)).toMatchObject({ id, object })
    expect(await refusalOf(retrieve('none'))).toMatchObject({
      status: 404,
      type: 'invalid_request_error',
      code: 'resource_missing',
      message: `No such ${object}: 'none'`,
    })
  })

  test('ids stay ids unless they are expanded; what cannot be expanded is refused', async () => {
    const id = 'pi_Sandbox04'
    expect((await stripe.paymentIntents.retrieve(id)).latest_charge).toBe('ch_Sandbox04')
    const expand = ['latest_charge.customer']
    expect((await stripe.paymentIntents.retrieve(id, { expand })).latest_charge).toMatchObject({
      id: 'ch_Sandbox04',
      customer: { name: 'Cove Coffee' },
    })
    expect(await refusalOf(stripe.paymentIntents.retrieve(id, { expand: ['amount'] }))).toMatchObject({
      status: 400,
      message: 'This property cannot be expanded (amount).',
    })
  })

  test('pages that together hold every payment once, forward and back', async () => {
    const all = idsOf(await stripe.paymentIntents.list({ limit: 100 }))
    const walked: string[] = []
    for await (const { id } of stripe.paymentIntents.list({ limit: 3 })) walked.push(id)
    expect(walked).toEqual(all)
    const first = await stripe.paymentIntents.list({ limit: 4 })
    expect(first).toMatchObject({ object: 'list', url: '/v1/payment_intents', has_more: true })
    const rest = await stripe.paymentIntents.list({ limit: 6, starting_after: first.data[3]!.id })
    expect([...idsOf(first), ...idsOf(rest)]).toEqual(all)
    expect(rest.has_more).toBe(false)
    const back = await stripe.paymentIntents.list({ limit: 3, ending_before: rest.data[0]!.id })
    expect(idsOf(back)).toEqual(all.slice(1, 4))
    expect(back.has_more).toBe(true)
  })

  test('only what a filter asks for', async () => {
    const customer = 'cus_SandboxCove'
    expect(idsOf(await stripe.paymentIntents.list({ customer }))).toEqual(['pi_Sandbox09', 'pi_Sandbox04'])
    const { created } = await stripe.paymentIntents.retrieve('pi_Sandbox07')
    expect((await stripe.paymentIntents.list({ created: { gt: created } })).data).toHaveLength(3)
    expect((await stripe.paymentIntents.list({ created: { gte: created } })).data).toHaveLength(4)
    expect((await stripe.paymentIntents.list({ created: { lt: created } })).data).toHaveLength(6)
    expect((await stripe.paymentIntents.list({ created: { lte: created } })).data).toHaveLength(7)
    expect(idsOf(await stripe.paymentIntents.list({ created }))).toEqual(['pi_Sandbox07'])
    const payment_intent = 'pi_Sandbox04'
    expect(idsOf(await stripe.charges.list({ payment_intent }))).toEqual(['ch_Sandbox04'])
    expect(idsOf(await stripe.refunds.list({ payment_intent }))).toEqual(['re_Sandbox04'])
    expect(idsOf(await stripe.refunds.list({ charge: 'ch_Sandbox02' }))).toEqual(['re_Sandbox02'])
    expect(idsOf(await stripe.subscriptions.list({ status: 'canceled' }))).toEqual(['sub_SandboxEnded'])
  })

  test.each([
    [{ limit: 101 }, 'limit', 'parameter_invalid_integer'],
    [{ limit: 0 }, 'limit', 'parameter_invalid_integer'],
    [{ starting_after: 'pi_none' }, 'starting_after', 'resource_missing'],
    [{ colour: 'red' }, 'colour', 'parameter_unknown'],
  ])('a list refuses %j', async (parameters, param, code) => {
    const refusal = await refusalOf(stripe.paymentIntents.list(parameters as Stripe.PaymentIntentListParams))
    expect(refusal).toMatchObject({ status: 400, type: 'invalid_request_error', param, code })
  })
})

describe('a refund', () => {
  test('of a part, then of all that remains, adds up on the charge and comes off the balance', async () => {
    const payment_intent = 'pi_Sandbox06'
    const metadata = { action_id: 'a-1' }
    const part = await stripe.refunds.create({
      payment_intent,
      amount: 40_000,
      reason: 'duplicate',
      metadata,
      expand: ['charge'],
    })
    expect(part.id).toMatch(/^re_\w{24}$/)
    expect(part).toMatchObject({
      object: 'refund',
      amount: 40_000,
      currency: 'usd',
      payment_intent,
      reason: 'duplicate',
      status: 'succeeded',
      metadata,
      charge: { id: 'ch_Sandbox06', amount_refunded: 40_000, refunded: false },
    })
    const rest = await stripe.refunds.create({ charge: 'ch_Sandbox06' })
    expect(rest.amount).toBe(500_000)
    expect(await stripe.charges.retrieve('ch_Sandbox06')).toMatchObject({
      amount_refunded: 540_000,
      refunded: true,
    })
    expect(await available('usd')).toBe(25_000_000 - 540_000)
    expect(idsOf(await stripe.refunds.list({ payment_intent }))).toEqual([rest.id, part.id])
  })

  testRows<[string, Stripe.RefundCreateParams, object]>(
    [
      [
        'of a refunded payment',
        { payment_intent: 'pi_Sandbox02' },
        { status: 400, code: 'charge_already_refunded' },
      ],
      [
        'of more than remains',
        { payment_intent: 'pi_Sandbox04', amount: 5_901 },
        {
          status: 400,
          param: 'amount',
          code: undefined,
          message: 'Refund amount (59.01 USD) is greater than unrefunded amount on charge (59.00 USD)',
        },
      ],
      ['of a declined payment', { payment_intent: 'pi_Sandbox08' }, { status: 400, param: 'payment_intent' }],
      ['of a declined charge', { charge: 'ch_Sandbox08' }, { status: 400, param: 'charge' }],
      [
        'of no payment',
        { payment_intent: 'pi_none' },
        { status: 404, code: 'resource_missing', param: 'payment_intent' },
      ],
      ['of no charge', { charge: 'ch_none' }, { status: 404, code: 'resource_missing', param: 'charge' }],
      ['of nothing named', { amount: 1 }, { status: 400, code: 'parameter_missing' }],
      [
        'of two things named',
        { charge: 'ch_Sandbox01', payment_intent: 'pi_Sandbox01' },
        { status: 400, code: 'parameters_exclusive' },
      ],
      ...([0, -5, 1.5] as const).map((amount): [string, Stripe.RefundCreateParams, object] => [
        `of ${amount} cents`,
        { payment_intent: 'pi_Sandbox01', amount },
        { status: 400, code: 'parameter_invalid_integer', param: 'amount' },
      ]),
      [
        'for a reason that Stripe does not know',
        { payment_intent: 'pi_Sandbox01', reason: 'regret' },
        { status: 400, param: 'reason' },
      ],
      [
        'with an unknown parameter',
        { payment_intent: 'pi_Sandbox01', note: 'x' } as Stripe.RefundCreateParams,
        { status: 400, code: 'parameter_unknown', param: 'note' },
      ],
    ],
    [tearDown, setUp],
  )('that does not fit is refused and moves nothing', async (_case, parameters, refusal) => {
    expect(await refusalOf(stripe.refunds.create(parameters))).toMatchObject({
      type: 'invalid_request_error',
      ...refusal,
    })
    expect((await stripe.refunds.list()).data).toHaveLength(2)
    expect(await available('usd')).toBe(25_000_000)
    expect(operationIds()).toEqual([])
  })
})

describe('a payout', () => {
  test('leaves the balance and is found again', async () => {
    const metadata = { action_id: 'a-2' }
    const payout = await stripe.payouts.create({
      amount: 1_000_000,
      currency: 'USD',
      description: 'March',
      metadata,
      method: 'standard',
    })
    expect(payout.id).toMatch(/^po_\w{24}$/)
    const shape = { object: 'payout', amount: 1_000_000, currency: 'usd', description: 'March', metadata }
    expect(payout).toMatchObject({ ...shape, status: 'pending', method: 'standard', automatic: false })
    expect(await stripe.payouts.retrieve(payout.id)).toMatchObject(shape)
    const created = { gte: payout.created }
    expect(idsOf(await stripe.payouts.list({ created }))).toEqual([payout.id])
    expect([await available('usd'), await available('eur')]).toEqual([24_000_000, 100_000])
  })

  testRows<[string, object, object]>(
    [
      ['of more than the balance', { amount: 100_001, currency: 'eur' }, { code: 'balance_insufficient' }],
      ['in a currency without a balance', { amount: 1, currency: 'gbp' }, { param: 'currency' }],
      ['without an amount', { currency: 'usd' }, { code: 'parameter_missing', param: 'amount' }],
      ['without a currency', { amount: 1 }, { code: 'parameter_missing', param: 'currency' }],
      [
        'of text',
        { amount: 'much', currency: 'usd' },
        { code: 'parameter_invalid_integer', param: 'amount' },
      ],
      [
        'described by nothing',
        { amount: 1, currency: 'usd', description: '' },
        { code: 'parameter_invalid_empty', param: 'description' },
      ],
    ],
    [tearDown, setUp],
  )('that does not fit is refused and moves nothing', async (_case, parameters, refusal) => {
    const call = stripe.payouts.create(parameters as Stripe.PayoutCreateParams)
    expect(await refusalOf(call)).toMatchObject({ status: 400, type: 'invalid_request_error', ...refusal })
    expect((await stripe.payouts.list()).data).toEqual([])
    expect([await available('usd'), await available('eur')]).toEqual([25_000_000, 100_000])
  })

  test('is covered by what an earlier one left', async () => {
    await stripe.payouts.create({ amount: 60_000, currency: 'eur' })
    const second = stripe.payouts.create({ amount: 60_000, currency: 'eur' })
    expect(await refusalOf(second)).toMatchObject({ status: 400, code: 'balance_insufficient' })
    await stripe.payouts.create({ amount: 40_000, currency: 'eur' })
    expect(await available('eur')).toBe(0)
  })
})

describe('a subscription', () => {
  test('ends with its period where that is asked for, and can be kept after all', async () => {
    const metadata = { action_id: 'a-3' }
    const ending = await stripe.subscriptions.update('sub_SandboxLarge', {
      cancel_at_period_end: true,
      cancellation_details: { comment: 'Too dear', feedback: 'too_expensive' },
      metadata,
    })
    expect(ending).toMatchObject({
      object: 'subscription',
      status: 'active',
      cancel_at_period_end: true,
      cancel_at: ending.items.data[0]!.current_period_end,
      cancellation_details: {
        comment: 'Too dear',
        feedback: 'too_expensive',
        reason: 'cancellation_requested',
      },
      metadata,
    })
    const kept = await stripe.subscriptions.update('sub_SandboxLarge', {
      cancel_at_period_end: false,
      metadata: { action_id: '' },
    })
    expect(kept).toMatchObject({ cancel_at: null, canceled_at: null, metadata: {} })
    expect(operationIds()).toEqual(['sub_SandboxLarge'])
  })

  test('ends at once where that is asked for; a second time it is missing to a cancellation alone', async () => {
    const cancel = () =>
      stripe.subscriptions.cancel('sub_SandboxSmall', { cancellation_details: { comment: 'Bye' } })
    const ended = await cancel()
    expect(ended).toMatchObject({ status: 'canceled', cancellation_details: { comment: 'Bye' } })
    expect(ended.ended_at).toBe(ended.canceled_at)
    expect(await refusalOf(cancel())).toMatchObject({ status: 404, code: 'resource_missing' })
    expect((await stripe.subscriptions.retrieve('sub_SandboxSmall')).status).toBe('canceled')
    expect(operationIds()).toEqual(['sub_SandboxSmall'])
  })

  test('that is cancelled already cannot be made to end', async () => {
    const update = stripe.subscriptions.update('sub_SandboxEnded', { cancel_at_period_end: true })
    expect(await refusalOf(update)).toMatchObject({ status: 400, type: 'invalid_request_error' })
    expect(await refusalOf(stripe.subscriptions.cancel('sub_SandboxEnded'))).toMatchObject({ status: 404 })
    expect(operationIds()).toEqual([])
  })

  test('renews monthly, and ends when its last period has passed', () => {
    const now = 1_800_000_000
    const small = stripeSeed(now).find(({ id }) => id === 'sub_SandboxSmall')!
    if (small.object !== 'subscription') throw new Error('not a subscription')
    const [item] = small.items.data
    const later = asOf(small, item!.current_period_end)
    expect(later).toMatchObject({
      status: 'active',
      items: { data: [{ current_period_start: item!.current_period_end }] },
    })
    const ending = { ...small, cancel_at: item!.current_period_end, cancel_at_period_end: true }
    expect(asOf(ending, item!.current_period_end - 1).status).toBe('active')
    expect(asOf(ending, item!.current_period_end).status).toBe('canceled')
  })
})

describe('a checkout', () => {
  const urls = {
    success_url: 'https://shop.example/done?s={CHECKOUT_SESSION_ID}&"><b>',
    cancel_url: 'https://shop.example/',
  }

  test('of a price says what is to be paid, and where', async () => {
    const session = await stripe.checkout.sessions.create({
      mode: 'payment',
      line_items: [{ price: 'price_SandboxKit', quantity: 3 }],
      customer: 'cus_SandboxAcme',
      client_reference_id: 'a-4',
      metadata: { action_id: 'a-4' },
      ...urls,
    })
    expect(session.id).toMatch(/^cs_test_\w+$/)
    expect(session).toMatchObject({
      object: 'checkout.session',
      amount_total: 14_700,
      currency: 'usd',
      customer: 'cus_SandboxAcme',
      client_reference_id: 'a-4',
      metadata: { action_id: 'a-4' },
      payment_status: 'unpaid',
      status: 'open',
      url: `${sandbox.stripeApiUrl}/checkout/${session.id}`,
      ...urls,
    })
    expect(session.line_items).toBeUndefined()
    const { id, created } = session
    const read = await stripe.checkout.sessions.retrieve(id, { expand: ['line_items'] })
    expect(read.line_items!.data[0]).toMatchObject({ description: 'Starter kit', quantity: 3 })
    const listed = await stripe.checkout.sessions.list({ created: { gte: created } })
    expect(listed.data).toMatchObject([{ id, status: 'open' }])
    expect(listed.data[0]!.line_items).toBeUndefined()
  })

  test('of an amount, once or each month, needs no price', async () => {
    const price_data = { currency: 'eur', unit_amount: 1_250, product_data: { name: 'A talk' } }
    const once = await stripe.checkout.sessions.create({
      mode: 'payment',
      line_items: [{ price_data, quantity: 2 }],
      ...urls,
    })
    expect(once).toMatchObject({ amount_total: 2_500, currency: 'eur', mode: 'payment' })
    const monthly = { ...price_data, recurring: { interval: 'month' as const } }
    const each = await stripe.checkout.sessions.create({
      mode: 'subscription',
      line_items: [{ price_data: monthly, quantity: 1 }],
      ...urls,
    })
    expect(each).toMatchObject({ amount_total: 1_250, mode: 'subscription' })
  })

  test('has a page that says it is a stand-in, and on which hostile text stays text', async () => {
    const name = '<script>alert(1)</script>'
    const { url, id } = await stripe.checkout.sessions.create({
      mode: 'payment',
      line_items: [
        { price_data: { currency: 'usd', unit_amount: 123_400, product_data: { name } }, quantity: 1 },
      ],
      ...urls,
    })
    const answer = await fetch(url!)
    expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'")
    const page = await answer.text()
    expect(page).toContain('Payments are not possible here')
    expect(page).toContain('1,234.00 USD')
    expect(page).toContain('&lt;script&gt;alert(1)&lt;/script&gt;')
    expect(page).toContain(`href="https://shop.example/done?s=${id}&amp;&quot;&gt;&lt;b&gt;"`)
    expect(page).toContain('href="https://shop.example/"')
    expect(page).not.toMatch(/<script|<b>/)
    expect((await fetch(`${sandbox.url}checkout/cs_none`)).status).toBe(404)
  })

  const kit = [{ price: 'price_SandboxKit', quantity: 1 }]
  const inHours = (hours: number) => Math.floor(Date.now() / 1000 + hours * 3_600)
  const cents = (amount: number, currency = 'usd') => ({
    price_data: { currency, unit_amount: amount, product_data: { name: 'x' } },
    quantity: 1,
  })
  testRows<[string, () => object, object]>(
    [
      [
        'of a price there is not',
        () => ({ line_items: [{ price: 'price_none', quantity: 1 }] }),
        { code: 'resource_missing', param: 'line_items[0][price]' },
      ],
      [
        'of a price that is not sold any more',
        () => ({ line_items: [{ price: 'price_SandboxFleet', quantity: 1 }] }),
        { param: 'line_items[0][price]' },
      ],
      [
        'of a monthly price, once',
        () => ({ line_items: [{ price: 'price_SandboxPlan', quantity: 1 }] }),
        { param: 'mode' },
      ],
      ['of a price to pay once, each month', () => ({ mode: 'subscription' }), { param: 'mode' }],
      ['of two currencies', () => ({ line_items: [...kit, cents(900, 'eur')] }), { param: 'line_items' }],
      ['of less than 50 cents', () => ({ line_items: [cents(49)] }), { code: 'amount_too_small' }],
      ['of too much', () => ({ line_items: [cents(100_000_000)] }), { code: 'amount_too_large' }],
      [
        'without a quantity',
        () => ({ line_items: [{ price: 'price_SandboxKit' }] }),
        { code: 'parameter_missing', param: 'line_items[0][quantity]' },
      ],
      ['of nothing', () => ({ line_items: undefined }), { code: 'parameter_missing', param: 'line_items' }],
      [
        'for a customer there is not',
        () => ({ customer: 'cus_none' }),
        { code: 'resource_missing', param: 'customer' },
      ],
      [
        'that leads to a script',
        () => ({ success_url: 'javascript:alert(1)' }),
        { code: 'url_invalid', param: 'success_url' },
      ],
      ['that expires too soon', () => ({ expires_at: inHours(0.4) }), { param: 'expires_at' }],
      ['that expires too late', () => ({ expires_at: inHours(25) }), { param: 'expires_at' }],
    ],
    [tearDown, setUp],
  )('that does not fit is refused', async (_case, changes, refusal) => {
    const parameters = { mode: 'payment', line_items: kit, ...urls, ...changes() }
    const call = stripe.checkout.sessions.create(parameters as Stripe.Checkout.SessionCreateParams)
    expect(await refusalOf(call)).toMatchObject({ status: 400, type: 'invalid_request_error', ...refusal })
    expect((await stripe.checkout.sessions.list()).data).toEqual([])
  })

  test('expires', async () => {
    const { id } = await stripe.checkout.sessions.create({ mode: 'payment', line_items: kit, ...urls })
    const expires_at = Math.floor(Date.now() / 1000) - 1
    await sandbox.stop()
    // The file would have it like this a day later.
    const session = { id, object: 'checkout.session', status: 'open', url: 'x', expires_at, created: 0 }
    appendFileSync(join(folder, 'sandbox.stripe.jsonl'), `${JSON.stringify({ put: [session] })}\n`)
    await start()
    expect(await stripe.checkout.sessions.retrieve(id)).toMatchObject({ status: 'expired', url: null })
  })
})

describe('a repeated key', () => {
  const wanted = { payment_intent: 'pi_Sandbox01', amount: 500, metadata: { action_id: 'a-5' } }
  const idempotencyKey = 'act_a-5_call'
  const refund = (parameters: Stripe.RefundCreateParams = wanted) =>
    stripe.refunds.create(parameters, { idempotencyKey })

  test('gets the first answer again, and one refund is made', async () => {
    const first = await refund()
    const again = await refund()
    expect(again).toEqual(first)
    expect(first.lastResponse.headers['idempotent-replayed']).toBeUndefined()
    expect(again.lastResponse.headers).toMatchObject({
      'idempotent-replayed': 'true',
      'original-request': first.lastResponse.requestId,
      'idempotency-key': idempotencyKey,
    })
    expect(again.lastResponse.requestId).not.toBe(first.lastResponse.requestId)
    expect((await stripe.charges.retrieve('ch_Sandbox01')).amount_refunded).toBe(500)
    expect(operationIds()).toEqual([first.id])
  })

  test('with the same parameters in another order is the same request', async () => {
    const headers = { 'idempotency-key': 'k' }
    const one = await raw('POST', '/v1/refunds', { headers, body: 'payment_intent=pi_Sandbox01&amount=5' })
    const two = await raw('POST', '/v1/refunds', { headers, body: 'amount=5&payment_intent=pi_Sandbox01' })
    expect(two.body).toEqual(one.body)
  })

  test('with other parameters, or at another endpoint, is refused', async () => {
    await refund()
    expect(await refusalOf(refund({ ...wanted, amount: 501 }))).toMatchObject({
      status: 400,
      type: 'idempotency_error',
    })
    const elsewhere = stripe.payouts.create({ amount: 500, currency: 'usd' }, { idempotencyKey })
    expect(await refusalOf(elsewhere)).toMatchObject({ status: 400, type: 'idempotency_error' })
    expect(await elsewhere.catch((error: unknown) => error)).toBeInstanceOf(
      Stripe.errors.StripeIdempotencyError,
    )
    expect(operationIds()).toHaveLength(1)
  })

  test('gets the same refusal again, though the call would now succeed', async () => {
    const parameters = { amount: 25_000_001, currency: 'usd' }
    const pay = (key = idempotencyKey) => stripe.payouts.create(parameters, { idempotencyKey: key })
    const first = await refusalOf(pay())
    expect(first).toMatchObject({ status: 400, code: 'balance_insufficient' })
    await sandbox.stop()
    const balance = { id: 'balance', object: 'balance', available: [{ amount: 30_000_000, currency: 'usd' }] }
    appendFileSync(join(folder, 'sandbox.stripe.jsonl'), `${JSON.stringify({ put: [balance] })}\n`)
    await start()
    expect(await refusalOf(pay())).toEqual(first)
    expect((await pay('another')).amount).toBe(25_000_001)
  })

  test('is free again after a request that failed validation', async () => {
    expect(await refusalOf(refund({ ...wanted, amount: 0 }))).toMatchObject({
      code: 'parameter_invalid_integer',
    })
    expect((await refund()).amount).toBe(500)
  })

  test('while the first request is under way gets 409, and its answer afterwards', async () => {
    await restart({ latencyMs: 300 })
    const both = await Promise.allSettled([refund(), refund()])
    const made = both.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
    const refused = both.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []))
    expect(made).toHaveLength(1)
    expect(refused).toMatchObject([{ statusCode: 409, code: 'idempotency_key_in_use' }])
    expect((await refund()).id).toBe(made[0]!.id)
    expect(operationIds()).toEqual([made[0]!.id])
  })

  test('other keys at once do not wait for each other', async () => {
    await restart({ latencyMs: 300 })
    const keyed = ['k1', 'k2', 'k3'].map((key) => stripe.refunds.create(wanted, { idempotencyKey: key }))
    expect(new Set((await Promise.all(keyed)).map(({ id }) => id)).size).toBe(3)
    expect((await stripe.charges.retrieve('ch_Sandbox01')).amount_refunded).toBe(1_500)
  })

  test('has at most 255 characters', async () => {
    const long = (chars: number) => stripe.refunds.create(wanted, { idempotencyKey: 'k'.repeat(chars) })
    expect(await refusalOf(long(256))).toMatchObject({ status: 400, type: 'invalid_request_error' })
    expect((await long(255)).amount).toBe(500)
  })
})

describe('a request to the sandbox:', () => {
  test.each(['sk_test_x', 'sk_live_x', 'rk_test_x'])('%s is let in', async (key) => {
    expect((await clientOf(sandbox, key).balance.retrieve()).object).toBe('balance')
  })

  test.each(['pk_test_x', 'xoxb-1', 'sk_test_invalid'])('%s is refused', async (key) => {
    expect(await refusalOf(clientOf(sandbox, key).balance.retrieve())).toMatchObject({
      status: 401,
      type: 'invalid_request_error',
    })
  })

  test('the key may come as Basic credentials, and must come', async () => {
    const basic = `Basic ${Buffer.from('sk_test_x:').toString('base64')}`
    expect((await raw('GET', '/v1/balance', { headers: { authorization: basic } })).status).toBe(200)
    const without = await raw('GET', '/v1/balance', { headers: { authorization: '' } })
    expect(without.status).toBe(401)
    expect(without.body.error.message).toContain('You did not provide an API key')
  })

  test('every answer has the id of its request and the version asked for', async () => {
    const { lastResponse } = await stripe.balance.retrieve()
    expect(lastResponse.requestId).toMatch(/^req_\w{14}$/)
    expect(lastResponse.apiVersion).toBe('2026-10-28.endive')
    const refused = await stripe.refunds.retrieve('none').catch((error: Stripe.errors.StripeError) => error)
    expect(refused).toMatchObject({ requestId: expect.stringMatching(/^req_/) })
  })

  test('what it does not know is refused in a way that the SDK takes for a refusal', async () => {
    expect(await refusalOf(stripe.disputes.list())).toMatchObject({
      status: 404,
      message: 'Unrecognized request URL (GET: /v1/disputes).',
    })
    expect((await raw('DELETE', '/v1/payouts/po_x')).status).toBe(404)
    const json = { 'content-type': 'application/json' }
    const unread = await raw('POST', '/v1/payouts', { headers: json, body: '{"amount":1}' })
    expect(unread).toMatchObject({ status: 415, body: { error: { type: 'invalid_request_error' } } })
    const many = Array.from({ length: 600 }, (_, index) => `a${index}=1`).join('&')
    expect((await raw('POST', '/v1/payouts', { body: many })).status).toBe(400)
  })
})

describe('the sandbox shows', () => {
  const listing = async (accept: string) => (await fetch(sandbox.url, { headers: { accept } })).text()

  test('every operation with what it was asked with, newest first, as JSON', async () => {
    const metadata = { action_id: 'a-6' }
    const refund = await stripe.refunds.create({ payment_intent: 'pi_Sandbox04', amount: 1_000, metadata })
    const payout = await stripe.payouts.create({ amount: 7_500, currency: 'eur' })
    await stripe.subscriptions.cancel('sub_SandboxLarge')
    const checkout = await stripe.checkout.sessions.create({
      mode: 'payment',
      line_items: [{ price: 'price_SandboxKit', quantity: 1 }],
      success_url: 'https://shop.example/',
    })
    const answer = JSON.parse(await listing('application/json'))
    const at = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:]{8}\.\d{3}Z$/)
    expect(answer).toEqual({
      sandbox: true,
      messages: [],
      stripe: [
        {
          operation: 'checkout',
          id: checkout.id,
          text: 'Opened a checkout of 49.00 USD, mode payment',
          amount: 4_900,
          currency: 'usd',
          metadata: {},
          at,
        },
        {
          operation: 'cancellation',
          id: 'sub_SandboxLarge',
          text: 'Cancelled sub_SandboxLarge immediately (900.00 USD a month)',
          amount: 90_000,
          currency: 'usd',
          metadata: {},
          at,
        },
        {
          operation: 'payout',
          id: payout.id,
          text: "Paid out 75.00 EUR to the account's bank",
          amount: 7_500,
          currency: 'eur',
          metadata: {},
          at,
        },
        {
          operation: 'refund',
          id: refund.id,
          text: 'Refunded 10.00 USD of 89.00 USD of pi_Sandbox04',
          amount: 1_000,
          currency: 'usd',
          metadata,
          at,
        },
      ],
    })
  })

  test('one refund as one, on a page where hostile text stays text', async () => {
    const metadata = { action_id: '<img src=x>' }
    const { id } = await stripe.refunds.create({ payment_intent: 'pi_Sandbox04', metadata })
    const page = await listing('text/html')
    expect(page).toContain('Stripe: 1 operation, no real money moved')
    expect(page).toContain(`<strong>Refund</strong> ${id}`)
    expect(page).toContain('Refunded 59.00 USD of 89.00 USD of pi_Sandbox04')
    expect(page).toContain('&lt;img src=x&gt;')
    expect(page).not.toContain('<img')
  })
})

test('a restart keeps what was done, what is left, and the answers to keys, even with a torn last line', async () => {
  const idempotencyKey = 'k'
  const refund = () => stripe.refunds.create({ payment_intent: 'pi_Sandbox05' }, { idempotencyKey })
  const first = await refund()
  await stripe.payouts.create({ amount: 100, currency: 'usd' })
  const [before, operations] = [await stripe.paymentIntents.list(), sandbox.stripeOperations()]
  await sandbox.stop()
  appendFileSync(join(folder, 'sandbox.stripe.jsonl'), '{"put":[{"id":"torn')
  await start()

  expect(await stripe.paymentIntents.list()).toEqual(before)
  expect(sandbox.stripeOperations()).toEqual(operations)
  expect(await available('usd')).toBe(25_000_000 - 90_000 - 100)
  expect((await refund()).id).toBe(first.id)
  expect(await stripe.charges.retrieve('ch_Sandbox05')).toMatchObject({ refunded: true })
  await restart()
  expect(sandbox.stripeOperations()).toEqual(operations)
})

test('the memory of the sandbox is bounded', async () => {
  const lines = Array.from({ length: 10_500 }, (_, index) => {
    const id = `po_${index}`
    const operation = { operation: 'payout', id, text: id, metadata: {}, at: '' }
    return JSON.stringify({ put: [{ id, object: 'payout', created: 0, metadata: {} }], operation })
  })
  await sandbox.stop()
  appendFileSync(join(folder, 'sandbox.stripe.jsonl'), `${lines.join('\n')}\n`)
  await start()
  expect(operationIds()).toHaveLength(10_000)
  expect(operationIds()[0]).toBe('po_10499')
  expect(await refusalOf(stripe.payouts.retrieve('po_499'))).toMatchObject({ status: 404 })
  expect((await stripe.payouts.retrieve('po_500')).id).toBe('po_500')
})
