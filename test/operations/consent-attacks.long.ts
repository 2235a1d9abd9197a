import { describe, expect, test } from '@jest/globals'
import { limits } from '../../src/limits.ts'
import { verifyLedger } from '../../src/ledger/verify.ts'
import { apiClient } from '../support/api-client.ts'
import { entriesOf, entryKindsOf, overtake } from '../support/ledger-entries.ts'
import { browser, connect, ringOf } from '../support/connect.ts'
import {
  type Click,
  askedByMail,
  askedInSlack,
  inOneLine,
  clickBody,
  decideBy,
  interact,
  linksTo,
  pressInSandbox,
  shownOn,
  slackRequests,
  type SlackBlock,
} from '../support/consent.ts'
import { startGate } from '../support/gate.ts'
import { useGate } from '../support/use-gate.ts'
import { until } from '../support/until.ts'
import { usedBefore } from '../support/used-key.ts'
import { moveExpiry } from '../support/expiry.ts'
import { testRows } from '../support/rows.ts'

const gate = useGate()

let people = 0
/** A member who was asked about a broadcast, by each of the two ways. */
async function asked(consent: 'chat' | 'page', names: { name?: string; message?: string } = {}) {
  const account = await gate.account()
  await account.setPolicy({ kinds: { broadcast: { tier: 'guarded_write', consent } } })
  const identities = { email: `ada${++people}@example.com`, slack: `U0000ADA${people}` }
  const ada = await account.addMember({ name: names.name ?? 'Ada', ...identities, tier: 'guarded_write' })
  const actor = { email: ada.email }
  const { body } = await account.client.propose(actor, names.message ?? 'Lunch is at noon.')
  const id = body.id as number
  const confirmed = await account.client.confirm(id, actor)
  if (confirmed.status !== 202) throw new Error(JSON.stringify(confirmed.body))
  const isChat = consent === 'chat'
  return {
    ...account,
    ada,
    actor,
    id,
    token: isChat ? (await askedInSlack(gate, ada.slack!)).token! : '',
    link: isChat ? '' : (await askedByMail(gate, ada.email!)).link,
    row: async () => (await account.client.get(id)).body,
    refusals: async () =>
      (await entriesOf(gate.database, account.account, id))
        .filter(({ kind }) => kind === 'decision_refused')
        .map(({ entry }) => [entry.data['reason'], entry.data['source']]),
    delivered: () =>
      gate.sandbox
        .messages(1_000)
        .filter(({ to, text }) => to === ada.slack && text === (names.message ?? 'Lunch is at noon.')),
  }
}

type Asked = Awaited<ReturnType<typeof asked>>
const click = (one: Asked, given: Partial<Click> = {}) =>
  interact(gate.api.url, clickBody({ token: one.token, user: one.ada.slack!, ...given }))

