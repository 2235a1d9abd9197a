import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { verifyFile } from '#verify'
import { verifyLedger } from '../../src/ledger/verify.ts'
import { addChallenge, signInChallenge } from '../../src/operations/passkeys/site.ts'
import { userHandle } from '../../src/operations/passkeys/add-passkey.ts'
import { proposeMandate } from '../../src/operations/mandates/sign-mandate.ts'
import { sendIdentityNotices } from '../../src/operations/members/identity-notices.ts'
import { testPasskey } from '../support/authenticator.ts'
import { ringOf } from '../support/connect.ts'
import { askedByMail } from '../support/consent.ts'
import { type Visitor, signedInAdmin, signedInByMail, startConsole, visitor } from '../support/console.ts'
import { formOf } from '../support/form-of.ts'
import type { TestGate } from '../support/gate.ts'
import { entriesOf, overtake } from '../support/ledger-entries.ts'
import { sessionOfMember } from '../support/mandate-scene.ts'
import {
  addPasskey,
  dataOn,
  fieldsOfAssertion,
  passkeySite,
  signInForm,
  signedForm,
} from '../support/passkeys.ts'
import { until } from '../support/until.ts'

let gate: TestGate
beforeAll(async () => {
  gate = await startConsole({ env: { SECRETS_KEYS: ringOf('k1'), PUBLIC_URL: passkeySite } })
}, 60_000)
afterAll(() => gate.stop())

let people = 0

/** An account that requires a passkey for broadcasts, and a member of it at the console. */
async function signedIn(policy: object = { passkey_settles_after_hours: 0 }) {
  const account = await gate.account()
  await account.setPolicy({ ...policy, kinds: { broadcast: { tier: 'guarded_write', consent: 'passkey' } } })
  const identities = { email: `ida${++people}@example.com`, slack: `U000IDA${people}` }
  const ida = await account.addMember({ name: 'Ida', ...identities, tier: 'guarded_write' })
  const at = await signedInByMail(gate, identities.email)
  const propose = async (message = 'Lunch is at noon.') => {
    const { body } = await account.client.propose({ email: identities.email }, message)
    const path = `/console/proposals/${body.id}`
    return { id: body.id as number, path, body, page: async (by: Visitor = at) => (await by.open(path)).html }
  }
  const row = async (id: number) => (await account.client.get(id)).body
  const refusals = async (id: number) =>
    (await entriesOf(gate.database, account.account, id))
      .filter(({ kind }) => kind === 'decision_refused')
      .map(({ entry }) => entry.data['reason'])
  const isSound = async () => (await verifyLedger(gate.database.db, account.account))!
  return { ...account, ida, at, propose, row, refusals, isSound }
}
type Scene = Awaited<ReturnType<typeof signedIn>>

/** Makes the passkeys of an account older. */
const age = (one: Scene, hours: number) =>
  gate.database.asSuperuser(
    `update gate.passkey set created_at = created_at - ${hours} * interval '1 hour' where account_id = '${one.account}'`,
  )

