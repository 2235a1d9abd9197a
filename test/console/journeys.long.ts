import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { inviteAdmin } from '../../src/operations/admins/invite-admin.ts'
import { verifyLedger } from '../../src/ledger/verify.ts'
import { type ApiClient, apiClient } from '../support/api-client.ts'
import { faultsOf } from '../support/axe.ts'
import { entriesOf } from '../support/ledger-entries.ts'
import { launchBrowser } from '../support/browser.ts'
import { goodForm, linkFor, ringOf } from '../support/connect.ts'
import { askedByMail, askedInSlack } from '../support/consent.ts'
import { mailsTo, startConsole } from '../support/console.ts'
import type { TestGate } from '../support/gate.ts'
import { callTool } from '../support/mcp-tool.ts'
import { previewScene } from '../support/preview.ts'
import { until } from '../support/until.ts'

let gate: TestGate
let chromium: Browser
beforeAll(async () => {
  gate = await startConsole({ workers: true, env: { SECRETS_KEYS: ringOf('k1') } })
  chromium = await launchBrowser()
}, 60_000)
afterAll(async () => {
  await chromium?.close()
  await gate.stop()
}, 60_000)

let browsers = 0
/** A browser of its own at an address of its own, that runs no script: as our pages want it. */
async function plainBrowser(options: BrowserContextOptions = {}): Promise<Page> {
  const extraHTTPHeaders = { 'x-forwarded-for': `10.1.0.${++browsers}` }
  const own = { baseURL: gate.api.url, javaScriptEnabled: false, extraHTTPHeaders }
  return (await chromium.newContext({ ...own, ...options })).newPage()
}

/** Asks for a link, finds it on the page of the sandbox, and signs in by it. */
async function signIn(page: Page, email: string): Promise<void> {
  // Somebody else may have been signed in.
  await page.context().clearCookies()
  await page.goto('/console/sign-in')
  await signInHere(page, email)
  await page.waitForURL(/\/console(\/policies\/preset)?$/)
}

/** The same from the page to sign in, wherever that leads. */
async function signInHere(page: Page, email: string): Promise<void> {
  // Other mails may come meanwhile: requests to decide.
  const links = () => mailsTo(gate, email).filter(({ text }) => text.includes('/console/sign-in/')).length
  const before = links()
  await page.getByLabel('E-mail address').fill(email)
  await page.getByRole('button').click()
  await until(`a link to ${email}`, async () => links() > before)
  await page.goto(gate.sandbox.url)
  const mails = page.locator('article', { hasText: `to ${email}` })
  await mails
    .getByRole('link', { name: /console\/sign-in/ })
    .first()
    .click()
  await page.getByRole('button', { name: 'Sign in' }).click()
}

let companies = 0
/** An account with an administrator, and a member who may do everything; each has a mailbox of their own. */
async function company() {
  const account = await gate.account()
  const n = ++companies
  const [root, email] = [`root${n}@example.com`, `grace${n}@example.com`]
  await inviteAdmin({ db: gate.database.db, account: account.account, session: null }, root)
  const grace = await account.addMember({ name: 'Grace Hopper', email, slack: `U00GRACE${n}`, tier: 'write' })
  return { ...account, root, grace, email, actor: { email } }
}

/** Confirms as the agent, which is not enough, and answers what the member is asked for. */
async function askedFor(client: ApiClient, id: number, actor: object): Promise<object> {
  const { status, body } = await client.confirm(id, actor)
  return {
    status,
    row: body.status,
    required: body.consent_request?.required,
    via: body.consent_request?.requested_via,
  }
}

/** How a row was executed, as the API and the ledger have it. */
async function consentOf(client: ApiClient, account: string, id: number): Promise<object[]> {
  const row = await until(`row ${id} is executed`, async () => {
    const { body } = await client.get(id)
    return body.status === 'executed' && body
  })
  const confirmed = (await entriesOf(gate.database, account, id)).filter(({ kind }) => kind === 'confirmed')
  return [row.consent, ...confirmed.map(({ entry }) => entry.data)].map(({ strength, channel }) => ({
    strength,
    channel,
  }))
}

