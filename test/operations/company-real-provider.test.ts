import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { Provider } from 'oidc-provider'
import { verifyLedger } from '../../src/ledger/verify.ts'
import { setCompany } from '../../src/operations/company/settings.ts'
import { browser, ringOf } from '../support/connect.ts'
import { type Visitor, startConsole, visitor } from '../support/console.ts'
import type { TestAccount } from '../support/account.ts'
import type { TestGate } from '../support/gate.ts'
import { shorten } from '../support/shorten.ts'

let gate: TestGate
let account: TestAccount
let issuer: string
let stop: () => Promise<void>
let restore: () => void
let restoreConsole: () => void
const groups = new Map<string, string[]>([['ada', ['people']]])

/** The provider says on the console that it keeps everything in memory, and which of its pages and times are its own. */
function quiet(): () => void {
  const { warn, info } = console
  Object.assign(console, { warn: () => {}, info: () => {} })
  return () => void Object.assign(console, { warn, info })
}

beforeAll(async () => {
  restore = shorten({ signInsPerMinute: 600 })
  gate = await startConsole({ env: { SECRETS_KEYS: ringOf('k1') } })
  account = await gate.account()
  await account.addMember({ name: 'Ada', email: 'ada@one.example', tier: 'write' })
  const server = createServer()
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  restoreConsole = quiet()
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: 'gate',
        client_secret: 'a secret of the gate',
        redirect_uris: [`${gate.api.url}/console/sign-in/company/${account.account}/back`],
        post_logout_redirect_uris: [`${gate.api.url}/console/sign-in`],
        response_types: ['code'],
        grant_types: ['authorization_code'],
      },
    ],
    claims: { openid: ['sub', 'groups'], email: ['email', 'email_verified'], acr: null, auth_time: null },
    conformIdTokenClaims: false,
    cookies: { keys: ['a key of cookies'] },
    features: { devInteractions: { enabled: true } },
    findAccount: (_context, id) => ({
      accountId: id,
      claims: () => ({
        sub: id,
        email: `${id}@one.example`,
        email_verified: true,
        groups: groups.get(id) ?? [],
      }),
    }),
  })
  server.on('request', provider.callback())
  stop = () => new Promise((done) => server.close(() => done()))
  await setCompany(
    gate.deps,
    { db: gate.database.db, account: account.account, session: null },
    {
      issuer,
      client_id: 'gate',
      links_by_mailbox: true,
      roles_claim: 'groups',
      roles: { administrator: ['admins'], auditor: ['auditors'], member: ['people'] },
      acr: null,
      is_only: false,
      directory_claim: null,
    },
    'a secret of the gate',
  )
}, 60_000)
afterAll(async () => {
  restoreConsole()
  await gate.stop()
  await stop()
  restore()
})

/** Walks the pages of the provider, until it sends the person back to the gate. */
async function throughProvider(there: ReturnType<typeof browser>, start: string, login: string) {
  let at = start
  for (let step = 0; step < 12; step++) {
    let page = await there.open(at)
    if (page.status === 200) {
      const action = /action="([^"]+)"/.exec(page.html)![1]!
      const prompt = /name="prompt" value="(\w+)"/.exec(page.html)![1]!
      page = await there.send(new URL(action, at), {
        prompt,
        ...(prompt === 'login' ? { login, password: 'x' } : {}),
      })
    }
    const location = page.headers.get('location')
    if (location === null) throw new Error(`the provider answers ${page.status}: ${page.text}`)
    at = new URL(location, at).href
    if (at.startsWith(gate.api.url)) return at
  }
  throw new Error('the provider does not end')
}

const path = () => `/console/sign-in/company/${account.account}`
async function signIn(someone: Visitor, login: string, query = '') {
  const there = browser('same-origin')
  const begun = await someone.open(`${path()}/start${query}`)
  const back = await throughProvider(there, begun.headers.get('location')!, login)
  return { there, answer: await someone.open(back) }
}

test('a real provider signs people in, promotes and removes them, asks them again, and signs them out', async () => {
  const ada = visitor(gate)
  expect((await ada.open('/console/sign-in/company')).headers.get('location')).toBe(path())
  expect((await ada.open(path())).text).toContain(`Signs you in ${new URL(issuer).host}`)
  const { there, answer } = await signIn(ada, 'ada')
  expect([answer.status, answer.text]).toEqual([200, expect.stringContaining('Continue to the console')])
  expect((await ada.open('/console/me')).text).toContain('Your tier write')
  expect((await ada.open('/console/members')).status).toBe(403)
  // Promoted in the directory: from the next sign-in on.
  groups.set('ada', ['people', 'admins'])
  await signIn(ada, 'ada')
  expect((await ada.open('/console/members')).status).toBe(200)
  const fresh = await signIn(ada, 'ada', '?fresh=1')
  expect(fresh.answer.status).toBe(200)
  // Removed there.
  groups.set('ada', [])
  expect((await signIn(ada, 'ada')).answer.text).toContain('Your company gave you no role here.')
  groups.set('ada', ['people'])
  await signIn(ada, 'ada')
  expect((await ada.open('/console/members')).status).toBe(403)
  const out = await ada.send('/console/sign-out')
  const elsewhere = new URL(out.headers.get('refresh')!.replace('0; url=', ''))
  expect([elsewhere.origin, elsewhere.searchParams.get('post_logout_redirect_uri')]).toEqual([
    issuer,
    `${gate.api.url}/console/sign-in`,
  ])
  expect(elsewhere.searchParams.get('id_token_hint')).toMatch(/^ey/)
  expect((await there.open(elsewhere)).status).toBe(200)
  expect((await ada.open('/console/me')).status).toBe(303)
  // Nobody here knows this one.
  groups.set('mallory', ['people'])
  const mallory = visitor(gate)
  expect((await signIn(mallory, 'mallory')).answer.text).toContain('They need your subject: mallory')
  expect(await verifyLedger(gate.database.db, account.account)).toMatchObject({ ok: true })
})