describe('a consent by passkey', () => {
  test('has its evidence in the ledger and in the receipt: who has either can check it', async () => {
    const one = await signedIn()
    expect((await one.propose()).body).toMatchObject({
      status: 'denied',
      denial_code: 'cannot_be_asked',
      denial_reason: expect.stringMatching(/the member has not added a passkey/),
    })
    const key = await addPasskey(one.at)
    const { id, path, body, page } = await one.propose()
    expect(body).toMatchObject({ status: 'proposed', consent_required: 'passkey' })
    const asked = await one.client.confirm(id, { email: one.ida.email })
    expect(asked.body.consent_request).toMatchObject({ required: 'passkey', requested_via: 'email' })

    const plain = await one.at.send(path, { ...formOf(await page()), does: 'confirm' })
    expect([plain.status, plain.text]).toEqual([409, expect.stringMatching(/requires your passkey/)])

    const answer = await one.at.send(path, signedForm(await page(), key))
    expect([answer.status, answer.text]).toEqual([303, ''])
    const row = await one.row(id)
    expect(row.consent).toMatchObject({ strength: 'passkey', channel: 'console' })
    const entries = await entriesOf(gate.database, one.account, id)
    const { data } = entries.find(({ kind }) => kind === 'confirmed')!.entry
    expect(data).toMatchObject({
      strength: 'passkey',
      passkey: { device_bound: true, credential: key.credential.toString('hex'), digest: row.digest },
    })
    expect(await one.refusals(id)).toEqual(['too_weak'])
    expect(await one.isSound()).toMatchObject({ ok: true })

    const jwks = JSON.stringify(await gate.deps.receipts.published())
    const told = await verifyFile(bytesOf(row.receipt), { jwks, minStrength: 'passkey' })
    expect(told).toMatchObject({
      ok: true,
      words: expect.arrayContaining([expect.stringMatching(/passkey that is bound to its device/)]),
    })
  })

  test('comes by the link of a mail, too, and a decline needs no passkey', async () => {
    const one = await signedIn()
    const key = await addPasskey(one.at)
    const { id } = await one.propose()
    await one.client.confirm(id, { email: one.ida.email })
    await gate.startWorkers()
    const mail = await askedByMail(gate, one.ida.email!)
    const link = new URL(mail.link).pathname
    const stranger = visitor(gate)
    const shown = await stranger.open(link)
    expect(shown.headers.get('content-security-policy')).toMatch(/script-src 'self'/)
    const answer = await stranger.send(link, signedForm(shown.html, key))
    expect([answer.status < 300, answer.text]).toEqual([true, expect.stringMatching(/^.*Approved/)])
    expect((await one.row(id)).consent).toMatchObject({ strength: 'passkey', channel: 'email' })

    const other = await one.propose('Another')
    const declined = await one.at.send(other.path, { ...formOf(await other.page()), does: 'decline' })
    expect(declined.status).toBe(303)
    const signed = await one.propose('A third')
    await one.at.send(signed.path, signedForm(await signed.page(), key, 'decline'))
    expect((await one.row(signed.id)).consent).toMatchObject({ strength: 'passkey' })
    expect(await one.isSound()).toMatchObject({ ok: true })
    await gate.stopWorkers()
  })
})

test('a mandate that it signed carries its strength: ledger and receipt of a use are sound', async () => {
  const mandates = { broadcast: { consent: 'passkey', uses: 9, uses_per_day: 9, days: 30 } }
  const one = await signedIn({ passkey_settles_after_hours: 0, mandates })
  const key = await addPasskey(one.at)
  const allows = [{ kind: 'broadcast', arguments: { message: { template: 'Order {number} is ready.' } } }]
  const ends = new Date(Date.now() + 86_400_000).toISOString()
  const by = await sessionOfMember(gate, one.account, one.ida)
  const signed = await proposeMandate(gate.deps, by, {
    agent: one.keyId,
    allows,
    uses: 9,
    uses_per_day: 9,
    until: ends,
  })
  const path = `/console/proposals/${signed.id}`
  expect((await one.at.send(path, signedForm((await one.at.open(path)).html, key))).status).toBe(303)
  await gate.startWorkers()
  await until('the mandate is in force', async () => (await one.row(signed.id)).status === 'executed')

  const { id } = await one.propose('Order 7 is ready.')
  expect((await one.client.confirm(id, { email: one.ida.email })).body.consent).toMatchObject({
    by: 'mandate',
    strength: 'passkey',
    mandate: { id: signed.id },
  })
  expect(await one.isSound()).toMatchObject({ ok: true })
  const jwks = JSON.stringify(await gate.deps.receipts.published())
  const { receipt } = await one.row(id)
  expect(await verifyFile(bytesOf(receipt), { jwks, minStrength: 'passkey' })).toMatchObject({ ok: true })
  await gate.stopWorkers()
})

