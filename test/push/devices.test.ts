import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { createECDH } from 'node:crypto'
import { sendConsentRequests } from '../../src/operations/consent/send-consent-requests.ts'
import { rewrapSecrets } from '../../src/operations/maintenance/rewrap-secrets.ts'
import { setMemberActive } from '../../src/operations/members/set-member-active.ts'
import { verifyLedger } from '../../src/ledger/verify.ts'
import { limits } from '../../src/limits.ts'
import { pushes } from '../../src/push/pushes.ts'
import { readServiceKey } from '../../src/push/service-key.ts'
import { parseKeyRing } from '../../src/secrets/key-ring.ts'
import { ringOf } from '../support/connect.ts'
import { linksTo } from '../support/consent.ts'
import { type Visitor, signedInAdmin, signedInByMail, startConsole } from '../support/console.ts'
import { formOf } from '../support/form-of.ts'
import type { TestGate } from '../support/gate.ts'
import { entriesOf } from '../support/ledger-entries.ts'
import { type PushReceiver, pushReceiver } from '../support/push-receiver.ts'

let gate: TestGate
let receiver: PushReceiver
beforeAll(async () => {
  receiver = await pushReceiver()
  gate = await startConsole({
    env: { SECRETS_KEYS: ringOf('k1') },
    network: { allowed: ['127.0.0.0/8'] },
  })
}, 60_000)
afterAll(async () => {
  await gate.stop()
  await receiver.close()
})

let people = 0
const never = new AbortController().signal
const newDevice = '/console/devices/new'

/** A member of an account whose broadcasts need a page, at the console, and what an agent has them asked. */
async function member() {
  const account = await gate.account()
  await account.setPolicy({ kinds: { broadcast: { tier: 'guarded_write', consent: 'page' } } })
  const email = `noor${++people}@example.com`
  const { memberId } = await account.addMember({ name: 'Noor', email, tier: 'guarded_write' })
  const at = await signedInByMail(gate, email)
  const asked = async (message: string) => {
    const { body } = await account.client.propose({ email }, message)
    await account.client.confirm(body.id, { email })
    const ofIt = `where account_id = '${account.account}' and`
    const [row] = await gate.database.asSuperuser(`select uuid from gate.action ${ofIt} id = ${body.id}`)
    const input = { account: account.account, id: body.id as number, uuid: String(row!['uuid']) }
    const send = async () => (await sendConsentRequests(gate.deps, input, never)).lookAt
    return { id: body.id as number, send, ofIt: `${ofIt} action_id = ${body.id}` }
  }
  const stored = async () =>
    (
      await gate.database.asSuperuser(
        `select device_id from gate.push_device where account_id = '${account.account}' order by created_at`,
      )
    ).map((row) => String(row['device_id']))
  const notes = async () =>
    (await entriesOf(gate.database, account.account))
      .filter(({ kind }) => kind.startsWith('device_'))
      .map(({ kind, entry }) => [kind, entry.actor, entry.data['reason']].filter(Boolean).join(' '))
  return { ...account, email, memberId, at, asked, stored, notes }
}

async function add(at: Visitor, browser: string, changes: Record<string, string> = {}) {
  const form = formOf((await at.open(newDevice)).html)
  return at.send(newDevice, { ...form, ...receiver.subscribe(browser), ...changes })
}

const to = (browser: string) => receiver.received.filter((one) => one.to === browser)
const stateOf = async (ofIt: string) =>
  (await gate.database.asSuperuser(`select state from gate.consent_request ${ofIt}`))[0]!['state']

