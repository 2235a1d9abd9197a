import { randomBytes, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import postgres from 'postgres'
import { jsonArgument } from '../../src/db/json-argument.ts'
import { recordConsentRequest } from '../../src/db/queries/actions/consent.ts'
import type { Deps } from '../../src/deps.ts'
import { consentTokenHash, newToken } from '../../src/keys/link-token.ts'
import { verifyLedger } from '../../src/ledger/verify.ts'
import { expiryEvent } from '../../src/operations/clearance/expiry.ts'
import { addAdmin } from '../../src/operations/admins/add-admin.ts'
import { type TestDatabase, freshDatabase } from '../support/database.ts'
import { type Parameter, jsonFieldsOf, serviceFunctions } from '../support/service-functions.ts'
import { sessionOf } from '../support/session.ts'
import { type Full, fullAccount } from './full-account.ts'
import { type Lived, confirm, depsOf, factVersions, openAccount } from './lived-account.ts'

let database: TestDatabase
let deps: Deps
let service: postgres.Sql
beforeAll(async () => {
  database = await freshDatabase()
  deps = depsOf(database)
  service = postgres(database.serviceUrl, { max: 1, onnotice: () => {} })
})
afterAll(async () => {
  await service.end()
  await deps.close()
  await database.drop()
})

const hex = (bytes: Buffer) => `'\\x${bytes.toString('hex')}'::bytea`

/** What somebody who has the service's role may think of. */
function thoughts(full: Full): Record<string, string[]> {
  const ids = [...Object.values(full.rows).map(String), '9999']
  const days = `clock_timestamp() + interval '1 hour'`
  const versions = ['1', '2', '3', '4', 'null']
  const fresh = 'sha256(gen_random_uuid()::text::bytea)'
  return {
    p_account: [`'${full.account}'`],
    p_id: [String(full.rows.running), ...ids],
    p_action: ids,
    p_member: [`'${full.rea}'`, `'${full.ada}'`, `'mem_Forged0000000000'`],
    p_member_id: [`'${full.ada}'`, `'${full.rea}'`],
    p_members: [`array['${full.rea}']`],
    p_member_version: ['4', ...versions],
    p_curricula_version: ['2', ...versions],
    p_policy_version: ['3', ...versions],
    p_api_key: [hex(full.keyHash), hex(randomBytes(32)), 'null'],
    p_hash: [fresh, fresh, hex(full.keyHash)],
    p_name: [`'x'`],
    p_last4: [`'abcd'`],
    p_session: ['null', hex(randomBytes(32))],
    p_token: ['null', hex(randomBytes(32))],
    p_key: [`'${full.former}'`, 'null', 'gen_random_uuid()::text'],
    // An Idempotency-Key.
    'p_key uuid': ['null', 'gen_random_uuid()'],
    p_salt: [hex(randomBytes(16)), 'null'],
    p_new_key: [`'key_Forged0000000001'`],
    p_admin: [`'${full.admin}'`, `'${full.removedAdmin}'`, `'adm_Forged0000000000'`],
    p_email: [`'mallory@example.com'`],
    p_tier: [`'write'`, `'read_only'`],
    p_tiers: [`array['write']`],
    p_tier_sources: [`array['none']`],
    p_certified: [`array[true]`],
    p_uuids: [`array[gen_random_uuid()]`],
    p_member_ids: [`array['${full.rea}']`],
    p_sources: [`array['api']`],
    p_api_key_ids: [`array['${full.keyId}']`],
    p_status: [`'proposed'`, `'denied'`, `'executed'`, `'cancelled'`],
    p_kind: [`'broadcast'`, `'refund'`, `'integration'`],
    p_kind_version: ['null', 'null', 'null', '1'],
    p_decision: [`'confirm'`, `'cancel'`, `'expire'`, `'admin_cancel'`, `'deny'`],
    p_strength: [`'page'`, `'chat'`, `'agent_attested'`, 'null'],
    p_required: [`'page'`, `'chat'`],
    p_via: [`'email'`, `'slack'`],
    p_payload: [`'{"message":"hello"}'`],
    p_result: [`'{"outcome":"unknown"}'`],
    p_state: [`'ok'`, `'failed'`, `'sent'`, `'unknown'`, `'not_done'`],
    p_states: [`array['failed']`, `array['ok']`],
    p_answer: [`'{"id":"re_9"}'`],
    p_request: [`'{}'`, 'null'],
    p_codes: [`array['x']`],
    p_provider_ids: [`array['x']`],
    p_channel: [`'slack'`, `'email'`],
    p_step: [`'slack:0-1'`, `'call'`],
    p_document: [`'{}'`, `'{"kind":"broadcast"}'`],
    p_base: ['3', '4'],
    p_counted: ['null'],
    p_expires: [days],
    p_powers: [`array['read', 'propose', 'confirm']`],
    p_networks: ['null'],
    p_key_limits: [`'shared'`],
    p_share: ['1'],
    p_most: ['null', '1'],
    p_max: ['10'],
    p_kinds: ['null', `array['broadcast']`],
    p_cents_per_day: ['null'],
    p_admin_calls_per_day: ['null'],
    p_actors: ['null'],
    p_signing: [
      'null',
      `json_build_object('name', md5(random()::text), 'ciphertext', '00', 'wrapped_key', null, 'kid', null)`,
    ],
    p_slug: [`'forged'`],
    p_grants: [`'write'`],
    p_curriculum: [`'safe-sending'`],
    'p_curriculum jsonb': ['safe-sending', 'forged'].map(
      (slug) =>
        `jsonb_build_object('slug', '${slug}', 'title', 'x', 'modules', 1, 'grants', 'write', 'valid_days', null, 'module_titles', null)`,
    ),
    'p_members jsonb': [
      `jsonb_build_array(jsonb_build_object('member_id', 'mem_Forged0000000000', 'name', 'x', 'email', null, 'slack', null, 'event_id', gen_random_uuid()))`,
    ],
    'p_tool_call jsonb': [
      'null',
      `jsonb_build_object('binding', '\\x00', 'runner', 'claude', 'tool', 'Bash', 'effect', 'runs', 'ref', '\\x00', 'rule', 1, 'call', '{}')`,
    ],
    'p_calls jsonb': ['allow', 'deny'].map(
      (decision) =>
        `jsonb_build_array(jsonb_build_object('key_id', '${full.keyId}', 'api_key', ${hex(full.keyHash)}, 'member_id', '${full.ada}', 'member', 'x', 'tier', 'write', 'member_version', 4, 'curricula_version', 2, 'policy_version', 3, 'is_suspended', false, 'runner', 'claude', 'tool', 'Bash', 'effect', 'runs', 'ref', '\\x00', 'binding', '\\x00', 'has_id', true, 'decision', '${decision}', 'rule', 1, 'call', '{}', 'row', null))`,
    ),
    'p_edit jsonb': [
      'null',
      `jsonb_build_object('event', gen_random_uuid(), 'payload', '{"message":"forged"}', 'facts', null, 'digest', 'x', 'duplicate_of', null)`,
    ],
    'p_records jsonb': [
      'null',
      `jsonb_build_array(jsonb_build_object('channel', 'slack', 'slice', 0, 'attempt', 1, 'states', array['ok'], 'provider_ids', array['x'], 'codes', array['']))`,
    ],
    p_facts: ['null', `'[["Customer","x"]]'`],
    p_restores: ['null', '1'],
    p_conversation: [`'site'`, `'forged'`],
    p_record: ['0', 'null'],
    p_slice: ['null', '0'],
    p_ttl_ms: ['1', '60000'],
    p_open_max: ['1000'],
    p_claimed: ['true', 'false'],
    p_late_ok: ['true'],
    p_part: [`'member'`],
    p_secrets: [`'[]'`],
    p_settings: [`'{}'`],
  }
}

const byType: Record<string, string[]> = {
  text: [`'x'`, `''`, 'null'],
  uuid: ['gen_random_uuid()'],
  bigint: ['1', '60000'],
  integer: ['1', '100'],
  boolean: ['true', 'false'],
  bytea: ['null', hex(randomBytes(32))],
  json: [`'{}'`],
  jsonb: [`'{}'`],
  'timestamp with time zone': ['clock_timestamp()'],
}

const rounds = 30

/** The same picks for a function at every run; the first of the options half of the time. */
function pickerFor(name: string) {
  let state = Buffer.from(name).reduce((sum, byte) => sum * 31 + byte, 7) % 2_147_483_648
  const next = (below: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return Math.floor((state / 2_147_483_648) * below)
  }
  return (options: string[]): string => (next(2) === 0 ? options[0]! : options[next(options.length)]!)
}

test("whatever the service's role calls, entries and tables agree", async () => {
  const full = await fullAccount(deps)
  const given = thoughts(full)
  const done = new Set<string>()
  let pick = pickerFor('')
  const fieldsOf = await jsonFieldsOf(database)
  const valueOf = ({ name, type }: Parameter): string => {
    // A field of a call may have the name of an argument.
    const fields = type === 'jsonb' && !given[`${name} jsonb`] ? fieldsOf.get(name) : undefined
    if (!fields) return pick(given[`${name} ${type}`] ?? given[name] ?? byType[type] ?? [`'{}'`])
    return `jsonb_build_object(${fields.map((field) => `'${field.name.slice(2)}', ${valueOf(field)}`).join(', ')})`
  }
  for (const { name, parameters } of await serviceFunctions(database)) {
    // Its own: a parameter more of one function leaves the picks of the others as they were.
    pick = pickerFor(name)
    for (let round = 0; round < rounds; round++) {
      const values = parameters.map((parameter) => `${parameter.name} => ${valueOf(parameter)}`)
      await service.unsafe(`select gate.${name}(${values.join(', ')})`).then(
        () => done.add(name),
        (error: { code: string }) => expect(error.code).not.toBe('42601'),
      )
    }
    expect({ after: name, verdict: await verifyLedger(database.db, full.account) }).toMatchObject({
      after: name,
      verdict: expect.objectContaining({ ok: true }),
    })
  }
  // The calls are no nonsense: most do something.
  const writes = [
    'set_tier',
    'propose',
    'claim_decision',
    'mint_key',
    'record_checks',
    'finish_action',
    'step_delivery',
    'request_consent',
    'start_preview',
  ]
  const later = ['record_call', 'note_delivered', 'erase_payload', 'import_members', 'change_curriculum']
  expect([...writes, ...later].filter((name) => !done.has(name))).toEqual([])
}, 240_000)

let lived: Lived
let id: number
beforeEach(async () => {
  lived = await openAccount(deps)
  id = await lived.propose()
})

/** A confirm of Ada's proposal as the service's role would claim it, with made-up values. */
async function claim(strength: string, credential: Partial<Record<'api_key' | 'session' | 'token', Buffer>>) {
  const facts = await factVersions(database.db, lived.account, lived.ada)
  const claimed = jsonArgument({
    command: randomUUID(),
    event: randomUUID(),
    expire_event: randomUUID(),
    due_ms: 60_000,
    member_version: facts.member,
    curricula_version: facts.curricula,
    policy_version: facts.policy,
    counted: null,
    tier: 'write',
    strength,
    channel: 'console',
    card: null,
    reason: null,
    api_key: null,
    session: null,
    token: null,
    ...credential,
    key: null,
    request: null,
  })
  const rows = await service`
    select (r).outcome from gate.claim_decision(
      p_account => ${lived.account}, p_id => ${id}, p_decision => 'confirm', p_claim => ${claimed}::text::jsonb) r`
  return rows[0]!['outcome'] as string
}

const consentOf = async () =>
  (
    await database.asSuperuser(
      `select consent_strength as strength from gate.action where account_id = '${lived.account}' and id = ${id}`,
    )
  )[0]!['strength']

test.each(['page', 'chat'])(
  "the service's role records no %s consent without a token or a session of that member",
  async (strength) => {
    await addAdmin({ db: database.db, account: lived.account, session: null }, 'boss@example.com')
    await expect(claim(strength, {})).rejects.toMatchObject({ code: 'GA401' })
    await expect(claim(strength, { api_key: lived.keyHash })).rejects.toMatchObject({ code: '23514' })
    await expect(claim(strength, { session: randomBytes(32) })).rejects.toMatchObject({ code: 'GA401' })
    for (const somebodyElse of ['rea@example.com', 'boss@example.com']) {
      const session = await sessionOf(deps, lived.account, somebodyElse)
      await expect(claim(strength, { session })).rejects.toMatchObject({ code: 'GA403' })
    }
    expect(await claim(strength, { token: randomBytes(32) })).toBe('lost')
    expect(await consentOf()).toBeNull()
  },
)

test('a token is spent once, and gives no more than its way', async () => {
  const ask = async (via: 'slack' | 'email', address: string) => {
    const token = newToken()
    const tokenHash = consentTokenHash(via, token)
    await recordConsentRequest(database.db, {
      account: lived.account,
      id,
      eventId: randomUUID(),
      ...expiryEvent(randomUUID()),
      dueMs: 60_000,
      versions: await factVersions(database.db, lived.account, lived.ada),
      required: 'chat',
      via,
      address,
      token,
      tokenHash,
      everyMs: 60_000,
      hourMax: 10,
      dayMax: 100,
      mandatesMax: 4,
      source: 'api',
      apiKey: lived.keyHash,
      isOfProposal: false,
      idempotency: null,
    })
    return tokenHash
  }
  const bySlack = await ask('slack', 'U0ADA')
  await expect(claim('page', { token: bySlack })).rejects.toMatchObject({ code: '23514' })
  expect(await claim('chat', { token: bySlack })).toBe('claimed')
  expect(await claim('chat', { token: bySlack })).toBe('lost')
  expect(await consentOf()).toBe('chat')
  expect(await verifyLedger(database.db, lived.account)).toMatchObject({ ok: true })
})

test('a page consent comes by a session of the member', async () => {
  expect(await claim('page', { session: await sessionOf(deps, lived.account, 'ada@example.com') })).toBe(
    'claimed',
  )
  expect(await consentOf()).toBe('page')
})

test("the service's role writes no entry of a row that is not there, or that contradicts the row's life", async () => {
  const { account } = lived
  const event = () => randomUUID()
  const refused = { code: '23514' }
  await expect(
    service`select gate.note_delivered(${account}, ${id}, ${event()}, 'slack:0-1')`,
  ).rejects.toMatchObject(refused)
  await expect(
    service`select gate.note_refusal(${account}, 9999, ${event()}, 'confirm', 'not_open', 'api', 'unknown', null)`,
  ).rejects.toMatchObject(refused)
  await lived.execute(id)
  const running = await lived.propose()
  await confirm(database.db, account, running, lived.keyHash)
  const finish = (status: string, result: string, reason: string | null) =>
    service`select gate.finish_action(${account}, ${running}, ${status}, ${result}, ${reason}, ${event()}, '{}', '{}')`
  await expect(finish('denied', '{}', null)).rejects.toMatchObject(refused)
  await expect(finish('executed', '{}', 'admin')).rejects.toMatchObject(refused)
  await expect(finish('cancelled', '{"closed_reason":"admin"}', 'refused')).rejects.toMatchObject(refused)
  expect(await verifyLedger(database.db, account)).toMatchObject({ ok: true })
})

test("the service's role claims no slice of an action that is not confirmed", async () => {
  const { account } = lived
  for (const channel of ['slack', 'email'])
    await service`
      select gate.step_delivery(
        ${account}, ${id}, ${channel}, null, null, null, null, null, 0, 20, '{"text":"Send money."}', null)`
  await service`select gate.lay_out_deliveries(${account}, ${id}, 20, 100)`
  expect(
    await database.asSuperuser(`select count(*) from gate.delivery where account_id = '${account}'`),
  ).toEqual([{ count: '0' }])
})

test("the service's role changes no delivery that was settled, and adds no call to what has ended", async () => {
  const { account } = lived
  await lived.execute(id)
  await service`
    select gate.step_delivery(
      ${account}, ${id}, 'slack', 0, 1, array['failed'], array[''], array[''], null, null, null, null)`
  await service`
    select gate.step_delivery(
      ${account}, ${id}, 'email', null, null, null, null, null, 0, 20, '{"text":"Send money."}', null)`
  await service`select gate.freeze_call(${account}, ${id}, 'call', 'stripe', '{}', 'key')`
  const [left] = await database.asSuperuser(`
    select (select states from gate.delivery where account_id = '${account}' and channel = 'slack') as states,
      (select count(*) from gate.delivery where account_id = '${account}' and message::text <> '{}') as messages,
      (select count(*) from gate.provider_call where account_id = '${account}') as calls`)
  expect(left).toEqual({ states: ['ok'], messages: '0', calls: '0' })
})

test('a change under an event that is in the ledger already is refused: it would have no entry', async () => {
  const { account } = await openAccount(deps)
  const event = randomUUID()
  const suspend = (isSuspended: boolean, id: string) =>
    service`select gate.suspend_account(${account}, null, ${isSuspended}, ${id}) as changed`
  expect(await suspend(true, event)).toEqual([{ changed: true }])
  expect(await suspend(true, event)).toEqual([{ changed: false }])
  await suspend(false, randomUUID())
  await expect(suspend(true, event)).rejects.toMatchObject({ code: '23505' })
  expect(await verifyLedger(database.db, account)).toMatchObject({ ok: true })
})
