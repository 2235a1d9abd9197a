import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { adminWrite } from '../../src/db/admin-write.ts'
import { linkIdentity, setCompany } from '../../src/db/queries/accounts/company.ts'
import { verifyExport } from '../../src/ledger/verify-file.ts'
import { verifyLedger } from '../../src/ledger/verify.ts'
import { mintKey } from '../../src/operations/keys/mint-key.ts'
import { type ApiClient, apiClient } from '../support/api-client.ts'
import { entriesOf } from '../support/ledger-entries.ts'
import { type TestGate, startGate } from '../support/gate.ts'

let gate: TestGate
beforeAll(async () => {
  gate = await startGate()
})
afterAll(() => gate.stop())

const email = 'ada.lovelace@secret.example'
const name = 'Ada Lovelace'
const words = ['Analytical words', 'Because of engines', 'ada.lovelace', 'U0LOVELACE']

/** The tables that have one of the texts, anywhere in a row. */
async function tablesWith(texts: string[]): Promise<string[]> {
  const { asSuperuser } = gate.database
  const tables = await asSuperuser(`
    select schemaname || '.' || tablename as name from pg_tables where schemaname in ('gate', 'gate_private')`)
  const found: string[] = []
  for (const { name } of tables as unknown as { name: string }[]) {
    const [row] = (await asSuperuser(
      `select count(*)::int as n from ${name} t where t::text ~ '${texts.join('|')}'`,
    )) as unknown as { n: number }[]
    if (row!.n > 0) found.push(name)
  }
  return found.toSorted()
}

/** Has a member sign in with a company. */
async function linkedByCompany(account: string, memberId: string): Promise<void> {
  const { db } = gate.database
  const settings = {
    issuer: 'https://sign-in.example.com',
    client_id: 'gate',
    links_by_mailbox: false,
    roles_claim: null,
    roles: {},
    acr: null,
    is_only: false,
    directory_claim: null,
  }
  const secret = { ciphertext: randomBytes(32), wrappedKey: randomBytes(32), kid: 'k1' }
  await setCompany(db, { ...adminWrite(account), settings, secret })
  const link = { identityId: 'idn_0123456789abcdef', subject: '00u1', memberId, adminId: null }
  expect(await linkIdentity(db, { ...adminWrite(account), ...link })).toBe('linked')
}

