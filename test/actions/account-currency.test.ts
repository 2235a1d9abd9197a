import { expect, test } from '@jest/globals'
import { parsePolicyDocument } from '../../src/operations/policy/parse-policy-document.ts'
import { setPolicy } from '../../src/operations/policy/set-policy.ts'
import { reviewPolicy } from '../../src/operations/policy/policy-review.ts'
import { type BillingScene, billingScene } from '../support/billing.ts'
import { signedInAdmin } from '../support/console.ts'
import { apiClient } from '../support/api-client.ts'
import { useGate } from '../support/use-gate.ts'
import { callTool } from '../support/mcp-tool.ts'

const gate = useGate({ workers: false, env: { TRUST_PROXY: 'true' } })

const euros = {
  currency: 'eur',
  currencies: ['eur', 'chf'],
  kinds: {
    payout: {
      bands: { eur: [{ up_to_cents: 50_000, tier: 'write' }] },
      velocity: { cents_per_day: { eur: 60_000 }, key: { cents_per_day: { eur: 70_000 } } },
    },
    refund: { bands: { eur: [{ up_to_cents: 2_000, tier: 'guarded_write' }] } },
  },
}

async function inEuros(): Promise<BillingScene> {
  const scene = await billingScene(gate)
  const context = { db: gate.deps.db, kinds: gate.deps.kinds, account: scene.account.account, session: null }
  const known = await gate.deps.kinds.now(scene.account.account)
  await setPolicy(context, parsePolicyDocument(known, euros))
  return scene
}

test('an account in euros: documents and limits in euros alone, tools without a currency, nothing in dollars', async () => {
  const scene = await inEuros()
  const payout = (args: Record<string, unknown>) => scene.tool('send_payout', args, scene.writer)
  expect((await payout({ amount_cents: 50_000 })).body).toMatchObject({
    status: 'proposed',
    payload: { amount_cents: 50_000, currency: 'eur' },
  })
  expect((await payout({ amount_cents: 50_001 })).body).toMatchObject({
    status: 'denied',
    denial_reason: expect.stringContaining('500.01 EUR'),
  })
  expect((await payout({ amount_cents: 50_000, currency: 'chf' })).body.status).toBe('proposed')
  expect((await payout({ amount_cents: 1, currency: 'usd' })).body).toMatchObject({
    status: 'denied',
    denial_code: 'currency_unsupported',
    denial_reason: expect.stringContaining('usd is not allowed in this account (allowed: eur, chf)'),
  })
  const checkout = await scene.tool(
    'create_checkout',
    { amount_cents: 900, description: 'A kit' },
    scene.writer,
  )
  expect(checkout.body.payload).toMatchObject({ currency: 'eur', total_cents: 900 })
  // The payment is in euros; that in dollars is not allowed.
  expect(
    (await scene.tool('issue_refund', { payment: 'pi_Sandbox03', amount_cents: 2_000 })).body.status,
  ).toBe('proposed')
  expect((await scene.tool('issue_refund', { payment: 'pi_Sandbox05', amount_cents: 100 })).body.status).toBe(
    'denied',
  )
})

test('the currency of the account stays one of those that it allows, whichever of the two is set', async () => {
  const scene = await inEuros()
  const context = { db: gate.deps.db, kinds: gate.deps.kinds, account: scene.account.account, session: null }
  for (const edit of [{ currencies: ['chf' as const] }, { currency: 'usd' as const }])
    await expect(setPolicy(context, edit)).rejects.toMatchObject({
      code: 'invalid',
      message: expect.stringMatching(/^currency is (eur|usd), which currencies does not allow/),
    })
  expect(await setPolicy(context, { currencies: ['gbp', 'eur'] })).toMatchObject({
    currency: 'eur',
    currencies: ['gbp', 'eur'],
  })
})

test('a key with a limit in euros alone keeps it in every currency', async () => {
  const scene = await billingScene(gate)
  const { key } = await scene.account.mintKey({ centsPerDay: { eur: 100 } })
  const pay = async (args: Record<string, unknown>) =>
    (
      await callTool(apiClient(gate.api.url, key), 'send_payout', {
        actor: { email: 'wil@example.com' },
        ...args,
      })
    ).body
  expect((await pay({ amount_cents: 100 })).status).toBe('proposed')
  for (const currency of ['usd', 'eur', 'gbp'])
    expect(await pay({ amount_cents: 101, currency })).toMatchObject({
      status: 'denied',
      denial_code: 'key_limit',
    })
})

test('the console says in what currency, and a review tries the change on the past', async () => {
  const scene = await inEuros()
  await scene.tool('send_payout', { amount_cents: 100 }, scene.writer)
  const admin = await signedInAdmin(gate, scene.account.account)
  const page = (await admin.open('/console/policies')).text
  expect(page).toContain('Currency EUR Allowed currencies EUR, CHF')
  expect(page).toContain('other currencies: same amounts as EUR')
  const review = await reviewPolicy(gate.deps, scene.account.account, {
    currency: 'chf',
    currencies: ['chf'],
  })
  expect(review.changed).toMatchObject([
    { kind: 'payout', change: 'denied', denialCode: 'currency_unsupported' },
  ])
})
