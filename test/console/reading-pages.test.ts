import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { overviewPage } from '../../src/console/overview/overview-page.ts'
import type { View } from '../../src/console/page.ts'
import type { Session } from '../../src/operations/sign-in/session.ts'
import { verifyExport } from '../../src/ledger/verify-file.ts'
import { moveExpiry } from '../support/expiry.ts'
import { limits } from '../../src/limits.ts'
import { sealLedgers } from '../../src/seals/sealer.ts'
import { customerDeletion, declare } from '../support/declared-kind.ts'
import { connectAsMember, goodForm, linkFor, ringOf } from '../support/connect.ts'
import { type Visitor, signedInAdmin, signedInByMail, startConsole, visitor } from '../support/console.ts'
import type { TestGate } from '../support/gate.ts'
import { callTool } from '../support/mcp-tool.ts'
import { type LivedConsole, confirmsOf, livedConsole, markup } from '../support/lived-console.ts'

let gate: TestGate
let lived: LivedConsole
let root: Visitor
beforeAll(async () => {
  gate = await startConsole({
    workers: true,
    env: { SECRETS_KEYS: ringOf('k1'), TEMPORAL_UI_URL: 'http://temporal.example' },
  })
  lived = await livedConsole(gate)
  await lived.account.addMember({ name: 'Mem', email: 'mem@example.com' })
  root = await signedInAdmin(gate, lived.account.account)
}, 90_000)
afterAll(() => gate.stop())

/** Every page that reads or sets, with rows that are there. */
const paths = (): string[] => [
  '/console/policies',
  '/console/policies/kinds/refund',
  '/console/policies/kinds/broadcast',
  '/console/policies/settings',
  '/console/integrations/resend/connect',
  '/console/policies/review',
  '/console/policies/json',
  '/console/kinds',
  '/console/kinds/new-kind',
  '/console/kinds/new-kind/review',
  '/console/policies/explain',
  '/console/policies/history',
  '/console/policies/history/2',
  '/console/ledger',
  '/console/ledger/verify',
  '/console/ledger/export',
  '/console/ledger.csv',
  '/console/audit.csv',
  '/console/audit',
  '/console/audit?group=all',
  '/console/audit/1',
  ...Object.values(lived.rows).map((id) => `/console/ledger/${id}`),
  '/console/integrations',
  '/console/integrations/stripe/disconnect',
  '/console/habits',
]

