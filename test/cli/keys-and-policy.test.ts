import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { authenticate } from '../../src/db/queries/authenticate.ts'
import { hashKey, isKeyForm } from '../../src/keys/api-key.ts'
import { type TestDatabase, freshDatabase } from '../support/database.ts'
import { type CommandResult, gateOn } from './gate-command.ts'

let database: TestDatabase
let gate: (...argv: string[]) => Promise<CommandResult>
let account: string
let folder: string
beforeAll(async () => {
  database = await freshDatabase()
  gate = gateOn({ DATABASE_URL: database.serviceUrl })
  folder = mkdtempSync(join(process.env['TEST_RUN_DIR'] ?? tmpdir(), 'policy-'))
})
beforeEach(async () => {
  account = (await gate('account', 'create', '--name', 'Acme', '--json')).json.account_id
})
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true })
  await database.drop()
})

const run = (noun: string, verb: string, ...options: string[]) =>
  gate(noun, verb, '--account', account, '--json', ...options)
async function ok(...words: [string, string, ...string[]]): Promise<any> {
  const result = await run(...words)
  expect(result).toMatchObject({ code: 0, stderr: '' })
  return result.json
}

test('a minted key works and is shown once; its hash alone is kept', async () => {
  const { key_id, api_key } = await ok('key', 'mint', '--name', 'Bot')
  expect(key_id).toMatch(/^key_[0-9A-Za-z]{16}$/)
  expect(isKeyForm(api_key)).toBe(true)
  expect(await authenticate(database.db, hashKey(api_key))).toMatchObject({
    account_id: account,
    key_id,
    is_valid: true,
    actors: null,
  })
  const listed = await run('key', 'list')
  expect(listed.json).toEqual([
    {
      key_id,
      name: 'Bot',
      last4: api_key.slice(-4),
      created_at: expect.any(String),
      last_used_at: null,
      revoked_at: null,
      expires_at: null,
      actors: null,
    },
  ])
  expect(listed.stdout).not.toContain(api_key)
})

test('a revoked key stops working at once, and revoking it again changes nothing', async () => {
  const { key_id, api_key } = await ok('key', 'mint', '--name', 'Bot')
  const first = await ok('key', 'revoke', '--key', key_id)
  expect(first).toEqual({ key_id, revoked_at: expect.stringMatching(/Z$/) })
  expect(await authenticate(database.db, hashKey(api_key))).toMatchObject({ is_valid: false })
  expect(await ok('key', 'revoke', '--key', key_id)).toEqual(first)
  expect(await run('key', 'revoke', '--key', 'key_0000000000000000')).toMatchObject({ code: 1, stdout: '' })
})

test('a key is bound to members of the account, by their ids', async () => {
  const { member_id } = await ok(
    'member',
    'add',
    '--name',
    'Ada',
    '--email',
    'ada@example.com',
    '--slack',
    'U0ADA',
  )
  const { api_key } = await ok(
    'key',
    'mint',
    '--name',
    'Bot',
    '--actor',
    'ADA@example.com',
    '--actor',
    'U0ADA',
    '--expires',
    '2999-01-01',
  )
  expect(await authenticate(database.db, hashKey(api_key))).toMatchObject({
    actors: [member_id],
    is_valid: true,
  })
  expect(await run('key', 'mint', '--name', 'Bot', '--actor', 'eve@example.com')).toMatchObject({
    code: 1,
    stdout: '',
  })
  expect(await run('key', 'mint', '--name', 'Bot', '--expires', '2020-01-01')).toMatchObject({
    code: 1,
    stdout: '',
  })
})

function fileWith(document: unknown): string {
  const file = join(folder, 'policy.json')
  writeFileSync(file, typeof document === 'string' ? document : JSON.stringify(document))
  return file
}
const set = (document: unknown) => run('policy', 'set', '--file', fileWith(document))
const explain = (...options: string[]) => ok('policy', 'explain', ...options)

