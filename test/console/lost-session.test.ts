import { request } from 'node:http'
import { text } from 'node:stream/consumers'
import { beforeEach, describe, expect, test } from '@jest/globals'
import { listAdmins } from '../../src/db/queries/accounts/admins.ts'
import { createConversation } from '../../src/db/queries/previews/conversations.ts'
import { adminWrite } from '../../src/db/admin-write.ts'
import { verifyLedger } from '../../src/ledger/verify.ts'
import { suspendAccount } from '../../src/operations/accounts/suspend-account.ts'
import { addAdmin } from '../../src/operations/admins/add-admin.ts'
import { removeAdmin } from '../../src/operations/admins/remove-admin.ts'
import { cancelAsAdmin } from '../../src/operations/decisions/cancel-as-admin.ts'
import { recordPass } from '../../src/operations/members/record-pass.ts'
import { revokePasses } from '../../src/operations/members/revoke-passes.ts'
import type { AdminContext } from '../../src/operations/admin-context.ts'
import { addCurriculum } from '../../src/operations/curricula/add-curriculum.ts'
import { changeCurriculum } from '../../src/operations/curricula/change-curriculum.ts'
import { retireCurriculum } from '../../src/operations/curricula/retire-curriculum.ts'
import { mintKey } from '../../src/operations/keys/mint-key.ts'
import { rotateKey } from '../../src/operations/keys/rotate-key.ts'
import { revokeKey } from '../../src/operations/keys/revoke-key.ts'
import { addMember } from '../../src/operations/members/add-member.ts'
import { readMember } from '../../src/operations/members/read-member.ts'
import { setMemberActive } from '../../src/operations/members/set-member-active.ts'
import { setMemberTier } from '../../src/operations/members/set-member-tier.ts'
import { updateMember } from '../../src/operations/members/update-member.ts'
import { importMembers } from '../../src/operations/members/import-members.ts'
import { setPolicy } from '../../src/operations/policy/set-policy.ts'
import { entriesOf, overtake } from '../support/ledger-entries.ts'
import { type Visitor, signedInAdmin, signedInByMail } from '../support/console.ts'
import { formOf } from '../support/form-of.ts'
import type { TestGate } from '../support/gate.ts'
import { useConsole } from '../support/use-gate.ts'
import { sessionOf } from '../support/session.ts'
import { until } from '../support/until.ts'
import { testRows } from '../support/rows.ts'

const gate = useConsole()

const root = 'root@example.com'
let account: Awaited<ReturnType<TestGate['account']>>
let ada: Awaited<ReturnType<typeof account.addMember>>
const setUp = async () => {
  account = await gate.account()
  ada = await account.addMember({ email: 'ada@example.com', tier: 'write' })
  await account.addCurriculum({ slug: 'safe', title: 'Safe', modules: 2, grants: 'write' })
  await account.pass(ada, 'safe', 1)
  await account.client.propose({ email: 'ada@example.com' }, 'Lunch.')
}
beforeEach(setUp)

const byCommandLine = (): AdminContext => ({ db: gate.database.db, account: account.account, session: null })
const entries = () => entriesOf(gate.database, account.account)

