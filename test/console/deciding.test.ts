import { describe, expect, test } from '@jest/globals'
import { verifyLedger } from '../../src/ledger/verify.ts'
import { entriesOf, entryKindsOf, overtake } from '../support/ledger-entries.ts'
import { linkFor, ringOf } from '../support/connect.ts'
import { askedByMail, askedInSlack, clickBody, decideBy, interact } from '../support/consent.ts'
import { type Visitor, signedInAdmin, signedInByMail } from '../support/console.ts'
import { formOf } from '../support/form-of.ts'
import { useConsole } from '../support/use-gate.ts'
import { until } from '../support/until.ts'
import { moveExpiry } from '../support/expiry.ts'
import { testRows } from '../support/rows.ts'

const gate = useConsole({ workers: true, env: { SECRETS_KEYS: ringOf('k1') } })

let people = 0
const message = 'Lunch is at noon.'

/** A member with an open broadcast, which needs their own consent, and their browser at the console. */
async function waiting(consent: 'agent_attested' | 'chat' | 'page' = 'page') {
  const account = await gate.account()
  await account.setPolicy({ kinds: { broadcast: { tier: 'guarded_write', consent } } })
  const identities = { email: `ada${++people}@example.com`, slack: `U000ADA${people}` }
  const ada = await account.addMember({ name: 'Ada', ...identities, tier: 'guarded_write' })
  const actor = { email: ada.email }
  const { body } = await account.client.propose(actor, message)
  const id = body.id as number
  const visitor = await signedInByMail(gate, identities.email)
  const path = `/console/proposals/${id}`
  return {
    ...account,
    ada,
    actor,
    id,
    path,
    visitor,
    /** What the form carries that is on the page now. */
    form: async () => formOf((await visitor.open(path)).html),
    row: async () => (await account.client.get(id)).body,
    delivered: () =>
      gate.sandbox.messages(1_000).filter(({ to, text }) => to === ada.slack && text === message),
    refusals: async () =>
      (await entriesOf(gate.database, account.account, id))
        .filter(({ kind }) => kind === 'decision_refused')
        .map(({ entry }) => [
          entry.actor,
          ...['decision', 'reason', 'source'].map((name) => entry.data[name]),
        ]),
    isSound: async () => (await verifyLedger(gate.database.db, account.account))?.ok,
  }
}
type Waiting = Awaited<ReturnType<typeof waiting>>

const approve = async (one: Waiting, by: Visitor = one.visitor) =>
  by.send(one.path, { ...(await one.form()), does: 'confirm' })

