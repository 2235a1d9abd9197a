import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { policyInForce } from '../../src/operations/policy/policy-in-force.ts'
import { faultsOf } from '../support/axe.ts'
import { launchBrowser } from '../support/browser.ts'
import { ringOf } from '../support/connect.ts'
import { type Visitor, signedInAdmin, startConsole } from '../support/console.ts'
import type { TestGate } from '../support/gate.ts'
import { type LivedConsole, confirmsOf, livedConsole } from '../support/lived-console.ts'

let gate: TestGate
let lived: LivedConsole
let root: Visitor
let chromium: Browser
beforeAll(async () => {
  gate = await startConsole({ workers: true, env: { SECRETS_KEYS: ringOf('k1') } })
  lived = await livedConsole(gate)
  const { account } = lived.account
  await confirmsOf(
    gate,
    account,
    lived.grace.memberId,
    Array.from({ length: 25 }, () => 1_500),
  )
  root = await signedInAdmin(gate, account)
  chromium = await launchBrowser()
}, 90_000)
afterAll(async () => {
  await chromium?.close()
  await gate.stop()
})

/** A browser in which the administrator is signed in. */
async function signedIn(options: BrowserContextOptions): Promise<Page> {
  const context = await chromium.newContext(options)
  await context.addCookies([...root.cookies].map(([name, value]) => ({ name, value, url: gate.api.url })))
  return context.newPage()
}

describe.each<[string, BrowserContextOptions]>([
  ['wide', { viewport: { width: 1280, height: 900 } }],
  ['narrow and dark', { viewport: { width: 360, height: 740 }, colorScheme: 'dark' }],
])('in a window that is %s', (_, options) => {
  test('pages that are full of what happened can be used by everybody, and none is wider than the window', async () => {
    const page = await signedIn({ ...options, bypassCSP: true })
    const { rows } = lived
    for (const path of [
      'policies/explain?kind=refund&amount=60&currency=usd&tier=guarded_write',
      'policies/history/3',
      '',
      'sessions',
      'ledger?checks=on',
      'ledger?kind=no_such_kind',
      'audit?group=all',
      'audit/5',
      ...[rows.check, rows.executed, rows.refund, rows.denied, rows.open, rows.connected].map(
        (id) => `ledger/${id}`,
      ),
      'habits',
    ]) {
      await page.goto(`${gate.api.url}/console/${path}`.replace(/\/$/, ''))
      expect([path, await faultsOf(page)]).toEqual([path, []])
    }
    await page.goto(`${gate.api.url}/console/policies/kinds/refund`)
    await page.fill('[name="refund.band.1.up_to"]', 'a lot')
    await page.click('button[value=review]')
    expect(await page.locator('[name="refund.band.1.up_to"]:focus').count()).toBe(1)
    expect(await faultsOf(page)).toEqual([])
    await page.goto(`${gate.api.url}/console/policies/kinds/broadcast`)
    await page.selectOption('[name="broadcast.tier"]', 'read_only')
    await page.click('button[value=review]')
    expect(await page.textContent('h1')).toBe('Review of policy version 4')
    expect(await faultsOf(page)).toEqual([])
    await page.context().close()
  }, 240_000)
})

test.each<[string, BrowserContextOptions]>([
  ['wide and dark', { viewport: { width: 1280, height: 900 }, colorScheme: 'dark' }],
  ['narrow and light', { viewport: { width: 390, height: 844 }, colorScheme: 'light' }],
])(
  'while the account is suspended, in a window that is %s, its pages and those of the sandbox can be used by everybody',
  async (_, options) => {
    const { account, rows } = lived
    await account.suspend(true)
    const page = await signedIn({ ...options, bypassCSP: true })
    const pages = ['', `proposals/${rows.open}`, `ledger/${rows.denied}`, 'me', 'policies', 'members'].map(
      (path) => `${gate.api.url}/console/${path}`.replace(/\/$/, ''),
    )
    for (const path of [...pages, gate.sandbox.url]) {
      await page.goto(path)
      expect([path, await faultsOf(page)]).toEqual([path, []])
    }
    await page.goto(`${gate.api.url}/console/members`)
    const menu = page.getByRole('button', { name: 'Menu' })
    if (await menu.isVisible()) await menu.click()
    expect(await page.getByRole('link', { name: 'API keys' }).isVisible()).toBe(true)
    expect(await faultsOf(page)).toEqual([])
    await page.context().close()
    await account.suspend(false)
  },
  60_000,
)

test('a policy is changed, reviewed and set by the keyboard alone, with scripts disabled', async () => {
  const page = await signedIn({ javaScriptEnabled: false })
  await page.goto(`${gate.api.url}/console/policies/settings`)
  await tabTo(page, '#open_max_per_member')
  await page.keyboard.press('ControlOrMeta+A')
  await page.keyboard.type('12')
  await tabTo(page, 'button[value=review]')
  await page.keyboard.press('Enter')
  await page.waitForSelector('h1:has-text("Review of policy version")')
  expect(await page.textContent('.diff .added')).toContain('each member can have at most 12 open proposals')
  await tabTo(page, 'button[value=set]')
  await page.keyboard.press('Enter')
  await page.waitForSelector('.flash')
  expect(await page.textContent('.flash')).toContain('Policy set.')
  const { deps } = gate
  expect(await policyInForce(deps, lived.account.account)).toMatchObject({ open_max_per_member: 12 })
  await page.context().close()
}, 60_000)

/** Goes on by the Tab key until something has the focus. */
async function tabTo(page: Page, selector: string): Promise<void> {
  for (let presses = 0; presses < 400; presses++) {
    await page.keyboard.press('Tab')
    if ((await page.locator(`${selector}:focus`).count()) > 0) return
  }
  throw new Error(`the keyboard does not get to ${selector}`)
}
