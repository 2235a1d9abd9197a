import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { verifyLedger } from '../../src/ledger/verify.ts'
import { setCompany } from '../../src/operations/company/settings.ts'
import type { TestAccount } from '../support/account.ts'
import { ringOf } from '../support/connect.ts'
import { type Visitor, startConsole, visitor } from '../support/console.ts'
import type { TestGate } from '../support/gate.ts'
import { type RealProvider, pathOf, providerSecret, realProvider } from '../support/openid-provider.ts'
import { shorten } from '../support/shorten.ts'

let gate: TestGate
let account: TestAccount
let provider: RealProvider
let restore: () => void

beforeAll(async () => {
  restore = shorten({ signInsPerMinute: 600 })
  gate = await startConsole({ env: { SECRETS_KEYS: ringOf('k1') } })
  account = await gate.account()
  await account.addMember({ name: 'Ada', email: 'ada@one.example', tier: 'write' })
  provider = await realProvider(gate.api.url, [account.account])
  await setCompany(
    gate.deps,
    { db: gate.database.db, account: account.account, session: null },
    {
      issuer: provider.issuer,
      client_id: 'gate',
      links_by_mailbox: true,
      roles_claim: 'groups',
      roles: { administrator: ['admins'], auditor: ['auditors'], member: ['people'] },
      acr: null,
      is_only: false,
      directory_claim: null,
    },
    providerSecret,
  )
}, 60_000)
afterAll(async () => {
  await gate.stop()
  await provider.stop()
  restore()
})

const path = () => pathOf(account.account)
const setGroups = (login: string, groups: string[]) => provider.people.set(login, { groups })
const signIn = (someone: Visitor, login: string, query = '') =>
  provider.signIn(someone, account.account, login, query)

test('a real provider signs people in, promotes and removes them, asks them again, and signs them out', async () => {
  setGroups('ada', ['people'])
  const ada = visitor(gate)
  expect((await ada.open('/console/sign-in/company')).headers.get('location')).toBe(path())
  expect((await ada.open(path())).text).toContain(`Signs you in ${new URL(provider.issuer).host}`)
  const { there, answer } = await signIn(ada, 'ada')
  expect([answer.status, answer.text]).toEqual([200, expect.stringContaining('Continue to the console')])
  expect((await ada.open('/console/me')).text).toContain('Your tier write')
  expect((await ada.open('/console/members')).status).toBe(403)
  // Promoted in the directory: from the next sign-in on.
  setGroups('ada', ['people', 'admins'])
  await signIn(ada, 'ada')
  expect((await ada.open('/console/members')).status).toBe(200)
  const fresh = await signIn(ada, 'ada', '?fresh=1')
  expect(fresh.answer.status).toBe(200)
  // Removed there.
  setGroups('ada', [])
  expect((await signIn(ada, 'ada')).answer.text).toContain('Your company gave you no role here.')
  setGroups('ada', ['people'])
  await signIn(ada, 'ada')
  expect((await ada.open('/console/members')).status).toBe(403)
  const out = await ada.send('/console/sign-out')
  const elsewhere = new URL(out.headers.get('refresh')!.replace('0; url=', ''))
  expect([elsewhere.origin, elsewhere.searchParams.get('post_logout_redirect_uri')]).toEqual([
    provider.issuer,
    `${gate.api.url}/console/sign-in`,
  ])
  expect(elsewhere.searchParams.get('id_token_hint')).toMatch(/^ey/)
  expect((await there.open(elsewhere)).status).toBe(200)
  expect((await ada.open('/console/me')).status).toBe(303)
  // Nobody here knows this one.
  setGroups('mallory', ['people'])
  const mallory = visitor(gate)
  expect((await signIn(mallory, 'mallory')).answer.text).toContain('They need your subject: mallory')
  expect(await verifyLedger(gate.database.db, account.account)).toMatchObject({ ok: true })
})
