import { beforeEach, describe, expect, test } from '@jest/globals'
import { verifyLedger } from '../../src/ledger/verify.ts'
import { apiClient } from '../support/api-client.ts'
import { entriesOf } from '../support/ledger-entries.ts'
import { type Visitor, invitation, signedInAdmin, signedInByMail, visitor } from '../support/console.ts'
import type { TestGate } from '../support/gate.ts'
import { useConsole } from '../support/use-gate.ts'
import { callTool } from '../support/mcp-tool.ts'
import { until } from '../support/until.ts'
import { testRows } from '../support/rows.ts'

const gate = useConsole({ workers: true })

let account: Awaited<ReturnType<TestGate['account']>>
let admin: Visitor
const setUp = async () => {
  account = await gate.account()
  admin = await signedInAdmin(gate, account.account)
}
beforeEach(setUp)

const lastEntry = async () => (await entriesOf(gate.database, account.account)).at(-1)!
const adminId = async () =>
  (
    await gate.database.asSuperuser(`select admin_id from gate.admin where account_id = '${account.account}'`)
  )[0]!['admin_id']

/** Sends a form that must be taken, and answers the page it leads to. */
async function done(path: string, fields: Record<string, string> = {}) {
  const answer = await admin.send(path, fields)
  if (answer.status !== 303) throw new Error(`${path}: ${answer.status} ${answer.text}`)
  return admin.open(answer.headers.get('location')!)
}

/** The ledger names the administrator by an id, and the chain holds. */
async function expectDoneByAdmin(kind: string, data: object): Promise<void> {
  expect(await lastEntry()).toMatchObject({ kind, entry: { actor: `admin:${await adminId()}`, data } })
  expect(await verifyLedger(gate.database.db, account.account)).toMatchObject({ ok: true })
}

