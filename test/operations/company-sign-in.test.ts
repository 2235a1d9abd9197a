import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import type { CompanySettings } from '../../src/operations/company/settings.ts'
import { companyForm, setCompany } from '../../src/operations/company/settings.ts'
import { linkIdentity } from '../../src/operations/company/identities.ts'
import { inviteAdmin } from '../../src/operations/admins/invite-admin.ts'
import { verifyLedger } from '../../src/ledger/verify.ts'
import type { TestAccount } from '../support/account.ts'
import type { ApiClient } from '../support/api-client.ts'
import { ringOf } from '../support/connect.ts'
import { type Visitor, startConsole, visitor } from '../support/console.ts'
import type { TestGate } from '../support/gate.ts'
import { shorten } from '../support/shorten.ts'
import { type LyingIssuer, lyingIssuer } from '../support/openid-issuer.ts'

let gate: TestGate
let issuer: LyingIssuer
let other: LyingIssuer
let account: TestAccount & { client: ApiClient }
let restore: () => void
beforeAll(async () => {
  restore = shorten({ signInsPerMinute: 6_000 })
  ;[gate, issuer, other] = await Promise.all([
    startConsole({ env: { SECRETS_KEYS: ringOf('k1') } }),
    lyingIssuer(),
    lyingIssuer(),
  ])
}, 60_000)
beforeEach(async () => {
  account = await gate.account()
  issuer.next = {}
  issuer.metadata = {}
  await set()
})
afterAll(async () => {
  await gate.stop()
  await Promise.all([issuer.stop(), other.stop()])
  restore()
})

const context = () => ({ db: gate.database.db, account: account.account, session: null })
const set = (changed: Partial<CompanySettings> = {}, secret: string | undefined = 'a secret') =>
  setCompany(
    gate.deps,
    context(),
    {
      issuer: issuer.issuer,
      client_id: 'gate',
      links_by_mailbox: true,
      roles_claim: null,
      roles: {},
      acr: null,
      is_only: false,
      directory_claim: null,
      ...changed,
    },
    secret,
  )
const path = (of = account.account) => `/console/sign-in/company/${of}`
const ada = { email: 'ada@one.example', email_verified: true }

/** Begins a sign-in in a browser, and gives the address at the provider. */
async function begun(someone: Visitor, query = ''): Promise<string> {
  const answer = await someone.open(`${path()}/start${query}`)
  expect([answer.status, answer.text]).toEqual([303, ''])
  return answer.headers.get('location')!
}
async function signIn(someone: Visitor, changed: Record<string, string | undefined> = {}, query = '') {
  return someone.open(issuer.authorize(await begun(someone, query), changed))
}
const isIn = async (someone: Visitor) => (await someone.open('/console/sessions')).status === 200
const refused = async () =>
  (
    await gate.database.asSuperuser(
      `select entry::jsonb #>> '{data,reason}' as reason from gate.ledger
      where account_id = '${account.account}' and kind = 'company_sign_in_refused' order by seq`,
    )
  ).map(({ reason }) => reason)

test('a member whose mailbox the provider has verified is linked once, signs in, and is known by subject from then on', async () => {
  await account.addMember({ name: 'Ada', email: 'ada@one.example' })
  issuer.next = { claims: ada }
  const someone = visitor(gate)
  const asked = new URL(await begun(someone)).searchParams
  expect(Object.fromEntries(asked)).toMatchObject({
    client_id: 'gate',
    code_challenge_method: 'S256',
    response_type: 'code',
    scope: 'openid email profile',
    redirect_uri: `${gate.api.url}${path()}/back`,
  })
  const answer = await signIn(someone)
  expect([answer.status, answer.headers.get('refresh')]).toEqual([200, '0; url=/console/sign-in'])
  expect((await someone.open('/console/sign-in')).headers.get('location')).toBe('/console')
  expect((await someone.open('/console/me')).text).toContain('Your tier')
  expect(issuer.exchanges.at(-1)!.get('code_verifier')).toMatch(/^[\w-]{43,}$/)
  // Another mailbox, or none: the subject is the same.
  issuer.next = { claims: { email: 'other@one.example', email_verified: false } }
  const again = visitor(gate)
  await signIn(again)
  expect(await isIn(again)).toBe(true)
  expect(await verifyLedger(gate.database.db, account.account)).toMatchObject({ ok: true })
})

