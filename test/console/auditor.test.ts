import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { downloads, pages } from '../../src/console/pages.ts'
import { inviteAdmin } from '../../src/operations/admins/invite-admin.ts'
import { sessionTokenHash } from '../../src/keys/link-token.ts'
import { type Visitor, linkByMail, signedInByMail, startConsole, visitor } from '../support/console.ts'
import type { TestGate } from '../support/gate.ts'
import { shorten } from '../support/shorten.ts'
import { type Scene, addressOf, sceneOf } from './scene.ts'

let gate: TestGate
let scene: Scene
let auditor: Visitor
let restore: () => void
beforeAll(async () => {
  restore = shorten({ consolePagesPerMinute: 6_000 })
  gate = await startConsole()
  scene = await sceneOf(gate, 'ada@one.example')
  auditor = await auditorOf('audit@one.example')
}, 60_000)
afterAll(async () => {
  await gate.stop()
  restore()
})

async function auditorOf(email: string): Promise<Visitor> {
  const context = { db: gate.database.db, account: scene.account, session: null }
  const someone = visitor(gate)
  const answer = await someone.send(await inviteAdmin(context, email, 'auditor'))
  expect(answer.status).toBe(303)
  return someone
}

/** Pages about the person who is signed in as a member; an auditor need not be one. */
const ofMembers = [
  '/console/passkeys',
  '/console/passkeys/new',
  '/console/passkeys/:passkey/remove',
  '/console/mandates/new',
  '/console/devices/new',
  '/console/devices/:device/remove',
  '/console/proposals/:waiting/break-glass',
]
const own = ['/console/sessions', '/console/sessions/:session/end']
const addressIn = (path: string) => addressOf(path, scene.params)
const state = async () => {
  const [head] = await gate.database.asSuperuser(
    `select (select count(*)::int from gate.ledger where account_id = '${scene.account}' and kind <> 'write_refused') as entries,
      (select md5(string_agg(t::text, ' ' order by t::text)) from (
        select to_jsonb(m) - 'seen_at' as t from gate.member m union all select to_jsonb(a) from gate.admin a
        union all select to_jsonb(k) from gate.api_key k union all select to_jsonb(p) from gate.policy p
        union all select to_jsonb(p) from gate.passkey p union all select to_jsonb(a) from gate.action a
        union all select to_jsonb(g) from gate.app_grant g union all select to_jsonb(g) from gate.mandate g
        union all select to_jsonb(c) from gate.account c) s) as rows`,
  )
  return head
}

test('an auditor reads every page and file that an administrator reads, and every form on them is disabled', async () => {
  const read = [...pages, ...downloads].map(({ path }) => path).filter((path) => !ofMembers.includes(path))
  for (const path of read.filter((one) => !one.includes(':session'))) {
    const [theirs, admins] = [await auditor.open(addressIn(path)), await scene.admin.open(addressIn(path))]
    expect([path, theirs.status]).toEqual([path, admins.status])
    if (own.includes(path)) continue
    const forms = theirs.html
      .split('<main')[1]
      ?.match(/<form method="post"[^<>]*>(?!<fieldset class="read-only" disabled>)/g)
    expect([path, forms ?? null]).toEqual([path, null])
  }
})

test('an auditor sends no form, whatever it has in it: it is refused, recorded, and nothing changes', async () => {
  const before = await state()
  const forms = pages.filter(({ send, path }) => send && !own.includes(path))
  expect(forms.length).toBeGreaterThan(40)
  for (const { path, form } of forms) {
    const filled = Object.fromEntries(Object.keys(form?.shape ?? {}).map((name) => [name, '1']))
    for (const fields of [{}, filled, { ...filled, member: scene.params['member']! }]) {
      const answer = await auditor.send(addressIn(path), fields)
      expect([path, answer.status, answer.text]).toEqual([
        path,
        403,
        expect.stringContaining('You are an auditor of the account'),
      ])
    }
  }
  expect(await state()).toEqual(before)
  const refused = await gate.database.asSuperuser(
    `select distinct entry::jsonb #>> '{data,operation}' as form, entry::jsonb #>> '{data,reason}' as reason
    from gate.ledger where account_id = '${scene.account}' and kind = 'write_refused'`,
  )
  expect(refused.map(({ form }) => form).toSorted()).toEqual(
    forms.map(({ path }) => `POST ${path}`).toSorted(),
  )
  expect(new Set(refused.map(({ reason }) => reason))).toEqual(new Set(['auditor']))
})