describe('a key', () => {
  // A browser sends this for a form that nobody changed: read and propose are checked.
  const unchanged = {
    name: 'support agent',
    power_read: 'on',
    power_propose: 'on',
    members: '',
    actions_per_day: '',
    amounts_per_day: '',
    networks: '',
    expires: '',
  }
  const mintFields = (fields: Record<string, string>) => admin.send('/console/keys/new', fields)
  const mint = (fields: Record<string, string>) => mintFields({ ...unchanged, ...fields })

  test('is shown on the page that answers its minting, works at once, and is shown nowhere again', async () => {
    const page = await mint({})
    const key = /qgk_[0-9A-Za-z]{38}/.exec(page.text)![0]
    expect([page.status, page.headers.get('cache-control')]).toEqual([200, 'no-store'])
    expect((await apiClient(gate.api.url, key).list()).status).toBe(200)
    for (const path of ['/console/keys', '/console/keys/new', '/console'])
      expect((await admin.open(path)).html).not.toContain(key.slice(0, -6))
    expect(page.text).toContain('Reads and proposes every kind of action for any member. Cannot confirm.')
    expect((await admin.open('/console/keys')).text).toContain(
      `support agent …${key.slice(-4)} Reads and proposes every kind of action for any member. Cannot confirm.`,
    )
    await expectDoneByAdmin('key_minted', {
      actors: null,
      expires_at: null,
      powers: ['read', 'propose'],
      kinds: null,
    })
  })

  test('is bound to the members that are named, by e-mail or Slack, and to no others', async () => {
    const ada = await account.addMember({ email: 'ada@example.com', slack: 'U0ADA' })
    const bea = await account.addMember({ slack: 'U0BEA' })
    await account.addMember({ email: 'cy@example.com' })
    const page = await mint({ members: ' Ada@example.com,\r\nU0BEA ', expires: '2099-01-01' })
    const client = apiClient(gate.api.url, /qgk_\w{38}/.exec(page.text)![0])
    expect((await client.capability({ email: 'ada@example.com' })).status).toBe(200)
    expect((await client.capability({ email: 'cy@example.com' })).status).toBe(404)
    expect((await admin.open('/console/keys')).text).toMatch(/for 2 members only\. .* 2099-01-01 00:00 UTC/)
    const minted = (await entriesOf(gate.database, account.account)).find(
      ({ kind, entry }) => kind === 'key_minted' && entry.actor !== 'admin',
    )
    expect(minted!.entry.data).toMatchObject({ actors: [ada.memberId, bea.memberId].toSorted() })
  })

  testRows([
    [{ name: '' }, 'Name must not be empty'],
    [{ name: 'a\nb' }, 'Name must be one line'],
    [{ name: 'x'.repeat(201) }, 'at most 200 characters'],
    [{ members: 'nobody@example.com' }, 'No member of'],
    [{ members: 'Ada Lovelace' }, "must be a member's e-mail or Slack user ID"],
    [{ members: 'a@b.co '.repeat(101) }, 'must name at most 100 members'],
    [{ expires: '2020-01-01' }, 'The expiry of a key must be in the future.'],
    [{ kind_launch: 'on' }, 'unknown field kind_launch'],
    [{ kind_refund: 'yes' }, 'kind_refund must be checked or not'],
    [{ owner: 'on' }, 'unknown field owner'],
    [{ power_read: 'off' }, 'power_read must be checked or not'],
    [{ actions_per_day: '0' }, 'Actions must be a whole number from 1'],
    [{ amounts_per_day: '10 JPY' }, 'Amounts must have one amount per line'],
    [{ amounts_per_day: 'much USD' }, 'Amounts must have one amount per line'],
    [{ networks: '10.0.0.0/8 10.0.0.0/33' }, 'Networks: entry 2 must be a network in CIDR form'],
    [{ expires: 'soon' }, 'Expires on must be an ISO 8601 time'],
  ])(
    'is not minted of fields that do not fit: said above the form, which keeps what was entered',
    async (fields, sentence) => {
      const page = await mint({ name: 'kept as entered', ...fields })
      expect([page.status, page.text]).toEqual([422, expect.stringContaining(sentence)])
      if (!('name' in fields)) expect(page.html).toContain('value="kept as entered"')
      expect(page.text).not.toContain('qgk_')
      expect((await lastEntry()).kind).toBe('admin_changed')
    },
  )

  test('is not minted where several fields are wrong: each is said at its own field, in the words of the form', async () => {
    const page = await mint({ name: 'kept', amounts_per_day: 'much', networks: '10.0.0.0/33' })
    expect(page.status).toBe(422)
    const errorAt = (field: string) =>
      new RegExp(`<p class="field-error" id="${field}-error">([^<]*)</p>`).exec(page.html)?.[1]
    expect(errorAt('amounts_per_day')).toMatch(/^Amounts must have one amount per line.*\.$/)
    expect(errorAt('networks')).toMatch(/^Networks: entry 1 must be a network in CIDR form.*\.$/)
    for (const field of ['amounts_per_day', 'networks'])
      expect(page.html).toMatch(
        new RegExp(`id="${field}"[^>]*aria-describedby="${field}-error [^>]*aria-invalid="true"`),
      )
    expect(page.html.match(/ autofocus/g)).toHaveLength(1)
    const [, summary] = /<p class="problem" role="alert">(.*?)<\/p>/s.exec(page.html)!
    expect([...summary!.matchAll(/<a href="#(\w+)">(\w+)/g)].map(([, ...words]) => words)).toEqual([
      ['amounts_per_day', 'Amounts'],
      ['networks', 'Networks'],
    ])
    expect(page.text).not.toMatch(/amounts_per_day|networks\.0/)
  })

  test('of a service that executes has the power to, and no other', async () => {
    const { power_read: _, power_propose: __, ...none } = unchanged
    const page = await mintFields({ ...none, power_execute: 'on' })
    expect(page.text).toContain(
      'Executes every kind of action for any member. Cannot read, propose or confirm.',
    )
    await expectDoneByAdmin('key_minted', { powers: ['execute'] })
  })

  test('is limited by what is checked and filled in, said in a sentence on its page and in the list', async () => {
    const page = await mint({
      power_confirm: 'on',
      kind_refund: 'on',
      kind_broadcast: 'on',
      actions_per_day: '50',
      amounts_per_day: '1,000.00 usd\r\n90 EUR',
      networks: '127.0.0.1 10.0.0.0/8',
    })
    const sentence =
      'Reads, proposes and confirms broadcasts and refunds for any member, at most 50 actions a day, at most 1,000.00 USD and 90.00 EUR a day (each currency is counted alone; one that is not listed has the limit of the account’s currency, or else of USD, or else the lowest), from 127.0.0.1/32 and 10.0.0.0/8.'
    expect(page.text).toContain(sentence)
    expect((await admin.open('/console/keys')).text).toMatch(
      new RegExp(`${sentence.replaceAll(/[.()]/g, '\\$&')} .* 0 of 50 `),
    )
    await expectDoneByAdmin('key_minted', {
      powers: ['read', 'propose', 'confirm'],
      kinds: ['broadcast', 'refund'],
      networks: ['127.0.0.1/32', '10.0.0.0/8'],
      actions_per_day: 50,
      cents_per_day: { usd: 100_000, eur: 9_000 },
    })
  })

  test('of an agent runner is shown once with the line that installs the hook, and says what it is', async () => {
    const grace = await account.addMember({ email: 'grace@example.com' })
    const runner = {
      label: 'Grace’s laptop',
      member: 'grace@example.com',
      networks: '127.0.0.1',
      expires: '',
    }
    const page = await admin.send('/console/keys/new/runner', runner)
    const key = /qgk_[0-9A-Za-z]{38}/.exec(page.text)![0]
    expect([page.status, page.headers.get('cache-control')]).toEqual([200, 'no-store'])
    expect(page.text).toContain(
      `npx --no qualification-gate-hook install --runner claude --url ${gate.api.url} --key ${key}`,
    )
    const sentence =
      'Asks about the tool calls of an agent runner for 1 member only, from 127.0.0.1/32. Cannot do anything else.'
    expect(page.text).toContain(sentence)
    expect((await admin.open('/console/keys')).text).toContain(`Grace’s laptop …${key.slice(-4)} ${sentence}`)
    await expectDoneByAdmin('key_minted', {
      powers: ['runner'],
      actors: [grace.memberId],
      networks: ['127.0.0.1/32'],
    })
    expect((await admin.open('/console/keys')).html).not.toContain(key.slice(0, -6))
  })

  testRows(
    [
      [{ label: '' }, 'Label must not be empty'],
      [{ member: '' }, "Member must be a member's e-mail or Slack user ID"],
      [{ member: 'ada@example.com, bea@example.com' }, "Member must be a member's e-mail or Slack user ID"],
      [{ member: 'nobody@example.com' }, 'No member of'],
      [{ networks: '10.0.0.0/33' }, 'must be a network in CIDR form'],
      [{ expires: '2020-01-01' }, 'The expiry of a key must be in the future.'],
      [{ power_read: 'on' }, 'power_read'],
    ],
    [setUp],
  )(
    'of an agent runner is not minted of fields that do not fit: said above the form',
    async (fields, sentence) => {
      await account.addMember({ email: 'grace@example.com' })
      const form = {
        label: 'kept as entered',
        member: 'grace@example.com',
        networks: '',
        expires: '',
        ...fields,
      }
      const page = await admin.send('/console/keys/new/runner', form)
      expect([page.status, page.text]).toEqual([422, expect.stringContaining(sentence)])
      if (!('label' in fields)) expect(page.html).toContain('value="kept as entered"')
      if ('member' in fields) expect(page.html).toContain('id="member-error"')
      expect(page.text).not.toContain('qgk_')
    },
  )

  test('is not minted without a power, and the form keeps what was checked', async () => {
    const { power_read: _, power_propose: __, ...none } = unchanged
    const page = await admin.send('/console/keys/new', { ...none, kind_refund: 'on' })
    expect([page.status, page.text]).toEqual([422, expect.stringContaining('Check at least one power.')])
    const boxes = [...page.html.matchAll(/name="(\w+)"\s+type="checkbox"\s+value="on"\s+(checked)?/g)]
    expect(boxes.filter(([, , isChecked]) => isChecked).map(([, name]) => name)).toEqual(['kind_refund'])
    const fresh = (await admin.open('/console/keys/new')).html
    expect(fresh.match(/name="power_\w+"\s+type="checkbox"\s+value="on"\s+checked/g)).toHaveLength(2)
  })

  test('is rotated: the new one is shown once, both work, and the page says until when', async () => {
    const asked = await admin.open(`/console/keys/${account.keyId}/rotate`)
    expect(asked.text).toMatch(/Rotate key\?.*Reads, proposes and confirms every kind/)
    const page = await admin.send(`/console/keys/${account.keyId}/rotate`, { overlap: '2' })
    const key = /qgk_[0-9A-Za-z]{38}/.exec(page.text)![0]
    expect(page.text).toMatch(/The old key expires .* in 1 h/)
    for (const client of [account.client, apiClient(gate.api.url, key)])
      expect((await client.list()).status).toBe(200)
    await expectDoneByAdmin('key_rotated', { key: account.keyId })
    const again = await admin.send(`/console/keys/${account.keyId}/rotate`, { overlap: '2' })
    expect([again.status, again.text]).toEqual([409, expect.stringContaining('was already rotated')])
    const late = await admin.send(`/console/keys/${account.keyId}/rotate`, { overlap: '169' })
    expect([late.status, late.text]).toEqual([422, expect.stringContaining('from 0 to 168')])
  })

  test('is revoked after a page that asks, from its next request on', async () => {
    const path = `/console/keys/${account.keyId}/revoke`
    expect((await admin.open(path)).text).toContain('Revoke key?')
    expect((await account.client.list()).status).toBe(200)
    const page = await done(path)
    expect(page.text).toContain('Key revoked.')
    expect(page.text).toMatch(
      /No active keys\. Agents cannot act in this account\..*Revoked and expired.*test …/,
    )
    expect((await account.client.list()).status).toBe(401)
    await expectDoneByAdmin('key_revoked', { key: account.keyId })
  })
})

