import { expect, test } from '@jest/globals'
import { billingScene } from '../support/billing.ts'
import { connectBy, goodForm, linkFor, signedInFor, stripeChanged } from '../support/connect.ts'
import { useGate } from '../support/use-gate.ts'

const secretsKeys = `k1:${Buffer.alloc(32, 7).toString('base64')}`
const gate = useGate({ env: { SECRETS_KEYS: secretsKeys } })

test('a checkout leads back to the page that was named when Stripe was connected, else to our own', async () => {
  const scene = await billingScene(gate)
  const args = { amount_cents: 900, description: 'Tea' }
  const before = await scene.done('create_checkout', args)
  expect(before.payload).not.toHaveProperty('return_url')
  expect(await pageOf(before)).toContain(`${gate.api.url}/checkout/done`)

  const { url } = await linkFor(scene.client, { email: scene.writer.email }, 'stripe')
  const visitor = await signedInFor(gate, url)
  const bad = await visitor.send(url, { ...goodForm.stripe, return_url: 'http://shop.example/thanks' })
  expect([bad.status, bad.text]).toEqual([422, expect.stringContaining('must be a complete https address')])
  expect(bad.html).toContain('value="http://shop.example/thanks"')
  const good = await connectBy(visitor, url, {
    ...goodForm.stripe,
    return_url: 'https://shop.example/thanks?a=1',
  })
  expect(good.status).toBe(200)
  // An agent's word does not suffice for a day after such a change.
  await stripeChanged(gate, scene.account.account, "now() - interval '25 hours'")

  const after = await scene.done('create_checkout', args)
  expect(after.payload).toMatchObject({ return_url: 'https://shop.example/thanks?a=1' })
  const page = await pageOf(after)
  expect(page).toContain('https://shop.example/thanks?a=1"')
  expect(page).toContain('https://shop.example/thanks?a=1&amp;cancelled=1')
})

const pageOf = async (row: { result: { url: string } }) => (await fetch(row.result.url)).text()
