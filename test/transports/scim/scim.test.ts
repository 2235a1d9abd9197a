import { beforeEach, expect, test } from '@jest/globals'
import { eraseMember } from '../../../src/operations/members/erase-member.ts'
import { verifyLedger } from '../../../src/ledger/verify.ts'
import type { TestAccount } from '../../support/account.ts'
import type { ApiClient } from '../../support/api-client.ts'
import { entriesOf } from '../../support/ledger-entries.ts'
import { useGate } from '../../support/use-gate.ts'
import { type ScimClient, directoryOf, scimUser } from './client.ts'

const gate = useGate({ workers: false })
let account: TestAccount & { client: ApiClient }
let directory: ScimClient & { token: string; keyId: string }
beforeEach(async () => {
  account = await gate.account()
  directory = await directoryOf(gate, account.account)
})

const entries = () => entriesOf(gate.database, account.account)
const verified = () => verifyLedger(gate.database.db, account.account)

test('a user is added, found, read, replaced, changed and deleted; each change is one entry that names the token', async () => {
  const before = (await entries()).length
  const made = await directory.post('/Users', scimUser('ada'))
  expect(made).toMatchObject({
    status: 201,
    type: 'application/scim+json; charset=utf-8',
    body: {
      userName: 'ada@corp.example',
      externalId: '00uada',
      displayName: 'ada Test',
      emails: [{ value: 'ada@corp.example', type: 'work', primary: true }],
      active: true,
    },
  })
  const { id } = made.body
  expect((await directory.get(`/Users/${id}`)).body).toEqual(made.body)
  for (const filter of [
    'userName eq "ADA@corp.example"',
    'externalId eq "00uada"',
    'emails[type eq "work"].value eq "ada@corp.example"',
    'emails.value eq "ada@corp.example" and active eq true',
    `id eq "${id}"`,
  ]) {
    const found = await directory.get(`/Users?filter=${encodeURIComponent(filter)}`)
    expect([filter, found.status, found.body]).toMatchObject([
      filter,
      200,
      { totalResults: 1, Resources: [{ id }] },
    ])
  }
  // A repeat changes nothing, and is no entry.
  expect((await directory.put(`/Users/${id}`, scimUser('ada'))).status).toBe(200)
  await directory.put(`/Users/${id}`, scimUser('ada', { displayName: 'Ada King' }))
  await directory.patch(`/Users/${id}`, { op: 'Replace', path: 'active', value: 'False' })
  expect((await directory.get(`/Users/${id}`)).body).toMatchObject({ active: false, displayName: 'Ada King' })
  await directory.patch(`/Users/${id}`, {
    op: 'replace',
    value: { 'urn:ietf:params:scim:schemas:core:2.0:User:active': 'True' },
  })
  expect((await directory.get(`/Users/${id}`)).body).toMatchObject({ active: true })
  expect((await directory.remove(`/Users/${id}`)).status).toBe(204)
  for (const answer of [
    await directory.get(`/Users/${id}`),
    await directory.patch(`/Users/${id}`, { op: 'replace', value: { active: true } }),
    await directory.put(`/Users/${id}`, scimUser('ada')),
  ])
    expect(answer.status).toBe(404)
  const told = (await entries()).slice(before)
  expect(told.map(({ kind, entry }) => [kind, entry.actor, entry.data['change']])).toEqual(
    ['added', 'updated', 'deactivated', 'activated', 'deactivated'].map((change) => [
      'member_changed',
      `admin:${directory.keyId}`,
      change,
    ]),
  )
  // They come back by their id in the directory, as the same member.
  expect((await directory.post('/Users', scimUser('ada'))).body).toMatchObject({ id, active: true })
  expect(await verified()).toMatchObject({ ok: true })
  // Erased here: the directory has nobody of theirs any more, and adds somebody new.
  await eraseMember({ db: gate.database.db, account: account.account, session: null }, id, 'asked for it')
  expect((await directory.get(`/Users/${id}`)).status).toBe(404)
  expect((await directory.post('/Users', scimUser('ada'))).body.id).not.toBe(id)
  expect(await verified()).toMatchObject({ ok: true })
})

