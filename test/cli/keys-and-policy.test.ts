import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { authenticate } from '../../src/db/queries/accounts/authenticate.ts'
import { hashKey, isKeyForm } from '../../src/keys/api-key.ts'
import { sha256 } from '../../src/ledger/digest.ts'
import { verifyLedger } from '../../src/ledger/verify.ts'
import { mintKey } from '../../src/operations/keys/mint-key.ts'
import { type TestDatabase, freshDatabase } from '../support/database.ts'
import { entriesOf } from '../support/ledger-entries.ts'
import { type CommandResult, gateOn } from './gate-command.ts'
import { testRows } from '../support/rows.ts'

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
      admin_calls_per_day: null,
      minted_by: 'admin',
      name: 'Bot',
      use: 'agent',
      last4: api_key.slice(-4),
      state: 'in force',
      created_at: expect.any(String),
      last_used_at: null,
      used_today: 0,
      revoked_at: null,
      expires_at: null,
      actors: null,
      powers: ['read', 'propose', 'confirm'],
      kinds: null,
      networks: null,
      actions_per_day: null,
      cents_per_day: null,
      rotated_from: null,
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

const entries = async (kind: string) =>
  (
    await database.asSuperuser(
      `select entry::json -> 'data' as data from gate.ledger where account_id = '${account}' and kind = '${kind}' order by seq`,
    )
  ).map(({ data }): any => data)

const limited = [
  ['--powers', 'propose,read', '--kinds', 'refund,broadcast'],
  ['--actions-per-day', '50', '--cents-per-day', 'usd=100000,eur=90000'],
  ['--network', '10.1.2.3/8', '--network', '2001:DB8:0::/32', '--network', '10.0.0.0/8'],
].flat()
const limits = {
  powers: ['read', 'propose'],
  kinds: ['refund', 'broadcast'],
  networks: ['10.0.0.0/8', '2001:db8::/32'],
  actions_per_day: 50,
  cents_per_day: { usd: 100_000, eur: 90_000 },
}

describe('the key of an agent runner', () => {
  const runnerOf = (...options: string[]) =>
    ['key', 'mint', '--runner', '--label', "Ada's laptop", ...options] as [string, string, ...string[]]
  let memberId: string
  beforeEach(async () => {
    memberId = (await ok('member', 'add', '--name', 'Ada', '--email', 'ada@example.com')).member_id
    await ok('member', 'add', '--name', 'Bea', '--email', 'bea@example.com')
  })

  test('asks about the tool calls of one member and can do nothing else, which the list says', async () => {
    const { key_id, api_key } = await ok(
      ...runnerOf('--actor', 'ada@example.com', '--network', '10.0.0.0/8', '--expires', '2999-01-01'),
    )
    expect(await authenticate(database.db, hashKey(api_key))).toMatchObject({
      powers: ['runner'],
      actors: [memberId],
      kinds: null,
      networks: ['10.0.0.0/8'],
    })
    expect(await ok('key', 'list')).toMatchObject([
      {
        key_id,
        name: "Ada's laptop",
        use: 'runner',
        powers: ['runner'],
        expires_at: '2999-01-01T00:00:00.000Z',
      },
    ])
    expect((await gate('key', 'list', '--account', account)).stdout).toMatch(
      /^key_\w{16} .* runner +Ada's laptop$/m,
    )
  })

  test('keeps its power and its member when it is rotated', async () => {
    const old = await ok(...runnerOf('--actor', 'ada@example.com'))
    const made = await ok('key', 'rotate', '--key', old.key_id)
    expect(await authenticate(database.db, hashKey(made.api_key))).toMatchObject({
      is_valid: true,
      powers: ['runner'],
      actors: [memberId],
    })
  })

  testRows([
    [[], /--runner needs exactly one --actor: the member whose agent the runner is/],
    [['--actor', 'ada@example.com', '--actor', 'bea@example.com'], /--runner needs exactly one --actor/],
    [
      ['--actor', 'ada@example.com', '--powers', 'read'],
      /--powers does not go with --runner: a runner key can only/,
    ],
    [['--actor', 'ada@example.com', '--kinds', 'broadcast'], /--kinds does not go with --runner/],
    [['--actor', 'ada@example.com', '--actions-per-day', '5'], /--actions-per-day does not go with --runner/],
    [['--actor', 'ada@example.com', '--cents-per-day', 'usd=5'], /--cents-per-day does not go with --runner/],
    [['--actor', 'ada@example.com', '--name', 'Bot'], /give exactly one of --name, --label/],
  ])('with options that do not fit is exit 2', async (options, message) => {
    const result = await run(...runnerOf(...options))
    expect(result).toMatchObject({ code: 2, stdout: '', stderr: expect.stringMatching(message) })
    expect(await ok('key', 'list')).toEqual([])
  })

  test.each([
    [
      ['--runner', '--name', 'Bot', '--actor', 'ada@example.com'],
      /--name does not go with --runner. Use --label/,
    ],
    [['--label', 'Bot'], /--label is for a runner key. Add --runner, or use --name/],
    [
      ['--powers', 'runner', '--name', 'Bot'],
      /--powers must be one or more of read, propose, confirm, execute/,
    ],
  ])('is not minted by %j: exit 2', async (options, message) => {
    const result = await run('key', 'mint', ...options)
    expect(result).toMatchObject({ code: 2, stdout: '', stderr: expect.stringMatching(message) })
    expect(await ok('key', 'list')).toEqual([])
  })
})

