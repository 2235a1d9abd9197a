import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { seedDemo } from '../../dev/embedded/seed.ts'
import { inviteAdmin } from '../../src/operations/admins/invite-admin.ts'
import { mintKey } from '../../src/operations/keys/mint-key.ts'
import { setPolicy } from '../../src/operations/policy/set-policy.ts'
import { projectRoot } from '../../src/process/root.ts'
import { apiClient } from '../support/api-client.ts'
import { addAuthenticator, addPasskey } from '../support/browser-passkey.ts'
import { launchBrowser } from '../support/browser.ts'
import { ringOf } from '../support/connect.ts'
import { askedByMail, askedInSlack, decideBy } from '../support/consent.ts'
import {
  type Visitor,
  linkByMail,
  signedInByMail,
  startConsole,
  visitor as newVisitor,
} from '../support/console.ts'
import type { TestGate } from '../support/gate.ts'
import setUp from '../support/global-setup.ts'
import tearDown from '../support/global-teardown.ts'
import { callTool } from '../support/mcp-tool.ts'
import { testPort } from '../support/test-port.ts'
import { until } from '../support/until.ts'

/**
 * Takes the pictures of README and docs again, from the real pages of the demo account: `npm run docs:screenshots`. With a
 * folder as its argument it puts them there, each also in a narrow window and in the dark.
 */
const [folder] = process.argv.slice(2)
const looks: Record<string, BrowserContextOptions> = {
  '': { viewport: { width: 1280, height: 800 } },
  ...(folder && {
    '-narrow': { viewport: { width: 390, height: 844 } },
    '-dark': { viewport: { width: 1280, height: 800 }, colorScheme: 'dark' },
  }),
}
const target = folder ?? join(projectRoot, 'docs', 'images')
const heightMax = 2_200

const ada = { email: 'ada@example.com' }
const grace = { email: 'grace@example.com' }

await setUp()
// A browser has passkeys at an address with a name alone.
const port = await testPort()
const site = `http://localhost:${port}`
const gate = await startConsole({
  workers: true,
  env: { PORT: String(port), PUBLIC_URL: site, SECRETS_KEYS: ringOf('k1') },
})
const browser = await launchBrowser()
try {
  mkdirSync(target, { recursive: true })
  const demo = await lived(gate)
  for (const [suffix, look] of Object.entries(looks)) await shootAll(demo, look, suffix)
  await shootTelephone(demo)
  await shootPasskey(demo)
} finally {
  await browser.close()
  await gate.stop()
  await tearDown()
}
process.exit(0)

type Lived = Awaited<ReturnType<typeof lived>>

/** The demo account after a day's work: Ada administers it, and is asked for what is large. */
async function lived({ database, deps }: TestGate) {
  const { accountId: account, apiKey } = await seedDemo(database.db)
  const client = apiClient(gate.api.url, apiKey)
  const administrator = { db: database.db, kinds: deps.kinds, account, session: null }
  await inviteAdmin(administrator, ada.email)
  await setPolicy(administrator, {
    kinds: {
      broadcast: { tier: 'guarded_write', channels: 'preferred', consent: 'chat' },
      refund: {
        bands: {
          usd: [
            { up_to_cents: 10_000, tier: 'guarded_write', consent: 'agent_attested' },
            { up_to_cents: 1_000_000, tier: 'write', consent: 'page' },
          ],
        },
      },
      payout: {
        bands: {
          usd: [
            { up_to_cents: 1_000_000, tier: 'write', consent: 'page' },
            { up_to_cents: 5_000_000, tier: 'write', consent: 'passkey' },
          ],
        },
      },
    },
    passkey_settles_after_hours: 0,
    mandates: {
      payout: {
        consent: 'page',
        cents_each: { usd: 10_000 },
        cents: { usd: 50_000 },
        cents_per_day: { usd: 20_000 },
        uses: 50,
        uses_per_day: 10,
        days: 14,
      },
    },
  })
  const call = async (tool: string, args: object) => (await callTool(client, tool, args)).body.id as number

  await client.capability(grace)
  const small = await call('issue_refund', { actor: grace, payment: 'pi_Sandbox05', amount_cents: 4_500 })
  await client.confirm(small, grace)
  await call('issue_refund', { actor: grace, payment: 'pi_Sandbox06', amount_cents: 90_000 })
  await client.propose({ email: 'barbara@example.com' }, 'Me too!')
  await client.capability(ada)
  const refund = await call('issue_refund', { actor: ada, payment: 'pi_Sandbox06', amount_cents: 18_500 })
  await client.confirm(refund, ada)
  await decideBy((await askedByMail(gate, ada.email)).link)
  await until('the refund is executed', async () => (await client.get(refund)).body.status === 'executed')
  const broadcast = (await client.propose(grace, 'Lunch is at noon today: the kitchen closes early.')).body.id
  await client.confirm(broadcast, grace)
  const slack = await askedInSlack(gate, 'U0GRACE')
  const payout = await call('send_payout', {
    actor: ada,
    amount_cents: 250_000,
    description: 'November, to the bakery’s account',
  })
  await client.confirm(payout, ada)
  const { link } = await askedByMail(gate, ada.email, 2)
  for (const cents of [2_500, 6_000])
    await call('issue_refund', { actor: ada, payment: 'pi_Sandbox05', amount_cents: cents })
  const agent = await mintKey(administrator, {
    name: 'Ada’s agent',
    actors: [ada],
    expiresAt: null,
    rights: { powers: ['read', 'propose'] },
  })
  await apiClient(gate.api.url, agent.apiKey).capability({})
  const visitor = await signedInByMail(gate, ada.email)
  return { account, client, call, refund, payout, link, slack: slack.message, visitor, agentKey: agent.keyId }
}