describe('every page', () => {
  test('is shown to an administrator, with a title of its own and no markup but its own', async () => {
    for (const path of paths().filter((one) => !/export$|csv$/.test(one))) {
      const page = await root.open(path)
      expect([path, page.status]).toEqual([path, 200])
      expect(page.html).not.toMatch(/<img|<script|\sonerror=(?!alert)|javascript:/i)
      expect(page.html.match(/<h1>/g)).toHaveLength(1)
      expect(page.headers.get('content-security-policy')).toContain("default-src 'none'")
      expect(page.headers.get('cache-control')).toBe('no-store')
      expect(page.html).toContain('Consent given in the sandbox proves')
    }
  })

  test('is closed to members, and redirects visitors who are not signed in to the sign-in page', async () => {
    const member = await signedInByMail(gate, 'mem@example.com')
    for (const path of paths()) {
      expect([path, (await member.open(path)).status]).toEqual([path, 403])
      const stranger = await visitor(gate).open(path)
      expect([stranger.status, stranger.headers.get('location')]).toEqual([303, '/console/sign-in'])
    }
    for (const path of [
      '/console/policies/review',
      '/console/ledger/verify',
      '/console/integrations/stripe/disconnect',
    ])
      expect((await member.send(path)).status).toBe(403)
    expect((await root.open('/console/integrations')).text).toContain('Stripe connected')
  })

  test('means nothing to an API key', async () => {
    for (const path of paths()) {
      const { status } = await fetch(new URL(path, gate.api.url), {
        headers: { authorization: `Bearer ${lived.account.key}` },
        redirect: 'manual',
      })
      expect(status).toBe(303)
    }
  })

  test('is found under its own address alone: nothing is taken in the address that it does not know', async () => {
    for (const path of paths())
      expect((await root.open(`${path}${path.includes('?') ? '&' : '?'}x=1`)).status).toBe(422)
    for (const path of [
      '/console/ledger/0',
      '/console/ledger/-1',
      '/console/ledger/1e3',
      '/console/ledger/9999',
    ])
      expect([path, (await root.open(path)).status]).toEqual([path, 404])
    for (const path of ['/console/integrations/paypal/disconnect', '/console/integrations/slack/disconnect'])
      expect([path, (await root.open(path)).status]).toEqual([path, 404])
  })

  test('refuses a form of another site', async () => {
    const evil = visitor(gate, 'cross-site')
    for (const [name, value] of root.cookies) evil.cookies.set(name, value)
    for (const path of [
      '/console/policies/settings',
      '/console/policies/kinds/refund',
      '/console/policies/history/2',
      '/console/policies/json',
      '/console/integrations/resend/connect',
      '/console/ledger/verify',
      '/console/integrations/stripe/disconnect',
    ])
      expect([path, (await evil.send(path)).status]).toEqual([path, 403])
    expect((await root.open('/console/integrations')).text).toContain('Stripe connected')
  })

  test('tells an administrator of another account nothing of this one', async () => {
    const other = await gate.account()
    const stranger = await signedInAdmin(gate, other.account, 'stranger@example.com')
    const secrets = ['grace@example.com', 'Lunch is at noon', lived.account.account]
    for (const path of paths()) {
      const page = await stranger.open(path)
      for (const secret of secrets) expect(page.html).not.toContain(secret)
      const isOfIds = /ledger\/\d|stripe|history\/2/.test(path)
      // Its own ledger is not sealed yet.
      const isUnsealed = path === '/console/ledger/export' && page.status === 409
      expect([path, isUnsealed ? 200 : page.status]).toEqual([path, isOfIds ? 404 : 200])
    }
    const disconnected = await stranger.send('/console/integrations/stripe/disconnect')
    expect(disconnected.status).toBe(404)
  })
})