test('a key is limited to powers, kinds, networks and ceilings, which its entry tells as they are stored', async () => {
  const { key_id, api_key } = await ok('key', 'mint', '--name', 'Bot', ...limited)
  const { actions_per_day, cents_per_day, ...rights } = limits
  expect(await authenticate(database.db, hashKey(api_key))).toMatchObject({
    ...rights,
    ceilings: { keys: [key_id], actions_per_day, cents_per_day },
    is_valid: true,
  })
  expect(await ok('key', 'list')).toMatchObject([{ key_id, ...limits }])
  expect(await entries('key_minted')).toEqual([
    {
      key: key_id,
      name_digest: sha256(`${key_id} Bot`).toString('hex'),
      actors: null,
      expires_at: null,
      ...limits,
      key_hash: hashKey(api_key).toString('hex'),
    },
  ])
  expect(await verifyLedger(database.db, account)).toMatchObject({ ok: true })
})

testRows([
  [['--powers', 'read,write'], /--powers must be one or more of read, propose, confirm, execute/],
  [['--powers', ','], /--powers must be one or more of/],
  [['--kinds', 'launch'], /--kinds must be one or more of broadcast, /],
  [['--kinds', ''], /--kinds must be one or more of/],
  [['--network', '10.0.0.0/33'], /--network must be a network in CIDR form/],
  [['--network', 'example.com'], /--network must be a network/],
  [['--network', 'fe80::1%eth0'], /--network must be a network/],
  [['--actions-per-day', '0'], /--actions-per-day must be a whole number from 1 to 9999/],
  [['--cents-per-day', ''], /--cents-per-day must be whole cents by currency/],
  [['--cents-per-day', 'usd=5,jpy=5'], /--cents-per-day must be whole cents/],
  [['--cents-per-day', 'usd=1.5'], /--cents-per-day must be whole cents/],
  [['--cents-per-day', 'usd=5,usd=6'], /--cents-per-day must be whole cents/],
])('a key with rights that do not fit is exit 2', async (options, message) => {
  const result = await run('key', 'mint', '--name', 'Bot', ...options)
  expect(result).toMatchObject({ code: 2, stdout: '', stderr: expect.stringMatching(message) })
  expect(await ok('key', 'list')).toEqual([])
})

testRows([
  ['api_key_powers_known', { powers: ['read', 'own'] as never }],
  ['api_key_powers_known', { powers: [] }],
  ['api_key_kinds_form', { kinds: ['Refund!'] }],
  ['api_key_kinds_form', { kinds: [] }],
  ['api_key_actions_per_day_range', { actionsPerDay: 0 }],
  ['api_key_cents_per_day_form', { centsPerDay: { usd: -1 } }],
  ['api_key_cents_per_day_form', { centsPerDay: {} }],
])('the database itself refuses a key with rights that do not fit', async (constraint, rights) => {
  const context = { db: database.db, account, session: null }
  const minted = mintKey(context, { name: 'Bot', actors: [], expiresAt: null, rights })
  await expect(minted).rejects.toMatchObject({ constraint_name: constraint })
})

