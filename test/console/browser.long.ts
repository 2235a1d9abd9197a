import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { pages } from '../../src/console/pages.ts'
import { apiClient } from '../support/api-client.ts'
import { faultsOf } from '../support/axe.ts'
import { launchBrowser } from '../support/browser.ts'
import { invitation, mailsTo, startConsole } from '../support/console.ts'
import { callTool } from '../support/mcp-tool.ts'
import type { TestGate } from '../support/gate.ts'
import { until } from '../support/until.ts'
import { type Scene, addressOf, sceneOf } from './scene.ts'

let gate: TestGate
let scene: Scene
let chromium: Browser
beforeAll(async () => {
  gate = await startConsole()
  scene = await sceneOf(gate, 'ada@one.example')
  chromium = await launchBrowser()
}, 60_000)
afterAll(async () => {
  await chromium.close()
  await gate.stop()
})

/** A browser of its own: scripts of pages do not run, as is the console's own rule. */
const context = (options: Parameters<Browser['newContext']>[0] = {}): Promise<BrowserContext> =>
  chromium.newContext({ baseURL: gate.api.url, javaScriptEnabled: false, ...options })

/** Signs in with the keyboard alone, by a printed link. */
async function signInByLink(page: Page, email = 'ada@one.example'): Promise<void> {
  await page.goto(await invitation(gate, scene.account, email))
  await tabTo(page, 'button', 'Sign in')
  await page.keyboard.press('Enter')
  await page.waitForURL(/\/console(\/policies\/preset)?$/)
}

/** Goes on with Tab until that is what has the focus. */
async function tabTo(page: Page, role: 'button' | 'link' | 'textbox', name: string): Promise<void> {
  const wanted = page.getByRole(role, { name, exact: true }).and(page.locator(':focus'))
  for (let presses = 0; presses < 40; presses++) {
    await page.keyboard.press('Tab')
    if ((await wanted.count()) === 1) return
  }
  throw new Error(`no way by Tab to the ${role} ${name}`)
}

describe.each([
  { colorScheme: 'light', viewport: { width: 1200, height: 900 } },
  { colorScheme: 'dark', viewport: { width: 360, height: 740 } },
] as const)('$colorScheme, at a width of $viewport.width', (look) => {
  let page: Page
  beforeAll(async () => {
    // Scripts on, for axe alone: the policy of the pages goes on forbidding their own.
    page = await (await context({ ...look, javaScriptEnabled: true, bypassCSP: true })).newPage()
    await signInByLink(page)
  }, 60_000)
  afterAll(() => page.context().close())

  const expectAccessible = async () => expect(await faultsOf(page)).toEqual([])

  test.each(pages.map(({ path }) => path))('%s has nothing that axe finds wrong, and fits', async (path) => {
    await page.goto(addressOf(path, scene.params))
    await expectAccessible()
  })

  test('a missing page, an empty list, a refused form and a minted key have nothing either', async () => {
    for (const path of ['/console/nothing', '/console/members?search=nobody', '/console/members/new']) {
      await page.goto(path)
      await expectAccessible()
    }
    await page.getByLabel('Name').fill('x'.repeat(200))
    await page.getByLabel('Slack user ID').fill('not one')
    await page.getByRole('button', { name: 'Add member' }).click()
    expect(await page.getByRole('alert').innerText()).toContain('slack must be')
    await expectAccessible()
    await page.goto('/console/keys/new')
    await page.getByLabel('Name').fill('x'.repeat(200))
    await page.getByRole('button', { name: 'Mint key' }).click()
    await page.locator('code.secret').waitFor()
    await expectAccessible()
    // A name of 200 letters without a break, in a table.
    await page.goto('/console/keys')
    await expectAccessible()
  }, 60_000)

  test('the pages of signing in have nothing either', async () => {
    await page.context().clearCookies()
    const link = await invitation(gate, scene.account, 'x@y.zz')
    for (const path of ['/console/sign-in', '/console/sign-in/sent', link]) {
      await page.goto(path)
      await expectAccessible()
    }
  }, 60_000)
})