test.each([
  ['of another issuer', { claims: { ...ada, iss: 'https://evil.example' } }, 'answer_refused_iss'],
  ['for another audience', { claims: { ...ada, aud: 'another' } }, 'answer_refused_aud'],
  ['with another nonce', { claims: { ...ada, nonce: 'of another request' } }, 'answer_refused_nonce'],
  ['without a nonce', { claims: { ...ada, nonce: undefined } }, 'answer_refused'],
  ['that has expired', { claims: { ...ada, exp: 1_700_000_000 } }, 'answer_refused_exp'],
  ['that is not signed', { claims: ada, alg: 'none' as const }, 'answer_refused'],
  ['that is signed with the public key', { claims: ada, alg: 'HS256' as const }, 'answer_refused'],
  ['that another key has signed', { claims: ada, isForeignKey: true }, 'answer_refused'],
  ['of a mailbox that is not verified', { claims: { ...ada, email_verified: false } }, 'not_linked'],
  ['that says "true" as a text', { claims: { ...ada, email_verified: 'true' } }, 'not_linked'],
  ['without a subject', { claims: { ...ada, sub: undefined } }, 'answer_refused'],
])('a token %s signs nobody in, and is an entry', async (_, next, reason) => {
  await account.addMember({ name: 'Ada', email: 'ada@one.example' })
  issuer.next = next
  const someone = visitor(gate)
  const answer = await signIn(someone)
  expect([answer.status, await isIn(someone)]).toEqual([403, false])
  expect(await refused()).toEqual([reason])
})

test('a second subject of one mailbox is not the member; neither is somebody whose account is another one', async () => {
  await account.addMember({ name: 'Ada', email: 'ada@one.example' })
  issuer.next = { claims: ada }
  await signIn(visitor(gate))
  issuer.next = { claims: { ...ada, sub: 'mallory' } }
  const mallory = visitor(gate)
  const answer = await signIn(mallory)
  expect([answer.status, answer.text]).toEqual([403, expect.stringContaining('your subject: mallory')])
  // The same subject of the same issuer at another account.
  account = await gate.account()
  await set()
  issuer.next = { claims: { sub: 'ada' } }
  const elsewhere = visitor(gate)
  expect((await signIn(elsewhere)).status).toBe(403)
  expect(await isIn(elsewhere)).toBe(false)
})

test('a state is of one browser, of one account, and used once; a code that was used is no use', async () => {
  await account.addMember({ name: 'Ada', email: 'ada@one.example' })
  issuer.next = { claims: ada }
  const [someone, other] = [visitor(gate), visitor(gate)]
  const back = issuer.authorize(await begun(someone))
  // The way back in another browser: one that began nothing, and one that began its own.
  for (const begins of [false, true]) {
    if (begins) await begun(other)
    expect((await other.open(back)).status).toBe(403)
    expect(await isIn(other)).toBe(false)
  }
  // At another account, with the cookie of this one.
  const first = account
  account = await gate.account()
  await set()
  expect((await someone.open(back.replace(first.account, account.account))).status).toBe(403)
  account = first
  const cookie = someone.cookies.get('gate-company')
  expect(cookie).toBeUndefined()
  const again = issuer.authorize(await begun(someone))
  const copied = someone.cookies.get('gate-company')!
  await someone.open(again)
  expect(await isIn(someone)).toBe(true)
  // Somebody who copied both the cookie and the address.
  const thief = visitor(gate)
  thief.cookies.set('gate-company', copied)
  expect((await thief.open(again)).status).toBe(403)
  expect([await isIn(thief), await refused()]).toEqual([false, expect.arrayContaining(['used'])])
})

test('an answer with another state, or that names another issuer, or none where the provider says that it names itself, is refused', async () => {
  await account.addMember({ name: 'Ada', email: 'ada@one.example' })
  issuer.next = { claims: ada }
  expect((await signIn(visitor(gate), { iss: 'https://evil.example' })).status).toBe(403)
  // The right code with another state, or none.
  for (const state of ['of another request', undefined])
    expect((await signIn(visitor(gate), { state })).status).toBe(403)
  issuer.metadata = { authorization_response_iss_parameter_supported: true }
  expect((await signIn(visitor(gate))).status).toBe(403)
  expect((await signIn(visitor(gate), { iss: issuer.issuer })).status).toBe(200)
  // A provider that was changed between: the address on the way back is the account's own.
  const someone = visitor(gate)
  issuer.metadata = {}
  const back = issuer.authorize(await begun(someone))
  await set({ issuer: other.issuer })
  // Else the code of one provider would be sent to another one.
  expect((await someone.open(back)).status).toBe(403)
  expect(other.exchanges).toEqual([])
})