describe('an agent', () => {
  test('that connects an e-mail of its own does not get the requests to decide', async () => {
    const own = await startGate({
      env: { SECRETS_KEYS: ringOf('k1') },
      channels: {},
    })
    try {
      const account = await own.account()
      await account.setPolicy({ kinds: { broadcast: { tier: 'guarded_write', consent: 'page' } } })
      await account.addMember({ name: 'Ada', email: 'ada@example.com', tier: 'write' })
      const actor = { email: 'ada@example.com' }
      await connect(own, account.client, actor, 'resend')
      const { body } = await account.client.propose(actor, 'Lunch is at noon.')
      expect(body).toMatchObject({ status: 'denied', denial_reason: expect.stringContaining('page') })
      expect(linksTo(own, 'ada@example.com')).toEqual([])
    } finally {
      await own.stop()
    }
  }, 60_000)

  test('cannot have a member asked without end: past so many within an hour it is 429, and the row stays open', async () => {
    const one = await asked('page')
    await gate.database.asSuperuser(
      `insert into gate.consent_request (account_id, action_id, n, is_reminder, required, via, address, state, created_at)
       select '${one.account}', ${one.id}, n, false, 'page', 'email', 'x@example.com', 'sent', clock_timestamp()
       from generate_series(2, ${limits.consentAsksPerHourMax}) n`,
    )
    const { body } = await one.client.propose(one.actor, 'Dinner is at eight.')
    const answer = await one.client.confirm(body.id, one.actor)
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([429, '600'])
    expect((await one.client.get(body.id)).body).toMatchObject({ status: 'proposed' })
    expect((await one.client.get(body.id)).body.consent_request).toBeUndefined()
    expect(linksTo(gate, one.ada.email!)).toHaveLength(1)
  })

  /** Makes it look as if the member had been asked so many times more, by that key, so long ago. */
  const askedMore = (one: Asked, times: number, by: string | null, ago = '1 minute') =>
    gate.database.asSuperuser(
      `insert into gate.consent_request
         (account_id, action_id, n, is_reminder, required, via, address, state, created_at, member_id, asked_key)
       select '${one.account}', ${one.id}, m.n + g, false, 'page', 'email', 'x@example.com', 'sent',
         clock_timestamp() - interval '${ago}', '${one.ada.memberId}', ${by === null ? 'null' : `'${by}'`}
       from generate_series(1, ${times}) g,
         lateral (select max(n) as n from gate.consent_request where account_id = '${one.account}' and action_id = ${one.id}) m`,
    )
  const confirmAnother = async (one: Asked, client = one.client) => {
    const { body } = await client.propose(one.actor, `Dinner is at ${Math.random()}.`)
    const { status, body: answer } = await client.confirm(body.id, one.actor)
    return [status, answer.error]
  }

  test('cannot have a member asked more than so many times a day, by however many keys', async () => {
    const one = await asked('page')
    await askedMore(one, limits.consentAsksPerDayMax - 1, null, '23 hours')
    expect(await confirmAnother(one)).toEqual([
      429,
      `This member got ${limits.consentAsksPerDayMax} consent requests within 24 hours, the maximum. No request was sent. The proposal stays open: confirm it later.`,
    ])
  })

  test('cannot use up what other keys may ask: half of an hour and of a day is theirs', async () => {
    const one = await asked('page')
    const { key, keyId } = await one.mintKey()
    const other = apiClient(gate.api.url, key)
    await usedBefore(gate.database, keyId)
    await askedMore(one, limits.consentAsksPerHourMax / 2 - 1, one.keyId)
    const refused = [429, expect.stringMatching(/^This API key has used its half of the consent requests/)]
    expect(await confirmAnother(one)).toEqual(refused)
    expect(await confirmAnother(one, other)).toEqual([202, undefined])
    await gate.database.asSuperuser(
      `update gate.consent_request set created_at = created_at - interval '2 hours' where account_id = '${one.account}'`,
    )
    expect(await confirmAnother(one)).toEqual([202, undefined])
    await askedMore(one, limits.consentAsksPerDayMax / 2, one.keyId, '2 hours')
    expect(await confirmAnother(one)).toEqual(refused)
    expect(await confirmAnother(one, other)).toEqual([202, undefined])
  })

  test('that is the only one may ask as often as the member may be asked', async () => {
    const one = await asked('page')
    await askedMore(one, limits.consentAsksPerHourMax - 2, one.keyId)
    expect(await confirmAnother(one)).toEqual([202, undefined])
    expect(await confirmAnother(one)).toEqual([
      429,
      expect.stringMatching(/^This member got 30 consent requests within an hour/),
    ])
  })

  test('that proposes the same twice has the second card say so', async () => {
    const one = await asked('page')
    const { body } = await one.client.propose(one.actor, 'Lunch is at noon.')
    await one.client.confirm(body.id, one.actor)
    const { text } = await askedByMail(gate, one.ada.email!, 2)
    expect(text).toContain(`Same as: #${one.id}, which was open when this was proposed`)
  })
})