describe('a passkey does not decide', () => {
  test('what it did not sign: another action, answer, card, site, or without its user', async () => {
    const one = await signedIn()
    const key = await addPasskey(one.at)
    const [first, second] = [await one.propose(), await one.propose('Another')]
    const [html, other] = [await first.page(), await second.page()]
    const form = formOf(html)
    const wrong: [string, Record<string, string>, string][] = [
      ['another action', { ...form, ...pick(signedForm(other, key)), does: 'confirm' }, 'passkey_invalid'],
      ['a no as a yes', { ...signedForm(html, key, 'decline'), does: 'confirm' }, 'passkey_invalid'],
      ['a yes as a no', { ...signedForm(html, key), does: 'decline' }, 'passkey_invalid'],
      ['the number of another action', signedForm(withNonce(html, other), key), 'passkey_used'],
      [
        'another site',
        signedForm(html, key, 'confirm', { origin: 'https://evil.example' }),
        'passkey_invalid',
      ],
      ['a parent domain', signedForm(html, key, 'confirm', { rpId: 'example.com' }), 'passkey_invalid'],
      [
        'another port',
        signedForm(html, key, 'confirm', { origin: `${passkeySite}:8443` }),
        'passkey_invalid',
      ],
      ['a frame', signedForm(html, key, 'confirm', { client: { crossOrigin: true } }), 'passkey_invalid'],
      ['no verification', signedForm(html, key, 'confirm', { isVerified: false }), 'passkey_invalid'],
      ['nobody there', signedForm(html, key, 'confirm', { isPresent: false }), 'passkey_invalid'],
      ['a passkey of nobody', signedForm(html, testPasskey({ origin: passkeySite })), 'passkey_unknown'],
      [
        'another key under its id',
        under(key, signedForm(html, testPasskey({ origin: passkeySite }))),
        'passkey_invalid',
      ],
    ]
    for (const [what, fields, reason] of wrong) {
      const answer = await one.at.send(first.path, fields)
      expect([what, answer.status]).toEqual([what, 409])
      expect([what, (await one.refusals(first.id)).at(-1)]).toEqual([what, reason])
    }
    const { shown } = form
    const card = await one.at.send(first.path, {
      ...signedForm(html, key),
      shown: shown!.replaceAll(/./g, '0'),
    })
    expect([card.status, (await one.refusals(first.id)).at(-1)]).toEqual([409, 'card'])
    expect(await one.row(first.id)).toMatchObject({ status: 'proposed' })

    // None of them used up the number of the page.
    expect((await one.at.send(first.path, signedForm(html, key))).status).toBe(303)
    const again = await one.at.send(first.path, signedForm(html, key))
    expect([again.status, (await one.row(first.id)).consent.strength]).toEqual([410, 'passkey'])
    expect(await one.isSound()).toMatchObject({ ok: true })
  })

  test('for another member or account, nor with a counter that goes back', async () => {
    const [one, two] = [await signedIn(), await signedIn()]
    const eve = await one.addMember({ name: 'Eve', email: `eve${people}@example.com`, tier: 'guarded_write' })
    const evesKey = await addPasskey(await signedInByMail(gate, eve.email!))
    const foreign = await addPasskey(two.at)
    const key = await addPasskey(one.at)
    const { id, path, page } = await one.propose()
    for (const other of [evesKey, foreign]) await one.at.send(path, signedForm(await page(), other))
    expect(await one.refusals(id)).toEqual(['passkey_unknown', 'passkey_unknown'])
    const stranger = await two.at.send(path, signedForm(await page(), key))
    expect(stranger.status).toBe(404)

    await one.at.send(path, signedForm(await page(), key, 'confirm', { counter: 7 }))
    const next = await one.propose('Another')
    for (const counter of [7, 6, 0])
      await one.at.send(next.path, signedForm(await next.page(), key, 'confirm', { counter }))
    expect(await one.refusals(next.id)).toEqual(Array(3).fill('passkey_counter'))
    expect(
      (await one.at.send(next.path, signedForm(await next.page(), key, 'confirm', { counter: 8 }))).status,
    ).toBe(303)
    expect([await one.isSound(), await two.isSound()]).toMatchObject([{ ok: true }, { ok: true }])
  })

  test('once it was removed, also between its signature and the claim', async () => {
    const one = await signedIn()
    const key = await addPasskey(one.at)
    await addPasskey(one.at)
    const { id, path, page } = await one.propose()
    const signed = signedForm(await page(), key)
    const late = await overtake(
      gate.database,
      one.account,
      () => one.at.send(path, signed),
      `update gate.passkey set removed_at = now(), removed_by = 'admin' where account_id = '${one.account}'
         and credential = '\\x${key.credential.toString('hex')}'`,
    )
    expect([late.status, await one.refusals(id)]).toEqual([409, ['passkey_unknown']])
    expect(await one.row(id)).toMatchObject({ status: 'proposed' })
    expect(await one.isSound()).toMatchObject({ ok: false, problem: 'its removal does not match the ledger' })
  })

  test('where none signed, also for a process that writes to the database as the service', async () => {
    const one = await signedIn()
    await addPasskey(one.at)
    const { id } = await one.propose()
    const claimed = gate.database.asSuperuser(`
      select gate.claim_decision('${one.account}', ${id}, 'cancel', jsonb_build_object(
        'command', gen_random_uuid(), 'event', gen_random_uuid(), 'expire_event', gen_random_uuid(), 'due_ms', 1,
        'member_version', null, 'curricula_version', null, 'policy_version', null, 'counted', null, 'tier', null,
        'strength', 'passkey', 'channel', 'console', 'card', null, 'reason', null, 'api_key', null,
        'session', (select token from gate_private.session where member_id = '${one.ida.memberId}' limit 1),
        'token', null, 'key', null, 'request', null))`)
    await expect(claimed).rejects.toThrow(/a consent of strength passkey does not come this way/)
  })
})

