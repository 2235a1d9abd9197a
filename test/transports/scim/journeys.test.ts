import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { verifyLedger } from '../../../src/ledger/verify.ts'
import { inviteAdmin } from '../../../src/operations/admins/invite-admin.ts'
import { linkIdentity, listIdentities } from '../../../src/operations/company/identities.ts'
import { setCompany } from '../../../src/operations/company/settings.ts'
import { ringOf } from '../../support/connect.ts'
import { startConsole, visitor } from '../../support/console.ts'
import type { TestGate } from '../../support/gate.ts'
import { type RealProvider, providerSecret, realProvider } from '../../support/openid-provider.ts'
import { shorten } from '../../support/shorten.ts'
import { directoryOf } from './client.ts'

let gate: TestGate
let provider: RealProvider
let accounts: { account: string }[]
let restore: () => void
beforeAll(async () => {
  restore = shorten({ signInsPerMinute: 600 })
  gate = await startConsole({ env: { SECRETS_KEYS: ringOf('k1') } })
  accounts = [await gate.account(), await gate.account()]
  provider = await realProvider(
    gate.api.url,
    accounts.map(({ account }) => account),
  )
}, 60_000)
afterAll(async () => {
  await gate.stop()
  await provider.stop()
  restore()
})

/** Signs in with the provider, whose claim names the users of the directory; nobody is linked by mailbox. */
const signInWith = (account: string, directoryClaim: string) =>
  setCompany(
    gate.deps,
    { db: gate.database.db, account, session: null },
    {
      issuer: provider.issuer,
      client_id: 'gate',
      links_by_mailbox: false,
      roles_claim: 'groups',
      roles: { administrator: ['admins'], member: ['people'] },
      acr: null,
      is_only: true,
      directory_claim: directoryClaim,
    },
    providerSecret,
  )

// The requests are of the form of https://developer.okta.com/docs/api/openapi/okta-scim/guides/scim-20
test('as Okta sends it: a person is provisioned, signs in, is promoted, deactivated, and comes back without what they had', async () => {
  const { account } = accounts[0]!
  await signInWith(account, 'sub')
  const okta = await directoryOf(gate, account)
  // The test of the connection.
  expect((await okta.get('/Users?startIndex=1&count=2')).body).toMatchObject({
    totalResults: 0,
    Resources: [],
  })
  expect((await okta.get('/Groups?startIndex=1&count=100')).status).toBe(200)
  const asked = `/Users?filter=${encodeURIComponent('userName eq "lovelace@corp.example"')}&startIndex=1&count=100`
  expect((await okta.get(asked)).body.totalResults).toBe(0)
  const profile = {
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
    userName: 'lovelace@corp.example',
    name: { givenName: 'Ada', familyName: 'Lovelace' },
    emails: [{ primary: true, value: 'lovelace@corp.example', type: 'work' }],
    displayName: 'Ada Lovelace',
    locale: 'en-US',
    externalId: 'lovelace',
    groups: [],
    password: '1mz050nq',
    active: true,
  }
  const { status, body: user } = await okta.post('/Users', profile)
  expect(status).toBe(201)
  expect((await okta.get(asked)).body.totalResults).toBe(1)
  // Pushed as a group.
  const group = await okta.post('/Groups', {
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:Group'],
    displayName: 'Payers',
    members: [{ value: user.id, display: 'lovelace@corp.example' }],
  })
  expect(group.status).toBe(201)

  provider.people.set('lovelace', { groups: ['people'] })
  const ada = visitor(gate)
  expect((await provider.signIn(ada, account, 'lovelace')).answer.status).toBe(200)
  expect((await ada.open('/console/me')).text).toContain('Your tier')
  expect((await ada.open('/console/members')).status).toBe(403)
  provider.people.set('lovelace', { groups: ['people', 'admins'] })
  await provider.signIn(ada, account, 'lovelace')
  expect((await ada.open('/console/members')).text).toContain('Ada Lovelace')
  // Somebody whom the directory does not know.
  provider.people.set('mallory', { groups: ['people'], email: 'lovelace@corp.example' })
  expect((await provider.signIn(visitor(gate), account, 'mallory')).answer.status).toBe(403)

  // Somebody who is an administrator because one made them so, beside being a user of the directory.
  const context = { db: gate.database.db, account, session: null }
  const alan = await okta.post('/Users', {
    ...profile,
    userName: 'turing@corp.example',
    externalId: 'turing',
    emails: [],
  })
  await inviteAdmin(context, 'turing@corp.example')
  for (const as of ['member', 'administrator'] as const)
    await linkIdentity(context, { subject: 'turing', as, email: 'turing@corp.example' })
  provider.people.set('turing', { groups: ['people', 'admins'] })
  const turing = visitor(gate)
  await provider.signIn(turing, account, 'turing')
  expect((await turing.open('/console/members')).status).toBe(200)
  await okta.patch(`/Users/${alan.body.id}`, { op: 'replace', value: { active: false } })
  expect((await turing.open('/console/members')).status).toBe(303)
  // Only an administrator takes that away.
  await provider.signIn(turing, account, 'turing')
  expect((await turing.open('/console/members')).status).toBe(200)

  // Nobody is linked while they are inactive: a link would be old by the time that they are active.
  const idle = await okta.post('/Users', {
    ...profile,
    userName: 'idle@corp.example',
    externalId: 'idle',
    emails: [],
    active: false,
  })
  expect([idle.status, idle.body.active]).toEqual([201, false])
  provider.people.set('idle', { groups: ['people'] })
  expect((await provider.signIn(visitor(gate), account, 'idle')).answer.status).toBe(403)
  expect((await listIdentities(context)).map(({ subject }) => subject)).not.toContain('idle')

  const deactivation = await okta.patch(`/Users/${user.id}`, { op: 'replace', value: { active: false } })
  expect([deactivation.status, deactivation.body.active]).toEqual([200, false])
  expect((await ada.open('/console/members')).status).toBe(303)
  expect((await provider.signIn(ada, account, 'lovelace')).answer.status).toBe(403)
  // Reactivated, and the whole profile sent.
  expect((await okta.put(`/Users/${user.id}`, { ...profile, id: user.id, active: true })).body.active).toBe(
    true,
  )
  expect((await ada.open('/console/me')).status).toBe(303)
  provider.people.set('lovelace', { groups: ['people'] })
  expect((await provider.signIn(ada, account, 'lovelace')).answer.status).toBe(200)
  expect((await ada.open('/console/members')).status).toBe(403)
  expect(await verifyLedger(gate.database.db, account)).toMatchObject({ ok: true })
})

