import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { Browser, Page } from 'playwright-core'
import { faultsOf } from '../support/axe.ts'
import { launchBrowser } from '../support/browser.ts'
import { invitation, linkByMail, startConsole, visitor } from '../support/console.ts'
import type { TestGate } from '../support/gate.ts'
import { press, tabTo, telephone, type } from '../support/keyboard.ts'
import { mandateScene, strict } from '../support/mandate-scene.ts'
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

/** Somebody at a telephone, signed in by a link, who has no pointer: only keys. */
async function atTelephone(link: string): Promise<Page> {
  const context = await chromium.newContext({
    baseURL: gate.api.url,
    ...telephone,
  })
  const page = await context.newPage()
  await page.goto(link)
  await press(page, 'Sign in')
  return page
}

const fits = (page: Page) => page.evaluate('document.documentElement.scrollWidth <= innerWidth')

async function expectGood(page: Page): Promise<void> {
  expect(await faultsOf(page)).toEqual([])
  expect([page.url(), await fits(page)]).toEqual([page.url(), true])
}

test('by keyboard alone, on a telephone: limits are set, a mandate is signed, used, exceeded, and frozen under 50 racing uses', async () => {
  const {
    account,
    setPolicy,
    payOut,
    tell,
    tool,
    client,
    debits,
    verify,
    wil: person,
  } = await mandateScene(gate)
  const { payout } = strict.mandates
  await setPolicy({ kinds: strict.kinds, mandates: { broadcast: strict.mandates.broadcast } })
  const root = await atTelephone(await invitation(gate, account, 'root@example.com'))
  await root.goto('/console/policies/mandates/payout')
  await expectGood(root)
  await tabTo(root, 'Mandates for payout')
  await root.keyboard.press('ArrowDown')
  await type(root, 'Uses in all', String(payout.uses))
  await type(root, 'Uses a day', String(payout.uses_per_day))
  await type(root, 'Each action, row 1', '100.00')
  await type(root, 'In all, row 1', '500.00')
  await type(root, 'A day, row 1', '400.00')
  await press(root, 'Review changes')
  expect(await root.textContent('main')).toContain('mandates for payout: 100.00 USD each')
  await expectGood(root)
  await press(root, 'Set version')

  const wil = await atTelephone(await linkByMail(gate, visitor(gate), person.email!))
  await wil.goto('/console/mandates/new')
  await expectGood(wil)
  await tabTo(wil, 'Kind of action')
  await wil.keyboard.type('payout')
  await type(wil, 'Each action, at most', '50.00')
  await tabTo(wil, 'Another kind of action (2)')
  await wil.keyboard.press('Enter')
  await wil.keyboard.press('Tab')
  await wil.keyboard.type('broadcast')
  await wil.keyboard.press('Tab')
  await wil.keyboard.type('message ~ Order {number} has shipped.')
  await type(wil, 'Currency', 'USD')
  await type(wil, 'In all, at most', '300')
  await type(wil, 'A day, at most', '200')
  await type(wil, 'Uses in all', '50')
  await type(wil, 'Uses a day', '40')
  await expectGood(wil)
  await press(wil, 'Show the mandate to sign')
  const card = await wil.textContent('main')
  expect(card).toContain('Let an agent act without asking: at most 300.00 USD in 50 uses')
  expect(card).toContain('Each payout')
  expect(card).toContain('Order {number} has shipped.')
  await expectGood(wil)
  const id = Number(wil.url().split('/').at(-1))
  await press(wil, 'Approve')
  await until('it is in force', async () => (await client.get(id)).body.status === 'executed')

  expect((await payOut(4_000)).consent.mandate.id).toBe(id)
  expect((await tell('Order 7 has shipped.')).consent.mandate.id).toBe(id)
  const large = await payOut(6_200)
  expect(large.mandate_problem).toContain("62.00 USD is above the mandate's 50.00 USD.")
  await wil.goto(`/console/proposals/${large.id}`)
  expect(await wil.textContent('main')).toContain("62.00 USD is above the mandate's 50.00 USD.")
  await expectGood(wil)
  await wil.goto('/console/mandates')
  expect(await wil.textContent('main')).toContain('Left: 48 uses, 260.00 USD')
  await expectGood(wil)

  // Fifty uses are proposed. While they are confirmed at once, the member presses Freeze.
  const proposed = await Promise.all(
    Array.from({ length: 50 }, async () => (await tool('send_payout', { amount_cents: 100 })).body.id),
  )
  await press(wil, 'Freeze')
  await tabTo(wil, 'Freeze mandate')
  const racing = proposed.map(async (action) => (await tool('confirm_action', { id: action })).body)
  const frozen = wil.waitForURL('**/console/mandates')
  await Promise.race(racing)
  await wil.keyboard.press('Enter')
  await frozen
  const before = (await debits(id)).length
  expect((await payOut(100)).mandate_problem).toContain('it is frozen')
  const answers = await Promise.all(racing)
  expect(await wil.textContent('main')).toContain('frozen')
  const byMandate = answers.filter((answer) => answer.consent?.by === 'mandate')
  const others = answers.filter((answer) => answer.consent?.by !== 'mandate')
  for (const other of others) expect(other.status === 'proposed' || other.code).toBeTruthy()
  // Not one use follows the answer to the freeze, and none was lost.
  expect(await debits(id)).toHaveLength(before)
  expect(byMandate).toHaveLength(before - 2)
  expect(await verify()).toEqual(expect.objectContaining({ ok: true }))
}, 240_000)