test('the policy of an account that set none is the one of the rulings', async () => {
  const policy = await ok('policy', 'show')
  expect(policy).toMatchObject({ version: 1, expires_after_hours: 168, open_max_per_member: 100 })
  expect(policy.kinds.broadcast).toEqual({
    tier: 'guarded_write',
    channels: 'preferred',
    consent: 'agent_attested',
  })
  expect(policy.kinds.payout.bands.usd).toEqual([
    { up_to_cents: 1_000_000, tier: 'write', consent: 'agent_attested' },
  ])
})

test('setting a policy replaces the kinds it names, leaves the others, and counts the version', async () => {
  const bands = [{ up_to_cents: 500, tier: 'guarded_write' }, { tier: 'write' }]
  expect((await set({ version: 1, kinds: { refund: { bands: { usd: bands } } } })).json).toMatchObject({
    version: 2,
  })
  const second = (
    await set({ expires_after_hours: 0.001, kinds: { broadcast: { tier: 'write', channels: 'all' } } })
  ).json
  expect(second).toMatchObject({ version: 3, expires_after_hours: 0.001, open_max_per_member: 100 })
  expect(second.kinds.broadcast).toEqual({ tier: 'write', channels: 'all', consent: 'agent_attested' })
  expect(second.kinds.refund.bands.usd).toEqual(bands.map((band) => ({ ...band, consent: 'agent_attested' })))
  expect(second.kinds.payout).toBeDefined()
  expect(await ok('policy', 'show')).toEqual(second)
})

test('a velocity is set with the bands of its kind, and gone when they are set without it', async () => {
  const bands = { usd: [{ up_to_cents: 500, tier: 'write', consent: 'agent_attested' }] }
  const velocity = { actions_per_day: 5, cents_per_day: { usd: 20_000 } }
  const limited = (await set({ kinds: { refund: { bands, velocity } } })).json
  expect(limited.kinds.refund).toEqual({ bands, velocity })
  expect((await set({ kinds: { refund: { bands } } })).json.kinds.refund).toEqual({ bands })
})

test('a shown policy can be set again as it is', async () => {
  const shown = await ok('policy', 'show')
  expect((await set(shown)).json).toEqual({ ...shown, version: 2 })
})

test('a document that starts from an older version is refused', async () => {
  await set({ kinds: { payout: { tier: 'write' } } })
  const late = await set({ version: 1, kinds: { payout: { tier: 'read_only' } } })
  expect(late).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(/version 1, the policy is at version 2/),
  })
  expect((await ok('policy', 'show')).kinds.payout).toEqual({ tier: 'write', consent: 'agent_attested' })
})

test('previews take a tier, and no consent but the agent’s word: nothing of them is confirmed', async () => {
  await set({ kinds: { preview: { tier: 'write' } } })
  expect((await ok('policy', 'show')).kinds.preview).toEqual({ tier: 'write', consent: 'agent_attested' })
  for (const consent of ['chat', 'page'])
    expect((await set({ kinds: { preview: { tier: 'write', consent } } })).stderr).toMatch(
      /preview\.consent must be agent_attested: nothing of this kind is confirmed/,
    )
})

test('a policy may ask for the consent of the member, by kind and by amount', async () => {
  const bands = [
    { up_to_cents: 10_000, tier: 'guarded_write' },
    { up_to_cents: 1_000_000, tier: 'write', consent: 'page' },
  ]
  for (const consent of ['chat', 'page']) {
    const kinds = { broadcast: { tier: 'write', consent }, refund: { bands: { usd: bands } } }
    expect(await set({ kinds })).toMatchObject({ code: 0 })
    expect((await ok('policy', 'show')).kinds).toMatchObject({
      broadcast: { tier: 'write', consent },
      refund: { bands: { usd: [{ consent: 'agent_attested' }, { consent: 'page' }] } },
    })
  }
})

test('connecting has a floor as other kinds have, and page is its default', async () => {
  expect((await ok('policy', 'show')).kinds.integration).toEqual({ tier: 'write', consent: 'page' })
  for (const consent of ['agent_attested', 'chat', 'page']) {
    expect(await set({ kinds: { integration: { tier: 'write', consent } } })).toMatchObject({ code: 0 })
    expect((await ok('policy', 'show')).kinds.integration).toEqual({ tier: 'write', consent })
  }
  expect(await set({ kinds: { integration: { tier: 'guarded_write' } } })).toMatchObject({ code: 0 })
  expect((await ok('policy', 'show')).kinds.integration).toEqual({ tier: 'guarded_write', consent: 'page' })
})