test('what the token says of acr and of when it asked is checked, and not only asked for', async () => {
  await account.addMember({ name: 'Ada', email: 'ada@one.example' })
  await set({ acr: ['phr', 'phrh'] })
  for (const acr of [undefined, 'pwd']) {
    issuer.next = { claims: { ...ada, acr } }
    expect((await signIn(visitor(gate))).status).toBe(403)
  }
  issuer.next = { claims: { ...ada, acr: 'phr' } }
  const someone = visitor(gate)
  expect(new URL(await begun(someone)).searchParams.get('acr_values')).toBe('phr phrh')
  expect((await signIn(someone)).status).toBe(200)
  // Such a session is not fresh: the provider may have asked nobody.
  expect((await someone.open('/console/passkeys/new')).text).toContain('Sign in again with your company')
  const now = Math.floor(Date.now() / 1_000)
  for (const auth_time of [undefined, now - 600]) {
    issuer.next = { claims: { ...ada, acr: 'phr', auth_time } }
    expect((await signIn(visitor(gate), {}, '?fresh=1')).status).toBe(403)
  }
  issuer.next = { claims: { ...ada, acr: 'phr', auth_time: now } }
  expect(new URL(await begun(someone, '?fresh=1')).searchParams.get('max_age')).toBe('0')
  expect((await signIn(someone, {}, '?fresh=1')).status).toBe(200)
  expect((await someone.open('/console/passkeys/new')).text).not.toContain('Sign in again')
})

test('a claim gives roles and takes them back, never a tier; an administrator by the claim alone reads no mailbox', async () => {
  await account.addMember({ name: 'Ada', email: 'ada@one.example', tier: 'read_only' })
  await set({
    roles_claim: 'groups',
    roles: { administrator: ['gate-admins'], auditor: ['gate-audit'], member: ['gate'] },
  })
  const someone = visitor(gate)
  const as = async (...groups: unknown[]) => {
    issuer.next = { claims: { ...ada, groups } }
    return (await signIn(someone)).status
  }
  expect(await as()).toBe(403)
  expect(await as('other', { toString: 'gate' })).toBe(403)
  expect(await as('gate')).toBe(200)
  expect((await someone.open('/console/members')).status).toBe(403)
  expect(await as('gate', 'gate-admins')).toBe(200)
  const added = () => someone.send('/console/members/new', { name: `N${Math.random()}` })
  expect((await added()).status).toBe(303)
  expect(await as('gate-audit')).toBe(200)
  expect([(await someone.open('/console/members')).status, (await added()).status]).toEqual([200, 403])
  expect((await someone.open('/console/me')).text).toContain('read_only')
  expect(await as('gate')).toBe(200)
  expect((await someone.open('/console/members')).status).toBe(403)
  // The provider said who administers, and nobody else knows them.
  const mailboxes = await gate.database.asSuperuser(
    `select holder from gate_private.mailbox where account_id = '${account.account}'`,
  )
  expect(mailboxes.map(({ holder }) => String(holder).slice(0, 4))).toEqual(['mem_'])
  expect(await verifyLedger(gate.database.db, account.account)).toMatchObject({ ok: true })
  await gate.database.asSuperuser(
    `update gate.company_sign_in set links_by_mailbox = false where account_id = '${account.account}'`,
  )
  expect(await verifyLedger(gate.database.db, account.account)).toMatchObject({ ok: false })
})

test('a link by the word of the provider is told to the member, and decides nothing above the word of the agent at first', async () => {
  const member = await account.addMember({ name: 'Ada', email: 'ada@one.example', tier: 'write' })
  issuer.next = { claims: ada }
  const someone = visitor(gate)
  expect((await signIn(someone)).status).toBe(200)
  await account.setPolicy({ kinds: { broadcast: { tier: 'write', consent: 'page' } } })
  const { body } = await account.client.propose({ email: member.email! }, 'Lunch')
  const page = await someone.open(`/console/proposals/${body.id}`)
  const fields = [...page.html.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)"/g)]
  const sent = Object.fromEntries(fields.map(([, name, value]) => [name!, value!]))
  const decided = await someone.send(`/console/proposals/${body.id}`, { ...sent, does: 'confirm' })
  expect(decided.status).not.toBe(303)
  expect((await account.client.get(body.id)).body).toMatchObject({ status: 'proposed' })
  const told = await gate.database.asSuperuser(
    `select identity from gate.identity_notice where account_id = '${account.account}'`,
  )
  expect(told).toMatchObject([{ identity: 'company' }])
})

