import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { Browser, BrowserContextOptions } from 'playwright-core'
import { verifyLedger } from '../../src/ledger/verify.ts'
import { faultsOf } from '../support/axe.ts'
import { launchBrowser } from '../support/browser.ts'
import { askedByMail } from '../support/consent.ts'
import { linkByMail, startConsole, visitor } from '../support/console.ts'
import type { TestGate } from '../support/gate.ts'
import { press, tabTo, telephone, type } from '../support/keyboard.ts'
import { entriesOf } from '../support/ledger-entries.ts'
import { callTool } from '../support/mcp-tool.ts'
import { until } from '../support/until.ts'

let gate: TestGate
let chromium: Browser
beforeAll(async () => {
  gate = await startConsole({ workers: true })
  chromium = await launchBrowser()
}, 60_000)
afterAll(async () => {
  await chromium?.close()
  await gate.stop()
}, 60_000)

let accounts = 0
let people = 0

/** Kim refunds, and both Ann, at a desk, and Ben, with a telephone, must approve it. Dee is a member like them. */
async function office() {
  const n = ++accounts
  const account = await gate.account()
  const member = (name: string) =>
    account.addMember({ name, email: `${name.toLowerCase()}${n}@desk.example`, tier: 'write' })
  const kim = await member('Kim')
  const all = { Ann: await member('Ann'), Ben: await member('Ben'), Dee: await member('Dee') }
  const approvals = {
    needed: 2,
    from: { members: [all.Ann.memberId, all.Ben.memberId] },
    distinct_from: ['proposer'],
    min_strength: 'page',
  }
  const bands = { usd: [{ tier: 'write', consent: 'agent_attested', approvals }] }
  await account.setPolicy({ kinds: { refund: { bands, velocity: 'off' } } })
  const actor = { email: kim.email }
  const problems: string[] = []
  return {
    ...account,
    all,
    problems,
    async awaiting(): Promise<number> {
      const args = { actor, payment: 'pi_Sandbox05', amount_cents: 1_000 + n }
      const { id } = (await callTool(account.client, 'issue_refund', args)).body
      expect((await account.client.confirm(id, actor)).body.awaiting_approvals).toMatchObject({ given: 0 })
      return id
    },
    /** A browser of their own, signed in at the console. */
    async browserOf(name: keyof typeof all, options: BrowserContextOptions) {
      const extraHTTPHeaders = { 'x-forwarded-for': `10.3.0.${++people}` }
      const look = { baseURL: gate.api.url, extraHTTPHeaders, bypassCSP: true, ...options }
      const page = await (await chromium.newContext(look)).newPage()
      page.on('pageerror', (error) => problems.push(error.message))
      page.on(
        'console',
        (said) => said.type() === 'error' && isOfPage(said.location().url) && problems.push(said.text()),
      )
      await page.goto(await linkByMail(gate, visitor(gate), all[name].email!))
      await press(page, 'Sign in')
      return page
    },
    linkTo: async (name: keyof typeof all) => (await askedByMail(gate, all[name].email!)).link,
    row: async (id: number) => (await account.client.get(id)).body,
    entries: async (id: number, ...kinds: string[]) =>
      (await entriesOf(gate.database, account.account, id)).filter(({ kind }) => kinds.includes(kind)),
    async executedOnce(id: number) {
      await until('executed', async () => (await this.row(id)).status === 'executed')
      const calls = await gate.database.asSuperuser(
        `select key from gate.provider_call where account_id = '${account.account}' and action_id = ${id}`,
      )
      expect([calls.length, (await this.entries(id, 'confirmed', 'executed')).length]).toEqual([1, 2])
      expect(await verifyLedger(gate.database.db, account.account)).toMatchObject({ ok: true })
    },
  }
}

/** Browsers ask for the icon by themselves. */
const isOfPage = (url: string) => !url.endsWith('/favicon.ico')

const desk = { viewport: { width: 1200, height: 900 } }
const pathOf = (id: number) => `/console/proposals/${id}`