describe('a member', () => {
  test('approves what the page shows: it is executed once, and the consent says how strong it was and where', async () => {
    const one = await waiting()
    const page = await one.visitor.open(one.path)
    expect(page.text).toContain(`│ ${message}`)
    const form = formOf(page.html)
    const answer = await one.visitor.send(one.path, { ...form, does: 'confirm' })
    expect([answer.status, answer.headers.get('location')]).toEqual([303, one.path])
    const row = await until('executed', async () => {
      const now = await one.row()
      return now.status === 'executed' && now
    })
    expect(row.consent).toMatchObject({ strength: 'page', by: one.ada.email, channel: 'console' })
    expect(one.delivered()).toHaveLength(1)
    const confirmed = (await entriesOf(gate.database, one.account, one.id)).find(
      ({ kind }) => kind === 'confirmed',
    )
    expect(confirmed!.entry).toMatchObject({
      actor: one.ada.memberId,
      key: null,
      data: { strength: 'page', channel: 'console', card: form['shown'] },
    })
    const after = await one.visitor.open(one.path)
    expect(after.text).toMatch(
      /Proposal approved\..*Status executed Outcome Message sent to 1 person Decision page by ada\d+@example.com in the console.*Nothing else waits for your decision\./,
    )
    expect(after.html).not.toContain('name="does"')
    expect(await one.isSound()).toBe(true)
  })

  test('declines and says why: it is cancelled as theirs, the agent reads the reason, the entry holds a digest of it', async () => {
    const one = await waiting()
    const other = (await one.client.propose(one.actor, 'Another')).body.id
    const reason = 'Too early.\r\nAsk <b>again</b> tomorrow.'
    const tooLong = { ...(await one.form()), does: 'decline', reason: 'x'.repeat(501) }
    expect((await one.visitor.send(one.path, tooLong)).status).toBe(422)
    const answer = await one.visitor.send(one.path, { ...(await one.form()), does: 'decline', reason })
    expect(answer.status).toBe(303)
    expect(await one.row()).toMatchObject({
      status: 'cancelled',
      closed_reason: 'member_declined',
      decline_reason: 'Too early.\nAsk <b>again</b> tomorrow.',
      consent: { strength: 'page', channel: 'console' },
    })
    const entries = JSON.stringify(await entriesOf(gate.database, one.account, one.id))
    expect([entries.includes('Too early'), entries.includes('decline_reason_digest')]).toEqual([false, true])
    const after = await one.visitor.open(one.path)
    expect(after.text).toMatch(
      /Proposal declined\. Nothing was executed\..*Closed member declined The member's reason Too early\. Ask &lt;b&gt;again/,
    )
    expect(after.html).toContain(`<a href="/console/proposals/${other}">Broadcast #${other}</a`)
    const root = await signedInAdmin(gate, one.account)
    expect((await root.open(`/console/ledger/${one.id}`)).text).toMatch(/Decision page by \S+ in the console/)
    expect([one.delivered(), await one.isSound()]).toEqual([[], true])
  })

  test('who was asked sees how they were asked and since when, and which proposal is the same', async () => {
    const one = await waiting()
    await one.client.confirm(one.id, one.actor)
    await askedByMail(gate, one.ada.email!)
    expect((await one.visitor.open(one.path)).text).toMatch(
      /Consent request sent by e-mail \S+ \S+ UTC just now ?, requires consent page/,
    )
    const again = (await one.client.propose(one.actor, message)).body
    const { html } = await one.visitor.open(`/console/proposals/${again.id}`)
    expect(html).toContain(`<a href="${one.path}">#${one.id}</a>`)
    const root = await signedInAdmin(gate, one.account)
    expect((await root.open(`/console/ledger/${again.id}`)).html).toContain(
      `<a href="/console/ledger/${one.id}">action #${one.id}</a>`,
    )
    await approve(one)
    await until('executed', async () => (await one.row()).status === 'executed')
    expect((await root.open(`/console/ledger/${one.id}`)).text).toMatch(
      /Decision page by ada\d+@example.com in the console/,
    )
  })

  test('can decide a connection by its link alone, and decline it here', async () => {
    const one = await waiting()
    await one.setTier(one.ada, 'write')
    const { id } = await linkFor(one.client, one.actor, 'stripe')
    const path = `/console/proposals/${id}`
    const page = await one.visitor.open(path)
    expect(page.text).toContain('You approve this on the page of the link your agent was given')
    expect(page.html).not.toContain('value="confirm"')
    const form = formOf(page.html)
    expect((await one.visitor.send(path, { ...form, does: 'confirm' })).status).toBe(409)
    expect((await one.visitor.send(path, { ...form, does: 'decline' })).status).toBe(303)
    expect((await one.client.get(id)).body).toMatchObject({
      status: 'cancelled',
      closed_reason: 'member_declined',
    })
  })
})

describe('an administrator', () => {
  test('sees the card and may cancel, and cannot decide: also not by a form of their own making', async () => {
    const one = await waiting()
    const root = await signedInAdmin(gate, one.account)
    const page = await root.open(one.path)
    expect(page.text).toContain(`│ ${message}`)
    expect(page.text).toContain('Cancel proposal')
    expect(page.html).not.toContain('name="does"')
    for (const does of ['confirm', 'decline'])
      expect((await root.send(one.path, { ...(await one.form()), does })).status).toBe(403)
    expect((await one.row()).status).toBe('proposed')
    expect(await one.refusals()).toEqual(
      ['confirm', 'cancel'].map((decision) => [
        expect.stringMatching(/^admin:adm_/),
        decision,
        'not_proposer',
        'console',
      ]),
    )
    expect((await root.open(`/console/ledger/${one.id}`)).text).toContain(
      'only the member the proposal was made for can decide',
    )
    for (const path of [one.path, `/console/ledger/${one.id}`])
      expect((await root.open(path)).text).toMatch(/agent “ ?test ?”/)
    expect((await root.send(`${one.path}/cancel`, { reason: 'No.' })).status).toBe(303)
    expect(await one.row()).toMatchObject({ status: 'cancelled', closed_reason: 'admin' })
    expect(await one.isSound()).toBe(true)
  })

  test('who is the proposer too may do both, once they came by their mailbox', async () => {
    const one = await waiting()
    // A printed link is read by the person who printed it: it is no consent of the member.
    const printed = await signedInAdmin(gate, one.account, one.ada.email!)
    expect((await printed.open(one.path)).text).toContain(
      'To decide as the member, sign in with an e-mail link.',
    )
    expect((await approve(one, printed)).status).toBe(403)
    const both = await signedInByMail(gate, one.ada.email!)
    const page = await both.open(one.path)
    expect(page.text).toMatch(/Approve Decline.*Cancel proposal/)
    expect((await approve(one, both)).status).toBe(303)
    await until('executed', async () => (await one.row()).status === 'executed')
  })
})

