import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { pages } from '../../src/console/pages.ts'
import { inboxScript, pageScript, pushScript } from '../../src/console/scripts.ts'
import { passkeyScript } from '../../src/web/passkey-script.ts'
import { stylePath } from '../../src/console/style.ts'
import { limits } from '../../src/limits.ts'
import { customerDeletion } from '../support/declared-kind.ts'
import { type PageAnswer, ringOf } from '../support/connect.ts'
import { inOneLine } from '../support/consent.ts'
import {
  type Visitor,
  invitation,
  signedInAdmin,
  signedInByMail,
  startConsole,
  visitor,
} from '../support/console.ts'
import type { TestGate } from '../support/gate.ts'
import { shorten } from '../support/shorten.ts'
import { type Scene, addressOf, markup, sceneOf } from './scene.ts'
import { testRows } from '../support/rows.ts'

let gate: TestGate
let scene: Scene
let other: Scene
let member: Visitor
let restore: () => void
beforeAll(async () => {
  // One administrator opens every page in every way: more in a minute than anybody does.
  restore = shorten({ consolePagesPerMinute: 6_000 })
  gate = await startConsole({ env: { SECRETS_KEYS: ringOf('k1') } })
  scene = await sceneOf(gate, 'ada@one.example')
  other = await sceneOf(gate, 'ada@two.example', 'smtp')
  await scene.addMember({ name: 'Cy', email: 'cy@one.example' })
  member = await signedInByMail(gate, 'cy@one.example')
}, 60_000)
afterAll(async () => {
  await gate.stop()
  restore()
})

const all = pages.map(({ path }) => path)
const withForm = pages.filter(({ send }) => send).map(({ path }) => path)
const forAdmins = pages.filter(({ role }) => role === 'admin').map(({ path }) => path)
const named = all.filter((path) => path.includes(':'))
const addressIn = (path: string, { params }: Scene) => addressOf(path, params)
/** Pages about what every account has. */
const ofEvery = [
  '/console/connect/:client',
  '/console/policies/kinds/:kind',
  '/console/policies/mandates/:kind',
  '/console/integrations/:provider/connect',
]
const outside = ['/console/sign-in', '/console/sign-in/sent']

const securityHeaders = {
  'content-security-policy':
    "default-src 'none'; style-src 'self'; img-src 'self' data:; manifest-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
  'cache-control': 'no-store',
  'referrer-policy': 'same-origin',
  'x-frame-options': 'DENY',
  'x-content-type-options': 'nosniff',
  'content-type': 'text/html; charset=utf-8',
}

/** The pages that run a script, and what else their policy allows. */
const scripted: Record<string, { script: string; allows: string }> = {
  '/console/ledger/check': { script: pageScript, allows: "script-src 'self'; " },
  '/console/devices/new': { script: pushScript, allows: "script-src 'self'; " },
  '/console/proposals/:waiting/break-glass': { script: passkeyScript, allows: "script-src 'self'; " },
  '/console/passkeys/new': { script: passkeyScript, allows: "script-src 'self'; " },
  '/console/proposals': { script: inboxScript, allows: "script-src 'self'; connect-src 'self'; " },
}

/** A script of our own, loaded from our own origin: nothing else of the page differs from others. */
function expectOneScript(
  page: PageAnswer,
  { script: path, allows }: { script: string; allows: string },
): void {
  const script = new RegExp(`<script type="module" src="${path}"></script>`, 'g')
  expect(page.html.match(script)).toHaveLength(1)
  const headers = new Headers(page.headers)
  const policy = headers.get('content-security-policy')!
  expect(policy).toContain(`default-src 'none'; ${allows}style-src`)
  headers.set('content-security-policy', policy.replace(allows, ''))
  expectHarmless({ ...page, headers, html: page.html.replace(script, '') })
}

function expectSafe(path: string, page: PageAnswer): void {
  const script = scripted[path]
  if (script === undefined) expectHarmless(page)
  else expectOneScript(page, script)
}

function expectHarmless({ html, headers }: PageAnswer): void {
  expect(Object.fromEntries(headers)).toMatchObject(securityHeaders)
  expect(html).not.toMatch(/<script|<img|<style|\son\w+=["']|\sstyle=|javascript:/i)
  const loaded = [...html.matchAll(/<link rel="([\w-]+)" href="([^"]*)"/g)].map(([, rel, href]) => [
    rel,
    href,
  ])
  expect(loaded).toEqual([
    ['stylesheet', stylePath],
    ['icon', expect.stringMatching(/^data:image\/svg/)],
    ['manifest', '/console/app.webmanifest'],
    ['apple-touch-icon', '/console/icon-180.png'],
  ])
}