describe('an interaction that Slack did not send, or not now', () => {
  test.each<[string, Parameters<typeof interact>[2]]>([
    ['forged, with another secret', { secret: 'not-the-signing-secret' }],
    ['forged, with no signature', { signature: '' }],
    ['stale by more than five minutes', { atMs: Date.now() - 310_000 }],
    ['dated more than five minutes into the future', { atMs: Date.now() + 400_000 }],
  ])('%s: 401, and nothing is decided', async (_, how) => {
    const one = await asked('chat')
    const answer = await interact(gate.api.url, clickBody({ token: one.token, user: one.ada.slack! }), how)
    expect(answer.status).toBe(401)
    expect((await one.row()).status).toBe('proposed')
    expect(await entryKindsOf(gate.database, one.account, one.id)).not.toContain('confirmed')
  })

  test('changed by a byte after it was signed: 401', async () => {
    const one = await asked('chat')
    const signed = clickBody({ token: one.token, user: one.ada.slack!, action: 'gate_decline' })
    const { slackSignature } = await import('../../src/providers/slack/signature.ts')
    const timestamp = String(Math.floor(Date.now() / 1_000))
    const signature = slackSignature(
      { timestamp, body: Buffer.from(signed) },
      gate.deps.providers.slackSigningSecret!,
    )
    const changed = signed.replace('gate_decline', 'gate_approve')
    const answer = await interact(gate.api.url, changed, { signature, atMs: Number(timestamp) * 1_000 })
    expect([answer.status, (await one.row()).status]).toEqual([401, 'proposed'])
  })

  test('replayed, as it was: the second changes nothing, is written down, and nothing is sent twice', async () => {
    const one = await asked('chat')
    const body = clickBody({ token: one.token, user: one.ada.slack! })
    const atMs = Date.now()
    for (let n = 0; n < 3; n++) expect((await interact(gate.api.url, body, { atMs })).status).toBe(200)
    await until('executed', async () => (await one.row()).status === 'executed')
    expect((await interact(gate.api.url, body, { atMs })).status).toBe(200)
    expect(await one.refusals()).toEqual([1, 2, 3].map(() => ['not_open', 'slack']))
    expect(one.delivered()).toHaveLength(1)
    expect(await verifyLedger(gate.database.db, one.account)).toMatchObject({ ok: true })
  })
})

describe('a click that Slack signed, and that is not the member’s', () => {
  test.each<[string, Partial<Click>, string]>([
    ['of another user', { user: 'U0EVE' }, 'not_proposer'],
    ['of the same user id in another team', { team: 'TOTHER' }, 'other_workspace'],
  ])('%s is refused and written down', async (_, given, reason) => {
    const one = await asked('chat')
    expect((await click(one, given)).status).toBe(200)
    expect([(await one.row()).status, await one.refusals()]).toEqual(['proposed', [[reason, 'slack']]])
    // It has spent nothing: the member still decides.
    await click(one)
    await until('executed', async () => (await one.row()).status === 'executed')
  })

  test('on a button of another account’s request decides about that one alone', async () => {
    const [one, other] = [await asked('chat'), await asked('chat')]
    expect((await click(one, { token: other.token })).status).toBe(200)
    expect([(await one.row()).status, (await other.row()).status]).toEqual(['proposed', 'proposed'])
    expect([await one.refusals(), await other.refusals()]).toEqual([[], [['not_proposer', 'slack']]])
  })

  test.each(['', 'x', 'A'.repeat(43), "' or 1=1 --"])(
    'with a value that nobody was given: %j',
    async (token) => {
      const one = await asked('chat')
      expect((await click(one, { token })).status).toBe(200)
      expect((await one.row()).status).toBe('proposed')
    },
  )

  test('by a token of the mailbox, and a page by one of Slack: each way knows its own alone', async () => {
    const [chat, page] = [await asked('chat'), await asked('page')]
    await click(page, { token: page.link.slice(-43) })
    expect([(await page.row()).status, await page.refusals()]).toEqual(['proposed', []])
    const foreign = `${gate.api.url}/decide/${chat.token}`
    for (const answer of [await browser().open(foreign), await browser().send(foreign, { does: 'confirm' })])
      expect(answer.status).toBe(404)
    expect((await chat.row()).status).toBe('proposed')
  })
})