test('erasing a member leaves none of their words in any table; the ledger and its exports verify, and say `erased`', async () => {
  const account = await gate.account()
  const ada = await account.addMember({ name, email, slack: 'U0LOVELACE', tier: 'write' })
  const bob = await account.addMember({ name: 'Bob', email: 'bob@my.example', tier: 'write' })
  const context = { db: gate.database.db, account: account.account, session: null }
  const { apiKey } = await mintKey(context, {
    name: 'privacy office',
    expiresAt: null,
    actors: [],
    rights: { powers: ['admin:members.erase', 'admin:ledger.read', 'admin:actions.read'] },
  })
  const admin: ApiClient = apiClient(gate.api.url, apiKey)
  const erase = (member: string) =>
    admin.request('POST', `/api/v1/admin/members/${member}/erase`, { body: { reason: 'asked for it' } })

  await account.client.capability({ email })
  const actor = { email }
  const propose = (body: object) => account.client.request('POST', '/api/v1/actions', { body })
  const message = {
    kind: 'broadcast',
    actor,
    payload: { message: 'Analytical words' },
    rationale: 'Because of engines',
  }
  const { body: done } = await propose(message)
  expect((await account.client.confirm(done.id, actor)).body).toMatchObject({ status: 'executed' })
  const { body: cancelled } = await propose(message)
  await account.client.cancel(cancelled.id, actor)
  await account.setTier(ada, 'read_only')
  const { body: denied } = await propose(message)
  expect(denied.status).toBe('denied')
  await account.setTier(ada, 'write')
  await account.setIdentity(ada, { slack: '' })
  // What a broadcast of somebody else was sent to.
  const { body: others } = await account.client.propose({ email: bob.email }, 'Lunch at noon.')
  await account.client.confirm(others.id, { email: bob.email })

  const { body: open } = await propose({ ...message, payload: { message: 'Analytical words, open' } })
  expect(await erase(ada.memberId)).toMatchObject({
    status: 409,
    body: { error: expect.stringContaining('not ended') },
  })
  await account.client.cancel(open.id, actor)
  expect(await tablesWith(words)).toContain('gate.action')
  expect(await tablesWith([name])).toContain('gate.member')

  await linkedByCompany(account.account, ada.memberId)

  // Broken off after the first payload, it goes on; racing, it is done once.
  const { eraseMember } = await import('../../src/db/queries/members/erase.ts')
  const part = {
    ...adminWrite(account.account),
    memberId: ada.memberId,
    reason: 'asked for it',
    limitRows: 1,
  }
  expect(await eraseMember(gate.database.db, part)).toBe('more')
  expect(await verifyLedger(gate.database.db, account.account)).toMatchObject({ ok: true })
  const answers = await Promise.all([erase(ada.memberId), erase(ada.memberId)])
  expect(answers).toMatchObject(
    Array.from({ length: 2 }, () => ({ status: 200, body: { member_id: ada.memberId, erased: true } })),
  )
  expect(await tablesWith(words)).toEqual([])
  // Nor in the sentence of their denial, which is in its entry, too: nothing of the chain can be taken out.
  expect(await tablesWith([name])).toEqual([])

  expect(
    await gate.database.asSuperuser(`
      select ended_at is not null as ended from gate.company_identity where account_id = '${account.account}'`),
  ).toEqual([{ ended: true }])
  const verdict = await verifyLedger(gate.database.db, account.account)
  expect(verdict).toMatchObject({ ok: true })
  const erasures = (await entriesOf(gate.database, account.account)).filter(
    ({ kind, entry }) => kind === 'member_changed' && entry.data['change'] === 'erased',
  )
  expect(erasures).toMatchObject([{ entry: { actor: expect.stringMatching(/^admin:key_/) } }])
  const { body: exported } = await admin.request('GET', '/api/v1/admin/ledger/export')
  for (const word of words) expect(exported).not.toContain(word)
  const file = join(mkdtempSync(join(tmpdir(), 'erased-')), 'ledger.jsonl')
  writeFileSync(file, exported)
  expect(await verifyExport(file, { anchors: [], unsealed: false })).toMatchObject({ ok: true })

  expect((await admin.request('GET', `/api/v1/admin/actions/${done.id}`)).body).toMatchObject({
    status: 'executed',
    member: 'erased',
    payload: {},
    consent: { by: 'erased' },
  })
  expect((await account.client.capability({ email })).status).toBe(404)
  await account.setActive(ada, true).then(
    () => expect('activated').toBe('refused'),
    (error: unknown) => expect(String(error)).toContain('member_erased_whole'),
  )
})

test('who puts a name back into a row, or calls a row erased, is found', async () => {
  const account = await gate.account()
  const ada = await account.addMember({ name: 'Ada', email: 'ada@my.example', tier: 'write' })
  await account.client.capability({ email: 'ada@my.example' })
  const { asSuperuser } = gate.database
  const label = (text: string) =>
    asSuperuser(`update gate.action set member = '${text}' where account_id = '${account.account}'`)
  await label('erased')
  expect(await verifyLedger(gate.database.db, account.account)).toMatchObject({
    ok: false,
    place: 'action 1',
  })
  await label('ada@my.example')
  const { eraseMember } = await import('../../src/operations/members/erase-member.ts')
  const context = { db: gate.database.db, account: account.account, session: null }
  await eraseMember(context, ada.memberId, 'asked for it')
  expect(await verifyLedger(gate.database.db, account.account)).toMatchObject({ ok: true })
  await label('ada@my.example')
  expect(await verifyLedger(gate.database.db, account.account)).toMatchObject({
    ok: false,
    place: 'action 1',
    problem: expect.stringContaining('still named'),
  })
})
