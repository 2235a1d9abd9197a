import { describe, expect, test } from '@jest/globals'
import { limits } from '../../src/limits.ts'
import {
  allowAtSlack,
  browser,
  hiddenFields,
  installSlack,
  linkFor,
  ringOf,
  signedInFor,
} from '../support/connect.ts'
import { startGate } from '../support/gate.ts'
import { useGate } from '../support/use-gate.ts'

const gate = useGate({ env: { SECRETS_KEYS: ringOf('k1') } })

const ada = { email: 'ada@example.com' }

async function linkOf(provider: string, on = gate) {
  const account = await on.account()
  await account.addMember({ name: 'Ada', ...ada, tier: 'write' })
  const { url, id } = await linkFor(account.client, ada, provider)
  const ours = await signedInFor(on, url)
  return { ...account, url, id, ours, row: async () => (await account.client.get(id)).body }
}

describe("Slack's installation", () => {
  const callbackOf = async (url: string, visitor: ReturnType<typeof browser>) => {
    const begun = await visitor.send(url)
    return { begun, visitor, callback: await allowAtSlack(begun.headers.get('location')!) }
  }

  test("leads to Slack with a state, the scopes and our callback; the page's form may lead there", async () => {
    const { url, ours: visitor } = await linkOf('slack')
    const page = await visitor.open(url)
    const origin = new URL(gate.sandbox.url).origin
    expect(page.headers.get('content-security-policy')).toContain(`form-action 'self' ${origin};`)
    const begun = await visitor.send(url)
    expect([begun.status, begun.html]).toEqual([303, ''])
    const authorize = new URL(begun.headers.get('location')!)
    expect(authorize.href.split('?')[0]).toBe(`${origin}/slack/oauth/v2/authorize`)
    expect(Object.fromEntries(authorize.searchParams)).toEqual({
      client_id: 'sandbox-client',
      scope: 'chat:write,im:write,im:history,users:read,users:read.email',
      state: expect.stringMatching(/^[\w-]{43}$/),
      redirect_uri: `${gate.api.url}/integrations/slack/callback`,
    })
    expect(begun.headers.getSetCookie()).toEqual([
      expect.stringMatching(/^gate-connect=[\w-]{43}; Path=\/; Max-Age=900; HttpOnly; SameSite=Lax$/),
      expect.stringMatching(/^gate-return=[\w-]{43}; Path=\/; Max-Age=900; HttpOnly; SameSite=Strict$/),
    ])
  })

  test('ends once: a callback that is sent again connects nothing again', async () => {
    const { url, account, ours } = await linkOf('slack')
    const { visitor, callback } = await callbackOf(url, ours)
    const kept = new Map(visitor.cookies)
    expect((await visitor.open(callback)).status).toBe(200)
    expect([...visitor.cookies.keys()].toSorted()).toEqual(['gate-return', 'session'])
    const review = await visitor.open(url)
    expect((await visitor.send(url, hiddenFields(review))).status).toBe(200)
    for (const [name, value] of kept) visitor.cookies.set(name, value)
    const again = await visitor.open(callback)
    expect([again.status, again.text]).toEqual([
      409,
      expect.stringContaining('Open your connect link and start again.'),
    ])
    const rows = await gate.database.asSuperuser(
      `select 1 from gate.integration where account_id = '${account}'`,
    )
    expect(rows).toHaveLength(1)
  })

  test.each<[string, (cookies: Map<string, string>) => void]>([
    ['without the cookie', (cookies) => cookies.clear()],
    ['with the cookie of another beginning', (cookies) => cookies.set('gate-connect', 'B'.repeat(43))],
  ])('in another browser, %s, is refused, and the one that began can go on', async (_, change) => {
    const { url, ours, row } = await linkOf('slack')
    const { visitor, callback } = await callbackOf(url, ours)
    const other = browser()
    for (const [name, value] of visitor.cookies) other.cookies.set(name, value)
    change(other.cookies)
    const refused = await other.open(callback)
    expect([refused.status, refused.text]).toEqual([
      409,
      expect.stringContaining('This installation was not started in this browser'),
    ])
    expect((await row()).status).toBe('proposed')
    expect((await visitor.open(callback)).status).toBe(200)
  })

  test('with a made-up state, with none, and without a code connects nothing', async () => {
    const { url, ours, row } = await linkOf('slack')
    const { visitor, callback } = await callbackOf(url, ours)
    for (const change of [{ state: 'A'.repeat(43) }, { state: '' }]) {
      const changed = new URL(callback)
      for (const [name, value] of Object.entries(change)) changed.searchParams.set(name, value)
      expect((await visitor.open(changed)).status).toBe(409)
    }
    const bare = new URL(callback)
    bare.searchParams.delete('code')
    expect((await visitor.open(bare)).status).toBe(409)
    expect((await row()).status).toBe('proposed')
  })

  test('that the person declines connects nothing, its state is used up, and it can be begun again', async () => {
    const { url, ours: visitor } = await linkOf('slack')
    const begun = await visitor.send(url)
    const authorize = begun.headers.get('location')!
    const declined = await visitor.open(await allowAtSlack(authorize, 'deny'))
    expect([declined.status, declined.text]).toEqual([
      409,
      expect.stringContaining('The Slack installation was not allowed.'),
    ])
    const replayed = await visitor.open(await allowAtSlack(authorize))
    expect([replayed.status, replayed.text]).toEqual([
      409,
      expect.stringContaining('Open your connect link and start again.'),
    ])
    expect((await installSlack(visitor, url)).status).toBe(200)
  })

  test('with a code that was used elsewhere is refused by Slack', async () => {
    const [one, other] = [await linkOf('slack'), await linkOf('slack')]
    const first = await callbackOf(one.url, one.ours)
    const second = await callbackOf(other.url, other.ours)
    expect((await first.visitor.open(first.callback)).status).toBe(200)
    const mixed = new URL(second.callback)
    mixed.searchParams.set('code', new URL(first.callback).searchParams.get('code')!)
    const refused = await second.visitor.open(mixed)
    expect([refused.status, refused.text]).toEqual([
      409,
      expect.stringContaining('This installation was already used or has expired.'),
    ])
    expect((await other.row()).status).toBe('proposed')
  })

  test('may be begun five times, and the fifth may still end', async () => {
    const { url, ours: visitor, row } = await linkOf('slack')
    for (let n = 1; n < limits.connectTriesMax; n++) await visitor.send(url)
    const { callback } = await callbackOf(url, visitor)
    expect((await visitor.send(url)).status).toBe(410)
    expect((await visitor.open(callback)).status).toBe(200)
    const review = await visitor.open(url)
    expect((await visitor.send(url, hiddenFields(review))).status).toBe(200)
    expect((await row()).status).toBe('executed')
  })

  test('HEAD of the callback ends nothing', async () => {
    const { url, ours } = await linkOf('slack')
    const { visitor, callback } = await callbackOf(url, ours)
    expect((await visitor.open(callback, 'HEAD')).status).toBe(405)
    expect((await visitor.open(callback)).status).toBe(200)
  })
})

test('over https the cookie is bound to the host and to https, and Slack comes back to the public address', async () => {
  const https = await startGate({
    env: { SECRETS_KEYS: ringOf('k1'), PUBLIC_URL: 'https://gate.example/' },
    workers: false,
  })
  try {
    const { url, ours } = await linkOf('slack', https)
    expect(url).toMatch(/^https:\/\/gate\.example\/integrations\/connect\//)
    const begun = await ours.send(url.replace('https://gate.example', https.api.url))
    expect(begun.headers.getSetCookie()).toEqual([
      expect.stringMatching(
        /^__Host-gate-connect=[\w-]{43}; Path=\/; Max-Age=900; HttpOnly; SameSite=Lax; Secure$/,
      ),
      expect.stringMatching(
        /^__Host-gate-return=[\w-]{43}; Path=\/; Max-Age=900; HttpOnly; SameSite=Strict; Secure$/,
      ),
    ])
    const { searchParams } = new URL(begun.headers.get('location')!)
    expect(searchParams.get('redirect_uri')).toBe('https://gate.example/integrations/slack/callback')
  } finally {
    await https.stop()
  }
}, 60_000)