describe('a member', () => {
  const memberOf = (page: { html: string }) => /<code>(mem_\w{16})<\/code>/.exec(page.html)![1]!
  const add = (fields: { name: string; email?: string; slack?: string }) =>
    done('/console/members/new', { email: '', slack: '', ...fields })

  test('is added, changed, taken out and taken back in', async () => {
    const added = await add({ name: 'Ada', email: 'ada@example.com' })
    const id = memberOf(added)
    expect(added.text).toContain('Member added.')
    expect((await account.client.capability({ email: 'ada@example.com' })).status).toBe(200)
    await done(`/console/members/${id}/edit`, { name: 'Ada L.', email: 'al@example.com', slack: 'U0ADA' })
    await expectDoneByAdmin('member_changed', {
      member: id,
      change: 'updated',
      fields: ['email', 'name', 'slack'],
    })
    const bare = await done(`/console/members/${id}/edit`, { name: 'Ada L.', email: '', slack: 'U0ADA' })
    expect(bare.text).toMatch(/Ada L\. .*E-mail none Slack U0ADA/)
    await expectDoneByAdmin('member_changed', { fields: ['email'] })
    const before = await lastEntry()
    await done(`/console/members/${id}/edit`, { name: 'Ada L.', email: '', slack: 'U0ADA' })
    expect(await lastEntry()).toEqual(before)
    const out = await done(`/console/members/${id}/deactivate`)
    expect(out.text).toContain('Not active: agents cannot act for this member')
    const actor = { provider: 'slack', external_id: 'U0ADA' }
    expect((await account.client.capability(actor)).status).toBe(404)
    await done(`/console/members/${id}/activate`)
    await expectDoneByAdmin('member_changed', { member: id, change: 'activated' })
    expect((await account.client.capability(actor)).status).toBe(200)
  })

  testRows(
    [
      [
        { name: 'B', email: 'ADA@example.com' },
        409,
        'Another member of this account already has this e-mail.',
      ],
      [{ name: 'B', slack: 'U0ADA' }, 409, 'Another member of this account already has this Slack identity.'],
      [{ name: 'B', slack: 'ada' }, 422, 'slack must be a Slack user ID'],
      [{ name: 'B', email: 'ada' }, 422, 'email must be an e-mail address'],
      [{ name: ' ' }, 422, 'name must not be empty'],
    ],
    [setUp],
  )('is not added of fields that do not fit', async (fields, status, sentence) => {
    await account.addMember({ name: 'Ada', email: 'ada@example.com', slack: 'U0ADA' })
    const page = await admin.send('/console/members/new', { email: '', slack: '', ...fields })
    expect([page.status, page.text]).toEqual([status, expect.stringContaining(sentence)])
  })

  test('has a tier that is set and cleared, and the page says where it comes from', async () => {
    const { memberId } = await account.addMember({ name: 'Ada', email: 'ada@example.com' })
    const set = await done(`/console/members/${memberId}/tier`, { tier: 'write' })
    expect(set.text).toContain('Tier set.')
    expect(set.text).toContain('write set by an administrator')
    await expectDoneByAdmin('tier_set', { member: memberId, tier: 'write' })
    const cleared = await done(`/console/members/${memberId}/tier`, { tier: 'by_certificates' })
    expect(cleared.text).toContain('read_only default')
    await expectDoneByAdmin('tier_set', { member: memberId, tier: null })
    const odd = await admin.send(`/console/members/${memberId}/tier`, { tier: 'root' })
    expect([odd.status, odd.text]).toEqual([422, expect.stringContaining('tier must be one of the list')])
  })

  test('earns a tier by recorded passes, and loses it with one that is revoked', async () => {
    const { memberId } = await account.addMember({ name: 'Ada', email: 'ada@example.com' })
    await done('/console/curricula/new', {
      title: 'Safe sending',
      slug: 'safe-sending',
      modules: '2',
      grants: 'guarded_write',
      valid_days: '365',
    })
    await expectDoneByAdmin('curriculum_changed', { curriculum: 'safe-sending', modules: 2, valid_days: 365 })
    const path = `/console/members/${memberId}/passes/safe-sending`
    await done(path, { module: '1', at: '' })
    const page = await done(path, {
      module: '2',
      at: new Date(Date.now() - 86_400_000).toISOString().slice(0, 10),
    })
    expect(page.text).toContain('certified, 2 of 2 modules')
    await expectDoneByAdmin('pass_recorded', { member: memberId, module: 2, change: 'passed' })
    expect((await admin.open(`/console/members/${memberId}`)).text).toContain(
      'guarded_write earned by certification',
    )
    const revoked = await done(`${path}/revoke`, { module: '2' })
    expect(revoked.text).toMatch(/not certified, 1 of 2 modules.*Module 2 revoked/)
    await expectDoneByAdmin('pass_recorded', { module: 2, change: 'revoked' })
    await done(`${path}/revoke`, { module: 'all' })
    expect((await account.client.capability({ email: 'ada@example.com' })).body).toMatchObject({
      tier: 'read_only',
      certified: false,
    })
    for (const [fields, sentence] of [
      [{ module: '3', at: '' }, 'has modules 1 to 2'],
      [{ module: '1', at: '2099-01-01' }, 'The date of a pass must not be in the future.'],
      [{ module: '0', at: '' }, 'module must be a whole number from 1 to 100'],
    ] as const) {
      const refused = await admin.send(path, fields)
      expect([refused.status, refused.text]).toEqual([422, expect.stringContaining(sentence)])
    }
    expect((await admin.send(`${path}/revoke`, { module: 'all' })).text).toContain(
      'This member has no passes of safe-sending to revoke.',
    )
  })

  test('a slug that is taken is said above the form', async () => {
    const form = { title: 'T', slug: 'one', modules: '1', grants: 'write', valid_days: '' }
    expect((await done('/console/curricula/new', form)).text).toContain('Curriculum added.')
    const page = await admin.send('/console/curricula/new', { ...form, title: 'Kept' })
    expect([page.status, page.text]).toEqual([
      409,
      expect.stringContaining('This account already has a curriculum with this slug.'),
    ])
    expect(page.html).toContain('value="Kept"')
  })

  test('is found among many, by name, page after page, each once', async () => {
    const names = Array.from({ length: 120 }, (_, n) => `Member ${String(n).padStart(3, '0')}`)
    // Members are added in another order than that of their names, and some have the same name.
    for (const name of names.toReversed()) await account.addMember({ name })
    for (let n = 0; n < 3; n++) await account.addMember({ name: 'Twin', email: `twin${n}@example.com` })
    const seen: string[] = []
    for (let path = '/console/members'; path;) {
      const { html } = await admin.open(path)
      seen.push(
        ...[...html.matchAll(/members\/(mem_\w+)"\s*>([^<]+)</g)].map(([, id, name]) => `${name} ${id}`),
      )
      path = /href="([^"]+)" rel="next"/.exec(html)?.[1]?.replaceAll('&amp;', '&') ?? ''
    }
    expect(seen).toHaveLength(123)
    expect(new Set(seen).size).toBe(123)
    expect(seen.map((one) => one.replace(/ mem_.*/, ''))).toEqual([...names, 'Twin', 'Twin', 'Twin'])
    expect((await admin.open('/console/members?search=TWIN1%40')).text).toMatch(/Twin twin1@example\.com/)
    expect((await admin.open('/console/members?search=%25_')).text).toContain(
      'No member’s name or e-mail contains “%_”.',
    )
  }, 60_000)
})