/** Sends a form in two parts. What happens in between happens after the session was read, and before the form is there. */
async function sendSlowly(
  visitor: Visitor,
  path: string,
  fields: Record<string, string>,
  between: () => Promise<unknown>,
) {
  const sessions = `gate_private.session where account_id = '${account.account}'`
  await gate.database.asSuperuser(
    `update gate_private.session set seen_at = now() - interval '2 minutes' where account_id = '${account.account}'`,
  )
  const body = new URLSearchParams(fields).toString()
  const cookie = [...visitor.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  const form = { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' }
  const sent = request(new URL(path, gate.api.url), { method: 'POST', headers: { cookie, ...form } })
  const answered = new Promise<{ status: number; headers: NodeJS.Dict<string | string[]>; text: string }>(
    (resolve, reject) => {
      sent.on('error', reject)
      sent.on('response', async (response) =>
        resolve({ status: response.statusCode!, headers: response.headers, text: await text(response) }),
      )
    },
  )
  sent.flushHeaders()
  sent.write(body.slice(0, Math.ceil(body.length / 2)))
  await until('the session is read', async () => {
    const [row] = await gate.database.asSuperuser(
      `select seen_at > now() - interval '1 minute' as seen from ${sessions}`,
    )
    return row?.['seen'] === true
  })
  await between()
  sent.end(body.slice(Math.ceil(body.length / 2)))
  return answered
}

describe('an administrator who is removed while the form is under way', () => {
  const policyForm = async (admin: Visitor) => {
    const [path, review] = ['/console/policies/kinds/broadcast', '/console/policies/review']
    const form = formOf((await admin.open(path)).html, path)
    const reviewed = await admin.send(path, { ...form, 'broadcast.tier': 'read_only', do: 'review' })
    return { ...formOf(reviewed.html, review), do: 'set' }
  }
  testRows<[string, string, (admin: Visitor) => Record<string, string> | Promise<Record<string, string>>]>(
    [
      ['mint a key', '/console/keys/new', () => ({ name: 'late', power_read: 'on', power_confirm: 'on' })],
      ['rotate a key', '/console/keys/:key/rotate', () => ({ overlap: '24' })],
      ['set a tier', '/console/members/:member/tier', () => ({ tier: 'write' })],
      ['set a policy', '/console/policies/review', policyForm],
      [
        'add a member',
        '/console/members/new',
        () => ({ name: 'Late', email: 'late@example.com', slack: '' }),
      ],
      ['record a pass', '/console/members/:member/passes/:curriculum', () => ({ module: '2', at: '' })],
      ['cancel a proposal', '/console/proposals/:id/cancel', () => ({ reason: 'Late.' })],
    ],
    [setUp],
  )('changes nothing, is led to sign in, and the attempt is in the ledger', async (_, path, fields) => {
    const admin = await signedInAdmin(gate, account.account, root)
    const [{ admin_id: id } = {}] = await listAdmins(gate.database.db, account.account)
    const form = await fields(admin)
    const params = { key: account.keyId, member: ada.memberId, curriculum: 'safe', id: '1' }
    const address = path.replaceAll(/:(\w+)/g, (_name, name: string) => params[name as 'id'])
    let before: unknown
    const answer = await sendSlowly(admin, address, form, async () => {
      await removeAdmin(byCommandLine(), root)
      before = await entries()
    })
    expect([answer.status, answer.headers['location']]).toEqual([303, '/console/sign-in'])
    expect(answer.headers['set-cookie']).toContainEqual(expect.stringMatching(/^session=;/))
    expect(answer.text).not.toContain('qgk_')
    const refused = {
      kind: 'write_refused',
      entry: {
        actor: `admin:${id}`,
        key: null,
        data: { operation: `POST ${path}`, source: 'console', reason: 'session_over' },
      },
    }
    const now = await entries()
    expect(now.slice(0, -1)).toEqual(before)
    expect(now.at(-1)).toMatchObject(refused)
    expect(await verifyLedger(gate.database.db, account.account)).toMatchObject({ ok: true })
  })
})

test('an administrator who is a member, too, and is removed meanwhile is told so, stays signed in, and is in the ledger', async () => {
  const both = 'both@example.com'
  await account.addMember({ email: both })
  await addAdmin(byCommandLine(), both)
  const visitor = await signedInByMail(gate, both)
  const answer = await sendSlowly(visitor, '/console/keys/new', { name: 'late', power_read: 'on' }, () =>
    removeAdmin(byCommandLine(), both),
  )
  expect([answer.status, answer.text]).toEqual([
    403,
    expect.stringContaining('Only administrators of the account can do this.'),
  ])
  expect((await entries()).at(-1)).toMatchObject({
    kind: 'write_refused',
    entry: { data: { reason: 'not_admin' } },
  })
  expect((await visitor.open('/console/sessions')).status).toBe(200)
})

const writes: Record<string, (admin: AdminContext) => Promise<unknown>> = {
  'suspend the account': (admin) => suspendAccount(admin, true),
  'add a member': (admin) => addMember(admin, { name: 'B', email: null, slack: null }),
  'change a member': (admin) => updateMember(admin, ada.memberId, { name: 'B', email: null, slack: null }),
  'take a member out': (admin) => setMemberActive(admin, ada.memberId, false),
  'set a tier': (admin) => setMemberTier(admin, ada.memberId, 'read_only'),
  'add a curriculum': (admin) =>
    addCurriculum(admin, { slug: 'new', title: 'New', modules: 1, grants: 'write', valid_days: null }),
  'change a curriculum': (admin) =>
    changeCurriculum(admin, { slug: 'safe', title: 'Safe', modules: 3, grants: 'write', valid_days: null }),
  'retire a curriculum': (admin) => retireCurriculum(admin, 'safe'),
  'import members': (admin) => importMembers(admin, 'name,email\nB,b@example.com'),
  'record a pass': async (admin) =>
    recordPass(admin, await readMember(admin, ada.memberId), { curriculum: 'safe', module: 2, at: null }),
  'revoke a pass': async (admin) =>
    revokePasses(admin, await readMember(admin, ada.memberId), { curriculum: 'safe', module: 1 }),
  'set a policy': (admin) => setPolicy({ ...admin, kinds: gate.deps.kinds }, { open_max_per_member: 3 }),
  'mint a key': (admin) => mintKey(admin, { name: 'B', expiresAt: null, actors: [] }),
  'rotate a key': (admin) => rotateKey(admin, account.keyId),
  'revoke a key': (admin) => revokeKey(admin, account.keyId),
  'add an administrator': (admin) => addAdmin(admin, 'next@example.com'),
  'remove an administrator': (admin) => removeAdmin(admin, 'other@example.com'),
  'cancel a proposal': (admin) => cancelAsAdmin(admin, 1, 'No.'),
  'make a conversation': ({ db, account: of, session }) =>
    createConversation(db, { ...adminWrite(of, session), conversationId: 'c', title: 'C', memberIds: [] }),
}

describe.each(Object.entries(writes))('%s', (_, write) => {
  const asAdmin = (session: Buffer): AdminContext => ({ ...byCommandLine(), session })
  beforeEach(async () => {
    for (const email of [root, 'other@example.com']) await addAdmin(byCommandLine(), email)
  })

  test('is done in the session of an administrator, whom its entry names', async () => {
    const admins = await listAdmins(gate.database.db, account.account)
    await write(asAdmin(await sessionOf(gate.deps, account.account, root)))
    const last = (await entries()).at(-1)!
    expect(last.entry.actor).toBe(`admin:${admins.find(({ email }) => email === root)!.admin_id}`)
    expect(await verifyLedger(gate.database.db, account.account)).toMatchObject({ ok: true })
  })

  test('is not done where its administrator is removed before it holds the lock of the account', async () => {
    const session = await sessionOf(gate.deps, account.account, root)
    const admins = await listAdmins(gate.database.db, account.account)
    const id = admins.find(({ email }) => email === root)!.admin_id
    const before = await entries()
    const late = overtake(
      gate.database,
      account.account,
      () => write(asAdmin(session)),
      `select gate.remove_admin('${account.account}', null, '${id}', gen_random_uuid())`,
    )
    await expect(late).rejects.toMatchObject({ code: 'unauthenticated' })
    expect((await entries()).slice(before.length).map(({ entry }) => entry.data['change'])).toEqual([
      'removed',
    ])
  })

  test('is not done in the session of a member, of another account, or of nobody', async () => {
    const before = await entries()
    const member = await sessionOf(gate.deps, account.account, 'ada@example.com')
    await expect(write(asAdmin(member))).rejects.toMatchObject({ code: 'forbidden' })
    const other = await gate.account()
    await addAdmin({ ...byCommandLine(), account: other.account }, root)
    const foreign = await sessionOf(gate.deps, other.account, root)
    for (const session of [foreign, Buffer.alloc(32), Buffer.alloc(0)])
      await expect(write(asAdmin(session))).rejects.toMatchObject({ code: 'unauthenticated' })
    expect(await entries()).toEqual(before)
  })
})