test('pages, filters and bodies that are not understood are refused in the words of SCIM', async () => {
  for (const name of ['ada', 'bea', 'cy']) await directory.post('/Users', scimUser(name))
  const page = await directory.get('/Users?startIndex=2&count=1')
  expect(page.body).toMatchObject({ totalResults: 3, startIndex: 2, itemsPerPage: 1 })
  expect((await directory.get('/Users?startIndex=9&count=5')).body).toMatchObject({
    totalResults: 3,
    Resources: [],
  })
  expect((await directory.get('/Users?startIndex=-1&count=0')).body).toMatchObject({
    totalResults: 3,
    Resources: [],
  })
  for (const [answer, status, scimType] of [
    [await directory.get('/Users?filter=userName%20co%20%22a%22'), 400, 'invalidFilter'],
    [
      await directory.get('/Users?filter=userName%20eq%20%22a%22%20or%20id%20eq%20%22b%22'),
      400,
      'invalidFilter',
    ],
    [await directory.post('/Users', { displayName: 'nobody' }), 400, 'invalidValue'],
    [await directory.post('/Users', scimUser('dan', { active: 'perhaps' })), 400, 'invalidValue'],
    [
      await directory.post('/Users', scimUser('dan', { emails: [{ value: 'no mailbox' }] })),
      400,
      'invalidValue',
    ],
    [await directory.post('/Users', '{"userName":'), 400, 'invalidSyntax'],
    [await directory.post('/Users', scimUser('ada', { externalId: 'other' })), 409, 'uniqueness'],
    [await directory.post('/Users', scimUser('dan', { externalId: '00uada' })), 409, 'uniqueness'],
    [await directory.get('/Users/mem_0000000000000000'), 404, undefined],
    [await directory.send('PUT', '/ServiceProviderConfig', {}), 405, undefined],
  ] as const) {
    expect([answer.status, answer.type, answer.body.scimType]).toEqual([
      status,
      'application/scim+json; charset=utf-8',
      scimType,
    ])
    expect(answer.body).toMatchObject({
      schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
      status: String(status),
      detail: expect.any(String),
    })
  }
  for (const path of ['/ServiceProviderConfig', '/ResourceTypes', '/ResourceTypes/User', '/Schemas'])
    expect((await directory.get(path)).status).toBe(200)
})

test('a group is made, filled by list and by path, renamed, emptied and deleted; administrators do not change it', async () => {
  const ids: string[] = []
  for (const name of ['ada', 'bea', 'cy']) ids.push((await directory.post('/Users', scimUser(name))).body.id)
  const [ada, bea, cy] = ids as [string, string, string]
  const made = await directory.post('/Groups', {
    displayName: 'Leads',
    externalId: 'g1',
    members: [{ value: ada }],
  })
  expect(made).toMatchObject({ status: 201, body: { displayName: 'Leads', members: [{ value: ada }] } })
  const at = `/Groups/${made.body.id}`
  const members = async () =>
    (await directory.get(at)).body.members.map(({ value }: { value: string }) => value).toSorted()
  const changes = [
    [{ op: 'Add', path: 'members', value: [{ value: bea }, { value: cy }] }, [ada, bea, cy]],
    [{ op: 'remove', path: `members[value eq "${ada}"]` }, [bea, cy]],
    [{ op: 'Remove', path: 'members', value: [{ value: bea }] }, [cy]],
    [{ op: 'replace', path: 'members', value: [{ value: ada }, { value: bea }] }, [ada, bea]],
    [{ op: 'replace', value: { id: made.body.id, displayName: 'Finance' } }, [ada, bea]],
    // With the schema in front of the name.
    [
      { op: 'Add', path: 'urn:ietf:params:scim:schemas:core:2.0:Group:members', value: [{ value: cy }] },
      [ada, bea, cy],
    ],
    [
      { op: 'Remove', path: `urn:ietf:params:scim:schemas:core:2.0:Group:members[value eq "${cy}"]` },
      [ada, bea],
    ],
    [{ op: 'remove', path: 'members' }, []],
  ] as const
  for (const [operation, left] of changes) {
    expect((await directory.patch(at, operation)).status).toBe(204)
    expect(await members()).toEqual([...left].toSorted())
  }
  const found = await directory.get(
    '/Groups?excludedAttributes=members&filter=displayName%20eq%20%22finance%22',
  )
  expect(found.body).toMatchObject({ totalResults: 1 })
  expect(found.body.Resources[0].members).toBeUndefined()
  expect(
    (await directory.patch(at, { op: 'add', path: 'members', value: [{ value: 'mem_0000000000000000' }] }))
      .status,
  ).toBe(400)
  expect(await verified()).toMatchObject({ ok: true })
  expect((await directory.remove(at)).status).toBe(204)
  expect((await directory.get(at)).status).toBe(404)
  expect(await verified()).toMatchObject({ ok: true })
})
