import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { execFile } from 'node:child_process'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { projectRoot } from '../../src/process/root.ts'
import { trustPolicy } from '../../src/operations/seals/trust-policy.ts'
import { sealedProof } from '../../src/operations/seals/sealed-export.ts'
import { sealLedgers } from '../../src/seals/sealer.ts'
import { faultsOf } from '../support/axe.ts'
import { addAuthenticator, addPasskey } from '../support/browser-passkey.ts'
import { launchBrowser } from '../support/browser.ts'
import { ringOf } from '../support/connect.ts'
import { linkByMail, startConsole, visitor } from '../support/console.ts'
import type { TestGate } from '../support/gate.ts'
import { press, tabTo, telephone, type } from '../support/keyboard.ts'
import { entriesOf } from '../support/ledger-entries.ts'
import { testPort } from '../support/test-port.ts'

let gate: TestGate
let chromium: Browser
let site: string
beforeAll(async () => {
  const port = await testPort()
  site = `http://localhost:${port}`
  const env = { PORT: String(port), PUBLIC_URL: site, SECRETS_KEYS: ringOf('k1') }
  gate = await startConsole({ workers: true, env })
  chromium = await launchBrowser()
}, 60_000)
afterAll(async () => {
  await chromium?.close()
  await gate.stop()
}, 60_000)

let people = 0

/** A member of an account that requires a passkey, in a browser with an authenticator of its own. */
async function atBrowser({
  isVerified = true,
  ...options
}: { isVerified?: boolean } & BrowserContextOptions = {}) {
  const account = await gate.account()
  const policy = { passkey_settles_after_hours: 0 }
  await account.setPolicy({ ...policy, kinds: { broadcast: { tier: 'guarded_write', consent: 'passkey' } } })
  const email = `ida${++people}@example.com`
  const ida = await account.addMember({ name: 'Ida', email, tier: 'guarded_write' })
  const context = await chromium.newContext({ baseURL: site, ...options })
  const page = await context.newPage()
  const problems: string[] = []
  page.on('console', (message) => void problems.push(message.text()))
  page.on('pageerror', (error) => void problems.push(error.message))
  const cdp = await context.newCDPSession(page)
  const authenticator = await addAuthenticator(cdp)
  const signIn = async () => {
    await page.goto(await linkByMail(gate, visitor(gate), email))
    await page.getByRole('button', { name: 'Sign in' }).click()
  }
  const propose = async (message: string): Promise<number> =>
    (await account.client.propose({ email }, message)).body.id
  const verifies = (isUserVerified: boolean) =>
    cdp.send('WebAuthn.setUserVerified', { authenticatorId: authenticator, isUserVerified })
  await verifies(isVerified)
  return { ...account, ida, email, context, page, problems, cdp, authenticator, signIn, propose, verifies }
}

const heading = (page: Page) => page.getByRole('heading', { level: 1 }).textContent()