describe('a proposal', () => {
  // Each account has its own: a mail to one mailbox has a link to every account that knows it.
  let grace: { email: string }
  let cy: { email: string }
  beforeEach(async () => {
    grace = { email: `grace@${account.account.replace('_', '-')}.example` }
    cy = { email: `cy@${account.account.replace('_', '-')}.example` }
    await account.addMember({ name: 'Grace', ...grace, tier: 'write' })
    await account.addMember({ name: 'Cy', ...cy, tier: 'write' })
  })
  const propose = async () => (await account.client.propose(grace, 'Lunch is at noon.')).body.id as number

  test('is shown to administrators with age, reach, proposer, kind and amount, and cancelled with a reason', async () => {
    const id = await propose()
    await callTool(account.client, 'issue_refund', {
      actor: grace,
      payment: 'pi_Sandbox05',
      amount_cents: 4500,
    })
    const list = await admin.open('/console/proposals')
    expect(list.text).toMatch(
      /broadcast #1 Message to 2 people: “Lunch is at noon\.” grace@\S+ 2 people 2 by e-mail .* UTC just now .* in 6 days/,
    )
    expect(list.text).toMatch(
      /refund #2 Refund 45\.00 USD of 900\.00 USD to “Acme Tools”: pi_Sandbox05 grace@\S+ none .* UTC just now/,
    )
    const page = await admin.open(`/console/proposals/${id}`)
    expect(page.text).toContain('Lunch is at noon.')
    expect(page.text).not.toContain('Your decision')
    const unreasoned = await admin.send(`/console/proposals/${id}/cancel`, { reason: '' })
    expect([unreasoned.status, unreasoned.text]).toEqual([
      422,
      expect.stringContaining('reason must not be empty'),
    ])
    const cancelled = await done(`/console/proposals/${id}/cancel`, { reason: 'Wrong room.' })
    expect(cancelled.text).toMatch(/Proposal cancelled\..*Status cancelled Closed administrator cancelled/)
    await expectDoneByAdmin('cancelled', { closed_reason: 'admin', reason: 'Wrong room.' })
    const { body } = await account.client.get(id)
    expect([body.status, body.closed_reason, body.consent]).toEqual(['cancelled', 'admin', undefined])
    expect((await account.client.confirm(id, grace)).status).toBe(409)
    const again = await admin.send(`/console/proposals/${id}/cancel`, { reason: 'Twice.' })
    expect([again.status, again.text]).toEqual([409, expect.stringContaining('can no longer be cancelled')])
    expect((await admin.open('/console/proposals')).text).not.toContain('broadcast #1')
    await until('its workflow has ended', async () => {
      const open = await gate.database.asSuperuser(
        `select 1 from gate_private.open_action where account_id = '${account.account}' and action_id = ${id}`,
      )
      return open.length === 0
    })
  })

  test('is shown to the member whose it is, and to no other member', async () => {
    const id = await propose()
    const [own, other] = [await signedInByMail(gate, grace.email), await signedInByMail(gate, cy.email)]
    expect((await own.open('/console')).text).toContain(`broadcast #${id}`)
    expect((await own.open(`/console/proposals/${id}`)).text).toContain('Approve Decline')
    expect((await own.open(`/console/proposals/${id}`)).text).not.toContain('Administration')
    expect((await own.send(`/console/proposals/${id}/cancel`, { reason: 'x' })).status).toBe(403)
    for (const path of ['/console', '/console/proposals'])
      expect((await other.open(path)).text).toContain('No open proposals.')
    expect((await other.open(`/console/proposals/${id}`)).status).toBe(404)
  })

  test('that was executed cannot be cancelled, and its page says so', async () => {
    const id = await propose()
    expect((await account.client.confirm(id, grace)).body.status).toBe('executed')
    const page = await admin.open(`/console/proposals/${id}/cancel`)
    expect([page.status, page.text]).toEqual([
      409,
      expect.stringContaining('This proposal is already executed.'),
    ])
    expect((await admin.open(`/console/proposals/${id}`)).text).not.toContain('Cancel proposal')
  })

  test('many are listed page after page, each once', async () => {
    await account.setPolicy({ version: 1, expires_after_hours: 168, open_max_per_member: 1000, kinds: {} })
    for (let n = 0; n < 55; n++) await propose()
    const first = await admin.open('/console/proposals')
    const next = /href="([^"]+)" rel="next"/.exec(first.html)![1]!
    const ids = (html: string) => [...html.matchAll(/proposals\/(\d+)"/g)].map(([, id]) => Number(id))
    expect([...ids(first.html), ...ids((await admin.open(next)).html)]).toEqual(
      Array.from({ length: 55 }, (_, n) => n + 1),
    )
  }, 60_000)
})