test.each([
  ['no payload', 'x=1'],
  ['no JSON', 'payload=%7B'],
  ['another interaction', `payload=${encodeURIComponent('{"type":"view_submission"}')}`],
  ['a button of somebody else', clickBody({ token: 'x', user: 'U1', action: 'other' })],
])('an interaction that is none of ours is acknowledged and changes nothing: %s', async (_, body) => {
  const answer = await interact(gate.api.url, body)
  expect([answer.status, await answer.text()]).toEqual([200, ''])
})

test.each(['__proto__', 'constructor', 'toString'])(
  'a press of a button named %s decides nothing: every object has something of that name',
  async (action) => {
    const one = await asked('chat')
    expect((await click(one, { action })).status).toBe(200)
    expect(await entryKindsOf(gate.database, one.account, one.id)).not.toContain('confirmed')
  },
)

test('a Slack request without a valid form, or above the size limit, is refused', async () => {
  const url = `${gate.api.url}/integrations/slack/interactions`
  const json = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' }
  expect((await fetch(url, json)).status).toBe(415)
  expect((await interact(gate.api.url, `payload=${'x'.repeat(300_000)}`)).status).toBe(413)
  expect((await fetch(url)).status).toBe(405)
})

describe('a link', () => {
  test('that is opened by whatever scans mail decides nothing, however often', async () => {
    const one = await asked('page')
    const before = await entryKindsOf(gate.database, one.account, one.id)
    for (let n = 0; n < 5; n++) {
      expect((await browser().open(one.link)).status).toBe(200)
      expect((await browser().open(one.link, 'HEAD')).status).toBe(200)
      expect((await browser().open(`${one.link}?does=confirm&shown=${'0'.repeat(64)}`)).status).toBe(200)
    }
    expect(await entryKindsOf(gate.database, one.account, one.id)).toEqual(before)
    expect((await decideBy(one.link)).status).toBe(200)
  })

  test('decides once: the second time it says what has become of it, and that is written down', async () => {
    const one = await asked('page')
    const shown = shownOn((await browser().open(one.link)).html)
    expect((await browser().send(one.link, { does: 'confirm', shown })).status).toBe(200)
    expect([(await browser().open(one.link)).status]).toEqual([410])
    const again = await browser().send(one.link, { does: 'decline', shown })
    expect([again.status, again.text]).toEqual([410, expect.stringContaining('already approved')])
    expect(await one.refusals()).toEqual([['not_open', 'email']])
    expect((await one.row()).status).toBe('executed')
  })

  test.each([
    ['another site', { 'sec-fetch-site': 'cross-site' }],
    ['a brother', { 'sec-fetch-site': 'same-site' }],
    ['another site, by an old browser', { origin: 'https://evil.example' }],
    ['a page that hides where it is', { origin: 'null' }],
  ])('takes no form of %s, and writes that down', async (_, headers) => {
    const one = await asked('page')
    const shown = shownOn((await browser().open(one.link)).html)
    const body = new URLSearchParams({ does: 'confirm', shown })
    expect((await fetch(one.link, { method: 'POST', headers, body })).status).toBe(403)
    expect([(await one.row()).status, await one.refusals()]).toEqual([
      'proposed',
      [['foreign_form', 'email']],
    ])
  })

  test('takes no form with a field twice: it would be unclear which value counts', async () => {
    const one = await asked('page')
    const shown = shownOn((await browser().open(one.link)).html)
    const body = new URLSearchParams({ does: 'decline', shown })
    body.append('does', 'confirm')
    const headers = { 'sec-fetch-site': 'same-origin' }
    const answer = await fetch(one.link, { method: 'POST', headers, body })
    expect([answer.status, await answer.text()]).toEqual([
      422,
      expect.stringContaining('does was sent more than once'),
    ])
    expect((await one.row()).status).toBe('proposed')
  })

  testRows([
    [{}, 422],
    [{ does: 'confirm' }, 422],
    [{ does: 'confirm', shown: 'x' }, 422],
    [{ does: 'execute', shown: '0'.repeat(64) }, 422],
    [{ does: 'confirm', shown: '0'.repeat(64) }, 409],
  ])('takes no form that is not its own', async (form, status) => {
    const one = await asked('page')
    expect((await browser().send(one.link, form as Record<string, string>)).status).toBe(status)
    expect((await one.row()).status).toBe('proposed')
  })

  testRows(['x', 'A'.repeat(43), 'A'.repeat(44), '%00', "'"])('that nobody made is a 404', async (token) => {
    for (const method of ['GET', 'HEAD', 'POST'])
      expect((await fetch(`${gate.api.url}/decide/${token}`, { method })).status).toBe(404)
  })

  test.each(['PUT', 'DELETE', 'PATCH', 'OPTIONS'])('%s is not a way to use it', async (method) => {
    expect((await fetch(`${gate.api.url}/decide/${'A'.repeat(43)}`, { method })).status).toBe(405)
  })

  test('runs no script, loads nothing, is framed by nobody and kept by nobody, whatever it says', async () => {
    const one = await asked('page')
    const pages = [await browser().open(one.link), await browser().open(`${one.link.slice(0, -1)}!`)]
    for (const page of pages) {
      expect(page.html).not.toMatch(/<script|\son\w+=|javascript:|<link|<img|src=/i)
      expect(Object.fromEntries(page.headers)).toMatchObject({
        'content-security-policy':
          "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
        'cache-control': 'no-store',
        'referrer-policy': 'same-origin',
        'x-frame-options': 'DENY',
      })
    }
  })
})