test('a device is told at once, of nothing that is in the proposal; the mail is held for 15 seconds, and not sent if the member decides meanwhile', async () => {
  const one = await member()
  expect((await add(one.at, 'phone')).status).toBe(303)
  const { id, send, ofIt } = await one.asked('Lunch with Zaphod is at noon.')
  const until = await send()
  const [push, ...more] = to('phone')
  expect(more).toEqual([])
  expect(JSON.parse(push!.text)).toEqual({
    title: 'Something waits for your decision',
    open: '/console/proposals',
  })
  expect(push!.headers).toMatchObject({ 'content-encoding': 'aes128gcm', urgency: 'high', topic: 'waiting' })
  expect(Number(push!.headers['ttl'])).toBeGreaterThan(0)
  expect(push!.claims).toMatchObject({ aud: receiver.origin, sub: expect.stringMatching(/^(mailto|https):/) })
  expect(push!.claims.exp * 1_000 - Date.now()).toBeLessThan(86_400_000)
  expect(push!.key).toBe(/data-push-key="([^"]+)"/.exec((await one.at.open(newDevice)).html)![1])
  const heldMs = until!.getTime() - Date.now()
  expect(heldMs).toBeGreaterThan(0)
  expect(heldMs).toBeLessThanOrEqual(limits.pushMailHeldMs)
  // Asked too early, it neither sends nor tells again.
  expect(await send()).toEqual(expect.any(Date))
  expect([linksTo(gate, one.email), to('phone').length]).toEqual([[], 1])

  // The press leads to the page: what counts is the decision there.
  const page = `/console/proposals/${id}`
  const form = formOf((await one.at.open(page)).html)
  expect((await one.at.send(page, { ...form, does: 'confirm' })).status).toBe(303)
  await send()
  expect([linksTo(gate, one.email), await stateOf(ofIt)]).toEqual([[], 'withdrawn'])
  const { body } = await one.client.get(id)
  expect(body.consent).toMatchObject({ strength: 'page', channel: 'console' })

  const other = await one.asked('Undecided.')
  await other.send()
  expect(linksTo(gate, one.email)).toEqual([])
  await gate.database.asSuperuser(
    `update gate.consent_request set held_until = clock_timestamp() ${other.ofIt}`,
  )
  await other.send()
  expect([linksTo(gate, one.email).length, to('phone').length]).toEqual([1, 2])
  expect((await one.at.open('/console/sessions')).html).not.toContain('never')
})

test('a push service that refuses, redirects, answers without end or not at all holds no mail back; one that knows the device no longer ends it', async () => {
  const one = await member()
  const target = receiver.subscribe('target')
  receiver.answers('no', (response) => response.writeHead(403).end())
  receiver.answers('moved', (response) => response.writeHead(307, { location: target.endpoint }).end())
  receiver.answers('silent', () => undefined)
  receiver.answers('gone', (response) => response.writeHead(410).end())
  for (const browser of ['no', 'moved', 'silent', 'gone'])
    expect((await add(one.at, browser)).status).toBe(303)
  expect(await one.stored()).toHaveLength(4)
  const first = await one.asked('One.')
  await first.send()
  expect(linksTo(gate, one.email)).toHaveLength(1)
  expect(to('target')).toEqual([])
  expect(await one.stored()).toHaveLength(3)
  expect((await one.notes()).at(-1)).toBe('device_removed system gone')

  // Taken, with 10 MB of answer: the status counts, and the rest is not read.
  let sent = 0
  receiver.answers('endless', (response) => {
    response.writeHead(201)
    const more = () => {
      while (sent < 10_000_000 && response.write(Buffer.alloc(65_536))) sent += 65_536
    }
    response.on('drain', more)
    more()
  })
  expect((await add(one.at, 'endless')).status).toBe(303)
  const second = await one.asked('Two.')
  expect(await second.send()).toEqual(expect.any(Date))
  expect(linksTo(gate, one.email)).toHaveLength(1)
  expect(sent).toBeLessThan(10_000_000)
})

test('a device ends when it is removed, when its member signs out everywhere, is deactivated or gets another mailbox, and when another member uses the browser', async () => {
  const one = await member()
  await add(one.at, 'a')
  const [device] = await one.stored()
  const remove = `/console/devices/${device}/remove`
  const stranger = await member()
  const email = `ines${people}@example.com`
  await one.addMember({ name: 'Ines', email, tier: 'guarded_write' })
  const colleague = await signedInByMail(gate, email)
  for (const other of [stranger.at, colleague]) {
    expect((await other.open(remove)).status).toBe(404)
    expect((await other.send(remove)).status).toBe(404)
  }
  expect(await one.stored()).toEqual([device])
  expect((await one.at.send(remove)).status).toBe(303)
  expect(await one.stored()).toEqual([])

  const shared = receiver.subscribe('shared')
  await add(one.at, 'shared', shared)
  await add(one.at, 'shared', shared)
  expect(await one.stored()).toHaveLength(1)
  await add(colleague, 'shared', shared)
  expect(await one.stored()).toHaveLength(1)
  await one.asked('For Noor alone.').then(({ send }) => send())
  expect(to('shared')).toEqual([])

  await add(one.at, 'b')
  const elsewhere = await signedInByMail(gate, one.email)
  expect((await elsewhere.send('/console/sessions/end')).status).toBe(303)
  expect((await one.at.open('/console/sessions')).status).toBe(303)
  expect(await one.stored()).toHaveLength(1)

  const admin = { db: gate.deps.db, account: one.account, session: null }
  const again = await signedInByMail(gate, one.email)
  await add(again, 'c')
  await setMemberActive(admin, one.memberId, false)
  await setMemberActive(admin, one.memberId, true)
  expect(await one.stored()).toHaveLength(1)
  await add(await signedInByMail(gate, one.email), 'd')
  await gate.database.asSuperuser(
    `update gate.member set email = 'eve${people}@example.com' where member_id = '${one.memberId}'`,
  )
  expect(await one.stored()).toHaveLength(1)
  expect(await one.notes()).toEqual([
    `device_added ${one.memberId}`,
    `device_removed ${one.memberId} removed`,
    `device_added ${one.memberId}`,
    expect.stringMatching(/^device_removed mem_\w+ other_member$/),
    expect.stringMatching(/^device_added mem_\w+$/),
    `device_added ${one.memberId}`,
    `device_removed ${one.memberId} signed_out`,
    `device_added ${one.memberId}`,
    `device_added ${one.memberId}`,
  ])
  expect(await verifyLedger(gate.deps.db, stranger.account)).toMatchObject({ ok: true })
})