test('every statement of the database that takes a session refuses an auditor by itself', async () => {
  const hash = sessionTokenHash(auditor.cookies.get('session')!).toString('hex')
  const functions = await gate.database.asSuperuser(
    `select p.oid::regprocedure::text as name, p.proname, p.proargnames as names,
      (select array_agg(format_type(t, null) order by n) from unnest(p.proargtypes::oid[]) with ordinality a(t, n)) as types
    from pg_proc p
    where p.pronamespace = 'gate'::regnamespace and p.provolatile = 'v' and 'p_session' = any (p.proargnames)
      and p.prosrc ~ 'require_(admin|session)'`,
  )
  expect(functions.length).toBeGreaterThan(30)
  const before = await state()
  for (const { name, proname, names, types } of functions as Record<string, any>[]) {
    if (proname === 'claim_form') continue
    const values = (types as string[]).map((type, at) => {
      const of = names[at] as string
      if (of === 'p_account') return `'${scene.account}'`
      if (of === 'p_session') return `'\\x${hash}'::bytea`
      if (of === 'p_event') return 'gen_random_uuid()'
      if (of === 'p_member') return `'${scene.params['member']}'`
      if (of === 'p_passkey' && type === 'text') return `'${scene.params['passkey']}'`
      return `null::${type}`
    })
    const call = `select gate.${proname}(${values.join(', ')})`
    const answer = await gate.database.asSuperuser(call).then(
      (rows) => JSON.stringify(rows),
      (error: { code?: string; message: string }) => `${error.code} ${error.message}`,
    )
    expect([name, answer]).toEqual([name, expect.not.stringContaining('true')])
  }
  expect(await state()).toEqual(before)
})

test('an auditor chooses a time zone and ends their own sessions; their role ends with the next request', async () => {
  expect((await auditor.send('/console/sessions', { time_zone: 'Europe/Paris' })).status).toBe(303)
  const another = await auditorOf('audit@one.example')
  const ended = /\/console\/sessions\/ses_\w{16}\/end/.exec(
    (await another.open('/console/sessions')).html,
  )![0]
  expect((await another.send(ended)).status).toBe(303)
  expect((await auditor.open('/console/members')).status).toBe(303)
  const [{ admin_id: id }] = (await gate.database.asSuperuser(
    `select admin_id from gate.admin where email = 'audit@one.example' and removed_at is null`,
  )) as [Record<string, unknown>]
  expect((await scene.admin.send(`/console/admins/${String(id)}/remove`)).status).toBe(303)
  expect((await another.open('/console/members')).status).toBe(303)
})

test('a member who is an auditor, too, decides as a member, and is no administrator; a mailbox has one role', async () => {
  await scene.addMember({ name: 'Cy', email: 'cy@one.example', tier: 'write' })
  const asAdmin = (role: string) => scene.admin.send('/console/admins', { email: 'cy@one.example', role })
  expect((await asAdmin('auditor')).status).toBe(303)
  expect(await asAdmin('administrator')).toMatchObject({
    status: 409,
    text: expect.stringContaining('cy@one.example is an auditor. Remove them first'),
  })
  const cy = visitor(gate)
  await cy.send(await linkByMail(gate, cy, 'cy@one.example'))
  const { body } = await scene.client.propose({ email: 'cy@one.example' }, 'Lunch')
  expect((await cy.open('/console/members')).status).toBe(200)
  expect((await cy.send('/console/members/new', { name: 'Di', email: 'di@one.example' })).status).toBe(403)
  const page = await cy.open(`/console/proposals/${body.id}`)
  const fields = Object.fromEntries(
    [...page.html.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)"/g)].map(([, name, value]) => [
      name!,
      value!,
    ]),
  )
  const decided = await cy.send(`/console/proposals/${body.id}`, { ...fields, does: 'decline' })
  expect(decided.status).toBe(303)
  expect((await signedInByMail(gate, 'cy@one.example')).cookies.get('session')).toBeDefined()
})