describe('the ledger', () => {
  test('lists rows by the filters of the API, the newest first, by pages', async () => {
    const page = await root.open('/console/ledger?kind=broadcast&status=denied&member=&from=&to=&after=')
    expect(page.html).toContain(`/console/ledger/${lived.rows.denied}"`)
    expect(page.html).not.toContain(`/console/ledger/${lived.rows.executed}"`)
    expect(page.text).not.toContain('Next page')
    const empty = await root.open('/console/ledger?kind=no_such_kind')
    expect(empty.text).toContain('No matching actions.')
    for (const wrong of ['status=open', 'after=x', 'from=2026-02-30', 'checks=1', `kind=${'x'.repeat(65)}`])
      expect([wrong, (await root.open(`/console/ledger?${wrong}`)).status]).toEqual([wrong, 422])
  })

  test('lists those that expired, also by kind and member, and none that was cancelled otherwise', async () => {
    const account = await gate.account()
    const actor = { email: 'tim@example.com' }
    await account.addMember({ ...actor, tier: 'guarded_write' })
    await account.addMember({ email: 'tom@example.com', tier: 'guarded_write' })
    const expired = [
      await account.client.propose(actor, 'One'),
      await account.client.propose({ email: 'tom@example.com' }, 'Two'),
    ]
    await moveExpiry(gate.database, account.account, -8)
    for (const { body } of expired) await account.client.confirm(body.id, { email: body.member })
    const cancelled = await account.client.propose(actor, 'Three')
    await account.client.cancel(cancelled.body.id, actor)
    const admin = await signedInAdmin(gate, account.account, 'expirer@example.com')
    const listed = async (query: string) =>
      [...(await admin.open(`/console/ledger?${query}`)).html.matchAll(/\/console\/ledger\/(\d+)"/g)].map(
        ([, id]) => id,
      )
    expect(await listed('status=expired')).toEqual(['2', '1'])
    expect(await listed('status=expired&kind=broadcast&member=tim@example.com')).toEqual(['1'])
    expect(await listed('status=expired&kind=refund')).toEqual([])
    expect(await listed('status=cancelled')).toEqual(['3', '2', '1'])
  })

  test('two kinds of one title are told apart in the filter, and others keep their title', async () => {
    const account = await gate.account()
    const actor = { email: 'twin@example.com' }
    await account.addMember({ ...actor, tier: 'guarded_write' })
    for (const [kind, title] of [
      ['customer_deletion', 'Delete a customer'],
      ['customer_erasure', 'Delete a Customer'],
      ['note', 'Note'],
    ]) {
      await declare(gate.deps.db, account.account, customerDeletion({ kind, title }))
      await account.client.request('POST', '/api/v1/actions', {
        body: { kind, actor, payload: { customer: { id: 'cus_1' } } },
      })
    }
    const admin = await signedInAdmin(gate, account.account, 'twins@example.com')
    const { html } = await admin.open('/console/ledger')
    const options = [...html.matchAll(/<option value="(customer_\w+|note)"[^>]*>([^<]+)</g)].map(
      ([, , words]) => words,
    )
    expect(options.sort()).toEqual([
      'Delete a Customer (customer_erasure)',
      'Delete a customer (customer_deletion)',
      'Note',
    ])
  })

  test('the overview names the newest of what waits, and how many there are', async () => {
    const account = await gate.account()
    await account.addMember({ email: 'many@example.com', tier: 'guarded_write' })
    const count = limits.overviewCardsMax + 3
    for (let n = 1; n <= count; n++)
      await account.client.propose({ email: 'many@example.com' }, `Message no. ${n}`)
    const admin = await signedInAdmin(gate, account.account, 'overseer@example.com')
    const { text } = await admin.open('/console')
    expect(text).toContain(`Waiting for a decision: ${count}`)
    expect(text).toContain(`The newest ${limits.overviewCardsMax} of ${count}. All open proposals`)
    expect(text).toMatch(new RegExp(`Message no\\. ${count}” .*Message no\\. ${count - 1}” `))
    expect(text).not.toContain('Message no. 1”')
  })

  test('leads on page by page, and keeps its filters', async () => {
    const account = await gate.account()
    await account.addMember({ email: 'low@example.com' })
    for (let n = 0; n <= limits.pageRowsDefault; n++)
      await account.client.propose({ email: 'low@example.com' }, `No. ${n}`)
    const admin = await signedInAdmin(gate, account.account, 'pager@example.com')
    const first = await admin.open('/console/ledger?status=denied&member=low@example.com&from=2020-01-01')
    const next = /href="([^"]+)" rel="next"/.exec(first.html)![1]!.replaceAll('&amp;', '&')
    expect(next).toBe('/console/ledger?status=denied&member=low%40example.com&from=2020-01-01&after=2')
    const second = await admin.open(next)
    expect(second.html).toContain('/console/ledger/1"')
    expect(second.text).not.toContain('Next page')
  })

  test('shows the whole timeline of an action: the proposal, the outcome, and each entry with its hash', async () => {
    const page = await root.open(`/console/ledger/${lived.rows.refund}`)
    const { body: row } = await lived.account.client.get(lived.rows.refund)
    for (const text of [
      'Action #3: refund',
      '45.00 USD',
      row.digest,
      row.result.provider_id,
      'agent_attested by grace@example.com through their agent (REST)',
      'Proposed under policy version 1: This 45.00 USD refund requires guarded_write (up to 100.00 USD)',
      'Confirmed with agent_attested consent through their agent (REST)',
      'Executed: Refunded 45.00 USD (sandbox)',
      'Refund 45.00 USD of 900.00 USD to “Acme Tools”: pi_Sandbox05',
      'key test',
      'stripe call ok 1',
    ])
      expect(page.text).toContain(text)
    expect(page.html).toMatch(/<time datetime="\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z" title="[^"]+ UTC">/)
    expect(page.text.indexOf('Timeline')).toBeLessThan(page.text.indexOf('Details'))
    const hashes = await gate.database.asSuperuser(
      `select encode(hash, 'hex') as hash from gate.ledger where account_id = '${lived.account.account}' and action_id = ${row.id}`,
    )
    expect(hashes).toHaveLength(3)
    for (const { hash } of hashes) {
      expect(page.html).toContain(hash)
      const [, seq] = new RegExp(`/console/audit/(\\d+)"[^$]*?${String(hash)}`).exec(page.html)!
      expect((await root.open(`/console/audit/${seq}`)).status).toBe(200)
    }
    expect(page.html).toContain(
      `href="http://temporal.example/namespaces/${gate.config.TEMPORAL_NAMESPACE}/workflows/proposal%3A`,
    )
  })

  test('hides checks until they are asked for, and says whom a message reaches', async () => {
    const plain = await root.open('/console/ledger')
    expect(plain.html).not.toContain(`/console/ledger/${lived.rows.check}"`)
    expect(plain.text).toMatch(/Message to 2 people: Lunch is at noon/)
    const all = await root.open('/console/ledger?checks=on')
    expect(all.html).toContain(`/console/ledger/${lived.rows.check}"`)
    expect(all.html).toContain('<option value="capability_check" >capability check</option>')
    const unknown = await root.open('/console/ledger?member=nobody@example.com')
    expect([unknown.status, unknown.text]).toEqual([200, expect.stringContaining('No member has this')])
  })

  test('says why a row was denied, and who cancelled one', async () => {
    expect((await root.open(`/console/ledger/${lived.rows.denied}`)).text).toContain(
      'This broadcast requires guarded_write',
    )
    expect((await root.open(`/console/ledger/${lived.rows.cancelled}`)).text).toContain('agent cancelled')
  })

  test('shows a row that was denied before anybody knew what it would weigh', async () => {
    await lived.account.addMember({ name: 'Low', email: 'low@example.com' })
    const actor = { email: 'low@example.com' }
    const { body } = await callTool(lived.account.client, 'issue_refund', { actor, payment: 'pi_Sandbox05' })
    expect(body.status).toBe('denied')
    for (const path of ['/console/ledger', `/console/ledger/${body.id}`, `/console/proposals/${body.id}`])
      expect([path, (await root.open(path)).status]).toEqual([path, 200])
  })

  test('shows what members wrote as text, whole', async () => {
    const page = await root.open(`/console/ledger/${lived.rows.executed}`)
    expect(page.html).toContain(
      'Lunch is at noon. &lt;img src=x onerror=alert(1)&gt;&quot;&#39;&amp;&lt;script&gt;',
    )
    expect(page.html).toContain('Grace &lt;img')
    expect(page.html).not.toContain(markup)
  })

  test('writes out what would turn or hide what members wrote', async () => {
    const turned = 'Pay \u202e0001\u2066 now,\nor \u200blater'
    const actor = { email: 'grace@example.com' }
    const { body } = await lived.account.client.propose(actor, turned)
    const shown = await root.open(`/console/ledger/${body.id}`)
    const listed = await root.open('/console/ledger?kind=broadcast')
    await lived.account.client.cancel(body.id, actor)
    const decided = await root.open(`/console/proposals/${body.id}`)
    for (const page of [shown, decided])
      expect(page.html).toContain('Pay ⟨U+202E⟩0001⟨U+2066⟩ now,\nor ⟨U+200B⟩later')
    for (const page of [shown, listed, decided]) expect(page.html).not.toMatch(/[\u202e\u2066\u200b]/)
  })

  test('is downloaded as a proof that an outside verifier accepts', async () => {
    await sealLedgers(gate.deps)
    const file = await root.open('/console/ledger/export')
    expect(file.status).toBe(200)
    expect(file.headers.get('content-disposition')).toBe(
      `attachment; filename="ledger-${lived.account.account}.jsonl"`,
    )
    const folder = mkdtempSync(join(tmpdir(), 'gate-proof-'))
    writeFileSync(join(folder, 'proof.jsonl'), file.html)
    expect(await verifyExport(join(folder, 'proof.jsonl'))).toMatchObject({
      ok: true,
      account: lived.account.account,
    })
    rmSync(folder, { recursive: true })
  })

  test('is verified on demand, and its first fault is named', async () => {
    const account = await gate.account()
    await account.addMember({ email: 'low@example.com' })
    await account.client.propose({ email: 'low@example.com' }, 'Hello')
    const admin = await signedInAdmin(gate, account.account, 'verifier@example.com')
    expect((await admin.send('/console/ledger/verify')).text).toContain(
      'The ledger is valid: every entry and every action was verified.',
    )
    await gate.database.asSuperuser(
      `update gate.action set payload = '{"message":"Bye"}' where account_id = '${account.account}'`,
    )
    const wrong = await admin.send('/console/ledger/verify')
    expect(wrong.text).toContain('action 1: its payload does not match the ledger')
    await gate.database.asSuperuser(
      `update gate.ledger_head set seq = ${limits.verifyOnPageEntriesMax + 1} where account_id = '${account.account}'`,
    )
    const page = await admin.open('/console/ledger/verify')
    expect(page.html).not.toContain('Verify ledger')
    const refused = await admin.send('/console/ledger/verify')
    expect([refused.status, refused.text]).toEqual([
      409,
      expect.stringContaining('gate ledger verify --account'),
    ])
  })
})

