import { beforeEach, expect, test } from '@jest/globals'
import { inviteAdmin } from '../../../src/operations/admins/invite-admin.ts'
import { adoptMembers, endDirectory, makeDirectoryToken } from '../../../src/operations/directory/token.ts'
import { changeGroupMembers, removeGroup, renameGroup } from '../../../src/operations/groups/groups.ts'
import { putGroup } from '../../../src/operations/directory/groups.ts'
import { putUser } from '../../../src/operations/directory/users.ts'
import { addMember } from '../../../src/operations/members/add-member.ts'
import { setMemberTier } from '../../../src/operations/members/set-member-tier.ts'
import { hashKey } from '../../../src/keys/api-key.ts'
import { adminOperations } from '../../../src/operations/administration/registry.ts'
import { operations } from '../../../src/operations/registry.ts'
import { actionKinds } from '../../../src/actions/registry.ts'
import { verifyLedger } from '../../../src/ledger/verify.ts'
import type { TestAccount } from '../../support/account.ts'
import { type ApiClient, apiClient } from '../../support/api-client.ts'
import { signedInByMail, visitor } from '../../support/console.ts'
import { formOf } from '../../support/form-of.ts'
import { entriesOf } from '../../support/ledger-entries.ts'
import { useConsole } from '../../support/use-gate.ts'
import { directoryOf, scimClient, scimUser } from './client.ts'

const gate = useConsole()
let account: TestAccount & { client: ApiClient; key: string }
let n = 0
/** Another name each time: sign-in is by mailbox, in all accounts. */
const name = (of: string) => `${of}${++n}`
beforeEach(async () => {
  account = await gate.account()
})

const context = () => ({ db: gate.database.db, account: account.account, session: null })
const directory = () => directoryOf(gate, account.account)
const verified = () => verifyLedger(gate.database.db, account.account)
const refusals = async () =>
  (await entriesOf(gate.database, account.account)).filter(({ kind }) => kind === 'write_refused')

test('a token of the directory is for its own account and for nothing but SCIM; no other key speaks SCIM', async () => {
  const ours = await directory()
  const theirs = await directoryOf(gate, (await gate.account()).account)
  const { body: ada } = await ours.post('/Users', scimUser(name('ada')))
  const { body: group } = await ours.post('/Groups', { displayName: 'Leads', members: [] })
  for (const [method, path, body] of [
    ['GET', `/Users/${ada.id}`],
    ['PUT', `/Users/${ada.id}`, scimUser('mallory')],
    ['DELETE', `/Users/${ada.id}`],
    ['GET', `/Groups/${group.id}`],
    ['DELETE', `/Groups/${group.id}`],
  ] as const)
    expect([path, (await theirs.send(method, path, body)).status]).toEqual([path, 404])
  expect((await theirs.patch(`/Users/${ada.id}`, { op: 'replace', value: { active: false } })).status).toBe(
    404,
  )
  expect((await theirs.get('/Users')).body.totalResults).toBe(0)
  expect((await theirs.post('/Groups', { displayName: 'Theirs', members: [{ value: ada.id }] })).status).toBe(
    400,
  )

  const asKey = apiClient(gate.api.url, ours.token)
  for (const { http } of [...operations(actionKinds), ...adminOperations])
    if (http) {
      const path = http.path.replaceAll(/\{\w+\}/g, '1')
      const { status } = await asKey.request(http.method, path, http.method === 'GET' ? {} : { body: {} })
      // What is judged before the power says nothing about the account.
      expect([http.method, path, [403, 404, 422].includes(status)]).toEqual([http.method, path, true])
    }
  const tools = await asKey.request('POST', '/api/mcp', {
    body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'list_actions', arguments: {} } },
    headers: { accept: 'application/json, text/event-stream' },
  })
  expect(JSON.stringify(tools.body)).toContain('lacks the power')
  const withKey = scimClient(gate.api.url, account.key)
  for (const answer of [await withKey.get('/Users'), await withKey.post('/Users', scimUser('mallory'))])
    expect([answer.status, answer.body.schemas]).toEqual([
      403,
      ['urn:ietf:params:scim:api:messages:2.0:Error'],
    ])
  expect((await refusals()).map(({ entry }) => entry.data['operation'])).toContain('scim')
  expect((await scimClient(gate.api.url, 'qgk_nothing').get('/Users')).status).toBe(401)
  // The statements themselves refuse the other's credential.
  const ofKey = { ...context(), session: hashKey(account.key) }
  const ofDirectory = { ...context(), session: hashKey(ours.token) }
  const dan = { name: 'Dan', email: `${name('dan')}@corp.example`, slack: null }
  for (const write of [
    () => putUser(ofKey, null, { userName: 'dan', name: 'Dan' }),
    () => putGroup(ofKey, null, { name: 'Theirs' }),
    () => addMember(ofDirectory, dan),
    () => setMemberTier(ofDirectory, ada.id, 'write'),
    () => makeDirectoryToken(ofDirectory),
  ])
    await expect(write()).rejects.toThrow()
})