describe('every page', () => {
  testRows(all)(
    'is shown, runs nothing (but five pages), loads the stylesheet alone, and shows text as text',
    async (path) => {
      const page = await scene.admin.open(addressIn(path, scene))
      expect([page.status, page.text]).toEqual([
        200,
        expect.stringContaining('Consent given in the sandbox proves nothing.'),
      ])
      expectSafe(path, page)
      expect(page.html).not.toContain(markup)
      expect(page.html.match(/<h1>/g)).toHaveLength(1)
      const head = await scene.admin.open(addressIn(path, scene), 'HEAD')
      expect([head.status, head.html]).toEqual([200, ''])
    },
  )

  test('names are shown as they were given', async () => {
    const escaped = '&lt;img src=x onerror=alert(1)&gt;&quot;&#39;&amp;&lt;script&gt;alert(2)&lt;/script&gt;'
    for (const [path, name] of [
      ['/console/keys', 'Key'],
      ['/console/members', 'Ada'],
      ['/console/members/:member', 'Ada'],
      ['/console/curricula', 'Safe'],
      ['/console/proposals/:id', 'Lunch'],
    ] as const)
      expect(inOneLine((await scene.admin.open(addressIn(path, scene))).html)).toContain(`${name} ${escaped}`)
  })

  test.each([...outside, '/console/nothing'])(
    '%s, where nobody need be signed in, has nothing harmful either',
    async (path) => {
      expectHarmless(await visitor(gate).open(path))
    },
  )

  test('to sign in with a passkey runs the script of passkeys alone', async () => {
    const page = await visitor(gate).open('/console/sign-in/passkey')
    expectOneScript(page, scripted['/console/passkeys/new']!)
  })

  test('of a sign-in link has nothing harmful either', async () => {
    expectHarmless(await visitor(gate).open(await invitation(gate, scene.account, 'x@one.example')))
  })

  testRows(named.filter((path) => !ofEvery.includes(path)))(
    'with what belongs to another account does not exist',
    async (path) => {
      const address = path.replaceAll(/:(\w+)/g, (_, name: string) =>
        // A slug is chosen, and may be the same; the member beside it is the other's.
        name === 'curriculum' ? 'safe-sending' : other.params[name]!,
      )
      const isShared = address === addressIn(path, scene)
      const wanted = isShared
        ? address
            .replace(/\/\d+/, '/999999')
            .replace('safe-sending', 'of-another')
            .replace('customer_deletion', 'of_another')
        : address
      expect((await scene.admin.open(wanted)).status).toBe(404)
      if (withForm.includes(path)) expect((await scene.admin.send(wanted, formOf(path))).status).toBe(404)
    },
  )

  testRows(named)('with what cannot be an id does not exist', async (path) => {
    for (const id of ['x', '0', '-1', '1e3', '%00', "'", '..%2f..', 'A'.repeat(2_000), '9'.repeat(30)]) {
      const answer = await scene.admin.open(path.replaceAll(/:\w+/g, id))
      expect([id, answer.status]).toEqual([id, 404])
    }
  })

  testRows(all)('refuses a query field that it does not know', async (path) => {
    const answer = await scene.admin.open(`${addressIn(path, scene)}?debug=1`)
    expect([answer.status, answer.text]).toEqual([422, expect.stringContaining('unknown field debug')])
  })

  testRows(all)(
    'redirects visitors who are not signed in to the sign-in page, also with an API key',
    async (path) => {
      const address = addressIn(path, scene)
      const keyed = await fetch(`${gate.api.url}${address}`, {
        redirect: 'manual',
        headers: { authorization: `Bearer ${scene.key}`, cookie: `session=${scene.key}` },
      })
      expect([keyed.status, keyed.headers.get('location')]).toEqual([303, '/console/sign-in'])
      const nobody = await visitor(gate).open(address)
      expect([nobody.status, nobody.headers.get('location'), nobody.html]).toEqual([
        303,
        '/console/sign-in',
        '',
      ])
    },
  )
})

describe('every page for administrators', () => {
  testRows(forAdmins)('is refused to a member, with a page', async (path) => {
    const page = await member.open(addressIn(path, scene))
    expect([page.status, page.text]).toEqual([
      403,
      expect.stringContaining('Only administrators of the account can open this page.'),
    ])
    expectHarmless(page)
    if (withForm.includes(path))
      expect((await member.send(addressIn(path, scene), formOf(path))).status).toBe(403)
  })

  test('is not offered to a member', async () => {
    const links = (await member.open('/console')).html.match(/<nav[^]*<\/nav>/)![0]
    expect([...links.matchAll(/href="([^"]+)"/g)].map(([, href]) => href)).toEqual([
      '/console',
      '/console/proposals',
      '/console/mandates',
      '/console/delegations',
      '/console/me',
      '/console/apps',
    ])
  })
})

