import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { Browser } from 'playwright-core'
import { launchBrowser } from '../support/browser.ts'
import { goodForm, linkFor, ringOf } from '../support/connect.ts'
import { type Visitor, signedInAdmin, signedInByMail, startConsole } from '../support/console.ts'
import type { TestGate } from '../support/gate.ts'

let gate: TestGate
let chromium: Browser
beforeAll(async () => {
  gate = await startConsole({ workers: true, env: { SECRETS_KEYS: ringOf('k1') } })
  chromium = await launchBrowser()
}, 60_000)
afterAll(async () => {
  await chromium?.close()
  await gate.stop()
}, 60_000)

async function pageOfAda(email: string) {
  const { client, addMember } = await gate.account()
  await addMember({ name: 'Ada', email, tier: 'write' })
  return {
    client,
    page: await pageOf(await signedInByMail(gate, email)),
    link: (provider: string) => linkFor(client, { email }, provider),
  }
}

async function pageOf({ cookies }: Visitor) {
  const context = await chromium.newContext({ baseURL: gate.api.url, javaScriptEnabled: false })
  await context.addCookies(
    [...cookies].map(([name, value]) => ({ name, value, url: gate.api.url, sameSite: 'Strict' as const })),
  )
  return context.newPage()
}

test('a link that is followed from a chat leads a member who is signed in to the form, the review and the end', async () => {
  const { client, page, link } = await pageOfAda('ada@example.com')
  const { url, id } = await link('stripe')
  // Another site: the browser keeps the session to itself.
  await page.setContent(`<a href="${url}">the link</a>`)
  await page.getByRole('link').click()
  expect(await page.getByRole('heading').textContent()).toBe('Sign in to connect Stripe')
  await page.getByRole('link', { name: 'Sign in' }).click()
  expect(page.url()).toBe(url)
  await page.getByLabel('Stripe key').fill(goodForm.stripe.key)
  await page.getByRole('button', { name: 'Check key' }).click()
  expect(await page.getByRole('heading').textContent()).toBe('Review Stripe change')
  await page.getByRole('button', { name: 'Connect Stripe' }).click()
  expect(await page.getByRole('heading').textContent()).toBe('Stripe connected')
  expect((await client.get(id)).body.consent).toMatchObject({ strength: 'page', by: 'ada@example.com' })
}, 60_000)

test("Slack's page leads back to the review", async () => {
  const { client, page, link } = await pageOfAda('grace@example.com')
  const { url, id } = await link('slack')
  await page.goto('/console')
  await page.goto(url)
  await page.getByRole('button', { name: 'Continue to Slack' }).click()
  await page.getByRole('button', { name: /allow/i }).click()
  await page.getByRole('link', { name: 'Review change' }).click()
  expect(page.url()).toBe(url)
  await page.getByRole('button', { name: 'Connect Slack' }).click()
  expect(await page.getByRole('heading').textContent()).toBe('Slack connected')
  expect((await client.get(id)).body.status).toBe('executed')
}, 60_000)

test('an administrator connects a provider from the console, and a wrong key is marked at its field', async () => {
  const { account } = await gate.account()
  const page = await pageOf(await signedInAdmin(gate, account))
  await page.goto('/console/integrations')
  await page.getByRole('button', { name: 'Connect Resend' }).click()
  await page.getByLabel('Resend API key').fill(goodForm.stripe.key)
  await page.getByLabel('Sender').fill(goodForm.resend.sender)
  await page.getByRole('button', { name: 'Check key' }).click()
  expect(await page.locator('#key:focus').getAttribute('aria-describedby')).toBe('key-error key-hint')
  expect(await page.locator('#key-error').textContent()).toContain('but this page connects Resend')
  expect(await page.getByLabel('Sender').inputValue()).toBe(goodForm.resend.sender)
  await page.getByLabel('Resend API key').fill(goodForm.resend.key)
  await page.getByRole('button', { name: 'Check key' }).click()
  await page.getByRole('button', { name: 'Connect Resend' }).click()
  await page.getByRole('link', { name: 'Back to integrations' }).click()
  expect((await page.innerText('main')).replaceAll(/\s+/g, ' ')).toContain(
    'Resend was connected just now by administrator',
  )
}, 60_000)