test('a member adds a passkey, decides and signs in with it, and anyone can check the export with nothing but Node', async () => {
  const { page, context, problems, signIn, propose, account, client, email, ida } = await atBrowser()
  await signIn()
  await addPasskey(page)
  expect(await faultsOf(page)).toEqual([])
  const id = await propose('Lunch is at noon.')
  await page.goto(`/console/proposals/${id}`)
  expect(await faultsOf(page)).toEqual([])
  await page.getByText('What your passkey signs').click()
  expect(await page.locator('#passkey-text').textContent()).toContain('Lunch is at noon.')
  await page.getByRole('button', { name: 'Approve with passkey' }).click()
  await page.getByText('Proposal approved.').waitFor()
  const { body } = await client.get(id)
  expect(body.consent).toMatchObject({ strength: 'passkey', by: email, channel: 'console' })

  await context.clearCookies()
  await page.goto('/console/sign-in')
  await page.getByRole('link', { name: 'sign in with a passkey' }).click()
  expect(await faultsOf(page)).toEqual([])
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.waitForURL('**/console')
  expect(await page.getByRole('link', { name: 'Ida' }).count()).toBe(1)

  await sealLedgers(gate.deps)
  const folder = mkdtempSync(join(tmpdir(), 'passkey-'))
  let exported = ''
  for await (const line of sealedProof(gate.deps, account)) exported += line
  writeFileSync(join(folder, 'ledger.jsonl'), exported)
  writeFileSync(join(folder, 'policy.txt'), await trustPolicy(gate.deps))
  const verifier = join(projectRoot, 'packages/verify/lib/verify.mjs')
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [verifier, 'ledger.jsonl', '--policy', 'policy.txt', '--action', String(id)],
    { cwd: folder },
  )
  expect(stdout).toMatch(
    new RegExp(
      `consented by ${ida.memberId} at .* \\(passkey, console\\)[^]*signed at ${site} by a passkey that is`,
    ),
  )
  writeFileSync(join(folder, 'forged.jsonl'), exported.replace(/"signature\\":\\"30/, '"signature\\":\\"31'))
  await expect(
    promisify(execFile)(process.execPath, [verifier, 'forged.jsonl', '--policy', 'policy.txt'], {
      cwd: folder,
    }),
  ).rejects.toMatchObject({ code: 1 })
  expect(problems).toEqual([])
}, 120_000)

test('on a telephone, by keyboard alone: a passkey is added, decides, and signs in', async () => {
  const { page, context, problems, propose, client, email } = await atBrowser({
    isVerified: true,
    ...telephone,
  })
  await page.goto(await linkByMail(gate, visitor(gate), email))
  await press(page, 'Sign in')
  await page.goto('/console/passkeys/new')
  await type(page, 'Name of the passkey', 'Telephone')
  await press(page, 'Create passkey')
  await page.getByText('Passkey added.').waitFor()
  const id = await propose('Lunch is at noon.')
  await page.goto(`/console/proposals/${id}`)
  expect(await faultsOf(page)).toEqual([])
  await tabTo(page, 'What your passkey signs')
  await page.keyboard.press('Enter')
  expect(await page.locator('#passkey-text').isVisible()).toBe(true)
  expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
  await press(page, 'Approve with passkey')
  await page.getByText('Proposal approved.').waitFor()
  expect((await client.get(id)).body.consent).toMatchObject({ strength: 'passkey', by: email })

  await context.clearCookies()
  await page.goto('/console/sign-in')
  await press(page, 'sign in with a passkey')
  await press(page, 'Sign in')
  await page.waitForURL('**/console')
  expect(problems).toEqual([])
}, 120_000)

test('an agent that drives a browser without the member decides nothing: their verification is missing', async () => {
  const { page, cdp, authenticator, signIn, propose, verifies, account, client } = await atBrowser()
  await signIn()
  await addPasskey(page)
  const id = await propose('Lunch is at noon.')
  await page.goto(`/console/proposals/${id}`)
  await verifies(false)
  await page.getByRole('button', { name: 'Approve with passkey' }).click()
  await page.getByText('The passkey was not used').waitFor()

  // A script that asks for no verification, and has another authenticator with the same key, gets a signature without it.
  const { credentials } = await cdp.send('WebAuthn.getCredentials', { authenticatorId: authenticator })
  await cdp.send('WebAuthn.removeVirtualAuthenticator', { authenticatorId: authenticator })
  const plain = await addAuthenticator(cdp, false)
  for (const credential of credentials)
    await cdp.send('WebAuthn.addCredential', { authenticatorId: plain, credential })
  await page.evaluate(`
    const { get } = navigator.credentials
    navigator.credentials.get = (options) => {
      options.publicKey.userVerification = 'discouraged'
      return get.call(navigator.credentials, options)
    }`)
  await page.getByRole('button', { name: 'Approve with passkey' }).click()
  await page.getByText('What your passkey signed is not this decision').waitFor()
  const entries = await entriesOf(gate.database, account, id)
  expect(entries.map(({ entry }) => entry.data['reason'])).toContain('passkey_invalid')
  expect((await client.get(id)).body.status).toBe('proposed')
}, 120_000)

test('the page is in no frame, works at its own address alone, and a page that shows another text has it signed in vain', async () => {
  const { page, signIn, propose, client } = await atBrowser()
  await signIn()
  await addPasskey(page)
  const id = await propose('Lunch is at noon.')
  const path = `/console/proposals/${id}`
  await page.goto(path)
  const framed = await page.evaluate(`new Promise((resolve) => {
    const frame = document.createElement('iframe')
    frame.src = ${JSON.stringify(path)}
    frame.addEventListener('load', () => resolve(frame.contentDocument?.querySelector('form') ?? null))
    document.body.append(frame)
  })`)
  expect(framed).toBeNull()

  await page.goto(path)
  await page.evaluate(`document.getElementById('passkey-text').textContent = 'Dinner is at eight.'`)
  await page.getByRole('button', { name: 'Approve with passkey' }).click()
  await page.getByText('What your passkey signed is not this decision').waitFor()
  expect((await client.get(id)).body.status).toBe('proposed')

  await page.goto(`${site.replace('localhost', '127.0.0.1')}/console/sign-in/passkey`)
  await page.getByText(`Passkeys work at ${site} alone.`).waitFor()
  expect(await heading(page)).toBe('Sign in with a passkey')
  expect(await page.getByRole('button', { name: 'Sign in' }).isDisabled()).toBe(true)
}, 120_000)
