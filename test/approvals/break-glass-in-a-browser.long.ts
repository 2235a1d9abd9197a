import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { faultsOf } from '../support/axe.ts'
import { launchBrowser } from '../support/browser.ts'
import { addAuthenticator, addPasskey } from '../support/browser-passkey.ts'
import { linkByMail, startConsole, visitor } from '../support/console.ts'
import type { TestGate } from '../support/gate.ts'
import { press, tabTo, telephone } from '../support/keyboard.ts'
import { testPort } from '../support/test-port.ts'
import { approvalScene } from './scene.ts'

let gate: TestGate
let chromium: Browser
let site: string
beforeAll(async () => {
  const port = await testPort()
  site = `http://localhost:${port}`
  gate = await startConsole({ workers: true, env: { PORT: String(port), PUBLIC_URL: site } })
  chromium = await launchBrowser()
}, 60_000)
afterAll(async () => {
  await chromium?.close()
  await gate.stop()
}, 60_000)

async function signedIn(address: string, options: BrowserContextOptions): Promise<Page> {
  const page = await (await chromium.newContext({ baseURL: site, ...options })).newPage()
  await addAuthenticator(await page.context().newCDPSession(page))
  await page.goto(await linkByMail(gate, visitor(gate), address))
  await press(page, 'Sign in')
  return page
}

test('on a telephone, by keyboard alone: a named member executes a proposal alone, and an approver reviews it at a desk', async () => {
  const one = await approvalScene(gate)
  const { bea, cy, dan } = one.people
  const approvals = {
    ...one.rule,
    from: { members: [bea.memberId, cy.memberId] },
    break_glass: { members: [dan.memberId], review_within_hours: 48 },
  }
  await one.setPolicy({
    passkey_settles_after_hours: 0,
    kinds: { broadcast: { tier: 'guarded_write', consent: 'agent_attested', approvals } },
  })
  const id = await one.awaiting()
  const atPhone = await signedIn(dan.email!, telephone)
  await addPasskey(atPhone)
  await atPhone.goto(`/console/proposals/${id}`)
  expect(await faultsOf(atPhone)).toEqual([])
  await press(atPhone, 'execute it alone')
  expect(await faultsOf(atPhone)).toEqual([])
  expect(await atPhone.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
  await tabTo(atPhone, 'Why it cannot wait')
  await atPhone.keyboard.type('The shop is down, and both are on a plane.')
  await press(atPhone, 'Execute alone with passkey')
  await atPhone.getByText('Proposal approved.').waitFor()
  await one.executed(id)
  const atDesk = await signedIn(bea.email!, { viewport: { width: 1200, height: 800 } })
  await atDesk.goto('/console')
  expect(await faultsOf(atDesk)).toEqual([])
  await press(atDesk, `broadcast #${id}`)
  expect(await faultsOf(atDesk)).toEqual([])
  expect(await atDesk.textContent('main')).toContain('both are on a plane')
  await tabTo(atDesk, 'What you found')
  await atDesk.keyboard.type('It could have waited.')
  await press(atDesk, 'Not justified')
  await atDesk.getByText('Review recorded.').waitFor()
  expect(await one.entries(id, 'glass_broken', 'glass_reviewed')).toHaveLength(2)
  expect(await one.verified()).toMatchObject({ ok: true })
}, 120_000)