describe('a decision is refused, and nothing is done,', () => {
  test.each([
    ['another site', { 'sec-fetch-site': 'cross-site' }],
    ['a brother', { 'sec-fetch-site': 'same-site' }],
    ['another site, by an old browser', { origin: 'https://evil.example' }],
    ['a page that hides where it is', { origin: 'null' }],
  ] as [string, Record<string, string>][])('where %s sends the form', async (_, headers) => {
    const one = await waiting()
    const cookie = [...one.visitor.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const answer = await fetch(new URL(one.path, gate.api.url), {
      method: 'POST',
      redirect: 'manual',
      headers: { ...headers, cookie, 'x-forwarded-for': '10.9.9.9' },
      body: new URLSearchParams({ ...(await one.form()), does: 'confirm' }),
    })
    expect([answer.status, (await one.row()).status]).toEqual([403, 'proposed'])
  })

  test('where it is another member’s: as if there were none, and written down', async () => {
    const one = await waiting()
    const email = `bea${++people}@example.com`
    const bea = await one.addMember({ name: 'Bea', email, tier: 'write' })
    const other = await signedInByMail(gate, email)
    const missing = (await other.open('/console/proposals/999')).text.replace('999', String(one.id))
    expect((await other.open(one.path)).text).toBe(missing)
    const answer = await approve(one, other)
    expect([answer.status, answer.text]).toEqual([404, missing])
    expect([(await one.row()).status, await one.refusals()]).toEqual([
      'proposed',
      [[bea.memberId, 'confirm', 'not_proposer', 'console']],
    ])
  })

  test('where it is another account’s: there is none', async () => {
    const [one, other] = [await waiting(), await waiting()]
    // Until the other account has so many rows, its id names nothing there.
    await one.client.propose(one.actor, 'Another')
    const { id } = (await one.client.propose(one.actor, 'And another')).body
    const form = { ...(await one.form()), does: 'confirm' }
    expect((await other.visitor.open(`/console/proposals/${id}`)).status).toBe(404)
    expect((await other.visitor.send(`/console/proposals/${id}`, form)).status).toBe(404)
    // The same id of their own account is another card.
    expect((await other.visitor.send(other.path, form)).status).toBe(409)
    expect([(await one.row()).status, (await other.row()).status]).toEqual(['proposed', 'proposed'])
  })

  test.each([
    ['the agent cancelled', 410, 'not_open', (one) => one.client.cancel(one.id, one.actor)],
    ['it expired', 410, 'expired', (one) => moveExpiry(gate.database, one.account, -8)],
    ['the account was suspended', 409, 'suspended', (one) => one.suspend(true)],
    [
      'an administrator cancelled',
      410,
      'not_open',
      async (one) => (await signedInAdmin(gate, one.account)).send(`${one.path}/cancel`, { reason: 'No.' }),
    ],
  ] as [string, number, string, (one: Waiting) => Promise<unknown>][])(
    'after %s meanwhile: %i, and the page shows the outcome',
    async (_, status, reason, change) => {
      const one = await waiting()
      const form = await one.form()
      await change(one)
      const answer = await one.visitor.send(one.path, { ...form, does: 'confirm' })
      expect([answer.status, answer.html]).toEqual([status, expect.stringContaining('role="alert"')])
      expect(await one.refusals()).toEqual([[one.ada.memberId, 'confirm', reason, 'console']])
      if (reason === 'expired') await moveExpiry(gate.database, one.account, 8)
      expect([(await one.row()).status === 'executed', one.delivered(), await one.isSound()]).toEqual([
        false,
        [],
        true,
      ])
    },
  )

  test('in an account that is suspended, where a decline is taken all the same', async () => {
    const one = await waiting()
    await one.suspend(true)
    const page = await one.visitor.open(one.path)
    expect(page.html).not.toContain('value="confirm"')
    expect((await one.visitor.send(one.path, { ...formOf(page.html), does: 'decline' })).status).toBe(303)
    expect((await one.row()).closed_reason).toBe('member_declined')
  })

  test('once the member is none any more: their session has ended', async () => {
    const one = await waiting()
    const form = await one.form()
    await one.setActive(one.ada, false)
    const answer = await one.visitor.send(one.path, { ...form, does: 'confirm' })
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '/console/sign-in'])
    expect((await one.row()).status).toBe('proposed')
  })

  test('with a tier that was lowered meanwhile, also while it is on its way: denied, and the page says why', async () => {
    const lower = (one: Waiting) =>
      `update gate.member set admin_tier = 'read_only', version = version + 1 where account_id = '${one.account}'`
    const before = await waiting()
    const form = await before.form()
    await gate.database.asSuperuser(lower(before))
    expect((await before.visitor.send(before.path, { ...form, does: 'confirm' })).status).toBe(303)
    const during = await waiting()
    const held = { ...(await during.form()), does: 'confirm' }
    await overtake(gate.database, during.account, () => during.visitor.send(during.path, held), lower(during))
    for (const one of [before, during]) {
      expect([(await one.row()).status, one.delivered()]).toEqual(['denied', []])
      expect((await one.visitor.open(one.path)).text).toMatch(
        /Denied: your tier or the policy changed\. Nothing was executed\..*Denial reason This broadcast requires guarded_write/,
      )
    }
  })

  test('on an outdated card: the current card is shown, and then it can be decided', async () => {
    const one = await waiting()
    const form = await one.form()
    await gate.database.asSuperuser(
      `update gate.member set name = 'Ada King', version = version + 1 where account_id = '${one.account}'`,
    )
    const stale = await one.visitor.send(one.path, { ...form, does: 'confirm' })
    expect([stale.status, stale.text]).toEqual([
      409,
      expect.stringMatching(/This request changed after you opened the page.*Decided by: Ada King/),
    ])
    expect((await one.row()).status).toBe('proposed')
    expect((await one.visitor.send(one.path, { ...formOf(stale.html), does: 'confirm' })).status).toBe(303)
    await until('executed', async () => (await one.row()).status === 'executed')
  })

  testRows([
    [{ shown: '0'.repeat(64) }, 409],
    [{ digest: '0'.repeat(64) }, 409],
    [{ shown: 'x' }, 422],
    [{ does: 'execute' }, 422],
    [{ does: '' }, 422],
  ])('with a form that is not ours', async (change, status) => {
    const one = await waiting()
    const form = { ...(await one.form()), does: 'confirm', ...change }
    expect((await one.visitor.send(one.path, form)).status).toBe(status)
    expect((await one.row()).status).toBe('proposed')
  })

  test('with a part of the form left out', async () => {
    const one = await waiting()
    for (const left of ['shown', 'digest', 'does']) {
      const form = Object.entries({ ...(await one.form()), does: 'confirm' }).filter(
        ([name]) => name !== left,
      )
      expect((await one.visitor.send(one.path, Object.fromEntries(form))).status).toBe(422)
    }
    expect((await one.row()).status).toBe('proposed')
  })
})