test('what a member changed is signed as they changed it, a long text once all of it is shown, and in the list nothing', async () => {
  const one = await signedIn()
  const key = await addPasskey(one.at)
  const { id, path, page } = await one.propose()
  const before = await one.row(id)
  const html = await page()
  const changes = { 'change.message': 'Lunch is at one.' }
  // The page of the proposal as it was leads to that of version 2, whatever was signed.
  const review = await one.at.send(path, { ...signedForm(html, key), ...changes })
  expect([review.status, review.text]).toEqual([200, expect.stringContaining('Approve changes with passkey')])
  expect(review.headers.get('content-security-policy')).toContain("script-src 'self'")
  expect(dataOn(review.html)['digest']).not.toBe(before.digest)
  const unsigned = await one.at.send(path, { ...formOf(review.html), does: 'confirm' })
  expect([unsigned.status, await one.refusals(id)]).toEqual([409, ['too_weak']])
  // What was signed of version 1 is no consent to version 2.
  const ofFirst = { ...formOf(review.html), ...pick(signedForm(html, key)), does: 'confirm' }
  expect((await one.at.send(path, ofFirst)).status).toBe(409)
  expect(await one.row(id)).toMatchObject({ status: 'proposed', digest: before.digest })
  expect((await one.at.send(path, signedForm(review.html, key))).status).toBe(303)
  const after = await one.row(id)
  expect(after).toMatchObject({ consent: { strength: 'passkey' }, payload: { message: 'Lunch is at one.' } })
  const entries = await entriesOf(gate.database, one.account, id)
  const { data } = entries.find(({ kind }) => kind === 'confirmed')!.entry
  expect(data['passkey']).toMatchObject({ digest: after.digest })
  expect(await one.isSound()).toMatchObject({ ok: true })

  const long = await one.propose(`Lunch. ${'More of it. '.repeat(300)}`)
  const folded = await long.page()
  expect([folded.includes('data-passkey'), folded.includes('value="unfold"')]).toEqual([false, true])
  const unfolded = await one.at.send(long.path, { ...formOf(folded), does: 'unfold' })
  expect((await one.at.send(long.path, signedForm(unfolded.html, key))).status).toBe(303)

  const third = await one.propose('A third')
  const list = (await one.at.open('/console/proposals')).html
  expect(list).toContain('approved with your passkey on its page')
  expect([list.includes(`pick_${third.id}`), list.includes(`confirm.${third.id}.`)]).toEqual([false, false])
  const { shown, digest } = formOf(await third.page())
  const picked = { does: 'confirm', [`pick_${third.id}`]: `${shown}.${digest}` }
  expect((await one.at.send('/console/proposals', picked)).text).toMatch(/not decided.*requires your passkey/)
})

test('an address that was changed a moment ago weakens a passkey, too', async () => {
  const one = await signedIn()
  const key = await addPasskey(one.at)
  const { id, path, page } = await one.propose()
  await gate.database.asSuperuser(`
    insert into gate.identity_change (account_id, member_id, via, set_at, changed_at, changed_by)
    values ('${one.account}', '${one.ida.memberId}', 'email', now(), now(), 'admin')`)
  const answer = await one.at.send(path, signedForm(await page(), key))
  expect([answer.status, await one.refusals(id)]).toEqual([409, ['unsettled_identity']])
})