describe('a decision that comes too late, or to nobody', () => {
  const changes: [string, string, (one: Asked) => Promise<unknown>][] = [
    ['a cancel', 'not_open', (one) => one.client.cancel(one.id, one.actor)],
    ['the expiry', 'expired', (one) => moveExpiry(gate.database, one.account, -8)],
    ['the member was deactivated', 'inactive', (one) => one.setActive(one.ada, false)],
    ['the account was suspended', 'suspended', (one) => one.suspend(true)],
    [
      'the member has another mailbox and another Slack',
      'identity',
      (one) => one.setIdentity(one.ada, { email: `new${++people}@example.com`, slack: `U0NEW${people}` }),
    ],
  ]
  testRows(changes)(
    'after a change: refused in Slack and on the page, and nothing is executed',
    async (_, reason, change) => {
      const [chat, page] = [await asked('chat'), await asked('page')]
      const shown = shownOn((await browser().open(page.link)).html)
      await change(chat)
      await change(page)
      expect((await click(chat)).status).toBe(200)
      const answer = await browser().send(page.link, { does: 'confirm', shown })
      expect([409, 410]).toContain(answer.status)
      expect(await chat.refusals()).toEqual([[reason, 'slack']])
      expect(await page.refusals()).toEqual([[reason, 'email']])
      for (const one of [chat, page]) {
        expect((await one.row()).status).not.toBe('executed')
        expect(one.delivered()).toEqual([])
        if (reason === 'expired') await moveExpiry(gate.database, one.account, 8)
        expect(await verifyLedger(gate.database.db, one.account)).toMatchObject({ ok: true })
      }
    },
  )

  test('a stop that was lifted is no end: the same button decides then', async () => {
    const one = await asked('chat')
    await one.suspend(true)
    await click(one)
    expect(await one.refusals()).toEqual([['suspended', 'slack']])
    const { message } = slackRequests(gate, one.ada.slack!)[0]!
    await pressInSandbox(gate, message)
    // It is said in the message, and its buttons stay.
    await until('it says why', async () => slackRequests(gate, one.ada.slack!)[0]!.text.includes('suspended'))
    expect(slackRequests(gate, one.ada.slack!)[0]!.token).toBe(one.token)
    await one.suspend(false)
    await click(one)
    await until('executed', async () => (await one.row()).status === 'executed')
  })

  test('a tier that is lowered while the click is on its way: denied', async () => {
    const one = await asked('chat')
    const lower = `update gate.member set admin_tier = 'read_only', version = version + 1 where account_id = '${one.account}'`
    await overtake(gate.database, one.account, () => click(one), lower)
    await until('denied', async () => (await one.row()).status === 'denied')
    expect(one.delivered()).toEqual([])
  })
})