test('the console shows when a confirm was denied and when a proposal expired, not when it was proposed', async () => {
  const { account, client, actor, ada, visitor, id, ...one } = await waiting('agent_attested')
  const expired = (await client.propose(actor, 'Dinner is at six.')).body.id as number
  const bob = await one.addMember({ email: `bob${people}@example.com`, tier: 'read_only' })
  const deniedAtOnce = (await client.propose({ email: bob.email }, message)).body.id as number
  await gate.database.asSuperuser(
    `update gate.action set created_at = created_at - interval '3 hours' where account_id = '${account}'`,
  )
  await moveExpiry(gate.database, account, -8)
  await client.confirm(expired, actor)
  await moveExpiry(gate.database, account, 8)
  await one.setTier(ada, 'read_only')
  expect((await client.confirm(id, actor)).body.status).toBe('denied')
  const root = await signedInAdmin(gate, account)
  const agesIn = (html: string) =>
    [...html.matchAll(/#(\d+)<\/a\s*>.*?datetime="([^"]+)"/gs)].map(([, number, at]) => [
      Number(number),
      Math.floor((Date.now() - Date.parse(at!)) / 3_600_000),
    ])
  const denied = (await root.open('/console')).html.split('id="denied"')[1]!
  expect(agesIn(denied.split('</section>')[0]!)).toEqual([
    [id, 0],
    [deniedAtOnce, 3],
  ])
  const decided = (await visitor.open('/console/me')).html.split('id="decided"')[1]!
  expect(agesIn(decided.split('</section>')[0]!)).toEqual([
    [id, 0],
    [expired, 0],
  ])
})