/** The row and its entry say the same. */
const both = (strength: string, channel: string) => [1, 2].map(() => ({ strength, channel }))

test('an administrator sets floors, an agent asks, and the member decides in Slack, by mail and in the console', async () => {
  const { account, root, grace, email, actor } = await company()

  const admin = await plainBrowser()
  await signIn(admin, root)
  await admin.getByRole('link', { name: 'API keys', exact: true }).first().click()
  await admin.getByRole('link', { name: 'Mint key' }).click()
  await admin.getByLabel('Name').fill('support agent')
  await admin.locator('[name="power_confirm"]').check()
  await admin.getByRole('button', { name: 'Mint key' }).click()
  const client = apiClient(gate.api.url, await admin.locator('code.secret').innerText())

  await admin.goto('/console')
  await admin.getByRole('link', { name: 'Policy', exact: true }).click()
  for (const [kind, name, consent, change] of [
    ['broadcast', 'broadcast.consent', 'chat', 'chat'],
    ['refund', 'refund.band.1.consent', 'page', '10,000.00'],
    ['payout', 'payout.band.0.consent', 'page', '10,000.00'],
  ] as const) {
    await admin.getByRole('link', { name: `Edit ${kind}` }).click()
    await admin.selectOption(`[name="${name}"]`, consent)
    await admin.getByRole('button', { name: 'Review changes' }).click()
    expect(await admin.locator('.diff').first().innerText()).toContain(change)
    await admin.getByRole('button', { name: /^Set version/ }).click()
    expect(await admin.locator('.flash').innerText()).toContain('Policy set.')
  }

  // Up to 100.00 the agent's word does: nobody is asked.
  const small = (
    await callTool(client, 'issue_refund', { actor, payment: 'pi_Sandbox05', amount_cents: 4_500 })
  ).body.id
  expect((await client.confirm(small, actor)).status).toBe(200)
  expect(await consentOf(client, account, small)).toEqual(both('agent_attested', 'api'))

  const broadcast = (await client.propose(actor, 'Lunch is at noon.')).body.id
  expect(await askedFor(client, broadcast, actor)).toEqual({
    status: 202,
    row: 'proposed',
    required: 'chat',
    via: 'slack',
  })
  await askedInSlack(gate, grace.slack!)
  const member = await plainBrowser()
  await member.goto(gate.sandbox.url)
  await member
    .locator('article', { hasText: `to ${grace.slack}` })
    .getByRole('button', { name: 'Approve' })
    .click()
  expect(await consentOf(client, account, broadcast)).toEqual(both('chat', 'slack'))

  const refund = (
    await callTool(client, 'issue_refund', { actor, payment: 'pi_Sandbox05', amount_cents: 15_000 })
  ).body.id
  expect(await askedFor(client, refund, actor)).toEqual({
    status: 202,
    row: 'proposed',
    required: 'page',
    via: 'email',
  })
  await askedByMail(gate, email)
  await member.goto(gate.sandbox.url)
  await member
    .getByRole('link', { name: /\/decide\// })
    .first()
    .click()
  expect(await member.locator('.card').innerText()).toContain('150.00 USD')
  await member.getByRole('button', { name: 'Approve' }).click()
  expect(await member.locator('h1').innerText()).toBe('Approved')
  expect(await consentOf(client, account, refund)).toEqual(both('page', 'email'))

  const payout = (await callTool(client, 'send_payout', { actor, amount_cents: 20_000 })).body.id
  expect(await askedFor(client, payout, actor)).toEqual({
    status: 202,
    row: 'proposed',
    required: 'page',
    via: 'email',
  })
  await signIn(member, email)
  expect(await member.getByRole('heading', { name: 'Waiting for your decision: 1' }).count()).toBe(1)
  await member
    .getByRole('link', { name: `payout #${payout}` })
    .first()
    .click()
  expect(await member.locator('.card').innerText()).toContain('200.00 USD')
  await member.getByRole('button', { name: 'Approve' }).click()
  expect(await member.locator('.flash').innerText()).toBe('Proposal approved.')
  expect(await consentOf(client, account, payout)).toEqual(both('page', 'console'))
  await member.reload()
  expect(await member.locator('main').innerText()).toMatch(/Status\s+executed/)

  // Each happened once, and the administrator can prove how it came about.
  const told = gate.sandbox
    .messages(1_000)
    .filter(({ to, text }) => to === grace.slack && text === 'Lunch is at noon.')
  const moved = gate.sandbox.stripeOperations(1_000).map(({ metadata }) => metadata['action_id'])
  expect(told).toHaveLength(1)
  expect([moved.length, new Set(moved).size]).toEqual([3, 3])
  await admin.goto(`/console/ledger/${payout}`)
  expect(await admin.locator('main').innerText()).toMatch(/Confirmed with page consent in the console/)
  await admin.goto('/console/ledger/verify')
  await admin.getByRole('button', { name: 'Verify ledger' }).click()
  expect(await admin.locator('main').innerText()).toContain(
    'The ledger is valid: every entry and every action was verified.',
  )
  expect(await verifyLedger(gate.database.db, account)).toMatchObject({ ok: true })
  for (const page of [admin, member]) await page.context().close()
}, 120_000)

test('on a telephone: a message of 300 characters and a refund with its facts are decided without scrolling, by the link and in the console', async () => {
  const { account, client, setPolicy, root, grace, email, actor } = await company()
  await setPolicy({
    kinds: {
      broadcast: { tier: 'guarded_write', consent: 'page' },
      refund: { bands: { usd: [{ tier: 'write', consent: 'page' }] } },
    },
  })
  // Who is both has the longest navigation.
  await inviteAdmin({ db: gate.database.db, account, session: null }, email)
  const message = 'The kitchen closes early on Friday because the ovens are serviced. '
    .repeat(5)
    .slice(0, 300)
  const byLink = (await client.propose(actor, message)).body.id
  await client.confirm(byLink, actor)
  const inConsole = (await client.propose(actor, `${message.slice(0, 299)}!`)).body.id
  const { link } = await askedByMail(gate, email)
  const viewport = { width: 390, height: 844 }
  const phone = await plainBrowser({ viewport })

  /** Both buttons of the page, which must be equal and on the first screen. */
  const expectReachable = async (where: string) => {
    const boxes = await Promise.all(
      ['Approve', 'Decline'].map((name) => phone.getByRole('button', { name, exact: true }).boundingBox()),
    )
    const [approve, decline] = boxes.map((box) => box!)
    expect([where, approve!.width, approve!.height, approve!.y]).toEqual([
      where,
      decline!.width,
      decline!.height,
      decline!.y,
    ])
    for (const { x, y, width, height } of [approve!, decline!]) {
      const isInside = x >= 0 && y >= 0 && x + width <= viewport.width && y + height <= viewport.height
      expect([where, y, isInside]).toEqual([where, y, true])
    }
  }

  await phone.goto(link)
  expect(await phone.locator('.notice').first().innerText()).toContain('Sandbox')
  await expectReachable('link')
  await phone.getByRole('button', { name: 'Approve', exact: true }).click()
  expect(await phone.locator('main').innerText()).toContain('You approved this. Message sent to 1 person.')
  // Nobody is signed in here: the list of the console is where the rest is, and signing in leads there.
  await phone.getByRole('link', { name: 'See what else waits for your decision' }).click()
  await signInHere(phone, email)
  await phone.waitForURL('**/console/proposals')
  await phone.getByRole('link', { name: `broadcast #${inConsole}` }).click()
  expect(await phone.locator('.sandbox').count()).toBe(1)
  await expectReachable('console')
  await phone.getByText('Decline with a reason').click()
  await phone.getByLabel('Reason').fill('Not on a Friday.')
  await phone.getByRole('button', { name: 'Decline with this reason' }).click()
  expect(await phone.locator('main').innerText()).toMatch(/The member's reason\s+Not on a Friday\./)
  expect((await client.get(inConsole)).body).toMatchObject({
    closed_reason: 'member_declined',
    decline_reason: 'Not on a Friday.',
  })
  const refund = await callTool(client, 'issue_refund', {
    actor,
    payment: 'pi_Sandbox01',
    amount_cents: 12_500,
    reason: 'requested_by_customer',
    rationale:
      'The customer wrote twice that the second seat was billed although it was removed; the invoice confirms it. '.repeat(
        4,
      ),
  })
  await client.confirm(refund.body.id, actor)
  await phone.goto((await askedByMail(gate, email, 2)).link)
  await expectReachable('link of a refund')
  await phone.goto(`/console/proposals/${refund.body.id}`)
  await expectReachable('refund in the console')
  // The navigation of an administrator opens from one line, without a script.
  await phone.getByRole('button', { name: 'Menu' }).click()
  await phone.getByRole('link', { name: 'Members', exact: true }).click()
  await phone.waitForURL('**/console/members')
  expect(await phone.getByRole('button', { name: 'Menu' }).innerText()).toContain('Members')
  expect(await phone.getByRole('link', { name: 'Overview', exact: true }).count()).toBe(0)
  expect(grace.email).toBe(email)
  expect(root).not.toBe(email)
  await phone.context().close()
}, 120_000)

test('a form is handled once: by a reload, the way back and a double click; a new key is not shown again', async () => {
  const { account, root } = await company()
  const page = await plainBrowser()
  await page.goto('/console/keys/new?')
  await signInHere(page, root)
  await page.waitForURL('**/console/keys/new')
  await page.getByLabel('Name').fill('support agent')
  await page.getByRole('button', { name: 'Mint key' }).click()
  const key = await page.locator('code.secret').innerText()
  const keys = async () =>
    (await gate.database.asSuperuser(`select name from gate.api_key where account_id = '${account}'`)).filter(
      ({ name }) => name === 'support agent',
    ).length
  await page.reload()
  expect(await page.locator('.flash').innerText()).toContain('Already done. This key was created')
  expect([await page.content(), await keys()]).toEqual([expect.not.stringContaining(key), 1])

  await page.goto('/console/members/new')
  await page.getByLabel('Name').fill('Barbara')
  await page.getByLabel('E-mail').fill('barbara@new.example')
  await page.getByRole('button', { name: 'Add member' }).dblclick()
  await page.locator('.flash').waitFor()
  const members = await gate.database.asSuperuser(
    `select 1 from gate.member where account_id = '${account}' and name = 'Barbara'`,
  )
  expect(members).toHaveLength(1)
  expect(await page.locator('.flash').innerText()).toBe('Member added.')
  // Long after, it is no double click: the way back, and the button again.
  await gate.database.asSuperuser(`update gate_private.sent_form set sent_at = sent_at - interval '1 minute'`)
  await page.goBack()
  await page.getByLabel('Name').fill('Barbara')
  await page.getByLabel('E-mail').fill('barbara@new.example')
  await page.getByRole('button', { name: 'Add member' }).click()
  expect(await page.locator('.flash, .problem').innerText()).toMatch(/Already done\.|already/)
  await page.context().close()
}, 120_000)

describe.each<[string, BrowserContextOptions]>([
  ['wide and light', { viewport: { width: 1280, height: 900 } }],
  ['narrow and dark', { viewport: { width: 360, height: 740 }, colorScheme: 'dark' }],
])('in a window that is %s', (_, look) => {
  /** Scripts on, for axe alone: our pages go on having none. */
  const lookedInto = () => plainBrowser({ ...look, javaScriptEnabled: true, bypassCSP: true })
  const long = `${'A word, and another one. '.repeat(40)}${'x'.repeat(300)}`

  const atOnce = 'Approving runs this immediately'

  test('what a member decides on can be used by everybody: the sandbox, the link, the console', async () => {
    const { account, client, setPolicy, grace, email, actor } = await company()
    await setPolicy({
      kinds: {
        broadcast: { tier: 'guarded_write', consent: 'page' },
        payout: { tier: 'write', consent: 'chat' },
      },
    })
    const page = await lookedInto()
    const faults: Record<string, string[]> = {}
    const look = async (name: string) => void (faults[name] = await faultsOf(page))

    const first = (await client.propose(actor, long)).body.id
    await client.confirm(first, actor)
    const payout = (await callTool(client, 'send_payout', { actor, amount_cents: 20_000 })).body.id
    await client.confirm(payout, actor)
    await askedInSlack(gate, grace.slack!)
    const { link } = await askedByMail(gate, email)
    await page.goto(gate.sandbox.url)
    await look('the sandbox, with buttons and links')
    await page.goto(link)
    await look('a decision link')
    // The text is long: the first press shows all of it.
    await page.getByRole('button', { name: 'Approve' }).click()
    await page.getByText(atOnce).waitFor()
    await look('all of it')
    await page.getByRole('button', { name: 'Approve' }).click()
    await look('what was decided by a link')
    await page.goto(link)
    await look('a link that is over')
    await page.goto(`${gate.api.url}/decide/${'A'.repeat(43)}`)
    await look('a link that nobody made')

    await signIn(page, email)
    await look('the overview of a member')
    const second = (await client.propose(actor, long)).body.id
    await client.confirm(second, actor)
    await page.goto(`/console/proposals/${second}`)
    expect(await page.getByRole('button', { name: 'Approve' }).count()).toBe(1)
    await look('a proposal that one decides')
    await page.getByRole('button', { name: 'Approve' }).click()
    await page.getByText(atOnce).waitFor()
    await gate.database.asSuperuser(
      `update gate.member set name = 'Grace B. Hopper', version = version + 1 where account_id = '${account}' and member_id = '${grace.memberId}'`,
    )
    await page.getByRole('button', { name: 'Approve' }).click()
    expect(await page.getByRole('alert').innerText()).toContain('changed after you opened the page')
    await look('a card that is shown again')
    await page.getByRole('button', { name: 'Decline' }).click()
    await page.locator('.flash').waitFor()
    await look('what was declined')
    await page.goto('/console/proposals')
    await look('the proposals of a member')
    expect(faults).toEqual(Object.fromEntries(Object.keys(faults).map((name) => [name, []])))
    await page.context().close()
  }, 120_000)

  test('members come from a file, a curriculum is changed and retired, and a member sees what they may do', async () => {
    const { root, grace, email, addCurriculum, setTier, pass } = await company()
    await setTier(grace, null)
    await addCurriculum({ slug: 'safe', title: 'Safe sending', modules: 2, grants: 'write', validDays: 30 })
    for (const module of [1, 2]) await pass(grace, 'safe', module)
    const page = await lookedInto()
    const faults: Record<string, string[]> = {}
    const look = async (name: string) => {
      faults[name] = await faultsOf(page)
      const { scrollWidth, clientWidth } = await page.locator('html').evaluate((html) => html)
      if (scrollWidth > clientWidth)
        faults[name].push(`it is ${scrollWidth - clientWidth} wider than the window`)
    }
    const upload = async (text: string) => {
      await page.goto('/console/members/import')
      const buffer = Buffer.from(text)
      await page.getByLabel('CSV file').setInputFiles({ name: 'm.csv', mimeType: 'text/csv', buffer })
      await page.getByRole('button', { name: 'Preview import' }).click()
    }
    await signIn(page, root)
    await upload(`name,email\n${'A very long name '.repeat(9)},${'x'.repeat(40)}\n,a@b.co\n`)
    await look('a file with problems')
    await upload(`name,email\r\n"Zoë ""Z"" Fuß",zoe@example.com\r\nGrace,${email.toUpperCase()}\r\n`)
    await look('the preview of an import')
    await page.getByRole('button', { name: 'Import 1 member' }).click()
    await page.locator('.flash').waitFor()
    expect(await page.getByRole('link', { name: 'Zoë "Z" Fuß' }).count()).toBe(1)
    await look('the members after an import')

    await page.goto('/console/curricula')
    await page.getByRole('link', { name: 'Edit Safe sending' }).click()
    await page.getByLabel('Modules', { exact: true }).fill('3')
    await page.getByLabel('Titles of the modules').fill('Who\nWhat\n"When" & how')
    await page.getByRole('button', { name: 'Review changes' }).click()
    expect(await page.locator('div.problem').innerText()).toContain('1 member would lose their tier.')
    await look('what a change of a curriculum would do')
    await page.getByRole('button', { name: 'Change curriculum' }).click()
    await page.locator('.flash').waitFor()
    await page.goto(`/console/members/${grace.memberId}/passes/safe`)
    expect(await page.getByRole('table').innerText()).toContain('Module 3: "When" & how')
    await page.goto('/console/curricula/safe/retire')
    await page.getByRole('button', { name: 'Retire curriculum' }).click()
    await page.locator('.flash').waitFor()
    await look('a retired curriculum')
    await page.goto(`/console/members/${grace.memberId}`)
    await look('a member with history')

    await signIn(page, email)
    const menu = page.getByRole('button', { name: 'Menu' })
    if (await menu.isVisible()) await menu.click()
    await page.getByRole('link', { name: 'My access' }).click()
    await look('what a member may do')
    await page.goto('/console/sessions')
    expect(await page.getByRole('rowheader').first().innerText()).toContain('Chrome on Linux')
    expect(faults).toEqual(Object.fromEntries(Object.keys(faults).map((name) => [name, []])))
    await page.context().close()
  }, 120_000)

  test('what an administrator looks at can be used by everybody, and so can the pages that connect', async () => {
    const { client, root, actor } = await company()
    const scene = await previewScene(gate)
    await inviteAdmin(
      { db: gate.database.db, account: scene.account.account, session: null },
      `preview.${root}`,
    )
    const page = await lookedInto()
    const faults: Record<string, string[]> = {}
    const look = async (name: string) => void (faults[name] = await faultsOf(page))

    const links: Record<string, string> = {}
    for (const provider of ['stripe', 'resend', 'slack'])
      links[provider] = (await linkFor(client, actor, provider)).url
    await page.goto(links['stripe']!)
    await look('the page that connects stripe, to nobody')
    await signIn(page, root)
    for (const [provider, link] of Object.entries(links)) {
      await page.goto(link)
      await look(`the page that connects ${provider}`)
    }
    const { url } = await linkFor(client, actor, 'stripe')
    await page.goto(url)
    await page.getByLabel(/key/i).first().fill('not a key')
    await page.getByRole('button').first().click()
    await look('a key that is refused')
    await page.getByLabel(/key/i).first().fill(goodForm.stripe.key)
    await page.getByRole('button').first().click()
    await look('the change that is reviewed')
    await page.goto(`${gate.api.url}/integrations/connect/${'A'.repeat(43)}`)
    await look('a connection that nobody asked for')

    await signIn(page, root)
    const id = (await client.propose(actor, long)).body.id
    await client.confirm(id, actor)
    for (const path of [
      '/console',
      `/console/ledger/${id}`,
      `/console/proposals/${id}`,
      '/console/previews',
    ]) {
      await page.goto(path)
      await look(path)
    }
    const { preview_id } = await scene.start()
    await signIn(page, `preview.${root}`)
    for (const path of ['/console/previews', `/console/previews/${preview_id}/stop`]) {
      await page.goto(path)
      await look(`${path}, with one that runs`)
    }
    await page.getByRole('button', { name: 'Stop preview' }).click()
    await page.locator('.flash').waitFor()
    await look('the previews after a stop')
    expect(faults).toEqual(Object.fromEntries(Object.keys(faults).map((name) => [name, []])))
    await page.context().close()
  }, 120_000)
})