describe('every form', () => {
  testRows(withForm)('is taken from our own pages alone', async (path) => {
    const { cookies } = scene.admin
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    for (const headers of [
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { origin: 'https://evil.example' },
      { origin: 'null' },
    ] as Record<string, string>[]) {
      const answer = await fetch(`${gate.api.url}${addressIn(path, scene)}`, {
        method: 'POST',
        headers: { ...headers, cookie },
        body: new URLSearchParams(formOf(path)),
      })
      expect([headers, answer.status]).toEqual([headers, 403])
    }
  })

  testRows(withForm)('is of no use without a session, also with an API key', async (path) => {
    const answer = await fetch(`${gate.api.url}${addressIn(path, scene)}`, {
      method: 'POST',
      redirect: 'manual',
      headers: { authorization: `Bearer ${scene.key}`, 'sec-fetch-site': 'same-origin' },
      body: new URLSearchParams(formOf(path)),
    })
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '/console/sign-in'])
  })

  testRows(withForm)('refuses a field that it does not have, and shows itself again', async (path) => {
    const page = await scene.admin.send(addressIn(path, scene), { ...formOf(path), is_admin: '1' })
    expect([page.status, page.text]).toEqual([422, expect.stringContaining('unknown field is_admin')])
    expect(page.html).toContain('<form method="post"')
    expectSafe(path, page)
  })

  testRows(withForm)('is small, and a form', async (path) => {
    const address = addressIn(path, scene)
    const bytesMax = pages.find((page) => page.path === path)!.formBytesMax ?? limits.consoleFormBytesMax
    const large = await scene.admin.send(address, { name: 'x'.repeat(bytesMax) })
    expect([large.status, large.text]).toEqual([413, expect.stringContaining('The form is too large')])
    const cookie = [...scene.admin.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const json = await fetch(`${gate.api.url}${address}`, {
      method: 'POST',
      headers: { cookie, 'content-type': 'application/json' },
      body: '{}',
    })
    expect([json.status, json.headers.get('content-type')]).toEqual([415, 'text/html; charset=utf-8'])
  })

  test('with a field given twice is refused: a reader of one of them may read the wrong one', async () => {
    const cookie = [...scene.admin.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const answer = await fetch(`${gate.api.url}/console/keys/new`, {
      method: 'POST',
      headers: { cookie, 'content-type': 'application/x-www-form-urlencoded' },
      body: 'name=a&name=b',
    })
    expect([answer.status, await answer.text()]).toEqual([
      422,
      expect.stringContaining('name was sent more than once'),
    ])
  })

  test.each(['PUT', 'DELETE', 'PATCH', 'OPTIONS'])('is not sent with %s', async (method) => {
    const cookie = [...scene.admin.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    for (const path of [
      ...all.map((one) => addressIn(one, scene)),
      ...outside,
      '/console/sign-out',
      stylePath,
    ]) {
      const { status } = await fetch(`${gate.api.url}${path}`, { method, headers: { cookie } })
      expect([path, status]).toEqual([path, path === stylePath ? 404 : 405])
    }
  })
})

test("a session's cookie is of no use at the API", async () => {
  const cookie = [...scene.admin.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  const token = scene.admin.cookies.get('session')!
  for (const headers of [{ cookie }, { authorization: `Bearer ${token}` }] as Record<string, string>[])
    for (const path of ['/api/v1/actions', '/api/mcp'])
      expect((await fetch(`${gate.api.url}${path}`, { headers })).status).toBe(401)
})

test('the stylesheet is kept for ever under a name of its own text, and nothing else of the console is', async () => {
  const { status, headers } = await fetch(`${gate.api.url}${stylePath}`)
  expect([status, headers.get('content-type'), headers.get('cache-control')]).toEqual([
    200,
    'text/css; charset=utf-8',
    'public, max-age=31536000, immutable',
  ])
  expect((await fetch(`${gate.api.url}/console/console.css`)).status).toBe(404)
})

test('a browser can install the console: it opens at what waits, and its icons have the size that they say', async () => {
  const answer = await fetch(`${gate.api.url}/console/app.webmanifest`)
  const manifest = (await answer.json()) as { start_url: string; icons: { src: string; sizes: string }[] }
  expect([answer.headers.get('content-type'), manifest.start_url]).toEqual([
    expect.stringContaining('application/manifest+json'),
    '/console/proposals',
  ])
  const found = [...manifest.icons, { src: '/console/icon-180.png', sizes: '180x180' }]
  for (const { src, sizes } of found) {
    const icon = await fetch(`${gate.api.url}${src}`)
    const bytes = Buffer.from(await icon.arrayBuffer())
    const size = `${bytes.readUInt32BE(16)}x${bytes.readUInt32BE(20)}`
    expect([icon.headers.get('content-type'), bytes.toString('latin1', 1, 4), size]).toEqual([
      'image/png',
      'PNG',
      sizes,
    ])
  }
  expect(found).toHaveLength(3)
})

test.each([
  [
    'a PUBLIC_URL of plain http',
    { PUBLIC_URL: 'http://gate.example' },
    {},
    'PUBLIC_URL must be the https address of the service.',
  ],
  ['a PUBLIC_URL with a path', { PUBLIC_URL: 'https://gate.example/gate' }, {}, 'PUBLIC_URL without a path'],
  ['another name than this machine', {}, { 'x-forwarded-host': '192.168.1.7:8787' }, 'the https address'],
] as [string, Record<string, string>, Record<string, string>, string][])(
  'under %s the console says what to set, and signs nobody in',
  async (_, env, headers, sentence) => {
    const own = await startConsole({ env })
    try {
      for (const method of ['GET', 'POST']) {
        const answer = await fetch(`${own.api.url}/console/sign-in`, { method, headers })
        expect([answer.status, await answer.text()]).toEqual([503, expect.stringContaining(sentence)])
      }
      const link = await invitation(own, (await own.account()).account, 'a@b.co')
      const answer = await fetch(`${own.api.url}${link}`, { method: 'POST', headers })
      expect([answer.status, answer.headers.getSetCookie()]).toEqual([503, []])
    } finally {
      await own.stop()
    }
  },
  60_000,
)

test('an administrator of one account is nobody in another', async () => {
  const stranger = await signedInAdmin(gate, other.account, 'stranger@two.example')
  expect((await stranger.open('/console/members')).html).not.toContain('ada@one.example')
  expect((await stranger.open(`/console/proposals/${scene.params['id']}`)).text).not.toContain(
    'ada@one.example',
  )
})

/** A form that would be taken, of each page. */
function formOf(path: string): Record<string, string> {
  const changed = { title: 'T', modules: '1', module_titles: '', grants: 'write', valid_days: '' }
  const forms: Record<string, Record<string, string>> = {
    '/console/sessions': { time_zone: 'Europe/Berlin' },
    '/console/connect/:client': { name: 'A key', member: 'ada@one.example' },
    '/console/keys/new': { name: 'A key', power_read: 'on' },
    '/console/keys/new/runner': { label: 'A key', member: 'ada@one.example' },
    '/console/keys/:key/rotate': { overlap: '24' },
    '/console/members/new': { name: 'Di', email: '', slack: '' },
    '/console/members/:member/edit': { name: 'Ada', email: 'ada@one.example', slack: 'U0ADA' },
    '/console/members/:member/tier': { tier: 'read_only' },
    '/console/members/:member/passes/:curriculum': { module: '1', at: '' },
    '/console/members/:member/passes/:curriculum/revoke': { module: 'all' },
    '/console/proposals/:id': { does: 'decline', shown: '0'.repeat(64), digest: '0'.repeat(64) },
    '/console/proposals/:id/cancel': { reason: 'No.' },
    '/console/proposals/:waiting/break-glass': {
      does: 'confirm',
      shown: '0'.repeat(64),
      digest: '0'.repeat(64),
      reason: 'Nobody else is there.',
    },
    '/console/break-glass/:broken': { verdict: 'justified', note: 'Fine' },
    '/console/members/import': { csv: 'name,email\nDi,di@one.example' },
    '/console/members/import/review': { csv: 'name,email\nDi,di@one.example', shown: '0'.repeat(64) },
    '/console/curricula/:curriculum/edit': changed,
    '/console/curricula/:curriculum/review': { ...changed, base: '1' },
    '/console/curricula/:curriculum/retire': { base: '1' },
    '/console/curricula/:curriculum/restore': { base: '1' },
    '/console/kinds/new-kind': { document: JSON.stringify(customerDeletion()) },
    '/console/kinds/new-kind/review': {
      do: 'declare',
      document: JSON.stringify(customerDeletion()),
      base: '2',
    },
    '/console/kinds/:declared/change': { document: JSON.stringify(customerDeletion()) },
    '/console/curricula/new': { title: 'T', slug: 'new-one', modules: '1', grants: 'write', valid_days: '' },
  }
  return forms[path] ?? {}
}
