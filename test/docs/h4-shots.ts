import { inviteAdmin } from '../../src/operations/admin/admins.ts'
import { launchBrowser } from '../support/browser.ts'
import { askedByMail } from '../support/consent.ts'
import { signedInByMail, startConsole } from '../support/console.ts'
import setUp from '../support/global-setup.ts'
import tearDown from '../support/global-teardown.ts'
import { callTool } from '../support/mcp-tool.ts'

await setUp()
const gate = await startConsole({ workers: true })
const browser = await launchBrowser()
try {
  const account = await gate.account()
  await account.setPolicy({
    kinds: {
      broadcast: { tier: 'guarded_write', consent: 'page' },
      refund: {
        bands: { usd: [{ tier: 'write', consent: 'page' }], eur: [{ tier: 'write', consent: 'page' }] },
      },
    },
  })
  const email = 'ada@example.com'
  await account.addMember({ name: 'Ada Lovelace', email, slack: 'U000ADA', tier: 'write' })
  await account.addMember({ name: 'Bob', email: 'bob@example.com', slack: 'U000BOB', tier: 'write' })
  await inviteAdmin({ db: gate.database.db, account: account.account, session: null }, email)
  const actor = { email }
  const words = 'The kitchen closes early on Friday because the ovens are serviced. '
  const message = words.repeat(5).slice(0, 300)
  const { body } = await account.client.propose(actor, message)
  const refund = (
    await callTool(account.client, 'issue_refund', { actor, payment: 'pi_Sandbox03', amount_cents: 1_000 })
  ).body
  await gate.database.asSuperuser(`update gate.action set rationale = null where id = ${body.id}`)
  await account.client.confirm(body.id, actor)
  const { link } = await askedByMail(gate, email)
  await account.client.confirm(refund.id, actor)
  const refundLink = (await askedByMail(gate, email, 2)).link
  const visitor = await signedInByMail(gate, email)
  const looks = {
    narrow: { viewport: { width: 390, height: 844 } },
    wide: { viewport: { width: 1280, height: 800 } },
    dark: { viewport: { width: 390, height: 844 }, colorScheme: 'dark' as const },
  }
  for (const [name, look] of Object.entries(looks)) {
    const context = await browser.newContext({ ...look, baseURL: gate.api.url, javaScriptEnabled: false })
    await context.addCookies(
      [...visitor.cookies].map(([n, value]) => ({ name: n, value, url: gate.api.url })),
    )
    const page = await context.newPage()
    const shot = async (path: string, file: string) => {
      await page.goto(path)
      await page.screenshot({ path: `/tmp/h4shots/${file}-${name}.png`, fullPage: name === 'wide' })
    }
    await shot(link, 'link')
    for (const b of ['Approve', 'Decline'])
      console.log(name, 'link', b, await page.getByRole('button', { name: b, exact: true }).boundingBox())
    await shot(refundLink, 'link-refund')
    await shot(`/console/proposals/${body.id}`, 'console')
    for (const b of ['Approve', 'Decline'])
      console.log(name, 'console', b, await page.getByRole('button', { name: b, exact: true }).boundingBox())
    await shot(`/console/proposals/${refund.id}`, 'console-refund')
    if (name === 'dark') {
      await page.getByRole('button', { name: 'Approve', exact: true }).click()
      await page.screenshot({ path: `/tmp/h4shots/console-done.png`, fullPage: true })
      await page.goto(link)
      await page.locator('summary').click()
      await page.screenshot({ path: `/tmp/h4shots/link-reason.png`, fullPage: true })
      await page.getByRole('button', { name: 'Approve', exact: true }).click()
      await page.screenshot({ path: `/tmp/h4shots/link-done.png`, fullPage: true })
    }
    await context.close()
  }
} finally {
  await browser.close()
  await gate.stop()
  await tearDown()
}
process.exit(0)