test('a member has five devices at most, each at a push service that may be called; who is no member has none', async () => {
  const one = await member()
  const refused: Record<string, string>[] = [
    { endpoint: 'http://10.0.0.7/push' },
    { endpoint: 'https://10.0.0.7/push' },
    { endpoint: 'https://[::ffff:10.0.0.7]/push' },
    { endpoint: 'ftp://push.example.com/a' },
    { endpoint: 'https://user:word@push.example.com/a' },
    { endpoint: `https://push.example.com/${'a'.repeat(1_024)}` },
    { endpoint: 'https://push.example.com/a b' },
    { public_key: Buffer.alloc(65, 4).toString('base64url') },
    { auth: '' },
  ]
  for (const changes of refused)
    expect([changes, (await add(one.at, 'x', changes)).status]).toEqual([changes, 422])
  for (let n = 0; n < limits.pushDevicesMax; n++) expect((await add(one.at, `m${n}`)).status).toBe(303)
  const full = await add(one.at, 'm5')
  expect([full.status, full.text]).toEqual([409, expect.stringContaining('5 devices, the maximum')])
  expect(await one.stored()).toHaveLength(limits.pushDevicesMax)
  const admin = await signedInAdmin(gate, one.account, `root${people}@example.com`)
  expect((await admin.open(newDevice)).status).toBe(403)
})

test('a name that leads to a private address now is not called', async () => {
  const { db, log, publicUrl } = gate.deps
  const keys = parseKeyRing(ringOf('k1'))
  const network = { allowed: [], resolve: async () => [{ address: '127.0.0.1', family: 4 as const }] }
  const outward = pushes({ db, keys, network, publicUrl, log })
  const { endpoint } = receiver.subscribe('rebound')
  for (const url of [endpoint, endpoint.replace('127.0.0.1', 'push.example.com')]) {
    const target = {
      device_id: 'dev_0000000000000001',
      endpoint: url.replace('http:', 'https:'),
      public_key: createECDH('prime256v1').generateKeys(),
      auth: Buffer.alloc(16),
    }
    const push = { message: Buffer.from('{}'), lastsMs: 1_000 }
    expect(await outward.send('acct_0000000000000001', target, push)).toBe('failed')
  }
  expect(outward.isEndpoint(endpoint)).toBe(false)
  expect(to('rebound')).toEqual([])
})

test('processes make one key, which only their key ring opens; it can be wrapped again; another one in the database is not taken', async () => {
  const { db } = gate.deps
  await gate.database.asSuperuser('delete from gate_private.push_key')
  const keys = parseKeyRing(ringOf('k1'))
  const made = await Promise.all(Array.from({ length: 8 }, () => readServiceKey(db, keys)))
  expect(new Set(made.map(({ publicKey }) => publicKey.toString('hex'))).size).toBe(1)
  const [stored] = await gate.database.asSuperuser(`select k::text as text from gate_private.push_key k`)
  const secret = made[0]!.privateKey.export({ format: 'jwk' }).d!
  expect(stored!['text']).not.toContain(Buffer.from(secret, 'base64url').toString('hex'))
  await expect(readServiceKey(db, parseKeyRing(ringOf('k2')))).rejects.toThrow('has no key k1')
  for await (const { failures } of rewrapSecrets(db, parseKeyRing(ringOf('k2', 'k1'))))
    expect(failures).toEqual([])
  expect((await readServiceKey(db, parseKeyRing(ringOf('k2')))).publicKey).toEqual(made[0]!.publicKey)
  const other = createECDH('prime256v1').generateKeys().toString('hex')
  await gate.database.asSuperuser(`update gate_private.push_key set public_key = '\\x${other}'`)
  await expect(readServiceKey(db, parseKeyRing(ringOf('k2')))).rejects.toThrow(
    'is not that of the private key',
  )
})