async function shootAll(
  { refund, payout, link, visitor, agentKey }: Lived,
  look: BrowserContextOptions,
  suffix: string,
) {
  const stranger = await (await browser.newContext({ ...look, baseURL: site })).newPage()
  const shoot = (page: Page, name: string) => picture(page, `${name}${suffix}.png`)
  await stranger.goto('/console/sign-in')
  await shoot(stranger, 'sign-in')
  await stranger.goto(link)
  await shoot(stranger, 'decision-link')
  await stranger.goto(gate.sandbox.url)
  const request = stranger.locator('article', { has: stranger.locator('button') }).first()
  await request.screenshot({ path: join(target, `slack${suffix}.png`) })

  const page = await signedIn(visitor, look)
  await page.goto('/console')
  await shoot(page, 'overview')
  await page.goto(`/console/proposals/${payout}`)
  await shoot(page, 'decision')
  await page.getByText('Change it before you approve').click()
  await page.getByLabel('Amount').fill('1,800.00')
  await shoot(page, 'edit')
  await page.goto('/console/proposals')
  // The bar of the selected ones stays at the end of the window: in a high one it stands below the list.
  const { width, height } = page.viewportSize()!
  await page.setViewportSize({ width, height: 1_600 })
  await page.locator('#inbox summary').first().click()
  await page.locator('#inbox').screenshot({ path: join(target, `inbox${suffix}.png`) })
  await page.setViewportSize({ width, height })
  await page.goto(`/console/ledger/${refund}`)
  await shoot(page, 'ledger-row')
  await page.goto(`/console/connect/claude-code/${agentKey}`)
  await shoot(page, 'connect')
  if (folder)
    for (const name of ['sessions', 'devices/new', 'me']) {
      await page.goto(`/console/${name}`)
      await shoot(page, name.replace('/', '-'))
    }
  await page.goto('/console/previews')
  if (suffix !== '' || folder) await shoot(page, 'previews')
  await page.goto('/console/policies')
  if (suffix !== '' || folder) await shoot(page, 'policy')
  await page.goto('/console/mandates/new')
  await page.getByLabel('Kind of action', { exact: true }).selectOption('payout')
  await page.getByLabel('Each action, at most').fill('50.00')
  await page.getByLabel('Currency').fill('USD')
  await page.getByLabel('In all, at most').fill('300.00')
  await page.getByLabel('A day, at most').fill('100.00')
  await page.getByLabel('Uses in all').fill('20')
  await page.getByLabel('Uses a day').fill('5')
  await page.getByRole('button', { name: 'Show the mandate to sign' }).click()
  await page.locator('.card').screenshot({ path: join(target, `mandate${suffix}.png`) })
  await page.goto('/console/policies/kinds/refund')
  await page.getByRole('textbox', { name: 'Up to of band 1 of refund' }).fill('40.00')
  await page.getByRole('button', { name: 'Review changes' }).click()
  await shoot(page, 'policy-review')
  for (const one of [stranger, page]) await one.context().close()
}

/** The first screen of a telephone, at the page of a proposal with a long message. */
async function shootTelephone({ client }: Lived): Promise<void> {
  const message = 'The kitchen closes early today. Lunch is at noon, and coffee until three.\n'.repeat(40)
  const { id } = (await client.propose(grace, message)).body
  const visitor = await signedInByMail(gate, grace.email)
  const page = await signedIn(visitor, { viewport: { width: 390, height: 844 } })
  await page.goto(`/console/proposals/${id}`)
  await page.screenshot({ path: join(target, 'telephone.png') })
  await page.context().close()
}

/** The page that asks for a passkey, with the text that it signs. */
async function shootPasskey({ call }: Lived): Promise<void> {
  const context = await browser.newContext({ ...looks[''], baseURL: site })
  const page = await context.newPage()
  await addAuthenticator(await context.newCDPSession(page))
  await page.goto(await linkByMail(gate, newVisitor(gate), ada.email))
  await page.getByRole('button', { name: 'Sign in' }).click()
  await addPasskey(page)
  const id = await call('send_payout', { actor: ada, amount_cents: 1_200_000, description: 'New oven' })
  await page.goto(`/console/proposals/${id}`)
  await page.getByText('What your passkey signs').click()
  await page.locator('.card').screenshot({ path: join(target, 'passkey.png') })
  await context.close()
}

async function signedIn({ cookies }: Visitor, look: BrowserContextOptions): Promise<Page> {
  const context = await browser.newContext({ ...look, baseURL: site, javaScriptEnabled: false })
  await context.addCookies([...cookies].map(([name, value]) => ({ name, value, url: site })))
  return context.newPage()
}

/** The page, cut to a height that suits a page of docs. */
async function picture(page: Page, file: string): Promise<void> {
  const { width } = page.viewportSize()!
  const height = await page.locator('html').evaluate((root) => root.scrollHeight)
  const clip = { x: 0, y: 0, width, height: folder ? height : Math.min(height, heightMax) }
  await page.screenshot({ path: join(target, file), fullPage: true, clip })
}