describe('the policy', () => {
  test('lets a new passkey wait, and can require one that is bound to its device', async () => {
    const one = await signedIn({})
    const key = await addPasskey(one.at)
    const { id, path, page } = await one.propose()
    const young = await page()
    expect(young).toMatch(/You added yours recently: it decides from\s+20/)
    expect(young).not.toContain('data-passkey')
    await age(one, 1)
    const html = await page()
    await age(one, -1)
    expect((await one.at.send(path, signedForm(html, key))).text).toMatch(/It decides from 20/)
    await age(one, 1)
    expect((await one.at.send(path, signedForm(html, key))).status).toBe(303)
    expect(await one.refusals(id)).toEqual(['passkey_not_accepted'])

    const bound = await signedIn({ passkey_settles_after_hours: 0, passkey_device_bound: true })
    const synced = testPasskey({ origin: passkeySite }, { isSynced: true })
    await addPasskey(bound.at, synced)
    expect((await bound.propose()).body.denial_reason).toMatch(/a passkey that is bound to its device/)
    await addPasskey(bound.at)
    const proposed = await bound.propose()
    const refused = await bound.at.send(proposed.path, signedForm(await proposed.page(), synced))
    expect([refused.status, refused.text]).toEqual([409, expect.stringMatching(/synced to others/)])
    expect(await bound.isSound()).toMatchObject({ ok: true })
  })
})