test('the overview counts what is open, denied, in force and active, and the stop switch is on it', async () => {
  await account.addMember({ name: 'Grace', email: 'grace@example.com', tier: 'write' })
  await account.addMember({ name: 'Bo', email: 'bo@example.com' })
  await account.client.propose({ email: 'grace@example.com' }, 'Lunch.')
  await account.client.propose({ email: 'bo@example.com' }, 'Denied.')
  const { text } = await admin.open('/console')
  expect(text).toContain(
    'Open proposals 1 Denied in 24 hours 1 Previews running 0 Active API keys 1 Active members 2',
  )
  expect(text).toMatch(
    /Message to 2 people: “[^”]*” #2 .* bo@example\.com This broadcast requires guarded_write/,
  )
  const stopped = await done('/console/account/suspend')
  expect(stopped.text).toMatch(/The account is suspended\..*Resume account/)
  await expectDoneByAdmin('account_suspended', { suspended: true })
  expect((await account.client.confirm(1, { email: 'grace@example.com' })).status).toBe(409)
  await done('/console/account/resume')
  await expectDoneByAdmin('account_suspended', { suspended: false })
})

test('how the requests of keys are counted is set and shown, and setting it again changes nothing', async () => {
  const set = await done('/console/keys/limits', { key_limits: 'shared' })
  expect(set.text).toContain('Key limits saved. They apply within a minute.')
  await expectDoneByAdmin('key_limits_set', { key_limits: 'shared' })
  expect((await admin.open('/console/keys/limits')).html).toMatch(/<option value="shared" selected/)
  const before = await lastEntry()
  await done('/console/keys/limits', { key_limits: 'shared' })
  expect(await lastEntry()).toEqual(before)
  const odd = await admin.send('/console/keys/limits', { key_limits: 'both' })
  expect([odd.status, odd.text]).toEqual([422, expect.stringContaining('key_limits must be one of the list')])
  await done('/console/keys/limits', { key_limits: 'per_process' })
  await expectDoneByAdmin('key_limits_set', { key_limits: 'per_process' })
})

