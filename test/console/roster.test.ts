import { beforeEach, describe, expect, test } from '@jest/globals'
import { findMember } from '../../src/db/queries/members/members.ts'
import { verifyLedger } from '../../src/ledger/verify.ts'
import { limits } from '../../src/limits.ts'
import { changeCurriculum } from '../../src/operations/curricula/change-curriculum.ts'
import { restoreCurriculum } from '../../src/operations/curricula/restore-curriculum.ts'
import { readMember } from '../../src/operations/members/read-member.ts'
import { importMembers } from '../../src/operations/members/import-members.ts'
import { certification } from '../../src/gate/tier.ts'
import { listCurricula } from '../../src/db/queries/members/curricula.ts'
import { formOf } from '../support/form-of.ts'
import { type Visitor, signedInAdmin, signedInByMail } from '../support/console.ts'
import { entriesOf, overtake } from '../support/ledger-entries.ts'
import type { TestGate } from '../support/gate.ts'
import { useConsole } from '../support/use-gate.ts'
import { testRows } from '../support/rows.ts'

const gate = useConsole()

let account: Awaited<ReturnType<TestGate['account']>>
let admin: Visitor
const setUp = async () => {
  account = await gate.account()
  admin = await signedInAdmin(gate, account.account)
}
beforeEach(setUp)

const commandLine = () => ({ db: gate.database.db, account: account.account, session: null })
const membersNow = async () =>
  gate.database.asSuperuser(
    `select name, email, slack from gate.member where account_id = '${account.account}' order by name`,
  )
const isWhole = async () =>
  expect(await verifyLedger(gate.database.db, account.account)).toMatchObject({ ok: true })