describe('exactly one of several decisions at the same moment wins:', () => {
  test('Slack twice, the agent’s cancel, and the console of the same member', async () => {
    for (let round = 0; round < 5; round++) {
      const one = await asked('chat')
      const { message } = slackRequests(gate, one.ada.slack!)[0]!
      await Promise.all([
        click(one),
        click(one, { action: 'gate_decline' }),
        pressInSandbox(gate, message),
        one.client.cancel(one.id, one.actor),
      ])
      const row = await until('it has ended', async () => {
        const now = await one.row()
        return now.status !== 'proposed' && now
      })
      const kinds = await entryKindsOf(gate.database, one.account, one.id)
      const decided = kinds.filter((kind) => ['confirmed', 'cancelled'].includes(kind))
      expect([decided.length, one.delivered().length]).toEqual([1, row.status === 'executed' ? 1 : 0])
      expect(kinds.filter((kind) => kind === 'decision_refused')).toHaveLength(3)
    }
  })

  test('Slack and the page, both held at the lock of the ledger: executed once, the other is told', async () => {
    const one = await asked('chat')
    await one.setPolicy({ kinds: { broadcast: { tier: 'guarded_write', consent: 'page' } } })
    await one.client.confirm(one.id, one.actor)
    const { link } = await askedByMail(gate, one.ada.email!)
    // Both are strong enough now.
    await one.setPolicy({ kinds: { broadcast: { tier: 'guarded_write', consent: 'chat' } } })
    const shown = shownOn((await browser().open(link)).html)
    const send = () => Promise.all([click(one), browser().send(link, { does: 'confirm', shown })])
    const [, page] = await overtake(gate.database, one.account, send, 'select 1')
    const row = await until('executed', async () => {
      const now = await one.row()
      return now.status === 'executed' && now
    })
    expect(page.status).toBe(row.consent.channel === 'email' ? 200 : 410)
    expect(await one.refusals()).toEqual([['not_open', row.consent.channel === 'email' ? 'slack' : 'email']])
    expect(one.delivered()).toHaveLength(1)
  })
})

describe('markup', () => {
  const markup = '<b onclick="x()">Ada</b> & <!channel> <https://evil.example|ok> \u202Egnp.exe'
  const shown = markup.replace('\u202E', '⟨U+202E⟩')

  test('in a name and a message is characters in Slack, on the stand-in’s page too', async () => {
    const one = await asked('chat', { name: markup, message: markup })
    const { text, message } = slackRequests(gate, one.ada.slack!)[0]!
    expect(inOneLine(text)).toContain(`│ ${shown}`)
    expect(text).toContain(`Decided by: ${shown} (`)
    // Only a quote may have them: there they are characters.
    const unquoted = (message.blocks as SlackBlock[]).filter(({ type }) => type !== 'rich_text')
    expect(JSON.stringify(unquoted)).not.toMatch(/<!channel>|<https:/)
    const page = await (await fetch(gate.sandbox.url)).text()
    expect(page).not.toContain('<b onclick')
    expect(page).toContain('&lt;b onclick=&quot;x()&quot;&gt;')
  })

  test('in a name and a message is characters in the e-mail and on the page', async () => {
    const one = await asked('page', { name: markup, message: markup })
    expect(inOneLine((await askedByMail(gate, one.ada.email!)).text)).toContain(`│ ${shown}`)
    const { html } = await browser().open(one.link)
    expect(html).not.toMatch(/<b onclick|<!channel>|\u202E/)
    // Three times on the card, once in the form that changes the message.
    expect(html.match(/&lt;b onclick=&quot;x\(\)&quot;&gt;Ada&lt;\/b&gt;/g)).toHaveLength(4)
  })
})

test('the sandbox presses nothing for a page of another site', async () => {
  const one = await asked('chat')
  const { message } = slackRequests(gate, one.ada.slack!)[0]!
  const answer = await fetch(new URL('/slack/press', gate.sandbox.url), {
    method: 'POST',
    headers: { 'sec-fetch-site': 'cross-site' },
    body: new URLSearchParams({ message: message.id, action: 'gate_approve' }),
  })
  expect([answer.status, (await one.row()).status]).toEqual([403, 'proposed'])
})