describe('an administrator', () => {
  const idOf = async (email: string) =>
    (
      await gate.database.asSuperuser(
        `select admin_id from gate.admin where account_id = '${account.account}' and email = '${email}'`,
      )
    )[0]!['admin_id'] as string

  test('is added by address, signs in by mail, and is removed with their sessions', async () => {
    const page = await done('/console/admins', { email: 'second@example.com' })
    expect(page.text).toMatch(/Administrator added\..*root@example\.com .* you second@example\.com .*Remove/)
    const second = await idOf('second@example.com')
    await expectDoneByAdmin('admin_changed', { admin: second, change: 'invited' })
    const other = await signedInByMail(gate, 'second@example.com')
    expect((await other.open('/console/members')).status).toBe(200)
    expect((await admin.open(`/console/admins/${second}/remove`)).text).toContain('Remove administrator?')
    const after = await done(`/console/admins/${second}/remove`)
    expect(after.text).toMatch(/Administrator removed\..*Removed second@example\.com/)
    expect((await other.open('/console/members')).status).not.toBe(200)
    await expectDoneByAdmin('admin_changed', { admin: second, change: 'removed' })
  })

  test('does not remove themselves, and members neither add nor remove any', async () => {
    const own = await idOf('root@example.com')
    const refused = await admin.send(`/console/admins/${own}/remove`)
    expect([refused.status, refused.text]).toEqual([409, expect.stringContaining('cannot remove yourself')])
    await account.addMember({ name: 'Mo', email: 'mo@example.com' })
    const member = await signedInByMail(gate, 'mo@example.com')
    expect((await member.send('/console/admins', { email: 'mo@example.com' })).status).toBe(403)
    expect((await member.send(`/console/admins/${own}/remove`)).status).toBe(403)
    const bad = await admin.send('/console/admins', { email: 'nobody' })
    expect(bad.status).toBe(422)
  })

  test('is asked at the first sign-in which preset the account has, until one is chosen', async () => {
    const start = async () => {
      const someone = visitor(gate)
      const answer = await someone.send(await invitation(gate, account.account, 'root@example.com'))
      return answer.headers.get('location')
    }
    expect(await start()).toBe('/console/policies/preset')
    const page = await admin.open('/console/policies/preset')
    expect(page.text).toMatch(/How much may agents do alone\?.*The agent’s word is enough for everything/)
    await account.setPolicy({})
    expect(await start()).toBe('/console')
    expect((await admin.open('/console/policies/preset')).text).not.toContain('Nobody has chosen yet')
  })
})