describe('an import of members', () => {
  const preview = (csv: string) => admin.send('/console/members/import', { csv })
  const press = ({ html }: { html: string }) =>
    admin.send('/console/members/import/review', formOf(html, '/console/members/import/review'))

  async function upload(file: Uint8Array | string, pasted = ''): Promise<{ status: number; html: string }> {
    const body = new FormData()
    body.append('file', new Blob([file], { type: 'text/csv' }), 'members.csv')
    body.append('csv', pasted)
    const cookie = [...admin.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const headers = { cookie, 'sec-fetch-site': 'same-origin' }
    const answer = await fetch(`${gate.api.url}/console/members/import`, { method: 'POST', body, headers })
    return { status: answer.status, html: await answer.text() }
  }

  test('adds what its preview showed, leaves members as they are, and is recorded for each', async () => {
    const ada = await account.addMember({ name: 'Ada', email: 'ada@example.com', slack: 'U0ADA' })
    const page = await upload(
      '\uFEFFSlack;NAME;Email\r\n;"Zoë; the first";zoe@example.com\r\n\r\nU0BEA;Bea;\r\nU0ADA;Ada L.;ADA@Example.com\r\n',
    )
    expect([page.status, page.html]).toEqual([200, expect.stringContaining('Import 2 members?')])
    expect(page.html).toContain('name is Ada')
    const before = (await entriesOf(gate.database, account.account)).length
    const done = await press(page)
    expect([done.status, done.headers.get('location')]).toEqual([303, '/console/members'])
    expect(await membersNow()).toEqual([
      { name: 'Ada', email: 'ada@example.com', slack: 'U0ADA' },
      { name: 'Bea', email: null, slack: 'U0BEA' },
      { name: 'Zoë; the first', email: 'zoe@example.com', slack: null },
    ])
    const entries = (await entriesOf(gate.database, account.account)).slice(before)
    expect(entries.map(({ kind, entry }) => [kind, entry.data['change']])).toEqual([
      ['member_changed', 'added'],
      ['member_changed', 'added'],
    ])
    expect(entries[0]!.entry.actor).toMatch(/^admin:adm_/)
    await isWhole()
    // Adding one alone records the same: no identity was changed, so decisions through it count in full.
    const changes = await gate.database.asSuperuser(
      `select 1 from gate.identity_change where account_id = '${account.account}'`,
    )
    expect(changes).toEqual([])
    // A reload does nothing again. As a form of its own, what it showed no longer holds.
    expect((await press(page)).status).toBe(303)
    const { form_id: _, ...shown } = formOf(page.html, '/console/members/import/review')
    const again = await admin.send('/console/members/import/review', shown)
    expect([again.status, again.text]).toEqual([409, expect.stringContaining('Nothing was imported')])
    expect(await findMember(gate.database.db, account.account, { memberId: ada.memberId })).toMatchObject({
      name: 'Ada',
    })
    expect(await membersNow()).toHaveLength(3)
  })

  testRows<[string, string, string]>(
    [
      [
        'the same address in other case',
        'name,email\nA,a@b.co\nB,A@B.CO',
        'Line 3: Line 2 has the same e-mail.',
      ],
      ['the same Slack user', 'name,slack\nA,U0A\nB,U0A', 'Line 3: Line 2 has the same Slack user ID.'],
      ['no name', 'name,email\n,a@b.co', 'Line 2: name must not be empty.'],
      ['a line break in a name', 'name,email\n"A\nBcc: x@y.co",a@b.co', 'name must be one line'],
      ['a header in an address', 'name,email\nA,"a@b.co\r\nBcc: x@y.co"', 'email must be an e-mail address'],
      ['a formula for an address', 'name,email\nA,=1+1', 'email must be an e-mail address'],
      ['a wrong Slack ID', 'name,slack\nA,@ada', 'slack must be a Slack user ID'],
      ['too few values', 'name,email\nA', 'Line 2: It has 1 value, but the first line names 2 columns.'],
      [
        'an unknown column',
        'name,email,tier\nA,a@b.co,write',
        'is unknown. The first line must name the columns name, email, slack and teams.',
      ],
      ['no header', 'Ada,ada@example.com', 'The first line must name the columns'],
      ['an open quote', 'name,email\n"A,a@b.co', 'A quoted value is not closed'],
      [
        'members of two',
        'name,email,slack\nX,one@example.com,U0TWO',
        'The e-mail belongs to One, and the Slack user ID to Two.',
      ],
      ['nothing', 'name,email\n', 'The file has no members'],
      ['too many', `name,email\n${'A,\n'.repeat(limits.membersImportMax + 1)}`, 'more than 1,000 members'],
      ['too much', `name,email\n${'A'.repeat(limits.membersImportBytesMax)}`, 'larger than 256 KiB'],
    ],
    [setUp],
  )('that does not fit is refused as a whole, with the line and the reason', async (_, csv, sentence) => {
    await account.addMember({ name: 'One', email: 'one@example.com' })
    await account.addMember({ name: 'Two', slack: 'U0TWO' })
    const page = await preview(csv)
    expect([page.status, page.text]).toEqual([422, expect.stringContaining(sentence)])
    expect(page.html).not.toContain('name="shown"')
    await expect(importMembers(commandLine(), csv)).rejects.toMatchObject({ code: 'invalid' })
    expect(await membersNow()).toHaveLength(2)
  })

  test('of a file that is too large, of other bytes than UTF-8, or beside pasted text is refused', async () => {
    expect((await upload('x'.repeat(10_000_000))).status).toBe(413)
    const latin = await upload(Buffer.from('name,email\nZoë,zoe@example.com', 'latin1'))
    expect([latin.status, latin.html]).toEqual([422, expect.stringContaining('The file is not UTF-8 text.')])
    const utf16 = await upload(Buffer.from('\uFEFFname,email\nZoë,zoe@example.com', 'utf16le'))
    expect([utf16.status, utf16.html]).toEqual([422, expect.stringContaining('The file is not UTF-8 text.')])
    const both = await upload('name,email\nA,a@b.co', 'name,email\nB,b@b.co')
    expect([both.status, both.html]).toEqual([422, expect.stringContaining('not both')])
    const broken = await fetch(`${gate.api.url}/console/members/import`, {
      method: 'POST',
      headers: {
        cookie: [...admin.cookies].map(([name, value]) => `${name}=${value}`).join('; '),
        'content-type': 'multipart/form-data; boundary=x',
      },
      body: '--y\r\n',
    })
    expect([broken.status, await broken.text()]).toEqual([400, expect.stringContaining('could not be read')])
  })

  test('shows characters without a glyph, and markup as text', async () => {
    const page = await preview('name,email\nEve\u202Emoc,eve@example.com\n<b>Bo</b>,bo@example.com')
    expect(page.text).toContain('Eve⟨U+202E⟩moc')
    expect(page.html).toContain('&lt;b&gt;Bo&lt;/b&gt;')
  })

  test('after its session ended imports nobody', async () => {
    const page = await preview('name,email\nA,a@b.co')
    await gate.database.asSuperuser(
      `update gate.admin set removed_at = now() where account_id = '${account.account}'`,
    )
    const answer = await press(page)
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '/console/sign-in'])
    expect(await membersNow()).toEqual([])
  })

  test('that runs twice at the same time is done once, and whole although an address is that of a member of another account', async () => {
    const other = await gate.account()
    await other.addMember({ name: 'Elsewhere', email: 'a0@example.com' })
    const lines = Array.from({ length: limits.membersImportMax }, (_, n) => `M${n},a${n}@example.com`)
    const csv = `name,email\n${lines.join('\n')}`
    const both = await Promise.allSettled([
      importMembers(commandLine(), csv),
      importMembers(commandLine(), csv),
    ])
    // The other one is refused, or, where it reads after the first has ended, finds nothing to add.
    expect(both.filter((one) => one.status === 'fulfilled' && one.value.adds.length > 0)).toHaveLength(1)
    expect(await membersNow()).toHaveLength(limits.membersImportMax)
    await isWhole()
  })
})

