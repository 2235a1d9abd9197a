import { randomBytes, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { verifyReceipt } from '#receipts'
import { adminWrite } from '../../src/db/admin-write.ts'
import { suspendAccount } from '../../src/db/queries/accounts/accounts.ts'
import { type ActionRow, readAction } from '../../src/db/queries/actions/actions.ts'
import { claimDecision } from '../../src/db/queries/actions/decide.ts'
import { readFacts } from '../../src/db/queries/members/facts.ts'
import { type Json, canonical } from '../../src/gate/canonical.ts'
import { digestOfRow } from '../../src/ledger/digest.ts'
import { verifyLedger } from '../../src/ledger/verify.ts'
import { expiryEvent } from '../../src/operations/clearance/expiry.ts'
import { billingScene } from '../support/billing.ts'
import { browser, ringOf } from '../support/connect.ts'
import { askedByMail, linksTo, shownOn } from '../support/consent.ts'
import { formOf } from '../support/form-of.ts'
import { type TestGate, startGate } from '../support/gate.ts'
import { entriesOf, entryKindsOf } from '../support/ledger-entries.ts'
import { sessionOf } from '../support/session.ts'
import { requireDescribed } from '../support/described.ts'

let gate: TestGate
beforeAll(async () => {
  gate = await startGate({ env: { SECRETS_KEYS: ringOf('k1') } })
}, 60_000)
afterAll(() => gate.stop())

const onPage = (tier = 'guarded_write', upTo?: number) => ({
  bands: { usd: [{ ...(upTo === undefined ? {} : { up_to_cents: upTo }), tier, consent: 'page' }] },
})

let people = 0
/** An account whose policy asks for consent on a page, and proposals with their links. */
async function scene() {
  const { account, client, tool } = await billingScene(gate)
  const email = `edith${++people}@example.com`
  const member = await account.addMember({ name: 'Edith', email, tier: 'write' })
  await account.setPolicy({
    kinds: {
      refund: onPage('guarded_write', 15_000),
      payout: onPage('write'),
      broadcast: { tier: 'guarded_write', consent: 'page' },
      subscription_cancellation: onPage('write'),
    },
  })
  const linked = async (id: number) => {
    const before = linksTo(gate, email).length
    await tool('confirm_action', { id }, member)
    return { id, ...(await askedByMail(gate, email, before + 1)) }
  }
  return {
    account,
    client,
    tool: (name: string, args: Record<string, unknown>, by = member) => tool(name, args, by),
    member,
    row: async (id: number) => (await client.get(id)).body,
    proposed: async (name: string, args: Record<string, unknown>) => {
      const { body } = await tool(name, args, member)
      if (body.status !== 'proposed') throw new Error(JSON.stringify(body))
      return linked(body.id)
    },
    broadcast: async (message: string) => linked((await client.propose({ email }, message)).body.id),
  }
}

/** Opens a link, changes fields of its form, and answers the page that a button leads to. */
async function changed(link: string, changes: Record<string, string>, does = 'edit') {
  const page = await browser().open(link)
  const fields = Object.fromEntries(Object.entries(changes).map(([name, text]) => [`change.${name}`, text]))
  return browser().send(link, { ...formOf(page.html), ...fields, does })
}

/** Presses the button of the page that shows the changes. */
const approve = (link: string, html: string, beside: Record<string, string> = {}) =>
  browser().send(link, { ...formOf(html), does: 'confirm', ...beside })

test('invisible characters of a message are written out in its form, stay where the member leaves them, and go where they are deleted', async () => {
  const { broadcast, row } = await scene()
  const hidden = 'pay \u202Egnp.exe\u202C\tnow\r\nand \u200B⟨U+0041⟩'
  const { id, link } = await broadcast(hidden)
  const page = await browser().open(link)
  expect(page.html).not.toMatch(/[\u202A-\u202E\u200B]/)
  const shown = formOf(page.html)['change.message']!
  expect(shown).toContain('pay ⟨U+202E⟩gnp.exe⟨U+202C⟩')
  // As it was shown, with the line ends of a browser: nothing is changed, and version 1 is approved.
  expect((await changed(link, { message: shown.replaceAll('\n', '\r\n') })).text).not.toContain(
    'Changed by the member',
  )
  const review = await changed(link, { message: shown.replace(/⟨U\+202[CE]⟩/g, '').replace('now', 'today') })
  expect((await approve(link, review.html)).status).toBe(200)
  expect((await row(id)).payload).toEqual({ message: 'pay gnp.exe\ttoday\nand \u200B⟨U+0041⟩' })
})

test('a member lowers a refund: they see what becomes of it, one press executes it, and agent, receipt and ledger tell both versions', async () => {
  const { account, client, proposed, row } = await scene()
  const { id, link } = await proposed('issue_refund', { payment: 'pi_Sandbox05', amount_cents: 12_000 })
  const before = await row(id)
  expect((await browser().open(link)).text).toContain('At most 120.00 USD')

  const review = await changed(link, { amount_cents: '62.50' })
  expect([review.status, review.text]).toEqual([
    200,
    expect.stringMatching(
      /^.*Refund 62\.50 USD.*Amount: 62\.50 USD Changed by the member: Amount, which was 120\.00 USD/,
    ),
  ])
  // Nothing is stored before they approve, and only they see it.
  expect(await row(id)).toEqual(before)
  const left = (html: string) => Number(/Remaining after \(Stripe\):<\/dt>\s*<dd>([\d.]+)/.exec(html)![1])
  expect(left(review.html)).toBeCloseTo(left((await browser().open(link)).html) + 57.5)

  const done = await approve(link, review.html)
  expect([done.status, done.text]).toEqual([200, expect.stringContaining('Refunded 62.50 USD')])
  const after = await row(id)
  requireDescribed(after)
  expect(after).toMatchObject({
    status: 'executed',
    payload: { ...before.payload, amount_cents: 6_250 },
    result: { outcome: 'done', amount_cents: 6_250 },
    consent: { strength: 'page', channel: 'email' },
    edited_by_member: {
      former_digest: before.digest,
      changes: [{ field: 'amount_cents', from: 12_000, to: 6_250 }],
    },
  })
  expect(after.digest).not.toBe(before.digest)
  expect(
    await verifyReceipt(after.receipt, {
      jwks: new URL('/.well-known/gate-receipts.json', gate.api.url),
      issuer: new URL(gate.api.url).origin,
      account: account.account,
      kind: 'refund',
      payload: after.payload,
      maxAge: '5m',
      minStrength: 'page',
    }),
  ).toMatchObject({ digest: after.digest })

  const entries = await entriesOf(gate.database, account.account, id)
  expect(entries.map(({ kind }) => kind)).toEqual([
    'proposed',
    'consent_requested',
    'edited',
    'confirmed',
    'executed',
  ])
  const [, , edited, confirmed] = entries
  expect(confirmed!.seq).toBe(edited!.seq + 1)
  expect(confirmed!.entry.data['digest']).toBe(after.digest)
  expect(edited!.entry.data).toMatchObject({ former_digest: before.digest, digest: after.digest })
  expect(JSON.stringify(edited!.entry)).not.toMatch(/6250|12000|Sandbox05/)
  const { body: listed } = await client.list({ kind: 'refund' })
  expect(listed.actions[0]).toMatchObject({ id, edited_by_member: after.edited_by_member })
  expect(await verifyLedger(gate.database.db, account.account)).toMatchObject({ ok: true })
  // Version 1 is gone: its page decides nothing any more.
  expect((await browser().send(link, { does: 'confirm', shown: shownOn(review.html) })).status).toBe(410)
})

test('a message is changed within its bounds; whichever button is pressed, what was changed is shown before it is sent', async () => {
  const { account, client, member, broadcast, row } = await scene()
  const { id, link } = await broadcast('Lunch is at noon.\r\nBring a cup.')
  const before = await row(id)
  // A browser sends the line ends of an unchanged text area in its own way.
  const untouched = await changed(link, { message: 'Lunch is at noon.\r\nBring a cup.' })
  expect([untouched.status, untouched.text]).toEqual([422, expect.stringContaining('You changed nothing.')])
  for (const message of ['', '  ', 'x'.repeat(4_001), 'a\u0007b']) {
    const wrong = await changed(link, { message })
    expect(wrong.status).toBe(422)
    expect(wrong.html).toMatch(/<details open[^>]*>\s*<summary>Change it before/)
    expect(formOf(wrong.html)['change.message']).toBe(message)
  }
  const pressed = await changed(link, { message: 'Lunch is at one.\r\nBring a <cup>.' }, 'confirm')
  expect(pressed.text).toContain('Message, changed by the member (31 characters)')
  expect(await row(id)).toEqual(before)
  await approve(link, pressed.html)
  const after = await row(id)
  expect(after).toMatchObject({
    status: 'executed',
    payload: { message: 'Lunch is at one.\nBring a <cup>.' },
  })
  const sent = gate.sandbox
    .messages(1_000)
    .filter(({ to, text }) => to === member.email && /Lunch/.test(text))
  expect(sent.filter(({ text }) => !text.includes('/decide/')).map(({ text }) => text)).toEqual([
    expect.stringContaining('Lunch is at one.'),
  ])
  // A repeat of the proposal under its key is answered as it was then.
  const key = randomUUID()
  const first = await client.propose({ email: member.email }, 'Once.', key)
  const asked = await askedLink(member.email!, () => client.confirm(first.body.id, { email: member.email }))
  await approve(asked, (await changed(asked, { message: 'Twice.' })).html)
  const again = await client.propose({ email: member.email }, 'Once.', key)
  expect(again.body).toEqual(first.body)
  expect((await row(first.body.id)).payload).toEqual({ message: 'Twice.' })
  expect(await verifyLedger(gate.database.db, account.account)).toMatchObject({ ok: true })
})

test('the recipients of a message become fewer: those who are left out get nothing', async () => {
  const { account, client, member, row } = await scene()
  const slack = `U000EDIT${people}`
  await account.addMember({ name: 'Sally', slack, tier: 'read_only' })
  const key = randomUUID()
  const proposed = await client.propose({ email: member.email }, 'Fewer.', key)
  const { id, blast_radius: reach } = proposed.body
  const link = await askedLink(member.email!, () => client.confirm(id, { email: member.email }))
  expect((await changed(link, { recipients: 'nobody' })).text).toContain(
    'Recipients must be one of its values.',
  )
  const review = await changed(link, { recipients: 'only by e-mail' })
  expect(review.text).toContain('Message to active members, only by e-mail')
  expect(review.text).toContain(`Recipients, which were 1 in Slack, ${reach.email} by e-mail`)
  expect(review.text).toContain(`Recipients: 0 in Slack, ${reach.email} by e-mail`)
  expect((await row(id)).recipients_digest).toBe(proposed.body.recipients_digest)
  await approve(link, review.html)
  const after = await row(id)
  requireDescribed(after)
  expect(after).toMatchObject({
    status: 'executed',
    payload: { message: 'Fewer.' },
    blast_radius: { ...reach, slack: 0 },
    result: { outcome: 'done', slack: 0, email: reach.email },
    edited_by_member: {
      former_digest: proposed.body.digest,
      changes: [
        {
          field: 'blast_radius',
          from: { slack: 1, email: reach.email },
          to: { slack: 0, email: reach.email },
        },
      ],
    },
  })
  expect(after.recipients_digest).not.toBe(proposed.body.recipients_digest)
  expect(gate.sandbox.messages(1_000).filter(({ to }) => to === slack)).toEqual([])
  expect((await client.propose({ email: member.email }, 'Fewer.', key)).body).toEqual(proposed.body)
  expect(await verifyLedger(gate.database.db, account.account)).toMatchObject({ ok: true })

  // No set is larger, or of other people, whatever the program thinks.
  const open = await client.propose({ email: member.email }, 'Open.')
  const stored = (await readAction(gate.deps.db, account.account, open.body.id))!
  for (const channel of ['sms', 'slack'])
    await expect(
      claimEdited(account.account, { ...stored, payload: { message: 'x' } }, channel),
    ).rejects.toMatchObject({ code: '23514' })
})

test('nothing is raised, and nothing else is changed: the form is refused with the reason, and version 1 stays as it was', async () => {
  const { account, proposed, row } = await scene()
  const { id, link } = await proposed('issue_refund', { payment: 'pi_Sandbox05', amount_cents: 9_000 })
  const before = await row(id)
  for (const [amount_cents, says] of [
    ['90.01', 'must be from 0.01 to 90.00'],
    ['0', 'must be from 0.01 to 90.00'],
    ['-1', 'must be an amount such as 12.50'],
    ['1e1', 'must be an amount such as 12.50'],
    ['', 'must be an amount such as 12.50'],
    ['90.00', 'You changed nothing.'],
  ] as const) {
    const refused = await changed(link, { amount_cents })
    expect([amount_cents, refused.status, refused.text]).toEqual([
      amount_cents,
      422,
      expect.stringContaining(says),
    ])
  }
  // Fields that nobody may change are not read, and a form that claims to have been shown is not believed.
  const other = await changed(link, {
    amount_cents: '80.00',
    currency: 'eur',
    payment: 'pi_Sandbox01',
    __proto__: 'x',
  })
  expect(formOf(other.html)).not.toHaveProperty('change.currency')
  const unseen = await approve(link, other.html, { 'change.amount_cents': '70.00' })
  expect([unseen.status, unseen.text]).toEqual([
    409,
    expect.stringContaining('changed after you opened the page'),
  ])
  expect(await row(id)).toEqual(before)
  // The kind has nothing to change.
  const fixed = await proposed('cancel_subscription', { subscription: 'sub_SandboxSmall' })
  expect((await browser().open(fixed.link)).text).not.toContain('Change it before you approve')
  expect((await changed(fixed.link, { subscription: 'sub_SandboxLarge' })).text).toContain(
    'You changed nothing.',
  )

  // The database refuses it too, whatever the program thinks.
  const stored = (await readAction(gate.deps.db, account.account, id))!
  for (const payload of [
    { ...stored.payload, amount_cents: 9_001 },
    { ...stored.payload, amount_cents: 0 },
    { ...stored.payload, amount_cents: 80.5 },
    { ...stored.payload, amount_cents: '80' },
    { ...stored.payload, amount_cents: 8_000, payment: 'pi_Sandbox01' },
    { ...stored.payload, amount_cents: 8_000, more: 1 },
    { payment: stored.payload['payment'], amount_cents: 8_000 },
  ])
    await expect(claimEdited(account.account, { ...stored, payload })).rejects.toMatchObject({
      code: '23514',
    })
  expect(await entryKindsOf(gate.database, account.account, id)).not.toContain('edited')
  expect(await row(id)).toMatchObject({ status: 'proposed', digest: before.digest, payload: before.payload })
  expect(await verifyLedger(gate.database.db, account.account)).toMatchObject({ ok: true })
})

test('a change is weighed as it is claimed: what the policy denies is refused and stays open, and what it allows goes through', async () => {
  const { account, proposed, row } = await scene()
  const { id, link } = await proposed('issue_refund', { payment: 'pi_Sandbox05', amount_cents: 12_000 })
  const review = await changed(link, { amount_cents: '110.00' })
  await account.setPolicy({ kinds: { refund: onPage('guarded_write', 10_000) } })
  const denied = await approve(link, review.html)
  expect([denied.status, denied.text]).toEqual([
    409,
    expect.stringMatching(/With your changes it is denied\. .*110\.00 USD.* stays open as it was/),
  ])
  expect((await row(id)).status).toBe('proposed')
  expect((await entriesOf(gate.database, account.account, id)).at(-1)).toMatchObject({
    kind: 'decision_refused',
    entry: { data: { reason: 'edit', decision: 'confirm', source: 'email' } },
  })
  // Suspended: neither version.
  const within = await changed(link, { amount_cents: '100.00' })
  await setSuspended(account.account, true)
  expect((await approve(link, within.html)).status).toBe(409)
  await setSuspended(account.account, false)
  // Version 1 would be denied now; what the member makes of it is within the policy.
  expect((await approve(link, within.html)).text).toContain('Refunded 100.00 USD')
  expect(await row(id)).toMatchObject({ status: 'executed', payload: { amount_cents: 10_000 } })
  expect(await verifyLedger(gate.database.db, account.account)).toMatchObject({ ok: true })
})

test('of edits, approvals and declines at once one wins, and what runs is what its page showed', async () => {
  const { account, broadcast, row } = await scene()
  const { id, link } = await broadcast('One')
  const [two, three] = await Promise.all(['Two', 'Three'].map((message) => changed(link, { message })))
  const plain = await browser().open(link)
  const answers = await Promise.all([
    approve(link, two!.html),
    approve(link, three!.html),
    browser().send(link, { ...formOf(plain.html), does: 'decline' }),
    browser().send(link, { ...formOf(plain.html), does: 'confirm' }),
  ])
  expect(answers.filter(({ status }) => status !== 410)).toHaveLength(1)
  const kinds = await entryKindsOf(gate.database, account.account, id)
  expect(kinds.filter((kind) => ['confirmed', 'cancelled'].includes(kind))).toHaveLength(1)
  const { status, payload } = await row(id)
  const won = answers.findIndex((answer) => answer.status !== 410)
  expect([status, payload.message]).toEqual(
    [
      ['executed', 'Two'],
      ['executed', 'Three'],
      ['cancelled', 'One'],
      ['executed', 'One'],
    ][won],
  )
  expect(await verifyLedger(gate.database.db, account.account)).toMatchObject({ ok: true })
})

test('what is shown of a change is read again as it is claimed: an action that it would repeat now is shown first', async () => {
  const { account, member, client, broadcast, row } = await scene()
  const { id, link } = await broadcast('One')
  const review = await changed(link, { message: 'Two' })
  expect(review.text).not.toContain('Same as')
  const other = await client.propose({ email: member.email }, 'Two')
  expect((await approve(link, review.html)).status).toBe(409)
  expect((await row(id)).status).toBe('proposed')
  const again = await changed(link, { message: 'Two' })
  expect(again.text).toContain(`Same as: #${other.body.id}, which was open`)
  expect((await approve(link, again.html)).status).toBe(200)
  expect(await row(id)).toMatchObject({ status: 'executed', duplicate_of: other.body.id })
  expect(await verifyLedger(gate.database.db, account.account)).toMatchObject({ ok: true })
})

test('a member asks back by declining, and the answer names what it replaces: its card says what they asked for and what changed', async () => {
  const { account, client, tool, member, proposed, row } = await scene()
  const { id, link } = await proposed('issue_refund', { payment: 'pi_Sandbox05', amount_cents: 9_000 })
  const early = await tool('issue_refund', { payment: 'pi_Sandbox05', amount_cents: 4_000, replaces: id })
  expect(early.body).toMatchObject({ code: 'invalid', param: 'replaces' })
  const page = await browser().open(link)
  await browser().send(link, { ...formOf(page.html), does: 'decline', reason: 'Split it in two,\r\nplease.' })
  expect(await row(id)).toMatchObject({
    closed_reason: 'member_declined',
    decline_reason: 'Split it in two,\nplease.',
  })

  const half = { payment: 'pi_Sandbox05', amount_cents: 4_500 }
  const answer = await proposed('issue_refund', { ...half, replaces: id })
  expect(await row(answer.id)).toMatchObject({ status: 'proposed', replaces: id })
  const { text } = await browser().open(answer.link)
  expect(text).toMatch(
    /What you asked for, written by the member \(24 characters\): │ Split it in two, │ please\./,
  )
  expect(text).toContain(`Replaces: #${id}, which was declined; amount before: 90.00 USD`)
  // Only what its own member declined of this kind, and of nobody else's.
  const other = await account.addMember({ name: 'Olga', email: 'olga@example.com', tier: 'write' })
  for (const [name, args, by] of [
    ['issue_refund', { ...half, replaces: answer.id }, member],
    ['issue_refund', { ...half, replaces: 999 }, member],
    ['issue_refund', { ...half, replaces: id }, other],
    ['send_payout', { amount_cents: 100, replaces: id }, member],
  ] as const)
    expect((await tool(name, args, by)).body).toMatchObject({ code: 'invalid', param: 'replaces' })
  const rest = await client.request('POST', '/api/v1/actions', {
    body: { kind: 'broadcast', actor: { email: member.email }, payload: { message: 'Hi' }, replaces: id },
  })
  expect([rest.status, rest.body.param]).toEqual([422, 'replaces'])
  expect(await verifyLedger(gate.database.db, account.account)).toMatchObject({ ok: true })
})

/** Has a member asked, and answers the link that they get. */
async function askedLink(email: string, ask: () => Promise<unknown>): Promise<string> {
  const before = linksTo(gate, email).length
  await ask()
  return (await askedByMail(gate, email, before + 1)).link
}

const setSuspended = (account: string, suspend: boolean) =>
  suspendAccount(gate.deps.db, { ...adminWrite(account), suspend })

/** The claim of a version 2 as the service's own role could make it. */
async function claimEdited(account: string, row: ActionRow, channel: string | null = null): Promise<unknown> {
  const facts = (await readFacts(gate.deps.db, account, { memberId: row.member_id! }))!
  return claimDecision(gate.deps.db, {
    account,
    id: row.id,
    decision: 'confirm',
    commandId: randomUUID(),
    eventId: randomUUID(),
    ...expiryEvent(row.uuid),
    dueMs: 60_000,
    versions: {
      member: facts.members[0]!.version,
      curricula: facts.curriculaVersion,
      policy: facts.policyVersion,
    },
    tier: 'write',
    consent: { strength: 'page', channel: 'console' },
    credential: { session: await sessionOf(gate.deps, account, row.member) },
    idempotency: null,
    card: randomBytes(32),
    edit: {
      eventId: randomUUID(),
      payload: canonical(row.payload as Json),
      facts: row.facts && canonical(row.facts),
      channel,
      digest: digestOfRow(row),
      duplicateOf: null,
    },
  })
}