test('a token is rotated with an overlap, and ends at once', async () => {
  const first = await directory()
  const second = await directory()
  expect([(await first.get('/Users')).status, (await second.get('/Users')).status]).toEqual([200, 200])
  const third = await makeDirectoryToken(context(), { overlapHours: 0 })
  expect([(await second.get('/Users')).status]).toEqual([401])
  await endDirectory(context())
  for (const token of [first.token, second.token, third.token])
    expect((await scimClient(gate.api.url, token).post('/Users', scimUser('ada'))).status).toBe(401)
  expect(await verified()).toMatchObject({ ok: true })
})

test('no member is taken over by their mailbox, and no administrator is changed', async () => {
  const okta = await directory()
  const email = `${name('cfo')}@corp.example`
  const cfo = await account.addMember({ name: 'Cora', email, tier: 'write' })
  const mallory = name('mallory')
  const user = scimUser(mallory, {
    tier: 'write',
    entitlements: [{ value: 'write' }],
    roles: [{ value: 'administrator' }],
  })
  const { body: made } = await okta.post('/Users', user)
  const theirs = [{ value: email.toUpperCase(), primary: true }]
  for (const answer of [
    await okta.post('/Users', scimUser(name('x'), { emails: theirs })),
    await okta.put(`/Users/${made.id}`, { ...user, emails: theirs }),
    await okta.patch(`/Users/${made.id}`, {
      op: 'replace',
      path: 'emails[type eq "work"].value',
      value: email,
    }),
  ])
    expect([answer.status, answer.body.scimType]).toEqual([409, 'uniqueness'])
  for (const path of [
    `/Users/${cfo.memberId}`,
    `/Users?filter=${encodeURIComponent(`userName eq "${email}"`)}`,
  ])
    expect((await okta.get(path)).body.totalResults ?? 0).toBe(0)
  expect(
    (await okta.patch(`/Users/${cfo.memberId}`, { op: 'replace', value: { active: false } })).status,
  ).toBe(404)
  // Neither tier nor role come from a directory.
  const [row] = await gate.database.asSuperuser(
    `select admin_tier, (select count(*)::int from gate.admin where account_id = m.account_id) as admins
    from gate.member m where member_id = '${made.id}'`,
  )
  expect(row).toEqual({ admin_tier: null, admins: 0 })

  // An administrator lets it manage the member, who is an administrator, too.
  const root = visitor(gate)
  await root.send(await inviteAdmin(context(), email))
  expect(await adoptMembers(context(), email)).toBe(1)
  const found = await okta.get(`/Users?filter=${encodeURIComponent(`userName eq "${email}"`)}`)
  expect(found.body.Resources).toMatchObject([{ id: cfo.memberId }])
  const stolen = `${name('stolen')}@corp.example`
  const moved = { op: 'replace', value: { userName: stolen, emails: [{ value: stolen, primary: true }] } }
  expect((await okta.patch(`/Users/${cfo.memberId}`, moved)).status).toBe(200)
  expect(
    (await okta.patch(`/Users/${cfo.memberId}`, { op: 'replace', value: { active: false } })).status,
  ).toBe(200)
  expect((await root.open('/console/members')).status).toBe(200)
  const [admin] = await gate.database.asSuperuser(
    `select email, removed_at from gate.admin where account_id = '${account.account}'`,
  )
  expect(admin).toEqual({ email, removed_at: null })
  const told = await gate.database.asSuperuser(
    `select address, changed_by from gate.identity_notice where account_id = '${account.account}'`,
  )
  expect(told).toContainEqual({ address: email, changed_by: `admin:${okta.keyId}` })
  expect(await verified()).toMatchObject({ ok: true })
})

