import { afterAll, beforeAll } from '@jest/globals'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import type { TestMember } from '../support/account.ts'
import type { ApiClient } from '../support/api-client.ts'
import { launchBrowser } from '../support/browser.ts'
import { linkByMail, startConsole, visitor } from '../support/console.ts'
import { customerDeletion, declare } from '../support/declared-kind.ts'
import type { TestGate } from '../support/gate.ts'
import { entriesOf } from '../support/ledger-entries.ts'
import { callTool } from '../support/mcp-tool.ts'

export const listPath = '/console/proposals'

/** A gate and a browser for the tests of a file. */
export interface Work {
  gate: TestGate
  chromium: Browser
}

/** @returns an object that has both once they have started */
export function useWork(): Work {
  const work = {} as Work
  beforeAll(async () => {
    work.gate = await startConsole()
    work.chromium = await launchBrowser()
  }, 60_000)
  afterAll(async () => {
    await work.chromium?.close()
    await work.gate.stop()
  }, 60_000)
  return work
}

/** Colours, widths, 200 % zoom (a window of 1280 by 800, enlarged), and less motion. */
const zoomed = {
  viewport: { width: 640, height: 400 },
  deviceScaleFactor: 2,
  reducedMotion: 'reduce',
} as const
export const looks = [
  { colorScheme: 'light', viewport: { width: 1200, height: 900 } },
  { colorScheme: 'dark', viewport: { width: 390, height: 844 } },
  { colorScheme: 'light', ...zoomed },
  { colorScheme: 'dark', ...zoomed },
] as const

let people = 0
const byPage = { bands: { usd: [{ tier: 'write', consent: 'page' }] }, velocity: 'off' }

/** A member who is signed in, in a browser of their own, and an agent that proposes for them. */
export async function atWork({ gate, chromium }: Work, options: BrowserContextOptions = {}) {
  const account = await gate.account()
  await account.setPolicy({
    open_max_per_member: 200,
    kinds: {
      broadcast: { tier: 'guarded_write', consent: 'page' },
      payout: byPage,
      refund: byPage,
    },
  })
  await declare(gate.deps.db, account.account, customerDeletion())
  const email = `kim${++people}@example.com`
  const member = await account.addMember({ name: 'Kim', email, tier: 'write' })
  const extraHTTPHeaders = { 'x-forwarded-for': `10.2.0.${people}` }
  const context = await chromium.newContext({ baseURL: gate.api.url, extraHTTPHeaders, ...options })
  const page = await context.newPage()
  const problems: string[] = []
  page.on('pageerror', (error) => problems.push(error.message))
  page.on('console', (said) => said.type() === 'error' && problems.push(said.text()))
  await page.goto(await linkByMail(gate, visitor(gate), email))
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.waitForURL('**/console')
  return {
    ...account,
    email,
    member,
    page,
    problems,
    ...agentOf(account.client, { email }),
    decided: async () => {
      const entries = await entriesOf(gate.database, account.account)
      const of = (kind: string) => entries.filter((one) => one.kind === kind)
      return { confirmed: of('confirmed'), cancelled: of('cancelled'), edited: of('edited') }
    },
    end: () => context.close(),
  }
}

/** What an agent proposes for a member: each answers with the number of the action. */
function agentOf(client: ApiClient, actor: Pick<TestMember, 'email'>) {
  const proposed = async (tool: string, args: object): Promise<number> =>
    idOf(await callTool(client, tool, { actor, ...args }))
  return {
    actor,
    says: async (message: string): Promise<number> => idOf(await client.propose(actor as never, message)),
    pays: (cents: number) => proposed('send_payout', { amount_cents: cents }),
    refunds: (cents: number) => proposed('issue_refund', { payment: 'pi_Sandbox05', amount_cents: cents }),
    /** Unlike payouts, these change no card of each other. */
    deletes: async (customer: string): Promise<number> => {
      const body = { kind: 'customer_deletion', actor, payload: { customer: { id: customer } } }
      return idOf(await client.request('POST', '/api/v1/actions', { body }))
    },
    row: async (id: number) => (await client.get(id)).body,
  }
}

/** @throws Error where it is no open proposal: a test that waits for it would wait for nothing */
function idOf({ body }: { body: any }): number {
  if (body?.status !== 'proposed') throw new Error(`not proposed: ${JSON.stringify(body)}`)
  return body.id
}

export const item = (page: Page, id: number) => page.locator(`#inbox li[data-id="${id}"]`)

export async function keys(page: Page, ...all: string[]): Promise<void> {
  for (const key of all) await page.keyboard.press(key)
}

/** Opens the list, until it is connected: from then on it is told of changes. */
export async function openList(page: Page): Promise<void> {
  const connected = page.waitForResponse(
    (answer) => answer.url().endsWith(listPath) && answer.request().resourceType() === 'fetch',
  )
  await Promise.all([connected, page.goto(listPath)])
}
