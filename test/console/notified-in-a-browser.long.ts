import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { Browser, CDPSession, Page } from 'playwright-core'
import { faultsOf } from '../support/axe.ts'
import { launchBrowser } from '../support/browser.ts'
import { ringOf } from '../support/connect.ts'
import { askedByMail, linksTo } from '../support/consent.ts'
import { linkByMail, mailsTo, startConsole, visitor } from '../support/console.ts'
import type { TestGate } from '../support/gate.ts'
import { type PushReceiver, pushReceiver } from '../support/push-receiver.ts'
import { until } from '../support/until.ts'
import { item, listPath as list, openList } from './at-work.ts'

let gate: TestGate
let receiver: PushReceiver
let chromium: Browser
beforeAll(async () => {
  receiver = await pushReceiver()
  gate = await startConsole({
    workers: true,
    env: { SECRETS_KEYS: ringOf('k1') },
    network: { allowed: ['127.0.0.0/8'] },
  })
  chromium = await launchBrowser()
}, 60_000)
afterAll(async () => {
  await chromium?.close()
  await gate.stop()
  await receiver.close()
}, 60_000)

const email = 'wanda@example.com'

/** A member in a browser that subscribes at the receiver: no push service of a browser's maker is reachable from here. */
async function atTelephone() {
  const account = await gate.account()
  await account.setPolicy({ kinds: { broadcast: { tier: 'guarded_write', consent: 'page' } } })
  await account.addMember({ name: 'Wanda', email, tier: 'guarded_write' })
  const context = await chromium.newContext({
    baseURL: gate.api.url,
    viewport: { width: 390, height: 844 },
    permissions: ['notifications'],
  })
  const subscription = receiver.subscribe('telephone')
  await context.addInitScript(`
    const fromBase64 = (text) => Uint8Array.from(
      atob(text.replaceAll('-', '+').replaceAll('_', '/')), (sign) => sign.charCodeAt(0)).buffer
    const { endpoint, public_key, auth } = ${JSON.stringify(subscription)}
    PushManager.prototype.getSubscription = async () => null
    PushManager.prototype.subscribe = async ({ userVisibleOnly, applicationServerKey }) => {
      if (!userVisibleOnly || applicationServerKey.length !== 87) throw new TypeError('not as browsers take it')
      return { endpoint, getKey: (name) => fromBase64(name === 'auth' ? auth : public_key) }
    }
  `)
  const page = await context.newPage()
  const problems: string[] = []
  page.on('pageerror', (error) => problems.push(error.message))
  page.on('console', (said) => said.type() === 'error' && problems.push(said.text()))
  const asked = async (message: string) => {
    const { body } = await account.client.propose({ email }, message)
    await account.client.confirm(body.id, { email })
    const told = receiver.received.length
    const push = await until('the telephone is told', async () => receiver.received[told])
    return { id: body.id as number, push }
  }
  return { ...account, context, page, problems, asked }
}

/** The worker of the console, as the tools of the browser see it. */
async function workerOf(page: Page): Promise<{ cdp: CDPSession; registrationId: string }> {
  const cdp = await page.context().newCDPSession(page)
  const registered = new Promise<string>((found) => {
    cdp.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
      const own = registrations.find(({ scopeURL }) => scopeURL === `${gate.api.url}/console/`)
      if (own) found(own.registrationId)
    })
  })
  await cdp.send('ServiceWorker.enable')
  return { cdp, registrationId: await registered }
}

const shownNotifications = (page: Page) =>
  page.evaluate<{ title: string; data: string }[]>(
    `navigator.serviceWorker.ready.then(async (own) =>
      (await own.getNotifications()).map(({ title, data }) => ({ title, data })))`,
  )