describe('a rotation', () => {
  const hour = 3_600_000
  const rotate = (key: string, ...options: string[]) => ok('key', 'rotate', '--key', key, ...options)
  const fromNow = (at: string) => (Date.parse(at) - Date.now()) / hour

  test('mints a key with the same rights, and the old one works for a day', async () => {
    const { member_id } = await ok('member', 'add', '--name', 'Ada', '--email', 'ada@example.com')
    const bound = ['--actor', 'ada@example.com', '--expires', '2999-01-01']
    const old = await ok('key', 'mint', '--name', 'Bot', ...limited, ...bound)
    const made = await rotate(old.key_id)
    expect(made).toMatchObject({ rotated_from: old.key_id })
    expect(fromNow(made.old_expires_at)).toBeCloseTo(24, 1)
    for (const { api_key } of [old, made])
      expect(await authenticate(database.db, hashKey(api_key))).toMatchObject({
        powers: limits.powers,
        kinds: limits.kinds,
        networks: limits.networks,
        ceilings: {
          keys: [old.key_id, made.key_id].toSorted(),
          actions_per_day: limits.actions_per_day,
          cents_per_day: limits.cents_per_day,
        },
        actors: [member_id],
        is_valid: true,
      })
    expect(await ok('key', 'list')).toMatchObject([
      { key_id: old.key_id, expires_at: made.old_expires_at, rotated_from: null },
      { key_id: made.key_id, name: 'Bot', expires_at: '2999-01-01T00:00:00.000Z', rotated_from: old.key_id },
    ])
    const [, minted] = await entries('key_minted')
    expect(minted).toMatchObject({
      key: made.key_id,
      rotated_from: old.key_id,
      ...limits,
      actors: [member_id],
      expires_at: '2999-01-01T00:00:00.000Z',
    })
    expect(await entries('key_rotated')).toEqual([
      { key: old.key_id, expires_at: made.old_expires_at, to: made.key_id },
    ])
    expect(await verifyLedger(database.db, account)).toMatchObject({ ok: true })
  })

  test('with no overlap ends the old key at once, and never lengthens what it had left', async () => {
    const first = await ok('key', 'mint', '--name', 'Bot')
    await rotate(first.key_id, '--overlap', '0')
    expect(await authenticate(database.db, hashKey(first.api_key))).toMatchObject({ is_valid: false })
    const soon = new Date(Date.now() + hour).toISOString()
    const short = await ok('key', 'mint', '--name', 'Bot', '--expires', soon)
    const made = await rotate(short.key_id, '--overlap', '168')
    expect(made.old_expires_at).toBe(soon)
    expect((await run('key', 'rotate', '--key', short.key_id, '--overlap', '169')).code).toBe(2)
  })

  test('is refused of a key that is unknown, revoked or rotated already', async () => {
    const { key_id } = await ok('key', 'mint', '--name', 'Bot')
    const refusal = async (key: string) => (await run('key', 'rotate', '--key', key)).stderr
    expect(await refusal('key_0000000000000000')).toMatch(/^Key key_\w+ was not found in this account\./)
    const { key_id: next } = await rotate(key_id)
    expect(await refusal(key_id)).toMatch(/already rotated\. Rotate the key that replaced it\./)
    await ok('key', 'revoke', '--key', next)
    expect(await refusal(next)).toMatch(/revoked or expired\. Mint a new key instead\./)
    expect(await ok('key', 'list')).toHaveLength(2)
  })
})

test('a key list tells what was confirmed in the last day with a key, or with the one that it replaced', async () => {
  const [first, other] = [await ok('key', 'mint', '--name', 'A'), await ok('key', 'mint', '--name', 'B')]
  const next = await ok('key', 'rotate', '--key', first.key_id)
  const row = (id: number, decision: string, ago: string, proposed: string, decided: string) =>
    `('${account}', ${id}, gen_random_uuid(), 'broadcast', 'proposed', 'Ada', 'write', 'api', '{}', now(), true,
      '${decision}', now() - interval '${ago}', '${proposed}', '${decided}')`
  await database.asSuperuser(`
    set session_replication_role = replica;
    insert into gate.action (account_id, id, uuid, kind, status, member, tier_at_request, source, payload, created_at,
      requires_confirmation, decision, decided_at, proposed_key, decided_key)
    values ${[
      row(1, 'confirm', '1 hour', first.key_id, first.key_id),
      row(2, 'confirm', '23 hours', first.key_id, next.key_id),
      row(3, 'confirm', '2 hours', other.key_id, next.key_id),
      row(4, 'confirm', '25 hours', first.key_id, first.key_id),
      row(5, 'cancel', '1 hour', first.key_id, first.key_id),
    ].join(',')};
    set session_replication_role = origin`)
  const used = (await ok('key', 'list')).map(({ key_id, used_today }: any) => [key_id, used_today])
  expect(used).toEqual([
    [first.key_id, 3],
    [other.key_id, 1],
    [next.key_id, 3],
  ])
})