test('with scripts off and no mouse: asks for a link, signs in by it, mints a key and uses it', async () => {
  const visit = await context()
  const page = await visit.newPage()
  // The scene has signed in before, by links that are used.
  const before = mailsTo(gate, 'ada@one.example').length
  await page.goto('/console')
  expect(page.url()).toContain('/console/sign-in')
  await tabTo(page, 'textbox', 'E-mail address')
  await page.keyboard.type('ada@one.example')
  await page.keyboard.press('Enter')
  await page.waitForURL('**/sign-in/sent')
  const mail = await until('the mail', async () => mailsTo(gate, 'ada@one.example')[before])
  await page.goto(/http:\S+\/console\/sign-in\/[\w-]{43}/.exec(mail.text)![0])
  await tabTo(page, 'button', 'Sign in')
  await page.keyboard.press('Enter')
  await page.waitForURL('**/console')
  await tabTo(page, 'link', 'API keys')
  await page.keyboard.press('Enter')
  await page.waitForURL('**/console/keys')
  await tabTo(page, 'link', 'Mint key')
  await page.keyboard.press('Enter')
  await page.waitForURL('**/console/keys/new')
  await tabTo(page, 'textbox', 'Name')
  await page.keyboard.type('by keyboard')
  await tabTo(page, 'button', 'Mint key')
  await page.keyboard.press('Enter')
  const key = await page.locator('code.secret').innerText()
  expect((await apiClient(gate.api.url, key).list()).status).toBe(200)
  await tabTo(page, 'link', 'I have copied it')
  await page.keyboard.press('Enter')
  await page.waitForURL('**/console/keys')
  expect(await page.content()).not.toContain(key)
  await tabTo(page, 'button', 'Sign out')
  await page.keyboard.press('Enter')
  await page.waitForURL('**/console/sign-in')
  await page.goto('/console/keys')
  expect(page.url()).toContain('/console/sign-in')
  await visit.close()
}, 60_000)

test('the first Tab of every page leads past what stands on all of them, and where the focus is can be seen', async () => {
  const visit = await context({ javaScriptEnabled: true, bypassCSP: true })
  const page = await visit.newPage()
  await signInByLink(page)
  await page.keyboard.press('Tab')
  const skip = page.getByRole('link', { name: 'Skip to content' }).and(page.locator(':focus'))
  expect((await skip.boundingBox())!.y).toBeGreaterThanOrEqual(0)
  await page.keyboard.press('Enter')
  await page.keyboard.press('Tab')
  expect(await page.evaluate(`document.querySelector('main').contains(document.activeElement)`)).toBe(true)
  expect(await page.evaluate('getComputedStyle(document.activeElement).outlineStyle')).toBe('solid')
  await visit.close()
})

test('in a window of 1280 pixels, lists cut nothing of what was proposed, for whom, by whom and why', async () => {
  const account = await gate.account()
  const actor = { email: 'katherine.johnson@example.com' }
  await account.addMember({ ...actor, name: 'Katherine Johnson', tier: 'write' })
  await account.client.propose(actor, 'Lunch is at noon today: the kitchen closes early.')
  await callTool(account.client, 'issue_refund', { actor, payment: 'pi_Sandbox05', amount_cents: 4500 })
  const visit = await context({ viewport: { width: 1280, height: 800 } })
  const page = await visit.newPage()
  await page.goto(await invitation(gate, account.account, 'root@one.example'))
  await page.getByRole('button', { name: 'Sign in' }).click()
  for (const path of ['/console/ledger?checks=on', '/console/audit?group=all']) {
    await page.goto(path)
    const cells = page.locator('.lines td > div, .lines th > div')
    expect(await cells.count()).toBeGreaterThan(10)
    const cut = await cells.evaluateAll((all) =>
      all
        .filter((one) => one.scrollWidth > one.clientWidth || one.scrollHeight > one.clientHeight + 1)
        .map((one) => one.textContent),
    )
    expect([path, cut]).toEqual([path, []])
  }
  await visit.close()
})

test('another site cannot have a signed-in browser send our forms, nor frame our pages', async () => {
  const evil = await startConsole()
  const visit = await context()
  try {
    const page = await visit.newPage()
    await signInByLink(page)
    // The same address and another port is another origin, and for cookies the same site: as near as an attacker gets.
    await page.route(`${evil.api.url}/attack`, (route) =>
      route.fulfill({
        contentType: 'text/html',
        body: `<form method="post" action="${gate.api.url}/console/account/suspend"><button>Win a prize</button></form>
          <iframe src="${gate.api.url}/console/keys"></iframe>`,
      }),
    )
    await page.goto(`${evil.api.url}/attack`)
    const frame = page.frames().find((one) => one !== page.mainFrame())!
    expect(await frame.content()).not.toContain('API keys')
    const [answer] = await Promise.all([
      page.waitForResponse((response) => response.url().endsWith('/console/account/suspend')),
      page.getByRole('button').click(),
    ])
    expect(answer.status()).toBe(403)
    await page.goto('/console')
    expect(await page.content()).not.toContain('This account is suspended')
  } finally {
    await visit.close()
    await evil.stop()
  }
}, 60_000)