describe('the audit log', () => {
  test('lists every entry, also of the account itself, in words and with a link to what it is about', async () => {
    const { account } = lived.account
    const page = await root.open('/console/audit?group=all')
    const seqs = await gate.database.asSuperuser(
      `select seq, hash from gate.ledger where account_id = '${account}' order by seq desc limit 50`,
    )
    for (const { seq } of seqs) expect(page.html).toContain(`<a href="/console/audit/${String(seq)}">`)
    for (const words of [
      'Account created account administrator (command line)',
      'API key created: test',
      'Administrator invited: root@example.com',
      'Policy version 3 set',
      'Executed: Stripe connected (sandbox)',
      'Capability checked: tier write',
    ])
      expect(page.text).toContain(words)
    for (const href of [
      `/console/ledger/${lived.rows.refund}`,
      `/console/members/${lived.grace.memberId}`,
      '/console/policies/history/3',
    ])
      expect(page.html).toContain(`href="${href}"`)
    expect(page.html).not.toContain(markup)
  })

  test('is filtered by group, administrator and day', async () => {
    const admin = /<option value="(admin:adm_\w{16})"/.exec((await root.open('/console/audit')).html)![1]!
    const account = await gate.account()
    const other = await signedInAdmin(gate, account.account, 'auditor@example.com')
    expect((await root.open('/console/audit?group=policy')).text).not.toContain('Account created')
    await root.send('/console/curricula/new', {
      title: 'T',
      slug: 'audited',
      modules: '1',
      grants: 'write',
      valid_days: '',
    })
    const own = await root.open(`/console/audit?actor=${admin}`)
    expect(own.text).toMatch(/Curriculum added: audited audited administrator root@example\.com/)
    expect(own.text).not.toContain('Account created')
    expect((await other.open(`/console/audit?actor=${admin}`)).text).toContain('No matching entries.')
    expect((await root.open('/console/audit?to=2020-01-01')).text).toContain('No matching entries.')
    expect((await root.open('/console/audit?from=2020-01-01')).text).toContain('Account created')
    for (const wrong of ['group=none', 'actor=x', 'from=x', 'before=0'])
      expect([wrong, (await root.open(`/console/audit?${wrong}`)).status]).toEqual([wrong, 422])
  })

  test('shows an entry with what its hash is made of', async () => {
    const page = await root.open('/console/audit/2')
    const [, hash] = /Hash<\/dt>\s*<dd><code>(\w{64})/.exec(page.html)!
    const first = await root.open('/console/audit/1')
    expect(first.html).toContain('<code>' + '0'.repeat(64))
    const [, previous] = /Hash<\/dt>\s*<dd><code>(\w{64})/.exec(first.html)!
    expect(page.html).toContain(`<a href="/console/audit/1"><code>${previous}</code></a>`)
    const [, head, entry] = /Hashed text<\/dt>\s*<dd>\s*<code>(.*?)<\/code><br \/><code>(.*?)<\/code>/.exec(
      page.html,
    )!
    const text = `${head}\n${entry!.replaceAll('&quot;', '"')}`
    expect(createHash('sha256').update(Buffer.from(previous!, 'hex')).update(text).digest('hex')).toBe(hash)
  })
})