// The requests are of the form of https://learn.microsoft.com/entra/identity/app-provisioning/use-scim-to-provision-users-and-groups
test('as Entra sends it: capitals, texts for booleans and paths with filters; a person signs in by another claim than the subject', async () => {
  const { account } = accounts[1]!
  await signInWith(account, 'oid')
  const entra = await directoryOf(gate, account, 'Entra')
  const nobody = encodeURIComponent('userName eq "5e3a2f0c-non-existent"')
  expect((await entra.get(`/Users?filter=${nobody}`)).body).toMatchObject({
    totalResults: 0,
    itemsPerPage: 0,
  })
  const { status, body: user } = await entra.post('/Users', {
    schemas: [
      'urn:ietf:params:scim:schemas:core:2.0:User',
      'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User',
    ],
    externalId: '0a21f0f2-8d2a-4f8e-bf98-7363c4aed4ef',
    userName: 'hopper@corp.example',
    active: true,
    displayName: 'Grace Hopper',
    emails: [{ primary: true, type: 'work', value: 'hopper@corp.example' }],
    meta: { resourceType: 'User' },
    name: { formatted: 'Grace Hopper', familyName: 'Hopper', givenName: 'Grace' },
    roles: [],
  })
  expect(status).toBe(201)
  provider.people.set('pairwise-7f', { groups: ['people'], oid: '0a21f0f2-8d2a-4f8e-bf98-7363c4aed4ef' })
  const grace = visitor(gate)
  expect((await provider.signIn(grace, account, 'pairwise-7f')).answer.status).toBe(200)

  const changed = await entra.patch(
    `/Users/${user.id}`,
    { op: 'Replace', path: 'displayName', value: 'Grace B. Hopper' },
    { op: 'Add', path: 'emails[type eq "work"].value', value: 'grace@corp.example' },
    {
      op: 'Replace',
      path: 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:department',
      value: 'Navy',
    },
    { op: 'Add', path: 'phoneNumbers[type eq "mobile"].value', value: '555' },
  )
  expect([changed.status, changed.body]).toMatchObject([
    200,
    { displayName: 'Grace B. Hopper', emails: [{ value: 'grace@corp.example' }] },
  ])
  const { body: group } = await entra.post('/Groups', {
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:Group'],
    externalId: '8aa1a0c0-c4c3-4bc0-b4a5-2ef676900159',
    displayName: 'Approvers',
    meta: { resourceType: 'Group' },
  })
  const add = { op: 'Add', path: 'members', value: [{ $ref: null, value: user.id }] }
  expect((await entra.patch(`/Groups/${group.id}`, add)).status).toBe(204)
  expect((await entra.get(`/Groups/${group.id}`)).body.members).toMatchObject([{ value: user.id }])
  const without = await entra.get(`/Groups/${group.id}?excludedAttributes=members`)
  expect([without.status, without.body.members]).toEqual([200, undefined])
  const remove = { op: 'Remove', path: 'members', value: [{ $ref: null, value: user.id }] }
  expect((await entra.patch(`/Groups/${group.id}`, remove)).status).toBe(204)
  expect((await entra.get(`/Groups/${group.id}`)).body.members).toEqual([])

  // Unassigned: soft deleted. It is still found, as disabled.
  const disabled = await entra.patch(`/Users/${user.id}`, { op: 'Replace', path: 'active', value: 'False' })
  expect([disabled.status, disabled.body.active]).toEqual([200, false])
  expect((await grace.open('/console/me')).status).toBe(303)
  const filter = encodeURIComponent('externalId eq "0a21f0f2-8d2a-4f8e-bf98-7363c4aed4ef"')
  expect((await entra.get(`/Users?filter=${filter}`)).body.Resources).toMatchObject([
    { id: user.id, active: false },
  ])
  expect((await entra.remove(`/Users/${user.id}`)).status).toBe(204)
  expect((await entra.get(`/Users?filter=${filter}`)).body.totalResults).toBe(0)
  expect((await provider.signIn(grace, account, 'pairwise-7f')).answer.status).toBe(403)
  expect(await verifyLedger(gate.database.db, account)).toMatchObject({ ok: true })
})