describe('exactly one of several decisions at the same moment wins:', () => {
  test('a form that is sent three times is handled once, and each is answered as the first', async () => {
    const one = await waiting()
    const form = { ...(await one.form()), does: 'confirm' }
    const answers = await Promise.all([1, 2, 3].map(() => one.visitor.send(one.path, form)))
    const places = answers.map(({ status, headers }) => [status, headers.get('location')])
    expect(places).toEqual([1, 2, 3].map(() => [303, one.path]))
    expect([await one.refusals(), one.delivered().length]).toEqual([[], 1])
  })

  test('three pages of one proposal: it is executed once, and the others are told', async () => {
    const one = await waiting()
    const forms = await Promise.all([1, 2, 3].map(() => one.form()))
    const answers = await Promise.all(
      forms.map((form) => one.visitor.send(one.path, { ...form, does: 'confirm' })),
    )
    expect(answers.map(({ status }) => status).toSorted()).toEqual([303, 410, 410])
    await until('executed', async () => (await one.row()).status === 'executed')
    expect(one.delivered()).toHaveLength(1)
    expect((await one.refusals()).map(([, , reason]) => reason)).toEqual(['not_open', 'not_open'])
  })

  test('an approval and a decline of the same page', async () => {
    const one = await waiting()
    const form = await one.form()
    const send = () =>
      Promise.all(['confirm', 'decline'].map((does) => one.visitor.send(one.path, { ...form, does })))
    const answers = await overtake(gate.database, one.account, send, 'select 1')
    expect(answers.map(({ status }) => status).toSorted()).toEqual([303, 410])
    const row = await until('ended', async () => {
      const now = await one.row()
      return now.status !== 'proposed' && now
    })
    expect(one.delivered()).toHaveLength(row.status === 'executed' ? 1 : 0)
  })

  test('Slack, the mail’s link, the console and the agent’s cancel: executed at most once, three are refused', async () => {
    for (let round = 0; round < 3; round++) {
      const one = await waiting('chat')
      await one.client.confirm(one.id, one.actor)
      const { token } = await askedInSlack(gate, one.ada.slack!)
      await one.setPolicy({ kinds: { broadcast: { tier: 'guarded_write', consent: 'page' } } })
      await one.client.confirm(one.id, one.actor)
      const { link } = await askedByMail(gate, one.ada.email!)
      await one.setPolicy({ kinds: { broadcast: { tier: 'guarded_write', consent: 'chat' } } })
      const form = { ...(await one.form()), does: 'confirm' }
      await Promise.all([
        interact(gate.api.url, clickBody({ token: token!, user: one.ada.slack! })),
        decideBy(link),
        one.visitor.send(one.path, form),
        one.client.cancel(one.id, one.actor),
      ])
      const row = await until('ended', async () => {
        const now = await one.row()
        return now.status !== 'proposed' && now
      })
      expect(one.delivered()).toHaveLength(row.status === 'executed' ? 1 : 0)
      const kinds = await entryKindsOf(gate.database, one.account, one.id)
      expect(kinds.filter((kind) => ['confirmed', 'cancelled'].includes(kind))).toHaveLength(1)
      expect(await one.isSound()).toBe(true)
    }
  }, 60_000)

  test('Slack and the console, both held at the lock of the ledger: executed once, the other is refused', async () => {
    const one = await waiting('chat')
    await one.client.confirm(one.id, one.actor)
    const { token } = await askedInSlack(gate, one.ada.slack!)
    const form = { ...(await one.form()), does: 'confirm' }
    const send = () =>
      Promise.all([
        interact(gate.api.url, clickBody({ token: token!, user: one.ada.slack! })),
        one.visitor.send(one.path, form),
      ])
    const [, page] = await overtake(gate.database, one.account, send, 'select 1')
    const row = await until('executed', async () => {
      const now = await one.row()
      return now.status === 'executed' && now
    })
    const isConsole = row.consent.channel === 'console'
    expect(page.status).toBe(isConsole ? 303 : 410)
    expect((await one.refusals()).map(([, , reason, source]) => [reason, source])).toEqual([
      ['not_open', isConsole ? 'slack' : 'console'],
    ])
    expect(one.delivered()).toHaveLength(1)
  })
})
