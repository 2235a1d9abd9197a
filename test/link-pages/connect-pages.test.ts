import { describe, expect, test } from '@jest/globals'
import { limits } from '../../src/limits.ts'
import { bring, browser, connectBy, goodForm, linkFor, ringOf, signedInFor } from '../support/connect.ts'
import { startGate } from '../support/gate.ts'
import { useGate } from '../support/use-gate.ts'
import { testRows } from '../support/rows.ts'

const gate = useGate({ env: { SECRETS_KEYS: ringOf('k1') } })

const ada = { email: 'ada@example.com' }

async function linkOf(provider: string, on = gate) {
  const account = await on.account()
  await account.addMember({ name: 'Ada <b>Lovelace</b>', ...ada, tier: 'write' })
  const { url, id } = await linkFor(account.client, ada, provider)
  const ours = await signedInFor(on, url)
  return { ...account, url, id, ours, row: async () => (await account.client.get(id)).body }
}

const tries = async (account: string) =>
  (
    await gate.database.asSuperuser(
      `select tries from gate_private.connect_link where account_id = '${account}'`,
    )
  )[0]!['tries']

describe('the page of a link', () => {
  test('says who asks for what, warns of the sandbox, and shows text as text', async () => {
    const { url, ours } = await linkOf('stripe')
    const page = await ours.open(url)
    expect(page.status).toBe(200)
    for (const text of [
      'Connect Stripe',
      '(ada@example.com)',
      'Test',
      'Do not enter a real key',
      'restricted key',
    ])
      expect(page.text).toContain(text)
    expect(page.html).toContain('Ada &lt;b&gt;Lovelace&lt;/b&gt;')
  })

  test('runs no script, loads nothing, is framed by nobody, kept by nobody and referred to nobody', async () => {
    const { url, ours } = await linkOf('resend')
    const unknown = url.replace(/.{43}$/, 'A'.repeat(43))
    for (const page of [
      await browser().open(url),
      await ours.open(url),
      await browser().open(unknown),
      await ours.send(url, { key: 'x' }),
      await bring(ours, url, goodForm.resend),
    ]) {
      expect(page.html).not.toMatch(/<script|\son\w+=|javascript:|<link|<img|src=/i)
      expect(Object.fromEntries(page.headers)).toMatchObject({
        'content-security-policy':
          "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
        'cache-control': 'no-store',
        'referrer-policy': 'same-origin',
        'x-frame-options': 'DENY',
        'x-content-type-options': 'nosniff',
      })
    }
  })

  test('is opened and looked at as often as somebody likes, and the link still works', async () => {
    const { url, account, ours, row } = await linkOf('stripe')
    for (let n = 0; n < 7; n++) {
      expect((await ours.open(url)).status).toBe(200)
      const head = await ours.open(url, 'HEAD')
      expect([head.status, head.html]).toEqual([200, ''])
    }
    expect([await tries(account), (await row()).status]).toEqual([0, 'proposed'])
    expect((await connectBy(ours, url, goodForm.stripe)).status).toBe(200)
  })

  test('of a link that was used says so, and what to do', async () => {
    const { url, ours } = await linkOf('stripe')
    await connectBy(ours, url, goodForm.stripe)
    for (const page of [await browser().open(url), await ours.send(url, goodForm.stripe)])
      expect([page.status, page.text]).toEqual([
        410,
        expect.stringContaining('Link already used This link was already used: Stripe is connected.'),
      ])
  })

  testRows(['', 'x', 'A'.repeat(42), 'A'.repeat(43), 'A'.repeat(44), '%00', "'", 'A'.repeat(300)])(
    'of a link that nobody made is a page too, and tells nothing',
    async (token) => {
      for (const method of ['GET', 'POST']) {
        const { status, headers } = await fetch(`${gate.api.url}/integrations/connect/${token}`, { method })
        expect([status, headers.get('www-authenticate')]).toEqual([404, null])
      }
    },
  )

  test.each(['PUT', 'DELETE', 'PATCH', 'OPTIONS'])('%s is not a way to use it', async (method) => {
    const { url, row } = await linkOf('stripe')
    expect((await fetch(url, { method })).status).toBe(405)
    expect((await row()).status).toBe('proposed')
  })
})