describe('the time zone of a person', () => {
  test('holds on every page, also after signing in again, and is nobody else’s', async () => {
    const account = await gate.account()
    await account.addMember({ name: 'Zoe', email: 'zoe@example.com' })
    await account.addMember({ name: 'Una', email: 'una@example.com' })
    const zoe = await signedInByMail(gate, 'zoe@example.com')
    const saved = await zoe.send('/console/sessions', { time_zone: 'Asia/Tokyo' })
    expect([saved.status, saved.headers.get('location')]).toEqual([303, '/console/sessions'])
    expect((await zoe.open('/console')).text).toMatch(/\d\d:\d\d (JST|GMT\+9) just now/)
    const again = await signedInByMail(gate, 'zoe@example.com')
    expect((await again.open('/console/sessions')).html).toContain('<option value="Asia/Tokyo" selected>')
    const una = await signedInByMail(gate, 'una@example.com')
    expect((await una.open('/console')).text).toMatch(/\d\d:\d\d UTC just now/)
    const wrong = await zoe.send('/console/sessions', { time_zone: 'Mars/Olympus' })
    expect([wrong.status, wrong.text]).toEqual([422, expect.stringContaining('time zone of the list')])
  })
})

describe('the overview', () => {
  test('draws the last days by outcome, says the same in a table, and why proposals were denied', async () => {
    const page = await root.open('/console')
    expect(page.html.match(/<rect\s+class="executed"/g)).toHaveLength(1)
    expect(page.text).toMatch(
      /Last 14 days \d+ proposals executed \d+ denied \d+ cancelled \d+ expired 0 open 1/,
    )
    expect(page.html).toContain('aria-label="Proposals by day and outcome"')
    expect(page.text).toMatch(/Time to a decision median/)
    expect(page.text).toMatch(/Denials by reason/)
  })

  test('begins with what waits: cards for an administrator who is no member, and for a member their own', async () => {
    const page = await root.open('/console')
    expect(page.text).toMatch(/Waiting for a decision: \d+/)
    expect(page.text).toContain('“Waiting for a word” broadcast · for grace@example.com')
    expect(page.html).toContain(`href="/console/proposals/${lived.rows.open}"`)
    const member = await signedInByMail(gate, 'mem@example.com')
    const own = await member.open('/console')
    expect(own.text).not.toContain('Waiting for a word')
    expect(own.text).not.toContain('Last 14 days')
    expect(own.html).not.toContain('/console/audit')
  })

  test('and every other page say that the account is suspended, and lead administrators to resume it', async () => {
    const account = await gate.account()
    await account.addMember({ name: 'Ned', email: 'ned@example.com' })
    const admin = await signedInAdmin(gate, account.account, 'stopper@example.com')
    const ned = await signedInByMail(gate, 'ned@example.com')
    await admin.send('/console/account/suspend')
    for (const path of ['/console', '/console/ledger', '/console/keys']) {
      const page = await admin.open(path)
      expect(page.text).toContain('This account is suspended.')
      expect(page.html).toMatch(/class="suspended"[^]*href="\/console\/account\/resume"[^]*<\/header>/)
    }
    const seen = await ned.open('/console')
    expect(seen.text).toContain('This account is suspended.')
    expect(seen.html).not.toContain('/console/account/resume')
    await admin.send('/console/account/resume')
    expect((await admin.open('/console')).html).not.toContain('class="suspended"')
  })
})