describe('a member', () => {
  test('adds a passkey after a fresh sign-in alone, and is told of it by mail and in Slack', async () => {
    const one = await signedIn()
    const html = (await one.at.open('/console/passkeys/new')).html
    const form: Record<string, string> = { ...formOf(html), name: 'Phone' }
    const challenge = addChallenge(Buffer.from(form['nonce']!, 'hex'))
    const key = testPasskey({ origin: passkeySite })
    const send = async (fields: Record<string, string>) =>
      (await one.at.send('/console/passkeys/new', { ...form, ...fields })).status
    const odd = [
      key.register(challenge, { origin: 'https://evil.example' }),
      key.register(challenge, { rpId: 'example.com' }),
      key.register(challenge, { isVerified: false }),
      key.register(challenge, { client: { crossOrigin: true } }),
      key.register(challenge, { client: { type: 'webauthn.get' } }),
      key.register(addChallenge(Buffer.alloc(32))),
    ]
    for (const made of odd) expect(await send(made)).toBe(422)
    expect(await send({ ...key.register(challenge), credential: 'AAAA' })).toBe(422)
    expect(await send(key.register(challenge))).toBe(303)
    // Another form with the same number, and the same key with another one.
    expect(await send({ ...testPasskey({ origin: passkeySite }).register(challenge), name: 'Again' })).toBe(
      409,
    )
    await expect(addPasskey(one.at, key)).rejects.toThrow(/409.*added before/)

    const [entry] = (await entriesOf(gate.database, one.account)).filter(
      ({ kind }) => kind === 'passkey_added',
    )
    expect(entry!.entry).toMatchObject({ actor: one.ida.memberId, data: { device_bound: true } })
    await until(
      'told',
      async () => (await sendIdentityNotices(gate.deps, new AbortController().signal)) === 0,
    )
    const told = gate.sandbox.messages(1_000).filter(({ to }) => [one.ida.email, one.ida.slack].includes(to))
    expect(told.filter(({ text }) => /Your first passkey was added/.test(text))).toHaveLength(2)

    const list = await one.at.open('/console/passkeys')
    expect(list.text).toMatch(/Phone bound to its device .* never Remove/)
    await gate.database.asSuperuser(
      `update gate_private.session set created_at = created_at - interval '11 minutes' where account_id = '${one.account}'`,
    )
    expect((await one.at.open('/console/passkeys/new')).text).toMatch(
      /nobody who finds your browser open can add one/,
    )
    const stale = testPasskey({ origin: passkeySite })
    await gate.database.asSuperuser(
      `insert into gate_private.passkey_nonce values ('\\x${'ab'.repeat(32)}', 'add', '${one.account}', '${one.ida.memberId}', null, now() + interval '1 hour')`,
    )
    const stolen = stale.register(addChallenge(Buffer.from('ab'.repeat(32), 'hex')))
    expect(await send({ ...stolen, nonce: 'ab'.repeat(32) })).toBe(403)
    expect(await one.isSound()).toMatchObject({ ok: true })
  })

  test('does not remove the last one that the policy requires: an administrator does', async () => {
    const one = await signedIn()
    const key = await addPasskey(one.at)
    const id = () => /\/console\/passkeys\/(pk_\w{16})\/remove/
    const first = id().exec((await one.at.open('/console/passkeys')).html)![1]!
    const path = `/console/passkeys/${first}/remove`
    const last = await one.at.send(path, formOf((await one.at.open(path)).html))
    expect([last.status, last.text]).toEqual([409, expect.stringMatching(/your last passkey/)])
    const eve = await one.addMember({ name: 'Eve', email: `eve${people}@example.com` })
    expect((await (await signedInByMail(gate, eve.email!)).open(path)).status).toBe(404)

    const admin = await signedInAdmin(gate, one.account)
    const ofMember = `/console/members/${one.ida.memberId}/passkeys/${first}/remove`
    expect((await admin.send(ofMember, formOf((await admin.open(ofMember)).html))).status).toBe(303)
    expect((await one.at.open('/console/passkeys')).text).toContain('No passkeys.')
    const entries = (await entriesOf(gate.database, one.account)).filter(
      ({ kind }) => kind === 'passkey_removed',
    )
    expect(entries.map(({ entry }) => entry.actor)).toEqual([expect.stringMatching(/^admin:/)])
    await expect(addPasskey(one.at, key)).rejects.toThrow(/409/)
    await one.setPolicy({ kinds: {} })
    await addPasskey(one.at)
    const free = id().exec((await one.at.open('/console/passkeys')).html)![1]!
    expect((await one.at.send(`/console/passkeys/${free}/remove`, {})).status).toBe(303)
    expect(await one.isSound()).toMatchObject({ ok: true })
  })

  test('signs in with a passkey, once for each page, until it is removed', async () => {
    const one = await signedIn()
    const key = await addPasskey(one.at)
    await addPasskey(one.at)
    const handle = userHandle(one.account, one.ida.memberId)
    const page = '/console/sign-in/passkey'
    const someone = visitor(gate)
    const { html, headers } = await someone.open(page)
    expect(headers.get('content-security-policy')).toMatch(/script-src 'self'.*frame-ancestors 'none'/)
    const form = signInForm(html, key, handle)
    for (const odd of [
      { ...form, user_handle: userHandle('acct_0000000000000000', one.ida.memberId) },
      signInForm(html, testPasskey({ origin: passkeySite }), handle),
      signInForm(html, key, 'AAAA'),
      { ...form, nonce: 'ab'.repeat(32) },
    ])
      expect((await visitor(gate).send(page, odd)).status).toBe(403)
    const answer = await someone.send(page, form)
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '/console'])
    expect((await someone.open('/console/me')).text).toContain(one.ida.email)
    expect((await visitor(gate).send(page, form)).status).toBe(403)

    // A session that a passkey began decides as one that a link began.
    const { id, path } = await one.propose()
    const html2 = (await someone.open(path)).html
    // What signs a sign-in signs no decision.
    const shown = formOf(html2)
    const signIn = fieldsOfAssertion(key.assert(signInChallenge(Buffer.from(dataOn(html2)['nonce']!, 'hex'))))
    expect((await someone.send(path, { ...shown, ...signIn, does: 'confirm' })).status).toBe(409)
    expect((await someone.send(path, signedForm(html2, key))).status).toBe(303)
    expect((await one.row(id)).consent.strength).toBe('passkey')

    const list = (await one.at.open('/console/passkeys')).html
    const first = /\/console\/passkeys\/(pk_\w{16})\/remove/.exec(list)![1]!
    expect((await one.at.send(`/console/passkeys/${first}/remove`, {})).status).toBe(303)
    expect((await someone.open('/console/me')).status).toBe(303)
    const late = visitor(gate)
    expect((await late.send(page, signInForm((await late.open(page)).html, key, handle))).status).toBe(403)
  })
})

/** The number of another page, in the place of its own. */
const withNonce = (html: string, other: string): string =>
  html.replaceAll(dataOn(html)['nonce']!, dataOn(other)['nonce']!)

const pick = ({ credential, client_data, authenticator_data, signature, nonce }: Record<string, string>) => ({
  credential: credential!,
  client_data: client_data!,
  authenticator_data: authenticator_data!,
  signature: signature!,
  nonce: nonce!,
})

const under = (key: { credential: Buffer }, form: Record<string, string>) => ({
  ...form,
  credential: key.credential.toString('base64url'),
})

async function* bytesOf(text: string) {
  yield Buffer.from(text)
}