test('without links by mailbox an administrator says who it is; the member is told, and the link settles before it counts', async () => {
  const member = await account.addMember({ name: 'Ada', email: 'ada@one.example', tier: 'write' })
  await set({ links_by_mailbox: false })
  issuer.next = { claims: ada }
  const someone = visitor(gate)
  expect((await signIn(someone)).status).toBe(403)
  await linkIdentity(context(), { subject: 'ada', as: 'member', email: 'ada@one.example' })
  expect((await signIn(someone)).status).toBe(200)
  await account.setPolicy({ kinds: { broadcast: { tier: 'write', consent: 'page' } } })
  const { body } = await account.client.propose({ email: member.email! }, 'Lunch')
  const decide = async () => {
    const page = await someone.open(`/console/proposals/${body.id}`)
    const fields = [...page.html.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)"/g)]
    const sent = Object.fromEntries(fields.map(([, name, value]) => [name!, value!]))
    return someone.send(`/console/proposals/${body.id}`, { ...sent, does: 'confirm' })
  }
  expect((await decide()).status).not.toBe(303)
  await gate.database.asSuperuser(
    `update gate.company_identity set linked_at = now() - interval '2 days' where account_id = '${account.account}'`,
  )
  expect((await decide()).status).toBe(303)
  const [decided] = await gate.database.asSuperuser(
    `select entry::jsonb #>> '{data,strength}' as strength from gate.ledger
    where account_id = '${account.account}' and kind = 'confirmed'`,
  )
  expect(decided).toEqual({ strength: 'page' })
  const told = await gate.database.asSuperuser(
    `select identity from gate.identity_notice where account_id = '${account.account}'`,
  )
  expect(told).toEqual([{ identity: 'company' }])
})

test('where only the company signs in, mailed links and passkeys do not, and the command line still does', async () => {
  await account.addMember({ name: 'Ada', email: `ada@${account.account.slice(5).toLowerCase()}.example` })
  const email = `ada@${account.account.slice(5).toLowerCase()}.example`
  const { linkByMail } = await import('../support/console.ts')
  const before = await linkByMail(gate, visitor(gate), email)
  const inside = visitor(gate)
  await inside.send(await linkByMail(gate, visitor(gate), email))
  expect(await isIn(inside)).toBe(true)
  await set({ is_only: true })
  expect(await isIn(inside)).toBe(false)
  expect((await inside.send(before)).status).toBe(410)
  const { mailsTo } = await import('../support/console.ts')
  const { until } = await import('../support/until.ts')
  await visitor(gate).send('/console/sign-in', { email })
  const mail = await until('a mail', async () => mailsTo(gate, email)[2])
  expect(mail.text).toContain(path())
  const root = visitor(gate)
  await root.send(await inviteAdmin(context(), 'root@example.com'))
  expect((await root.open('/console/members')).status).toBe(200)
  issuer.next = { claims: { email, email_verified: true } }
  expect((await signIn(inside)).status).toBe(200)
})

test('a claim that its person can change is no id of the directory', () => {
  const isTaken = (claim: string) => companyForm.directory_claim.safeParse(claim).success
  expect(['sub', 'oid', 'email', 'preferred_username', 'upn'].map(isTaken)).toEqual([
    true,
    true,
    false,
    false,
    false,
  ])
})

test('a session by the company stands for somebody only as long as its link and its provider do', async () => {
  await account.addMember({ name: 'Ada', email: 'ada@one.example' })
  issuer.next = { claims: ada }
  const someone = visitor(gate)
  await signIn(someone)
  expect(await isIn(someone)).toBe(true)
  await set({ issuer: other.issuer })
  expect(await isIn(someone)).toBe(false)
  await set()
  const again = visitor(gate)
  await signIn(again)
  expect(await isIn(again)).toBe(true)
  // Whatever ended the link: the session is read with it, and need not be deleted.
  await gate.database.asSuperuser(
    `update gate.company_identity set ended_at = now() where account_id = '${account.account}'`,
  )
  expect(await isIn(again)).toBe(false)
})