describe('the form', () => {
  testRows<[string, Record<string, string>, number]>([
    ['another site', { 'sec-fetch-site': 'cross-site' }, 403],
    ["another port of ours, or a brother's page", { 'sec-fetch-site': 'same-site' }, 403],
    ['another site, by an old browser', { origin: 'https://evil.example' }, 403],
    ['a page that hides where it is', { origin: 'null' }, 403],
    ['our own page', { 'sec-fetch-site': 'same-origin' }, 303],
    ['our own page, by an old browser', { origin: 'OWN' }, 303],
    ['no browser', {}, 303],
  ])('sent from anywhere but our pages is refused', async (_, headers, status) => {
    const { url, account, ours } = await linkOf('stripe')
    const own = new URL(gate.api.url).origin
    const given = Object.fromEntries(Object.entries(headers).map(([n, v]) => [n, v.replace('OWN', own)]))
    const body = new URLSearchParams(goodForm.stripe)
    const cookie = `session=${ours.cookies.get('session')}`
    const headed = { ...given, cookie }
    const answer = await fetch(url, { method: 'POST', headers: headed, body, redirect: 'manual' })
    expect(answer.status).toBe(status)
    expect(await tries(account)).toBe(status === 303 ? 1 : 0)
  })

  test('takes a form alone, and a small one', async () => {
    const { url, account } = await linkOf('stripe')
    const json = { 'content-type': 'application/json' }
    const asJson = await fetch(url, { method: 'POST', headers: json, body: JSON.stringify(goodForm.stripe) })
    const large = await browser().send(url, { key: 'sk_test_'.padEnd(limits.connectFormBytesMax, 'a') })
    expect([asJson.status, large.status]).toEqual([415, 413])
    expect([asJson.headers.get('content-type'), large.text]).toEqual([
      'text/html; charset=utf-8',
      expect.stringContaining('Enter only the key.'),
    ])
    expect(await tries(account)).toBe(0)
  })

  testRows<['stripe' | 'resend', Record<string, string>, string]>([
    ['stripe', { key: 're_hush123' }, 'This is a Resend key, but this page connects Stripe.'],
    ['stripe', { key: 'xoxb-hush123' }, 'This is a Slack token, but this page connects Stripe.'],
    ['stripe', { key: 'pk_test_hush123' }, 'This is a publishable Stripe key'],
    ['stripe', { key: 'sk_live_hush123' }, 'This is a live key, but this service runs in the sandbox'],
    ['stripe', {}, 'Nothing was pasted.'],
    ['resend', { key: 'sk_test_hush123', sender: 'a@b.co' }, 'this page connects Resend.'],
    ['resend', { key: 're_hush123', sender: 'Acme' }, 'The sender must be an address'],
    ['resend', { key: 're_hush123' }, 'The sender must be an address'],
  ])(
    'with what cannot be right says so above itself, shows no key, and costs no try',
    async (provider, form, sentence) => {
      const { url, account, ours, row } = await linkOf(provider)
      const page = await ours.send(url, form)
      expect([page.status, page.text]).toEqual([422, expect.stringContaining(sentence)])
      expect(page.html).toContain('<form method="post"')
      expect(page.html).not.toContain('hush')
      expect([await tries(account), (await row()).status]).toEqual([0, 'proposed'])
    },
  )

  test.each(['stripe', 'resend'] as const)(
    'with a key that %s refuses can be sent again, five times in all',
    async (provider) => {
      const { url, account, ours, row } = await linkOf(provider)
      const wrong = { ...goodForm[provider], key: goodForm[provider].key.replace('Own', 'invalid') }
      for (let n = 1; n < limits.connectTriesMax; n++) {
        const page = await ours.send(url, wrong)
        expect([page.status, page.text]).toEqual([422, expect.stringContaining('refuses this key (')])
        expect(page.html).not.toContain('invalidKey')
        // A field that is no secret need not be typed again.
        if (provider === 'resend') expect(page.html).toContain('value="Acme &lt;hello@acme.example&gt;"')
      }
      expect((await ours.open(url)).status).toBe(200)
      const last = await ours.send(url, wrong)
      expect([last.status, last.text]).toEqual([
        410,
        expect.stringContaining('Too many attempts with this link.'),
      ])
      const good = await ours.send(url, goodForm[provider])
      expect([good.status, (await row()).status]).toEqual([410, 'proposed'])
      expect(await tries(account)).toBe(limits.connectTriesMax)
    },
  )

  test('with a right key after a wrong one connects', async () => {
    const { url, ours, row } = await linkOf('stripe')
    await ours.send(url, { key: 'sk_test_invalid' })
    expect((await connectBy(ours, url, goodForm.stripe)).status).toBe(200)
    expect((await row()).status).toBe('executed')
  })

  test("a Resend key that may only send is as good: Resend's own advice", async () => {
    const { url, ours } = await linkOf('resend')
    expect((await connectBy(ours, url, { ...goodForm.resend, key: 're_sending_only' })).status).toBe(200)
  })
})

test('without SECRETS_KEYS, and for Slack without its app, the tool says what is missing, and records nothing', async () => {
  const bare = await startGate({ workers: false })
  const real = await startGate({
    env: { SECRETS_KEYS: ringOf('k1'), STRIPE_SECRET_KEY: 'sk_test_1' },
    workers: false,
  })
  try {
    for (const [on, provider, missing] of [
      [bare, 'stripe', 'SECRETS_KEYS'],
      [real, 'slack', 'SLACK_CLIENT_ID'],
    ] as const) {
      const { client, addMember } = await on.account()
      await addMember({ ...ada, tier: 'write' })
      await expect(linkFor(client, ada, provider)).rejects.toThrow(missing)
      expect((await client.list()).body.actions).toEqual([])
    }
  } finally {
    await bare.stop()
    await real.stop()
  }
}, 60_000)

test('an address that asks for too many pages is told to wait, and the API goes on for it', async () => {
  const own = await startGate({ env: { SECRETS_KEYS: ringOf('k1') }, workers: false })
  try {
    const unknown = `${own.api.url}/integrations/connect/${'A'.repeat(43)}`
    const statuses = new Set<number>()
    for (let n = 0; n < limits.connectPagesPerMinute; n++) statuses.add((await fetch(unknown)).status)
    expect([...statuses]).toEqual([404])
    const refused = await browser().open(unknown)
    expect([refused.status, refused.text]).toEqual([429, expect.stringContaining('Too many requests')])
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    expect((await fetch(`${own.api.url}/healthz`)).status).toBe(200)
  } finally {
    await own.stop()
  }
}, 60_000)