test('a member installs the console, turns notifications on, is told before the mail comes, and signs in to the list that a press opens', async () => {
  const one = await atTelephone()
  const { page, context } = one
  await page.goto(await linkByMail(gate, visitor(gate), email))
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.waitForURL('**/console')
  await page.goto('/console/sessions')
  expect(await faultsOf(page)).toEqual([])
  await page.getByRole('link', { name: 'Turn on notifications on this device' }).click()
  expect(await faultsOf(page)).toEqual([])
  await page.getByRole('button', { name: 'Turn on notifications on this device' }).click()
  await page.getByText('Notifications turned on.').waitFor()
  expect(await page.getByRole('table', { name: 'Devices with notifications' }).innerText()).toContain('never')
  expect(await faultsOf(page)).toEqual([])

  const { cdp, registrationId } = await workerOf(page)
  expect((await cdp.send('Page.getAppManifest')).errors).toEqual([])
  // The context of a test is as a private window, which installs nothing.
  const { installabilityErrors: faults } = await cdp.send('Page.getInstallabilityErrors')
  expect(faults.map(({ errorId }) => errorId)).toEqual(['in-incognito'])

  // Held at first, then sent: nobody decides.
  const first = await one.asked('The kitchen closes early.')
  expect(linksTo(gate, email)).toEqual([])
  await askedByMail(gate, email)
  const [times] = await gate.database.asSuperuser(
    `select attempted_at - created_at >= interval '15 seconds' as held from gate.consent_request
    where account_id = '${one.account}' and action_id = ${first.id}`,
  )
  expect(times!['held']).toBe(true)

  // Decided in the list, which shows by itself what came: no mail.
  await openList(page)
  const second = await one.asked('The kitchen is open again.')
  const waiting = item(page, second.id)
  await waiting.locator('summary').click()
  await waiting.getByRole('button', { name: 'Decline' }).click()
  await until('it is declined', async () => (await one.client.get(second.id)).body.status === 'cancelled')
  const [request] = await gate.database.asSuperuser(
    `select state from gate.consent_request where account_id = '${one.account}' and action_id = ${second.id}`,
  )
  expect([request!['state'], linksTo(gate, email).length]).toEqual(['withdrawn', 1])

  for (const data of [
    second.push.text,
    second.push.text,
    'not what we send',
    '{"title":1,"open":"https://evil.example"}',
  ])
    await cdp.send('ServiceWorker.deliverPushMessage', { origin: gate.api.url, registrationId, data })
  await until('it is shown', async () => (await shownNotifications(page)).length > 0)
  // One takes the place of the other, and none leads elsewhere.
  expect(await shownNotifications(page)).toEqual([{ title: 'Something waits for your decision', data: list }])

  // A press opens the list. A browser opens windows only for a press of a person: here is asked what it would open.
  const worker = context.serviceWorkers()[0]!
  const opened = await worker.evaluate<string>(`(async () => {
    const asked = new Promise((done) => { clients.openWindow = async (path) => done(path) })
    clients.matchAll = async () => []
    const [notification] = await registration.getNotifications()
    dispatchEvent(new NotificationEvent('notificationclick', { notification }))
    return asked
  })()`)
  expect([opened, await shownNotifications(page)]).toEqual([list, []])
  await context.clearCookies()
  await page.goto(opened)
  await page.getByLabel('E-mail').fill(email)
  const before = signInLinks().length
  await page.getByRole('button', { name: /link/i }).click()
  await page.goto(await until('a link', async () => signInLinks()[before]))
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.waitForURL(`**${list}`)
  expect(await page.getByRole('heading', { level: 1 }).innerText()).toBe('Open proposals')

  await page.goto('/console/sessions')
  expect(await page.getByRole('table', { name: 'Devices with notifications' }).innerText()).not.toContain(
    'never',
  )
  await page.getByRole('link', { name: /^Remove/ }).click()
  await page.getByRole('button', { name: 'Remove device' }).click()
  await page.getByText('Device removed.').waitFor()
  expect(await page.getByText('No devices.').count()).toBe(1)
  expect(one.problems).toEqual([])
  await context.close()
}, 180_000)

const signInLinks = () =>
  mailsTo(gate, email).flatMap(({ text }) => /\/console\/sign-in\/[\w-]{43}/.exec(text)?.[0] ?? [])