test('who puts themselves into a group of approvers approves nothing for a day; the group is changed by the directory alone', async () => {
  const okta = await directory()
  const names = [name('ada'), name('bea'), name('mallory')]
  const [ada, bea, mallory] = await Promise.all(
    names.map(async (one) => (await okta.post('/Users', scimUser(one))).body.id as string),
  )
  const { body: group } = await okta.post('/Groups', { displayName: 'Leads', members: [{ value: bea }] })
  await account.setTier({ memberId: ada! } as never, 'guarded_write')
  const approvals = {
    needed: 1,
    from: { group: group.id },
    distinct_from: ['proposer'],
    min_strength: 'page',
  }
  await account.setPolicy({
    kinds: { broadcast: { tier: 'guarded_write', consent: 'agent_attested', approvals } },
  } as never)
  await gate.database.asSuperuser(
    `update gate.group_membership set counts_from = now() where account_id = '${account.account}'`,
  )
  const actor = { email: `${names[0]}@corp.example` }
  const { body } = await account.client.propose(actor, 'Lunch is at noon.')
  await account.client.confirm(body.id, actor)
  await okta.patch(`/Groups/${group.id}`, { op: 'add', path: 'members', value: [{ value: mallory }] })
  const page = `/console/proposals/${body.id}`
  const someone = await signedInByMail(gate, `${names[2]}@corp.example`)
  expect((await someone.open(page)).status).toBe(404)
  const mayApprove = async () =>
    (
      await gate.database.asSuperuser(
        `select gate_private.may_approve(a, '${mallory}') as may from gate.action a
        where account_id = '${account.account}' and id = ${body.id}`,
      )
    )[0]!['may']
  expect(await mayApprove()).toBe(false)
  const lead = await signedInByMail(gate, `${names[1]}@corp.example`)
  const form = formOf((await lead.open(page)).html)
  expect((await someone.send(page, { ...form, does: 'confirm' })).status).not.toBe(303)
  expect((await account.client.get(body.id)).body.consent).toBeUndefined()
  expect(await verified()).toMatchObject({ ok: false })
  await lead.send(page, { ...formOf((await lead.open(page)).html), does: 'confirm' })
  expect((await account.client.get(body.id)).body.consent).toBeDefined()

  for (const change of [
    () => changeGroupMembers(context(), group.id, { add: [ada!] }),
    () => renameGroup(context(), group.id, 'Ours'),
    () => removeGroup(context(), group.id),
  ])
    await expect(change()).rejects.toMatchObject({ code: 'conflict' })
  // The policy names it.
  expect((await okta.remove(`/Groups/${group.id}`)).status).toBe(409)
  await endDirectory(context())
  expect(await changeGroupMembers(context(), group.id, { remove: [mallory!] })).toBe(true)
})

test('what the directory does beyond its bounds is refused, and changes nothing', async () => {
  const okta = await directory()
  const { body: ada } = await okta.post('/Users', scimUser(name('ada')))
  const before = (await entriesOf(gate.database, account.account)).length
  const many = (count: number, of: (at: number) => unknown) =>
    Array.from({ length: count }, (_, at) => of(at))
  for (const answer of [
    await okta.patch(`/Users/${ada.id}`, ...many(1_001, () => ({ op: 'replace', value: { active: false } }))),
    await okta.patch(`/Users/${ada.id}`, { op: 'merge', value: { active: false } }),
    await okta.put(`/Users/${ada.id}`, scimUser('ada', { displayName: 'x'.repeat(201) })),
    await okta.put(`/Users/${ada.id}`, scimUser('ada', { displayName: 'two\nlines' })),
    await okta.post('/Users', `{"userName":"a@corp.example","userName":"b@corp.example"}`),
    await okta.post('/Groups', {
      displayName: 'Leads',
      members: many(10_001, (at) => ({ value: `mem_${String(at).padStart(16, '0')}` })),
    }),
    await okta.get(`/Users?filter=${encodeURIComponent(`userName eq "${'x'.repeat(1_000)}"`)}`),
  ])
    expect([answer.status, answer.body.schemas]).toEqual([
      400,
      ['urn:ietf:params:scim:api:messages:2.0:Error'],
    ])
  expect((await entriesOf(gate.database, account.account)).length).toBe(before)
})
