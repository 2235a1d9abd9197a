import { execFileSync } from 'node:child_process'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { Browser, Page } from 'playwright-core'
import { inviteAdmin } from '../../src/operations/admins/invite-admin.ts'
import { faultsOf } from '../support/axe.ts'
import { launchBrowser } from '../support/browser.ts'
import { type Visitor, signedInByMail, startConsole } from '../support/console.ts'
import type { TestGate } from '../support/gate.ts'
import { mcpClients } from '../support/mcp-clients.ts'

// From the page that one opens first to what a person decided: on a telephone, without a script.

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

async function windowOf({ cookies }: Visitor, javaScriptEnabled = false): Promise<Page> {
  const viewport = { width: 390, height: 844 }
  const context = await chromium.newContext({
    viewport,
    javaScriptEnabled,
    bypassCSP: true,
    baseURL: gate.api.url,
  })
  await context.addCookies([...cookies].map(([name, value]) => ({ name, value, url: gate.api.url })))
  return context.newPage()
}

/** What the program `claude` is handed by a line. */
function wordsOf(line: string): string[] {
  const script = `claude() { printf '%s\\0' "$@"; }; ${line}`
  return execFileSync('bash', ['-c', script]).toString().split('\0')
}

test('Ada connects an agent of her own, sees its first call without reloading, and decides what it proposes', async () => {
  const { account, addMember } = await gate.account()
  const email = 'ada@example.com'
  await addMember({ name: 'Ada', email, tier: 'guarded_write' })
  await inviteAdmin({ db: gate.database.db, account, session: null }, email)
  const ada = await signedInByMail(gate, email)

  const page = await windowOf(ada)
  await page.goto('/console/connect')
  await page.getByRole('link', { name: 'Claude Code' }).click()
  expect(await page.getByLabel('Member').inputValue()).toBe(email)
  await page.getByRole('button', { name: 'Mint key and show lines' }).click()
  const words = wordsOf(await page.locator('pre').first().innerText())
  const [url, header] = [words[words.indexOf('gate') + 1]!, words[words.indexOf('--header') + 1]!]
  await page.getByRole('link', { name: 'wait for the first call' }).click()
  expect(await page.locator('main').innerText()).toContain('No call has arrived')

  const [, connect] = mcpClients[1]!
  const agent = await connect(new URL(url), {
    headers: Object.fromEntries([header.split(': ') as [string, string]]),
  })
  try {
    // Nobody touches the page: it loads itself again.
    await page.getByText('The last call arrived').waitFor()
    expect(await page.locator('main').innerText()).toMatch(/Acts for\s+Ada guarded_write/)
    const looked = await windowOf(ada, true)
    await looked.goto(page.url())
    expect(await faultsOf(looked)).toEqual([])
    await agent.callTool({
      name: 'request_action',
      arguments: { kind: 'broadcast', payload: { message: 'Lunch is at noon.' }, ask: true },
    })
  } finally {
    await agent.close()
  }

  await page.getByRole('link', { name: 'Proposals' }).last().click()
  await page.getByRole('rowheader').getByRole('link').click()
  expect(await page.locator('main').innerText()).toContain('Claude Code')
  const proposal = page.url()
  await page.getByRole('button', { name: 'Approve' }).click()
  await page.getByText('Proposal approved.').waitFor()
  await page.goto(proposal)
  await page.getByText('Message sent to 1 person').first().waitFor()
}, 60_000)