test('by keyboard: one approves by the link of their mail, the other sees that on a telephone, approves, and it executes once', async () => {
  const one = await office()
  const id = await one.awaiting()
  const [ann, ben] = [await one.browserOf('Ann', desk), await one.browserOf('Ben', telephone)]
  await ann.goto(await one.linkTo('Ann'))
  expect(await ann.locator('main').innerText()).toContain('2 people of 2 named members')
  expect(await faultsOf(ann)).toEqual([])
  await press(ann, 'Approve')
  expect(await one.row(id)).toMatchObject({ status: 'proposed', awaiting_approvals: { given: 1 } })
  await ann.goto(pathOf(id))
  const waits = await ann.locator('main').innerText()
  expect(waits).toMatch(/You approved it\. You can still decline it\.[^]*waiting for approvals/)
  expect(await ann.getByRole('button', { name: 'Approve' }).count()).toBe(0)

  await ben.goto(pathOf(id))
  expect(await ben.locator('main').innerText()).toContain('Ann')
  expect(await faultsOf(ben)).toEqual([])
  await press(ben, 'Approve')
  await one.executedOnce(id)
  // Both see how it ended.
  for (const page of [ann, ben]) {
    await page.goto(pathOf(id))
    expect(await page.locator('main').innerText()).toMatch(/executed[^]*Approved by\s+Ann, Ben/)
    expect(await page.getByRole('button', { name: 'Approve' }).count()).toBe(0)
  }
  expect(one.problems).toEqual([])
}, 120_000)

test('one decline on a telephone ends it, and who had approved sees why', async () => {
  const one = await office()
  const id = await one.awaiting()
  const [ann, ben] = [await one.browserOf('Ann', desk), await one.browserOf('Ben', telephone)]
  await ann.goto(pathOf(id))
  await press(ann, 'Approve')
  await ben.goto(pathOf(id))
  await tabTo(ben, 'Decline with a reason')
  await ben.keyboard.press('Enter')
  await type(ben, 'Reason', 'The customer paid twice, refund the other one.')
  await press(ben, 'Decline with this reason')
  expect(await one.row(id)).toMatchObject({ status: 'cancelled', closed_reason: 'approver_declined' })
  await ann.goto(pathOf(id))
  expect(await ann.locator('main').innerText()).toContain('The customer paid twice, refund the other one.')
  expect((await one.entries(id, 'confirmed', 'executed')).length).toBe(0)
  expect(one.problems).toEqual([])
}, 120_000)

test('who is away names a deputy by keyboard; the deputy approves on a telephone, and counts as the one who is away', async () => {
  const one = await office()
  const ben = await one.browserOf('Ben', desk)
  await ben.goto('/console/delegations')
  await type(ben, 'Deputy', one.all.Dee.email!)
  await ben.getByLabel('Last day').fill(new Date(Date.now() + 86_400_000).toISOString().slice(0, 10))
  await type(ben, 'Reason', 'On a train')
  await press(ben, 'Name deputy')
  const id = await one.awaiting()
  const dee = await one.browserOf('Dee', telephone)
  await dee.goto(await one.linkTo('Dee'))
  expect(await dee.locator('main').innerText()).toContain('Ben')
  await press(dee, 'Approve')
  // Nobody counts twice.
  await ben.goto(pathOf(id))
  expect(await ben.locator('main').innerText()).toMatch(/Approved by Dee for Ben\..* count as one person/)
  expect(await ben.getByRole('button', { name: 'Approve' }).count()).toBe(0)
  expect(await one.row(id)).toMatchObject({ status: 'proposed', awaiting_approvals: { given: 1 } })
  const ann = await one.browserOf('Ann', telephone)
  await ann.goto(pathOf(id))
  await tabTo(ann, 'Approve')
  await press(ann, 'Approve')
  await one.executedOnce(id)
  const [confirmed] = await one.entries(id, 'confirmed')
  const { Ann, Ben, Dee } = one.all
  expect(confirmed!.entry.data['approved_by']).toEqual([
    { member: Dee.memberId, for: Ben.memberId },
    { member: Ann.memberId },
  ])
  expect(one.problems).toEqual([])
}, 120_000)