describe('the integrations', () => {
  test('show what is connected, by whom, and what is used where nothing is', async () => {
    const page = await root.open('/console/integrations')
    expect(page.text).toContain('Slack sandbox Not connected. The account uses the sandbox.')
    expect(page.text).toMatch(
      /Stripe connected Key ends in ount Connected .* Connected by grace@example\.com/,
    )
    expect(page.html).not.toContain('rk_test_51OwnKeyOfTheAccount')
  })

  test('are disconnected after a question, once, and the ledger says by whom', async () => {
    const account = await gate.account()
    await account.addMember({ email: 'ada@example.com', tier: 'write' })
    const admin = await signedInAdmin(gate, account.account, 'cutter@example.com')
    const path = '/console/integrations/resend/disconnect'
    expect((await admin.open(path)).status).toBe(404)
    const { url } = await linkFor(account.client, { email: 'ada@example.com' }, 'resend')
    await connectAsMember(gate, url, goodForm.resend)
    const asked = await admin.open(path)
    expect(asked.text).toContain('Disconnect Resend?')
    expect((await admin.open('/console/integrations')).text).toContain('Resend connected')
    const answers = [await admin.send(path), await admin.send(path)]
    expect(answers.map(({ status }) => status)).toEqual([303, 404])
    const page = await admin.open('/console/integrations')
    expect(page.text).toContain('Provider disconnected. Its credential was deleted here')
    expect(page.text).toContain('Resend sandbox')
    const entries = await gate.database.asSuperuser(
      `select entry from gate.ledger where account_id = '${account.account}' and kind = 'integration_disconnected'`,
    )
    expect(entries).toEqual([{ entry: expect.stringContaining('"actor":"admin:adm_') }])
  })
})