test('an export is safe in a spreadsheet, and imported again it changes nothing', async () => {
  const names = ['=1+1', '@sum', "'=x", '-1', '+1', 'a "b", c;', ' padded ', 'Zoë', "'quoted'"]
  for (const name of names) await account.addMember({ name })
  await account.addMember({ name: 'Eq', email: '=cmd@example.com', slack: 'U0EQ' })
  const gone = await account.addMember({ name: 'Gone', email: 'gone@example.com' })
  await account.setActive(gone, false)
  const answer = await admin.open('/console/members.csv')
  expect(answer.headers.get('content-disposition')).toBe(
    `attachment; filename="members-${account.account}.csv"`,
  )
  expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8')
  const lines = answer.html.split('\r\n')
  expect(lines[0]!.replace('\uFEFF', '')).toBe('name,email,slack,teams')
  expect(answer.html).not.toMatch(/(^|,|\n|")[=+\-@\t]/m)
  expect(answer.html).not.toContain('Gone')
  const page = await admin.send('/console/members/import', { csv: answer.html })
  expect([page.status, page.text]).toEqual([200, expect.stringContaining('Nothing to import')])
  expect(page.text.match(/ same( |$)/g)).toHaveLength(names.length + 1)
  const member = await account.addMember({ name: 'M', email: 'm@example.com' })
  expect(member.memberId).toMatch(/^mem_/)
  expect((await (await signedInByMail(gate, 'm@example.com')).open('/console/members.csv')).status).toBe(403)
})

describe('a curriculum', () => {
  const propose = () => account.client.propose({ email: 'ada@example.com' }, 'Lunch')
  let ada: Awaited<ReturnType<typeof account.addMember>>
  beforeEach(async () => {
    ada = await account.addMember({ name: 'Ada', email: 'ada@example.com' })
    await account.addMember({ name: 'Bea', slack: 'U0BEA', tier: 'guarded_write' })
    await account.addCurriculum({ slug: 'safe', title: 'Safe', modules: 2, grants: 'guarded_write' })
    await account.pass(ada, 'safe', 1)
    await account.pass(ada, 'safe', 2)
  })
  const form = { title: 'Safe', modules: '2', module_titles: '', grants: 'guarded_write', valid_days: '' }
  const edit = (fields: object) => admin.send('/console/curricula/safe/edit', { ...form, ...fields })
  const make = ({ html }: { html: string }, what?: string) =>
    what === undefined
      ? admin.send('/console/curricula/safe/review', formOf(html, '/console/curricula/safe/review'))
      : admin.send(`/console/curricula/safe/${what}`, formOf(html))
  const tierOf = async () =>
    (await account.client.capability({ email: 'ada@example.com' })).body as {
      tier: string
      certified: boolean
    }

  test('is changed after its effect was shown, and the passes stay', async () => {
    const page = await edit({
      title: 'Safer',
      modules: '3',
      module_titles: 'Who\r\nWhat\r\nWhen',
      valid_days: '30',
    })
    expect(page.text).toContain('1 member would lose their tier.')
    expect(page.text).toMatch(/Ada guarded_write read_only/)
    expect((await tierOf()).tier).toBe('guarded_write')
    const done = await make(page)
    expect([done.status, done.headers.get('location')]).toEqual([303, '/console/curricula'])
    expect(await tierOf()).toMatchObject({ tier: 'read_only', certified: false })
    expect((await entriesOf(gate.database, account.account)).at(-2)).toMatchObject({
      kind: 'curriculum_changed',
      entry: {
        data: {
          curriculum: 'safe',
          change: 'changed',
          modules: 3,
          valid_days: 30,
          module_titles_digest: expect.any(String),
        },
      },
    })
    expect((await admin.open(`/console/members/${ada.memberId}/passes/safe`)).text).toMatch(
      /Module 1: Who in force .* Module 3: When not passed/,
    )
    expect((await admin.open('/console/curricula')).text).toMatch(
      /Title Modules Grants Pass valid for Certified In progress Actions Safer safe 3 guarded_write 30 days 0 1 Edit/,
    )
    await make(await edit({ modules: '2' }))
    expect((await tierOf()).tier).toBe('guarded_write')
    await isWhole()
  })

  test('with fewer modules than before does not count passes of those that are gone', async () => {
    await account.addCurriculum({ slug: 'three', title: 'Three', modules: 3, grants: 'write' })
    for (const module of [1, 3]) await account.pass(ada, 'three', module)
    const page = await admin.send('/console/curricula/three/edit', {
      ...form,
      title: 'Three',
      grants: 'write',
    })
    expect(page.text).toContain('No member’s tier or certification changes.')
    await admin.send('/console/curricula/three/review', formOf(page.html, '/console/curricula/three/review'))
    expect((await tierOf()).tier).toBe('guarded_write')
  })

  test.each<[string, Record<string, string>, string]>([
    [
      'a title too few',
      { module_titles: 'Only one' },
      'module_titles must have one title for each of the 2 modules, or none: 1 given.',
    ],
    ['no modules', { modules: '0' }, 'modules must be a whole number from 1 to 100'],
    ['an unknown tier', { grants: 'root' }, 'grants must be one of'],
  ])('is not changed to have %s', async (_, fields, sentence) => {
    const page = await edit(fields)
    expect([page.status, page.text]).toEqual([422, expect.stringContaining(sentence)])
  })

  test('is not changed by an effect that no longer holds, nor without a change', async () => {
    const page = await edit({ modules: '3' })
    await account.addCurriculum({ slug: 'other', title: 'Other', modules: 1, grants: 'write' })
    const late = await make(page)
    expect([late.status, late.text]).toEqual([409, expect.stringContaining('Nothing was changed now')])
    expect(late.html).toContain('value="3"')
    expect((await edit({})).text).toContain('The form has the values in force.')
    expect((await tierOf()).tier).toBe('guarded_write')
  })

  test('that is retired earns no tier, also the last one, keeps its passes, and comes back', async () => {
    const open = await propose()
    expect(open.status).toBe(201)
    const page = await admin.open('/console/curricula/safe/retire')
    expect(page.text).toContain('1 member would lose their tier.')
    await make(page, 'retire')
    expect(await tierOf()).toMatchObject({ tier: 'read_only', certified: false, certifications: [] })
    expect((await account.client.confirm(open.body.id, { email: 'ada@example.com' })).body).toMatchObject({
      status: 'denied',
    })
    expect((await propose()).body).toMatchObject({ status: 'denied' })
    const passes = `/console/members/${ada.memberId}/passes/safe`
    expect((await admin.open(`/console/members/${ada.memberId}`)).text).toMatch(/Retired curricula .* 2 of 2/)
    expect((await admin.open(passes)).text).toContain('This curriculum is retired')
    const record = await admin.send(passes, { module: '1', at: '' })
    expect([record.status, record.text]).toEqual([409, expect.stringContaining('is retired')])
    expect((await admin.open('/console/curricula')).text).toMatch(
      /No curricula\. .* Title Granted Passed every module Retired Actions Safe safe guarded_write 1 .* Put in force/,
    )
    const again = await admin.open('/console/curricula/safe/restore')
    expect(again.text).toContain('1 member would get a higher tier.')
    await make(again, 'restore')
    expect((await tierOf()).tier).toBe('guarded_write')
    const kinds = (await entriesOf(gate.database, account.account)).filter(
      ({ kind }) => kind === 'curriculum_retired',
    )
    expect(kinds.map(({ entry }) => entry.data)).toEqual([
      { curriculum: 'safe', retired: true },
      { curriculum: 'safe', retired: false },
    ])
    await isWhole()
  })

  const byHand = (call: string) => `select gate.${call.replace('$account', `'${account.account}', null`)}`
  test.each([
    ['retired', `retire_curriculum($account, 'safe', true, null, gen_random_uuid())`],
    [
      'changed',
      `change_curriculum($account, '{"slug":"safe","title":"Safe","modules":3,"grants":"write","valid_days":null,"module_titles":null}', null, gen_random_uuid())`,
    ],
  ])('that is %s between judging and storing has a proposal and a confirm judged again', async (_, call) => {
    const late = await overtake(gate.database, account.account, propose, byHand(call))
    expect(late.body).toMatchObject({ status: 'denied' })
    await restoreCurriculum(commandLine(), 'safe')
    await changeCurriculum(commandLine(), {
      slug: 'safe',
      title: 'Safe',
      modules: 2,
      grants: 'write',
      valid_days: null,
    })
    const open = (await propose()).body
    expect(open).toMatchObject({ status: 'proposed' })
    const confirm = () => account.client.confirm(open.id, { email: 'ada@example.com' })
    const confirmed = await overtake(gate.database, account.account, confirm, byHand(call))
    expect(confirmed.body).toMatchObject({ status: 'denied' })
  })

  test('is counted by the rule that certifies', async () => {
    const day = 86_400_000
    await account.addCurriculum({ slug: 'dated', title: 'Dated', modules: 2, grants: 'write', validDays: 10 })
    const ages = [[0, 0], [9, 1], [11, 1], [1], [11], [9.999, 9.999]]
    for (const [n, passed] of ages.entries()) {
      const one = await account.addMember({ name: `M${n}` })
      for (const [module, age] of passed.entries())
        await account.pass(one, 'dated', module + 1, new Date(Date.now() - age * day))
      if (n === 0) await account.setActive(one, false)
    }
    const listed = (await listCurricula(gate.database.db, account.account)).find(
      ({ slug }) => slug === 'dated',
    )
    const members = await gate.database.asSuperuser(
      `select member_id from gate.member where account_id = '${account.account}' and is_active`,
    )
    const entries = await Promise.all(
      members.map(async (row) => {
        const member = await readMember(commandLine(), String(row['member_id']))
        return certification(
          member.curricula.find(({ slug }) => slug === 'dated')!,
          member.now,
        )
      }),
    )
    expect(listed).toMatchObject({
      certified: entries.filter(({ certified }) => certified).length,
      in_progress: entries.filter((one) => !one.certified && one.modules_passed > 0).length,
    })
    expect(listed).toMatchObject({ certified: 2, in_progress: 2 })
  })
})

test('a member sees their own access: tier and why, progress, decisions, and keys without those of others', async () => {
  const ada = await account.addMember({ name: 'Ada', email: 'ada-own@example.com' })
  const bea = await account.addMember({ name: 'Bea', email: 'bea-own@example.com' })
  await account.addCurriculum({ slug: 'safe', title: 'Safe', modules: 1, grants: 'guarded_write' })
  await account.pass(ada, 'safe', 1)
  const bound = async (name: string, members: string) =>
    admin.send('/console/keys/new', { name, power_read: 'on', members, networks: '10.0.0.0/8' })
  await bound('for ada', 'ada-own@example.com')
  await bound('for bea', 'bea-own@example.com')
  await bound('for both', 'ada-own@example.com bea-own@example.com')
  const proposed = await account.client.propose({ email: 'ada-own@example.com' }, 'Lunch')
  await account.client.confirm(proposed.body.id, { email: 'ada-own@example.com' })
  const { text, html } = await (await signedInByMail(gate, 'ada-own@example.com')).open('/console/me')
  expect(text).toContain('guarded_write earned by certification You passed every module of “Safe”.')
  expect(html).toMatch(/<progress max="1" value="1" aria-label="Safe">/)
  expect(text).toMatch(/broadcast #\d+ /)
  expect(text).toContain('for ada Reads for you. Cannot propose or confirm.')
  expect(text).toContain('for both Reads for you.')
  for (const hidden of ['for bea', 'bea-own', bea.memberId, '10.0.0.0', 'qgk_', 'members only'])
    expect(html).not.toContain(hidden)
  const root = await admin.open('/console/me')
  expect(root.text).toContain('not a member: agents cannot act for you')
})

test('a session shows the browser and the address of its sign-in, and the last address', async () => {
  const cookie = [...admin.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  const open = (headers: Record<string, string>) =>
    fetch(`${gate.api.url}/console/sessions`, { headers: { cookie, ...headers } }).then((answer) =>
      answer.text(),
    )
  await open({ 'x-forwarded-for': '203.0.113.7' })
  const html = await open({ 'x-forwarded-for': '203.0.113.7' })
  expect(html).toMatch(/from 10\.0\.\d+\.\d+/)
  expect(html).toContain('from 203.0.113.7')
  await gate.database.asSuperuser(
    `update gate_private.session set browser = '<b>Mine</b> ' || chr(8238) || repeat('x', 200) where account_id = '${account.account}'`,
  )
  expect(await open({})).toMatch(/&lt;b&gt;Mine&lt;\/b&gt; ⟨U\+202E⟩x+…/)
})