function fileWith(document: unknown): string {
  const file = join(folder, 'policy.json')
  writeFileSync(file, typeof document === 'string' ? document : JSON.stringify(document))
  return file
}
const set = (document: unknown) => run('policy', 'set', '--file', fileWith(document))
const explain = (...options: string[]) => ok('policy', 'explain', ...options)

test('the policy of an account that set none is the default policy', async () => {
  const policy = await ok('policy', 'show')
  expect(policy).toMatchObject({ version: 1, expires_after_hours: 168, open_max_per_member: 100 })
  expect(policy.mailbox_settles_after_hours).toBe(24)
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

test('an earlier version is set again as a new one, which names it; one that never was is refused', async () => {
  const first = await ok('policy', 'show')
  const second = (await set({ kinds: { broadcast: { tier: 'write' } } })).json
  const restore = (version: number) => run('policy', 'restore', '--version', `${version}`, '--note', 'Back')
  expect((await restore(1)).json).toEqual({ ...first, version: 3 })
  expect((await restore(2)).json).toEqual({ ...second, version: 4 })
  expect(await ok('policy', 'show')).toEqual({ ...second, version: 4 })
  expect(await restore(9)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('Policy version 9 was not found in this account.'),
  })
  const entries = await entriesOf(database, account)
  const restored = entries
    .filter(({ kind }) => kind === 'policy_set')
    .map(({ entry }) => entry.data['restores'])
  expect(restored).toEqual([undefined, 1, 2])
  expect(
    await database.asSuperuser(
      `select note from gate.policy where account_id = '${account}' and version > 2`,
    ),
  ).toEqual([{ note: 'Back' }, { note: 'Back' }])
})

test('a velocity is set with the bands of its kind, and gone when they are set without it', async () => {
  const bands = { usd: [{ up_to_cents: 500, tier: 'write', consent: 'agent_attested' }] }
  const velocity = { actions_per_day: 5, cents_per_day: { usd: 20_000 } }
  const limited = (await set({ kinds: { refund: { bands, velocity } } })).json
  expect(limited.kinds.refund).toEqual({ bands, velocity })
  expect((await set({ kinds: { refund: { bands } } })).json.kinds.refund).toEqual({
    bands,
    velocity: { actions_per_day: 50, cents_per_day: { usd: 5_000 } },
  })
})

test('limits of a member are given up by name, those of the account and of keys stand beside them', async () => {
  const bands = { usd: [{ up_to_cents: 500, tier: 'write', consent: 'agent_attested' }] }
  const shown = async (velocity: unknown) =>
    (await set({ kinds: { refund: { bands, velocity } } })).json.kinds.refund.velocity
  const [account, key] = [{ actions_per_day: 100 }, { cents_per_day: { usd: 9_000 } }]
  const byDefault = { actions_per_day: 50, cents_per_day: { usd: 5_000 } }
  expect(await shown('off')).toBe('off')
  expect(await shown({ actions_per_day: null, cents_per_day: null })).toBe('off')
  expect(await shown({ account, key })).toEqual({ ...byDefault, account, key })
  expect(await shown({ actions_per_day: null, account })).toEqual({ actions_per_day: null, account })
  expect(await shown({ actions_per_day: 5, cents_per_day: null })).toEqual({ actions_per_day: 5 })
})

test('a preset says what changes, and sets it as a version', async () => {
  const preset = (name: string, ...more: string[]) => run('policy', 'preset', name, ...more)
  const before = await ok('policy', 'show')
  const tried = (await preset('strict', '--dry-run')).json
  expect(tried).toMatchObject({
    preset: 'strict',
    version: 1,
    agents_word: expect.stringMatching(/^money: no;/),
    is_dry_run: true,
  })
  const shownOfTry = (await gate('policy', 'preset', 'strict', '--account', account, '--dry-run')).stdout
  expect(shownOfTry).toContain('preset strict: not set (dry run); version 1 stays in force\n')
  expect(shownOfTry).toContain("agent's word alone with strict: money: no;")
  expect(tried.changes).toContain('- refund up to 100.00 USD: guarded_write, consent agent_attested')
  expect(tried.changes).toContain('+ refund up to 100.00 USD: guarded_write, consent page')
  expect(await ok('policy', 'show')).toEqual(before)
  expect((await preset('strict')).json).toEqual({ ...tried, version: 2, is_dry_run: false })
  expect((await ok('policy', 'show')).kinds).toMatchObject({
    broadcast: { consent: 'page', channels: 'preferred' },
    payout: { bands: { usd: [{ up_to_cents: 1_000_000, consent: 'page' }] } },
    preview: { consent: 'agent_attested' },
  })
  expect((await preset('open')).json.changes).toEqual(
    expect.arrayContaining(['+ refund up to 100.00 USD: guarded_write, consent agent_attested']),
  )
  expect((await ok('policy', 'show')).kinds).toEqual(before.kinds)
  expect((await preset('open')).json).toMatchObject({ version: 4, changes: [] })
  expect(await preset('loose')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--preset must be one of open, standard, strict'),
  })
  expect((await run('policy', 'preset')).stderr).toContain(
    'gate policy preset open|standard|strict [--account ACCOUNT]',
  )
})

