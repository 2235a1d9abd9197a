import { describe, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { request } from 'node:http'
import { claimConnection, keepConnectDraft } from '../../src/db/queries/integrations/connect-links.ts'
import { suspendAccount } from '../../src/operations/accounts/suspend-account.ts'
import { parsePolicyDocument } from '../../src/operations/policy/parse-policy-document.ts'
import { policyInForce } from '../../src/operations/policy/policy-in-force.ts'
import { setPolicy as set } from '../../src/operations/policy/set-policy.ts'
import { inviteAdmin } from '../../src/operations/admins/invite-admin.ts'
import { removeAdmin } from '../../src/operations/admins/remove-admin.ts'
import { expiryEvent } from '../../src/operations/clearance/expiry.ts'
import { connectTokenHash, newToken, sessionTokenHash } from '../../src/keys/link-token.ts'
import { verifyLedger } from '../../src/ledger/verify.ts'
import { limits } from '../../src/limits.ts'
import { entriesOf, entryKindsOf, overtake } from '../support/ledger-entries.ts'
import {
  allowSlack,
  askToConnect,
  bring,
  browser,
  connect,
  connectBy,
  goodForm,
  hiddenFields,
  linkFor,
  ringOf,
  signedInFor,
  stripeChanged,
} from '../support/connect.ts'
import {
  type Visitor,
  invitation,
  linkByMail,
  mailsTo,
  signedInAdmin,
  signedInByMail,
  startConsole,
  visitor,
} from '../support/console.ts'
import { useConsole } from '../support/use-gate.ts'
import { callTool } from '../support/mcp-tool.ts'
import { until } from '../support/until.ts'
import { testRows } from '../support/rows.ts'

const gate = useConsole({
  workers: true,
  env: { SECRETS_KEYS: ringOf('k1') },
})

let people = 0
async function scene(provider: 'stripe' | 'resend' | 'slack' = 'stripe', on = gate) {
  const account = await on.account()
  const email = `ada${++people}@example.com`
  const ada = await account.addMember({ name: 'Ada Lovelace', email, tier: 'write' })
  const { url, id } = await linkFor(account.client, { email }, provider)
  return {
    ...account,
    ada,
    email,
    actor: { email },
    url,
    id,
    row: async () => (await account.client.get(id)).body,
    stored: () =>
      on.database.asSuperuser(
        `select provider, state from gate.integration where account_id = '${account.account}' order by created_at`,
      ),
    drafts: () =>
      on.database.asSuperuser(
        `select d.integration_id from gate_private.connect_draft d
         join gate_private.connect_link l using (token) where l.account_id = '${account.account}'`,
      ),
    refusals: async () =>
      (await entriesOf(on.database, account.account, id))
        .filter(({ kind }) => kind === 'decision_refused')
        .map(({ entry }) => [entry.actor, entry.data['reason']]),
  }
}

/** The one entry of a refused try to connect. */
const refusedAs = (actor: string) => [[actor, 'not_signed_in_member']]

describe('the link alone', () => {
  test("does nothing: an agent's own key is refused with a sentence and one entry, however often it is sent", async () => {
    const { url, row, stored, drafts, refusals, client } = await scene()
    const agent = browser(undefined)
    for (let n = 0; n < 7; n++) {
      const page = await agent.send(url, { key: 'rk_test_51KeyOfTheAttacker' })
      expect([page.status, page.text]).toEqual([
        403,
        expect.stringContaining('Nothing was connected, because you are not signed in.'),
      ])
    }
    const forged = await agent.send(url, { draft: 'int_AAAAAAAAAAAAAAAA', replaces: '' })
    expect(forged.status).toBe(403)
    expect([(await row()).status, await stored(), await drafts()]).toEqual(['proposed', [], []])
    expect(await refusals()).toEqual(refusedAs('unknown'))
    // No try was spent: the member can still do it.
    expect((await connectBy(await signedInFor(gate, url), url, goodForm.stripe)).status).toBe(200)
    expect((await client.list()).body.actions).toHaveLength(1)
  })

  test("does nothing with Slack's installation either", async () => {
    const { url, row, refusals } = await scene('slack')
    const page = await browser(undefined).send(url)
    expect([page.status, page.headers.get('location')]).toEqual([403, null])
    expect([(await row()).status, await refusals()]).toEqual(['proposed', refusedAs('unknown')])
  })

  test('opened by nobody leads to signing in, tells nothing of accounts, and leaves no entry', async () => {
    const { url, refusals } = await scene()
    const page = await browser().open(url)
    expect([page.status, page.text]).toEqual([200, expect.stringContaining('Sign in to connect Stripe')])
    expect(page.html).toContain('href="/console/sign-in"')
    expect(page.html).not.toContain('<form')
    expect(page.text).not.toContain('Currently in use')
    expect(await refusals()).toEqual([])
  })

  test('sent by another site is refused with an entry, also where the member is signed in', async () => {
    const { url, row, drafts, refusals } = await scene()
    const ours = await signedInFor(gate, url, browser('cross-site'))
    expect((await ours.send(url, goodForm.stripe)).status).toBe(403)
    expect([(await row()).status, await drafts()]).toEqual(['proposed', []])
    expect(await refusals()).toEqual([['unknown', 'foreign_form']])
  })
})

describe('somebody else who is signed in', () => {
  test('as another member sees no form, changes nothing, and is named in the ledger once', async () => {
    const { url, row, drafts, refusals, addMember } = await scene()
    const eve = await addMember({ name: 'Eve', email: `eve${people}@example.com`, tier: 'write' })
    const other = await signedInByMail(gate, eve.email!)
    for (const page of [await other.open(url), await other.send(url, goodForm.stripe), await other.open(url)])
      expect([page.status, page.text]).toEqual([
        403,
        expect.stringContaining('You are not signed in as the member this link is for'),
      ])
    expect([(await row()).status, await drafts()]).toEqual(['proposed', []])
    expect(await refusals()).toEqual(refusedAs(eve.memberId))
  })

  test.each(['member', 'administrator'])(
    'as a %s of another account is unknown to the ledger',
    async (role) => {
      const { url, drafts, refusals } = await scene()
      const elsewhere = await gate.account()
      const email = `stranger${++people}@example.com`
      if (role === 'member') await elsewhere.addMember({ email, tier: 'write' })
      const other =
        role === 'member'
          ? await signedInByMail(gate, email)
          : await signedInAdmin(gate, elsewhere.account, email)
      expect((await other.send(url, goodForm.stripe)).status).toBe(403)
      expect([await drafts(), await refusals()]).toEqual([[], refusedAs('unknown')])
    },
  )
})

describe('the member', () => {
  test('is led from the link to signing in and back, sees from which account to which, and then connects', async () => {
    const { account, url, row, email, ada, id } = await scene()
    const path = new URL(url).pathname
    const someone = visitor(gate)
    await someone.open(url)
    expect((await someone.open('/console/sign-in')).text).toContain(
      'To connect a provider, sign in as a member or an administrator.',
    )
    const signedIn = await someone.send(await linkByMail(gate, someone, email))
    expect([signedIn.status, signedIn.headers.get('location')]).toEqual([303, path])
    expect([...someone.cookies.keys()]).toEqual(['session'])

    const form = await someone.open(path)
    expect(form.text).toContain("Currently in use the sandbox's Stripe")
    const review = await bring(absolute(someone), url, goodForm.stripe)
    expect(review.text).toContain(
      "From the sandbox's Stripe To Stripe account “Sandbox”, acct_Sandbox, key ending in ount",
    )
    expect(review.text).toContain('Nothing changes until you connect it.')
    expect(review.html).not.toContain(goodForm.stripe.key)
    expect((await row()).status).toBe('proposed')
    const done = await someone.send(path, hiddenFields(review))
    expect([done.status, done.text]).toEqual([200, expect.stringContaining('Stripe connected')])
    expect((await row()).consent).toEqual({
      strength: 'page',
      by: email,
      channel: 'console',
      at: expect.any(String),
    })
    expect(await entryKindsOf(gate.database, account, id)).toEqual(['proposed', 'confirmed', 'executed'])
    const [, confirmed] = await entriesOf(gate.database, account, id)
    expect(confirmed!.entry).toMatchObject({ actor: ada.memberId, key: null, data: { strength: 'page' } })
    expect(await verifyLedger(gate.database.db, account)).toMatchObject({ ok: true })
  })

  test('who is signed in already comes back to the link at once', async () => {
    const { url, email } = await scene()
    const someone = await signedInByMail(gate, email)
    // The link is opened from a chat, so the browser sends no session.
    const session = someone.cookies.get('session')!
    someone.cookies.delete('session')
    expect((await someone.open(url)).text).toContain('Sign in to connect Stripe')
    someone.cookies.set('session', session)
    expect((await someone.open('/console/sign-in')).headers.get('location')).toBe(new URL(url).pathname)
    expect((await someone.open('/console/sign-in')).headers.get('location')).toBe('/console')
  })

  test('sees the account that is replaced, and what they reviewed is what is connected', async () => {
    const { account, client, actor, url, stored } = await scene()
    await connect(gate, client, actor, 'stripe')
    const ours = await signedInFor(gate, url)
    expect((await ours.open(url)).text).toContain(
      'Currently in use Stripe account “Sandbox”, acct_Sandbox, key ending in ount',
    )
    const first = await bring(ours, url, { key: 'rk_test_TheFirstOfTwo1111' })
    expect(first.text).toContain(
      'From Stripe account “Sandbox”, acct_Sandbox, key ending in ount To Stripe account “Sandbox”, acct_Sandbox, key ending in 1111',
    )
    expect((await ours.open(`${url}?again`)).html).toContain('type="password"')
    const second = await bring(ours, url, { key: 'rk_test_TheSecondOfTwo2222' })
    const stale = await ours.send(url, hiddenFields(first))
    expect([stale.status, stale.text]).toEqual([409, expect.stringContaining('Nothing was connected')])
    expect((await ours.send(url, hiddenFields(second))).status).toBe(200)
    const [last] = await gate.database.asSuperuser(
      `select settings->>'last4' as last4 from gate.integration where account_id = '${account}' and state = 'connected'`,
    )
    expect([last!['last4'], (await stored()).length]).toEqual(['2222', 2])
  })

  test('is told to look again where the account in use became another after it was shown', async () => {
    const { client, actor, url, row } = await scene()
    const ours = await signedInFor(gate, url)
    const review = await bring(ours, url, { key: 'rk_test_Reviewed3333' })
    await connect(gate, client, actor, 'stripe')
    const stale = await ours.send(url, hiddenFields(review))
    expect([stale.status, stale.text]).toEqual([
      409,
      expect.stringContaining('From Stripe account “Sandbox”, acct_Sandbox, key ending in ount'),
    ])
    expect((await row()).status).toBe('proposed')
    expect((await ours.send(url, hiddenFields(stale))).status).toBe(200)
  })

  test('reviews the workspace after Slack allowed it, on a page of ours', async () => {
    const { url, row } = await scene('slack')
    const ours = await signedInFor(gate, url)
    const review = await allowSlack(ours, url)
    expect(review.text).toMatch(/From the sandbox's Slack To Slack workspace \S/)
    expect((await row()).status).toBe('proposed')
    expect((await ours.send(url, hiddenFields(review))).status).toBe(200)
    expect((await row()).consent).toMatchObject({ strength: 'page' })
  })

  test('confirming 50 times at once connects once', async () => {
    const { account, url, id, stored } = await scene()
    const ours = await signedInFor(gate, url)
    const fields = hiddenFields(await bring(ours, url, goodForm.stripe))
    const pages = await Promise.all(Array.from({ length: 50 }, () => ours.send(url, fields)))
    expect(pages.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(new Set(pages.map(({ status }) => status))).toEqual(new Set([200, 410]))
    expect(await stored()).toHaveLength(1)
    const kinds = await entryKindsOf(gate.database, account, id)
    expect(kinds.filter((kind) => kind === 'confirmed')).toHaveLength(1)
  }, 30_000)
})

/** A visitor that takes whole addresses, as `connectBy` gives them. */
const absolute = (someone: Visitor) => ({
  ...someone,
  open: (to: string | URL, method?: string) => someone.open(String(to), method),
  send: (to: string | URL, fields?: Record<string, string>) => someone.send(String(to), fields),
})

describe('an administrator', () => {
  test('may connect: the row calls them by their address, the ledger by their id alone', async () => {
    const { account, url, row, id } = await scene()
    const root = await signedInAdmin(gate, account, 'root@example.com')
    expect((await connectBy(absolute(root), url, goodForm.stripe)).status).toBe(200)
    expect((await row()).consent).toMatchObject({ strength: 'page', by: 'admin:root@example.com' })
    const [, confirmed] = await entriesOf(gate.database, account, id)
    expect(confirmed!.entry.actor).toMatch(/^admin:adm_\w{16}$/)
    expect(JSON.stringify(await entriesOf(gate.database, account, id))).not.toContain('root@example.com')
    expect((await root.open('/console/integrations')).text).toContain(
      'Stripe was connected just now by administrator root@example.com',
    )
    expect((await root.open('/console')).text).toMatch(
      /Stripe was connected just now by administrator root@example\.com ?\. Until .*, every refund, payout, checkout and cancellation requires/,
    )
    expect(await verifyLedger(gate.database.db, account)).toMatchObject({ ok: true })
  })

  test('who was removed since the page was shown is refused, by the page and by the database', async () => {
    const { account, url, row, refusals } = await scene()
    const root = await signedInAdmin(gate, account, 'gone@example.com')
    const review = await bring(absolute(root), url, goodForm.stripe)
    await removeAdmin({ db: gate.database.db, account, session: null }, 'gone@example.com')
    expect((await root.send(url, hiddenFields(review))).status).toBe(403)
    expect([(await row()).status, await refusals()]).toEqual(['proposed', refusedAs('unknown')])
  })

  test('the other administrators get a mail with both accounts; the one who did it does not', async () => {
    const { account, url, email } = await scene()
    const [root, boss, former] = [
      `root${people}@example.com`,
      `boss${people}@example.com`,
      `ex${people}@example.com`,
    ]
    const admin = await signedInAdmin(gate, account, root)
    await invitation(gate, account, boss)
    await invitation(gate, account, former)
    await removeAdmin({ db: gate.database.db, account, session: null }, former)
    await connectBy(absolute(admin), url, goodForm.stripe)
    const mail = await until('the mail', async () => mailsTo(gate, boss)[0])
    expect(mail.text).toContain(`The Stripe account that Test uses was changed by administrator ${root}.`)
    expect(mail.text).toContain(
      "From: the sandbox's Stripe\nTo: Stripe account “Sandbox”, acct_Sandbox, key ending in ount",
    )
    expect(mail.text).toContain(`${gate.api.url}/console/integrations`)
    expect(mail.text).not.toContain(goodForm.stripe.key)
    await admin.send('/console/integrations/stripe/disconnect')
    const last = await until('the second mail', async () => mailsTo(gate, boss)[1])
    expect(last.text).toContain("To: the sandbox's Stripe")
    await gate.deps.background.idle()
    expect([mailsTo(gate, root), mailsTo(gate, former), mailsTo(gate, email)]).toEqual([[], [], []])
  })

  test('others are told, however many background tasks that anyone can cause are under way', async () => {
    const { account, url } = await scene()
    const [root, boss] = [`root${people}@example.com`, `boss${people}@example.com`]
    const admin = await signedInAdmin(gate, account, root)
    await invitation(gate, account, boss)
    let release = () => {}
    const flood = new Promise<void>((resolve) => (release = resolve))
    for (const lane of ['sign_in', 'refused_key', 'shared'] as const)
      for (let n = 0; n < 250; n++) gate.deps.background.start(lane, 'flood', () => flood)
    try {
      await connectBy(absolute(admin), url, goodForm.stripe)
      const mail = await until('the mail', async () => mailsTo(gate, boss)[0])
      expect(mail.text).toContain('was changed by')
    } finally {
      release()
    }
    await gate.deps.background.idle()
  })
})

describe('begun in the console by an administrator who is no member', () => {
  const begin = async (admin: Visitor, provider: string) =>
    (await admin.send(`/console/integrations/${provider}/connect`)).headers.get('location')!

  async function account(provider: 'stripe' | 'resend' = 'stripe') {
    const one = await gate.account()
    const n = ++people
    const root = await signedInAdmin(gate, one.account, `root${n}@example.com`)
    return { ...one, n, root, path: await begin(root, provider) }
  }
  const kindsOf = async (of: string) =>
    (await entriesOf(gate.database, of)).map(({ kind, entry }) => [kind, entry.actor, entry.data])

  test('a provider is connected after its review, with an entry, a mail to the others and the guard of money', async () => {
    const { account: id, n, root, path, addMember, client } = await account()
    const { email } = await addMember({ email: `ada${n}@example.com`, tier: 'write' })
    await invitation(gate, id, `boss${n}@example.com`)
    const review = await bring(absolute(root), new URL(path, gate.api.url).href, goodForm.stripe)
    expect(review.text).toContain("From the sandbox's Stripe To Stripe account “Sandbox”")
    const done = await root.send(path, hiddenFields(review))
    expect([done.status, done.text]).toEqual([200, expect.stringContaining('Stripe connected')])
    expect((await root.open('/console/integrations')).text).toContain(
      `Stripe was connected just now by administrator root${n}@example.com`,
    )
    const [kind, actor, data] = (await kindsOf(id)).at(-1)!
    expect([kind, actor, data]).toEqual([
      'integration_connected',
      expect.stringMatching(/^admin:adm_\w{16}$/),
      { integration: expect.stringMatching(/^int_/), provider: 'stripe', replaces: null },
    ])
    const mail = await until('the mail', async () => mailsTo(gate, `boss${n}@example.com`)[0])
    expect(mail.text).toContain(`was changed by administrator root${n}@example.com`)
    const refund = { actor: { email }, payment: 'pi_Sandbox05', amount_cents: 100 }
    const { body } = await callTool(client, 'issue_refund', refund)
    expect((await client.confirm(body.id, { email })).body.consent_request).toMatchObject({
      required: 'page',
    })
    // Another key replaces it, and the former connection is shown as such.
    const next = await begin(root, 'stripe')
    const second = await connectBy(absolute(root), new URL(next, gate.api.url).href, {
      key: 'rk_test_51AnotherKeyOfTheAccount',
    })
    expect(second.status).toBe(200)
    expect((await root.open('/console/integrations')).text).toContain('Earlier connections')
    await root.send('/console/integrations/stripe/disconnect')
    expect(await verifyLedger(gate.database.db, id)).toMatchObject({ ok: true })
  })

  test('only they continue, and others leave an entry; what was not used ends with the next', async () => {
    const { account: id, n, root, path } = await account()
    const boss = await signedInAdmin(gate, id, `boss${n}@example.com`)
    for (let times = 0; times < 2; times++) {
      const refused = await boss.open(path)
      expect([refused.status, refused.text]).toEqual([
        403,
        expect.stringContaining('This page is for the administrator who opened it.'),
      ])
    }
    expect((await boss.send(path, goodForm.stripe)).status).toBe(403)
    expect((await kindsOf(id)).filter(([kind]) => kind === 'write_refused')).toEqual([
      ['write_refused', 'unknown', expect.objectContaining({ reason: 'not_signed_in_member' })],
    ])
    const fields = hiddenFields(
      await bring(absolute(root), new URL(path, gate.api.url).href, goodForm.stripe),
    )
    // The database refuses another administrator by itself.
    const { connectInConsole } = await import('../../src/db/queries/integrations/connect-links.ts')
    const outcome = await connectInConsole(gate.database.db, {
      token: connectTokenHash(path.split('/').at(-1)!),
      session: sessionTokenHash(boss.cookies.get('session')!),
      idleMs: limits.sessionIdleMs,
      account: id,
      eventId: randomUUID(),
      draft: fields['draft']!,
      replaces: '',
    })
    expect(outcome).toBe('no_session')
    const again = await begin(root, 'stripe')
    expect([(await root.open(path)).status, (await root.open(again)).status]).toEqual([404, 200])
  })

  test('pressing 20 times at once connects once; a suspended account, a former administrator and an old page connect nothing', async () => {
    const { account: id, n, root, path } = await account()
    const fields = hiddenFields(
      await bring(absolute(root), new URL(path, gate.api.url).href, goodForm.stripe),
    )
    const context = { db: gate.database.db, account: id, session: null }
    await suspendAccount(context, true)
    expect((await root.send(path, fields)).status).toBe(409)
    await suspendAccount(context, false)
    const answers = await Promise.all(Array.from({ length: 20 }, () => root.send(path, fields)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    const lost = answers.find(({ status }) => status !== 200)!
    expect([lost.status, lost.text]).toEqual([
      410,
      expect.stringContaining('Link already used This link was already used: Stripe is connected.'),
    ])
    expect((await kindsOf(id)).filter(([kind]) => kind === 'integration_connected')).toHaveLength(1)
    const second = await begin(root, 'stripe')
    const stale = hiddenFields(
      await bring(absolute(root), new URL(second, gate.api.url).href, { key: 'rk_test_51AnotherKeyOfIt' }),
    )
    expect((await root.send(second, { ...stale, replaces: '' })).status).toBe(409)
    await removeAdmin(context, `root${n}@example.com`)
    expect((await root.send(second, stale)).status).toBe(410)
    expect((await root.send('/console/integrations/stripe/connect')).headers.get('location')).toBe(
      '/console/sign-in',
    )
    expect(await verifyLedger(gate.database.db, id)).toMatchObject({ ok: true })
  })
})

describe('a session that ends', () => {
  const ended = (account: string) =>
    gate.database.asSuperuser(`delete from gate_private.session where account_id = '${account}'`)

  test('between the page and its form connects nothing, and the try is written down', async () => {
    const { account, url, row, refusals } = await scene()
    const ours = await signedInFor(gate, url)
    const review = await bring(ours, url, goodForm.stripe)
    await ended(account)
    expect((await ours.send(url, hiddenFields(review))).status).toBe(403)
    expect([(await row()).status, await refusals()]).toEqual(['proposed', refusedAs('unknown')])
  })

  test('while the form is still being sent connects nothing', async () => {
    const { account, url, row, stored } = await scene()
    const ours = await signedInFor(gate, url)
    const body = new URLSearchParams(hiddenFields(await bring(ours, url, goodForm.stripe))).toString()
    const status = await slowly(url, ours.cookies.get('session')!, body, () => ended(account))
    expect([status, (await row()).status, await stored()]).toEqual([403, 'proposed', []])
  })

  test("while Slack asks keeps nothing of Slack's answer", async () => {
    const { account, url, drafts } = await scene('slack')
    const ours = await signedInFor(gate, url)
    const begun = await ours.send(url)
    await ended(account)
    const { allowAtSlack } = await import('../support/connect.ts')
    const back = await ours.open(await allowAtSlack(begun.headers.get('location')!))
    expect([back.status, await drafts()]).toEqual([403, []])
  })

  /** Sends the first half of a form, does something, and sends the rest. */
  function slowly(url: string, session: string, body: string, meanwhile: () => Promise<unknown>) {
    return new Promise<number>((resolve, reject) => {
      const sent = request(url, {
        method: 'POST',
        headers: {
          cookie: `session=${session}`,
          'content-type': 'application/x-www-form-urlencoded',
          'content-length': String(body.length),
          expect: '100-continue',
        },
      })
      sent.on('error', reject)
      sent.on('response', (response) => {
        response.resume()
        resolve(response.statusCode!)
      })
      // Answered once the service has the head of the request.
      sent.on('continue', () => {
        sent.write(body.slice(0, 10))
        void meanwhile().then(() => sent.end(body.slice(10)), reject)
      })
      sent.flushHeaders()
    })
  }
})

describe("a holder of the service's database role", () => {
  const claimOf = async (
    one: Awaited<ReturnType<typeof scene>>,
    session: Buffer,
    draft: string,
    replaces = '',
  ) => {
    const [row] = await gate.database.asSuperuser(
      `select a.uuid, m.version, c.curricula_version, c.policy_version from gate.action a
       join gate.account c using (account_id) join gate.member m using (account_id, member_id)
       where account_id = '${one.account}' and id = ${one.id}`,
    )
    return claimConnection(gate.database.db, {
      token: connectTokenHash(new URL(one.url).pathname.split('/').at(-1)!),
      session,
      idleMs: limits.sessionIdleMs,
      account: one.account,
      id: one.id,
      commandId: randomUUID(),
      eventId: randomUUID(),
      ...expiryEvent(row!['uuid'] as string),
      dueMs: limits.outboxDueMs,
      versions: {
        member: Number(row!['version']),
        curricula: Number(row!['curricula_version']),
        policy: Number(row!['policy_version']),
      },
      tier: 'write',
      draft,
      replaces,
    })
  }

  test('claims no connection without an open session of its member or an administrator', async () => {
    const one = await scene()
    const ours = await signedInFor(gate, one.url)
    const { draft } = hiddenFields(await bring(ours, one.url, goodForm.stripe))
    const eve = await one.addMember({ name: 'Eve', email: `eve${++people}@example.com`, tier: 'write' })
    const elsewhere = await gate.account()
    const sessions = {
      none: Buffer.alloc(32),
      null: null as unknown as Buffer,
      other: await sessionOf(await signedInByMail(gate, eve.email!)),
      'of another account': await sessionOf(await signedInAdmin(gate, elsewhere.account, 'x@example.com')),
    }
    for (const [whose, session] of Object.entries(sessions)) {
      const { outcome } = await claimOf(one, session, draft!)
      expect([whose, outcome]).toEqual([whose, 'no_session'])
    }
    const own = sessionTokenHash(ours.cookies.get('session')!)
    for (const set of [
      `expires_at = now() - interval '1 second'`,
      `expires_at = now() + interval '1 day', seen_at = now() - interval '13 hours'`,
    ]) {
      await gate.database.asSuperuser(
        `update gate_private.session set ${set} where token = '\\x${own.toString('hex')}'`,
      )
      expect((await claimOf(one, own, draft!)).outcome).toBe('no_session')
    }
    await gate.database.asSuperuser(
      `update gate_private.session set seen_at = now() where token = '\\x${own.toString('hex')}'`,
    )
    expect((await claimOf(one, own, 'int_AAAAAAAAAAAAAAAA')).outcome).toBe('no_draft')
    expect((await claimOf(one, own, draft!, 'int_AAAAAAAAAAAAAAAA')).outcome).toBe('replaced')
    expect([(await one.row()).status, await one.stored()]).toEqual(['proposed', []])
    expect((await claimOf(one, own, draft!)).outcome).toBe('claimed')
  }, 30_000)

  test('keeps no credential without one either, and reads no session', async () => {
    const one = await scene()
    const outcome = await keepConnectDraft(gate.database.db, {
      token: connectTokenHash(new URL(one.url).pathname.split('/').at(-1)!),
      session: sessionTokenHash(newToken()),
      idleMs: limits.sessionIdleMs,
      integrationId: 'int_AAAAAAAAAAAAAAAA',
      settings: '{}',
      fingerprint: 'x',
      secret: { field: 'api_key', ciphertext: Buffer.of(1), wrappedKey: Buffer.of(1), kid: 'k1' },
    })
    expect([outcome, await one.drafts()]).toEqual(['no_session', []])
    await expect(gate.database.db.run((sql) => sql`select token from gate_private.session`)).rejects.toThrow(
      /permission denied/,
    )
  })

  const sessionOf = async ({ cookies }: Visitor) => sessionTokenHash(cookies.get('session')!)
})

describe('for 24 hours after a change of Stripe', () => {
  const refundOf = async ({ client, actor }: Awaited<ReturnType<typeof scene>>) => {
    const args = { actor, payment: 'pi_Sandbox05', amount_cents: 100 }
    const { body } = await callTool(client, 'issue_refund', args)
    return body.id === undefined || body.status === 'denied' ? { body } : client.confirm(body.id, actor)
  }

  test.each(['connected', 'disconnected'])(
    'that was %s a refund below every floor needs page consent, and not after that',
    async (change) => {
      const one = await scene()
      const ours = await signedInFor(gate, one.url)
      await connectBy(ours, one.url, goodForm.stripe)
      if (change === 'disconnected') {
        await stripeChanged(gate, one.account, "now() - interval '2 days'")
        const root = await signedInAdmin(gate, one.account)
        await root.send('/console/integrations/stripe/disconnect')
      }
      const asked = await refundOf(one)
      expect(asked.body).toMatchObject({
        status: 'proposed',
        consent_request: { required: 'page', requested_via: 'email' },
      })
      await stripeChanged(gate, one.account, "now() - interval '23 hours 59 minutes'")
      expect((await refundOf(one)).body).toMatchObject({
        consent_required: 'page',
        consent_request: { required: 'page' },
      })
      await stripeChanged(gate, one.account, "now() - interval '24 hours'")
      expect((await refundOf(one)).body).toMatchObject({
        status: 'executed',
        consent_required: 'agent_attested',
        consent: { strength: 'agent_attested' },
      })
    },
  )

  test('who cannot be asked is denied with the reason', async () => {
    const one = await scene()
    await stripeChanged(gate, one.account, "now() - interval '3 hours 5 minutes'")
    await one.addMember({ name: 'Bob', slack: 'U0BOB', tier: 'write' })
    const { body } = await refundOf({ ...one, actor: { provider: 'slack', external_id: 'U0BOB' } as never })
    expect(body).toMatchObject({ status: 'denied' })
    expect(body.denial_reason).toMatch(
      /^This 1\.00 USD refund requires `guarded_write` \(up to 100\.00 USD\); Stripe was connected 3 hours ago, so `page` consent is required until \d{4}-\d\d-\d\d \d\d:\d\d UTC\. The policy also requires `page` consent, but this service cannot reach the member for it\. Add an e-mail address for the member/,
    )
  })

  test('a confirm that has read the facts before the change is decided again', async () => {
    const one = await scene()
    const args = { actor: one.actor, payment: 'pi_Sandbox05', amount_cents: 100 }
    const { body } = await callTool(one.client, 'issue_refund', args)
    const answer = await overtake(
      gate.database,
      one.account,
      () => one.client.confirm(body.id, one.actor),
      `select gate_private.note_provider_change('${one.account}', 'stripe', 'connected')`,
    )
    expect(answer.body).toMatchObject({ status: 'proposed', consent_request: { required: 'page' } })
  })

  test('a broadcast goes on the word of the agent as before', async () => {
    const one = await scene()
    await stripeChanged(gate, one.account, 'now()')
    const { body } = await one.client.propose(one.actor, 'Lunch is at noon.')
    expect((await one.client.confirm(body.id, one.actor)).body.status).toBe('executed')
  })

  test('the same key connected again is no change, nor is another provider', async () => {
    const one = await scene()
    await connectBy(await signedInFor(gate, one.url), one.url, goodForm.stripe)
    await stripeChanged(gate, one.account, "now() - interval '25 hours'")
    await connect(gate, one.client, one.actor, 'stripe')
    await connect(gate, one.client, one.actor, 'resend')
    expect((await refundOf(one)).body.status).toBe('executed')
    const root = await signedInAdmin(gate, one.account)
    const { text } = await root.open('/console/integrations')
    expect(text).toContain('Stripe was connected just now by')
    expect(text).not.toContain('every refund')
  })
})

describe('a service without mail', () => {
  test('says in the answer and on the page that an administrator is invited, whose printed link suffices', async () => {
    const bare = await startConsole({
      workers: true,
      channels: {},
      env: { SECRETS_KEYS: ringOf('k1') },
    })
    try {
      const account = await bare.account()
      await account.addMember({ email: 'ada@example.com', tier: 'write' })
      const { body } = await askToConnect(account.client, { email: 'ada@example.com' }, 'stripe')
      expect(body.how_to_sign_in).toContain('gate admin invite')
      for (const page of [
        await browser().open(body.connect_url),
        await browser().send(body.connect_url, goodForm.stripe),
        await visitor(bare).open('/console/sign-in'),
      ])
        expect(page.text).toContain('gate admin invite')
      const root = await signedInAdmin(bare, account.account)
      expect((await connectBy(absolute(root), body.connect_url, goodForm.stripe)).status).toBe(200)
      await bare.deps.background.idle()
    } finally {
      await bare.stop()
    }
  }, 60_000)
})

describe('the policy', () => {
  test('asks for page by default, also where a stored one names a tier alone; a lower floor opens nothing', async () => {
    const { account, client, setPolicy, email, actor } = await scene()
    const floor = async () => (await policyInForce(gate.deps, account)).kinds['integration']
    expect(await floor()).toEqual({ tier: 'write', consent: 'page' })
    await setPolicy({ kinds: { integration: { tier: 'guarded_write' } } })
    expect(await floor()).toEqual({ tier: 'guarded_write', consent: 'page' })
    const context = { db: gate.deps.db, kinds: gate.deps.kinds, account, session: null }
    for (const [given, stored] of [
      [{ tier: 'write' }, 'page'],
      [{ tier: 'write', consent: 'page' }, 'page'],
      [{ tier: 'write', consent: 'agent_attested' }, 'agent_attested'],
    ] as const) {
      await set(context, parsePolicyDocument(gate.deps.kinds.own, { kinds: { integration: given } }))
      expect(await floor()).toEqual({ tier: 'write', consent: stored })
    }
    const { url, id } = await linkFor(client, actor, 'stripe')
    expect((await browser(undefined).send(url, goodForm.stripe)).status).toBe(403)
    expect((await client.confirm(id, actor)).status).toBe(409)
    const done = await connectBy(await signedInFor(gate, url), url, goodForm.stripe)
    expect(done.status).toBe(200)
    expect((await client.get(id)).body.consent).toMatchObject({ strength: 'page', by: email })
  })
})

describe('the way back after signing in', () => {
  testRows(['https://evil.example', '//evil.example', '../evil', 'A'.repeat(42), '%2f%2fevil.example'])(
    'leads nowhere but to our pages',
    async (value) => {
      const { email } = await scene()
      const someone = visitor(gate)
      someone.cookies.set('gate-return', value)
      const answer = await someone.send(await linkByMail(gate, someone, email))
      expect([answer.status, answer.headers.get('location')]).toEqual([303, '/console'])
    },
  )
})

test('a credential that was entered and never put into use is deleted when its link ends', async () => {
  const { account, url, drafts } = await scene()
  await bring(await signedInFor(gate, url), url, goodForm.stripe)
  expect(await drafts()).toHaveLength(1)
  await gate.database.asSuperuser(
    `update gate_private.connect_link set expires_at = now() - interval '1 second' where account_id = '${account}'`,
  )
  const { forgetConnectLinks } = await import('../../src/db/queries/integrations/connect-links.ts')
  await forgetConnectLinks(gate.database.db, 10)
  expect(await drafts()).toEqual([])
})

test('an invited administrator who is no member connects by the printed link', async () => {
  const { account, url, row } = await scene()
  await inviteAdmin({ db: gate.database.db, account, session: null }, 'printed@example.com')
  const root = await signedInAdmin(gate, account, 'printed@example.com')
  expect((await connectBy(absolute(root), url, goodForm.stripe)).status).toBe(200)
  expect((await row()).consent.by).toBe('admin:printed@example.com')
})

describe('a member who no longer qualifies when they connect', () => {
  /** Their tier is lowered after they have seen what changes; `meanwhile` happens between its reading and the denial. */
  async function deniedWhile(one: Awaited<ReturnType<typeof scene>>, meanwhile: string) {
    const ours = await signedInFor(gate, one.url)
    const fields = hiddenFields(await bring(ours, one.url, goodForm.stripe))
    await gate.database.asSuperuser(
      `update gate.member set admin_tier = 'guarded_write', version = version + 1 where member_id = '${one.ada.memberId}'`,
    )
    return overtake(gate.database, one.account, () => ours.send(one.url, fields), meanwhile)
  }

  test('is told that the request was denied, and it is', async () => {
    const one = await scene()
    const page = await deniedWhile(one, 'select 1')
    expect([page.status, page.text]).toEqual([403, expect.stringContaining('This request was denied')])
    expect((await one.row()).status).toBe('denied')
  })

  test('is not told so where they qualify again before the denial is written: the provider is connected', async () => {
    const one = await scene()
    const page = await deniedWhile(
      one,
      `update gate.member set admin_tier = 'write', version = version + 1 where member_id = '${one.ada.memberId}'`,
    )
    expect([page.status, page.text]).toEqual([200, expect.stringContaining('Stripe connected')])
    expect(await one.stored()).toEqual([{ provider: 'stripe', state: 'connected' }])
    expect(await entryKindsOf(gate.database, one.account, one.id)).not.toContain('denied')
  })

  test('is told what came first where the row was cancelled before the denial is written', async () => {
    const one = await scene()
    const page = await deniedWhile(one, cancelled(one))
    expect([page.status, page.text]).toEqual([410, expect.stringContaining('This request was cancelled')])
    expect(await one.stored()).toEqual([])
  })

  const cancelled = ({ account, id }: { account: string; id: number }) =>
    `update gate.action set status = 'cancelled', decision = 'cancel', decided_at = now(), closed_reason = 'proposer'
     where account_id = '${account}' and id = ${id}`
})