test('each pass has its own state, and the form offers the first module that is missing', async () => {
  await account.addCurriculum({
    slug: 'safe',
    title: 'Safe sending',
    modules: 3,
    grants: 'write',
    validDays: 30,
  })
  const ada = await account.addMember({ name: 'Ada', email: 'ada@example.com' })
  const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000)
  const path = `/console/members/${ada.memberId}/passes/safe`
  const offered = (html: string) => /<option value="(\d)"\s+selected/.exec(html)?.[1]
  await account.pass(ada, 'safe', 1)
  await account.pass(ada, 'safe', 2)
  const two = await admin.open(path)
  expect(two.text).toMatch(/Module 1 in force .*Module 2 in force .*Module 3 not passed/)
  expect(offered(two.html)).toBe('3')
  await account.pass(ada, 'safe', 3)
  const all = await admin.open(path)
  expect(all.text).toMatch(/Status certified, 3 of 3 modules.*Module 2 in force .*Module 3 in force/)
  await account.pass(ada, 'safe', 2, daysAgo(31))
  const lapsed = await admin.open(path)
  expect(lapsed.text).toMatch(/Module 1 in force .*Module 2 expired .*Module 3 in force/)
  expect(offered(lapsed.html)).toBe('2')
  // The list says so, too, also where no pass counts any more.
  const listed = async () => (await admin.open('/console/members?search=Ada')).text
  expect(await listed()).toMatch(/Safe sending 2 of 3 lapsed \d{4}-\d\d-\d\d/)
  for (const module of [1, 3]) await account.pass(ada, 'safe', module, daysAgo(33))
  expect(await listed()).toMatch(/Safe sending 0 of 3 lapsed .* 3 days ago/)
})