describe('how members decide', () => {
  test('is shown by member, and members who seem not to look are flagged', async () => {
    const account = await gate.account()
    const [hasty, slow] = [
      await account.addMember({ name: 'Hasty', email: 'hasty@example.com' }),
      await account.addMember({ name: 'Slow', email: 'slow@example.com' }),
    ]
    await confirmsOf(
      gate,
      account.account,
      hasty.memberId,
      Array.from({ length: 20 }, () => 1_200),
    )
    await confirmsOf(gate, account.account, slow.memberId, [90_000, 7_200_000])
    const admin = await signedInAdmin(gate, account.account, 'watcher@example.com')
    const page = await admin.open('/console/habits')
    expect(page.text).toContain('Confirms for Hasty are often too fast to be reviewed.')
    expect(page.text).toMatch(/Hasty hasty hasty@example\.com 20 0 1\.2 s 1\.2 s 20 \(100 %\) 0/)
    expect(page.text).toMatch(/Slow slow@example\.com 2 0 1 h 1\.8 h 0 \(0 %\) 0/)
  })

  test('says so where nobody decided anything, and how many may wait for one', async () => {
    const account = await gate.account()
    await account.setPolicy({ open_max_per_member: 4, kinds: {} })
    const admin = await signedInAdmin(gate, account.account, 'nobody@example.com')
    const page = await admin.open('/console/habits')
    expect(page.text).toContain('No decisions in this period')
    expect(page.text).toContain('A member can have at most 4 open proposals.')
  })
})

test('the overview reads what it shows at once, not one after the other', async () => {
  let [underWay, most] = [0, 0]
  const read: typeof gate.deps.db.read = async (statement) => {
    most = Math.max(most, ++underWay)
    // Whatever else is read at once has begun by then.
    await new Promise(setImmediate)
    return gate.deps.db.read(statement).finally(() => (underWay -= 1))
  }
  const session = {
    account: lived.account.account,
    adminId: 'adm_0',
    memberId: null,
    address: 'root@example.com',
    startedAt: new Date(),
  } as unknown as Session
  const deps = { ...gate.deps, db: { ...gate.deps.db, read } }
  expect((await overviewPage.show({ deps, session, params: {} }, {})) as View).toMatchObject({
    title: 'Overview',
  })
  expect(most).toBeGreaterThan(8)
})