const band = { up_to_cents: 100, tier: 'write' }
const refundOf = (bands: unknown) => ({ kinds: { refund: { bands } } })
test.each<[string, unknown, RegExp]>([
  ['no JSON', '{', /is not a policy document/],
  ['a list', [], /is not a policy document/],
  ['an unknown field', { expires: 1 }, /unknown field expires/],
  ['an unknown kind', { kinds: { brodcast: { tier: 'write' } } }, /unknown field kinds\.brodcast/],
  ['an unknown tier', { kinds: { broadcast: { tier: 'root' } } }, /kinds\.broadcast\.tier must be one of/],
  [
    'bands where nothing is weighed',
    { kinds: { broadcast: { bands: { usd: [band] } } } },
    /kinds\.broadcast/,
  ],
  [
    'channels where nobody is reached',
    { kinds: { payout: { tier: 'write', channels: 'all' } } },
    /kinds\.payout/,
  ],
  ['no time', { expires_after_hours: 0 }, /expires_after_hours must be above 0/],
  ['more than a year', { expires_after_hours: 8_760.5 }, /expires_after_hours must be at most 8760/],
  ['no open proposal', { open_max_per_member: 0 }, /open_max_per_member/],
  ['bands without usd', refundOf({ eur: [band] }), /kinds\.refund\.bands\.usd is required/],
  ['bands that do not ascend', refundOf({ usd: [band, { ...band, up_to_cents: 100 }] }), /kinds\.refund/],
  [
    'an open band that is not the last',
    refundOf({ usd: [{ tier: 'write' }, band] }),
    /usd may lack up_to_cents only in the last band/,
  ],
  ['part of a cent', refundOf({ usd: [{ ...band, up_to_cents: 0.5 }] }), /kinds\.refund/],
  ['a currency that cannot be weighed', refundOf({ usd: [band], jpy: [band] }), /kinds\.refund/],
  ['neither bands nor a tier', { kinds: { refund: {} } }, /kinds\.refund must have either bands or tier/],
  [
    'consent beside bands',
    { kinds: { refund: { bands: { usd: [band] }, consent: 'page' } } },
    /consent belongs into each/,
  ],
  [
    'a velocity that limits nothing',
    { kinds: { refund: { bands: { usd: [band] }, velocity: {} } } },
    /velocity must limit actions_per_day or cents_per_day/,
  ],
  [
    'no action a day',
    { kinds: { refund: { bands: { usd: [band] }, velocity: { actions_per_day: 0 } } } },
    /velocity\.actions_per_day must be at least 1/,
  ],
  [
    'a velocity without bands',
    { kinds: { refund: { tier: 'write', velocity: { actions_per_day: 1 } } } },
    /velocity goes with bands/,
  ],
  ['no band', refundOf({ usd: [] }), /kinds\.refund\.bands\.usd must have at least one band/],
])('a document with %s is exit 2 and changes nothing', async (_, document, message) => {
  const result = await set(document)
  expect(result).toMatchObject({ code: 2, stdout: '', stderr: expect.stringMatching(message) })
  expect((await ok('policy', 'show')).version).toBe(1)
})

test('a policy is explained as it would be applied', async () => {
  expect(await explain('--kind', 'broadcast', '--tier', 'read_only')).toEqual({
    allowed: false,
    rule: 'broadcast needs guarded_write',
    consent: 'agent_attested',
  })
  const refund = (cents: string, tier: string, ...more: string[]) =>
    explain('--kind', 'refund', '--tier', tier, '--amount-cents', cents, ...more)
  expect(await refund('10000', 'guarded_write')).toMatchObject({ allowed: true })
  expect(await refund('10001', 'guarded_write', '--currency', 'eur')).toMatchObject({
    allowed: false,
    rule: 'refund of 100.01 EUR needs write (up to 10,000.00 EUR)',
  })
  expect(await refund('1000001', 'write')).toMatchObject({ allowed: false, consent: null })
  expect(await explain('--kind', 'launch', '--tier', 'write')).toMatchObject({
    allowed: false,
    consent: null,
  })
})