test('a sum of the same subject is explained, and so are the limits of a day', async () => {
  const refund = (...more: string[]) =>
    explain('--kind', 'refund', '--tier', 'guarded_write', '--amount-cents', '10000', ...more)
  expect(await refund()).toEqual({
    allowed: true,
    rule: 'This 100.00 USD refund requires `guarded_write` (up to 100.00 USD)',
    consent: 'agent_attested',
    limits: [
      'refund: one member can confirm 50 actions in 24 hours',
      'refund: one member can confirm 100,000.00 USD in 24 hours (per currency: the same amount in each of 11 others)',
    ],
  })
  expect(await refund('--confirmed-cents', '40000')).toMatchObject({
    allowed: false,
    rule: 'This 100.00 USD refund, with 400.00 USD already refunded on this payment in the last 24 hours, requires `write` (up to 10,000.00 USD)',
  })
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
    stderr: expect.stringMatching(/based on version 1, but version 2 is in force/),
  })
  expect((await ok('policy', 'show')).kinds.payout).toEqual({ tier: 'write', consent: 'agent_attested' })
})

test('previews take a tier, and no consent but the agent’s word: nothing of them is confirmed', async () => {
  await set({ kinds: { preview: { tier: 'write' } } })
  expect((await ok('policy', 'show')).kinds.preview).toEqual({ tier: 'write', consent: 'agent_attested' })
  for (const consent of ['chat', 'page'])
    expect((await set({ kinds: { preview: { tier: 'write', consent } } })).stderr).toMatch(
      /preview\.consent must be agent_attested: actions of this kind are not confirmed/,
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
testRows<[string, unknown, RegExp]>([
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
  ['less than no time to settle', { mailbox_settles_after_hours: -1 }, /mailbox_settles_after_hours must be/],
  ['a month and more to settle', { mailbox_settles_after_hours: 721 }, /must be at most 720/],
  ['a time that no form can show', { mailbox_settles_after_hours: 1e-9 }, /must be 0 or at least 0\.0001/],
  ['no open proposal', { open_max_per_member: 0 }, /open_max_per_member/],
  ['bands without a currency', refundOf({}), /kinds\.refund\.bands must have at least one currency: usd/],
  ['a currency that is not supported', { currency: 'jpy', kinds: {} }, /currency must be one of usd/],
  ['no allowed currency', { currencies: [], kinds: {} }, /currencies must have at least one currency/],
  [
    'a currency that is allowed twice',
    { currencies: ['eur', 'eur'], kinds: {} },
    /must not name a currency twice/,
  ],
  [
    'a currency that the account does not allow',
    { currency: 'gbp', currencies: ['eur'], kinds: {} },
    /currency must be one of those in currencies/,
  ],
  ['bands that do not ascend', refundOf({ usd: [band, { ...band, up_to_cents: 100 }] }), /kinds\.refund/],
  [
    'an open band that is not the last',
    refundOf({ usd: [{ tier: 'write' }, band] }),
    /usd must have up_to_cents in every band except the last/,
  ],
  ['part of a cent', refundOf({ usd: [{ ...band, up_to_cents: 0.5 }] }), /kinds\.refund/],
  ['a currency that cannot be weighed', refundOf({ usd: [band], jpy: [band] }), /kinds\.refund/],
  ['neither bands nor a tier', { kinds: { refund: {} } }, /kinds\.refund must have either bands or tier/],
  [
    'consent beside bands',
    { kinds: { refund: { bands: { usd: [band] }, consent: 'page' } } },
    /has bands: set consent in each band instead/,
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
    'a limit of the account that limits nothing',
    { kinds: { refund: { bands: { usd: [band] }, velocity: { account: {} } } } },
    /velocity\.account must limit actions_per_day or cents_per_day/,
  ],
  [
    'a velocity of nobody known',
    { kinds: { refund: { bands: { usd: [band] }, velocity: { team: {} } } } },
    /unknown field kinds\.refund\.velocity\.team/,
  ],
  [
    'a velocity without bands',
    { kinds: { refund: { tier: 'write', velocity: { actions_per_day: 1 } } } },
    /velocity is only allowed with bands/,
  ],
  ['no band', refundOf({ usd: [] }), /kinds\.refund\.bands\.usd must have at least one band/],
])('a document that is no policy is exit 2 and changes nothing', async (_, document, message) => {
  const result = await set(document)
  expect(result).toMatchObject({ code: 2, stdout: '', stderr: expect.stringMatching(message) })
  expect((await ok('policy', 'show')).version).toBe(1)
})

test('how long a changed mailbox settles is set, kept, and told where a member decides themself', async () => {
  const of = async (document: unknown) => (await set(document)).json.mailbox_settles_after_hours
  expect(await of({ kinds: { broadcast: { tier: 'write', consent: 'page' } } })).toBe(24)
  const page = () => explain('--kind', 'broadcast', '--tier', 'write')
  expect(await page()).toMatchObject({ consent: 'page', mailbox_settles_after_hours: 24 })
  expect(await of({ mailbox_settles_after_hours: 0 })).toBe(0)
  expect(await of({ open_max_per_member: 7 })).toBe(0)
  expect(await of({ mailbox_settles_after_hours: 720 })).toBe(720)
  expect(await page()).toMatchObject({ mailbox_settles_after_hours: 720 })
})

test('a policy is explained as it would be applied', async () => {
  expect(await explain('--kind', 'broadcast', '--tier', 'read_only')).toEqual({
    allowed: false,
    rule: 'This broadcast requires `guarded_write`',
    consent: 'agent_attested',
    denial_code: 'tier_insufficient',
    needed_tier: 'guarded_write',
  })
  const refund = (cents: string, tier: string, ...more: string[]) =>
    explain('--kind', 'refund', '--tier', tier, '--amount-cents', cents, ...more)
  expect(await refund('10000', 'guarded_write')).toMatchObject({ allowed: true })
  expect(await refund('10001', 'guarded_write', '--currency', 'eur')).toMatchObject({
    allowed: false,
    rule: 'This 100.01 EUR refund requires `write` (up to 10,000.00 EUR)',
  })
  expect(await refund('1000001', 'write')).toMatchObject({ allowed: false, consent: null })
  expect(await run('policy', 'explain', '--kind', 'launch', '--tier', 'write')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('Unknown kind launch. Use one of: broadcast, '),
  })
})

test('an account sets that the requests of its keys are counted together, and the list of accounts says so', async () => {
  const shared = { account_id: account, key_limits: 'shared' }
  expect(await ok('account', 'update', '--key-limits', 'shared')).toEqual(shared)
  expect((await gate('account', 'list', '--json')).json).toContainEqual(expect.objectContaining(shared))
  const entries = await entriesOf(database, account)
  expect(entries.at(-1)).toMatchObject({ kind: 'key_limits_set', entry: { data: { key_limits: 'shared' } } })
  expect(await verifyLedger(database.db, account)).toMatchObject({ ok: true })
  const odd = await run('account', 'update', '--key-limits', 'both')
  expect(odd).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('must be one of per_process, shared'),
  })
})
