import { randomBytes, randomUUID } from 'node:crypto'
import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import postgres from 'postgres'
import { type Json, canonical } from '../../src/gate/canonical.ts'
import { payloadDigest, recipientsHash, sha256 } from '../../src/ledger/digest.ts'
import { projectRoot } from '../../src/root.ts'

/** The last schema whose entries were composed by the service, as texts of version 1. */
const lastFormer = '0015_console_previews'

/** Brings an empty database to the schema of before. */
export async function migrateFormer(ownerUrl: string): Promise<void> {
  const owner = postgres(ownerUrl, { max: 1, onnotice: () => {} })
  const folder = join(projectRoot, 'src/db/migrations')
  const names = readdirSync(folder).map((file) => file.slice(0, -'.sql'.length))
  await owner.unsafe(`
    create schema gate_private;
    create table gate_private.migration (
      name text not null,
      applied_at timestamptz not null default clock_timestamp(),
      constraint migration_pkey primary key (name)
    )`)
  for (const name of names.toSorted().filter((each) => each <= lastFormer)) {
    const text = readFileSync(join(folder, `${name}.sql`), 'utf8')
    await owner.unsafe(`insert into gate_private.migration (name) values ('${name}');\n${text}`)
  }
  await owner.end()
}

const account = 'acct_FormerFormerForm'
const [ada, rea] = ['mem_FormerAdaFormerA', 'mem_FormerReaFormerR']
const salt = randomBytes(16)

type Value = string | number | boolean | null | Date | Buffer | string[] | Json

/** Fills a database of before by its own functions, as the service of before called them. @returns the account */
export async function fillFormer(ownerUrl: string): Promise<string> {
  const owner = postgres(ownerUrl, { max: 1, onnotice: () => {} })
  const tail = (kind: string, actor: string, data: Json, payload?: Json) =>
    canonical({
      actor,
      data,
      key: actor === ada ? 'key_FormerFormer0000' : null,
      kind,
      payload_digest: payload === undefined ? null : payloadDigest(salt, payload),
      v: 1,
    }).slice(1)
  const call = async (name: string, given: Record<string, Value>) => {
    const values = Object.values(given)
    const names = Object.keys(given).map(
      (parameter, i) => `p_${parameter} => $${i + 1}${parameter === 'document' ? '::text::json' : ''}`,
    )
    return owner.unsafe(`select * from gate.${name}(${names.join(', ')}) r`, values as never[])
  }
  const change = (name: string, kind: string, given: Record<string, Value>, data: Json) =>
    call(name, { account, ...given, event: randomUUID(), tail: tail(kind, 'admin', data) })

  await owner.unsafe(`select gate.create_account('${account}', 'Former')`)
  for (const [member, name, email, slack] of [
    [ada, 'Ada', 'ada@example.com', 'U0ADA'],
    [rea, 'Rea', 'rea@example.com', null],
  ] as const) {
    await change('add_member', 'member_changed', { member, name, email, slack }, { member, change: 'added' })
  }
  const unchanged = { name: null, email: null, slack: null, active: null }
  await change(
    'update_member',
    'member_changed',
    { member: rea, ...unchanged, name: 'Reader' },
    { member: rea, change: 'updated', fields: ['name'] },
  )
  await change('set_tier', 'tier_set', { member: ada, tier: 'write' }, { member: ada, tier: 'write' })
  const curriculum = { modules: 2, grants: 'guarded_write', valid_days: 10 }
  await change(
    'add_curriculum',
    'curriculum_changed',
    { slug: 'safe', title: 'Safe', ...curriculum },
    { curriculum: 'safe', change: 'added', ...curriculum },
  )
  const passed = { member: rea, curriculum: 'safe', change: 'passed' }
  const pass = { member: rea, curriculum: 'safe' }
  const at = new Date('2026-05-05T05:05:05.005Z')
  await change(
    'record_pass',
    'pass_recorded',
    { ...pass, module: 1, at: null },
    { ...passed, module: 1, at: null },
  )
  await change(
    'record_pass',
    'pass_recorded',
    { ...pass, module: 2, at },
    { ...passed, module: 2, at: at.toISOString() },
  )
  const revoked = { member: rea, curriculum: 'safe', change: 'revoked', module: 1 }
  await change('revoke_passes', 'pass_recorded', { ...pass, module: 1 }, revoked)
  const document = '{"expires_after_hours":1}'
  await change(
    'set_policy',
    'policy_set',
    { base: 1, document },
    { version: 2, kinds: [], document: sha256(document).toString('hex') },
  )
  const minted = { key: 'key_FormerFormer0000', actors: [ada], expires_at: null }
  await change(
    'mint_key',
    'key_minted',
    { key: minted.key, name: 'Former', last4: '0000', hash: formerKeyHash, actors: [ada], expires: null },
    minted,
  )
  await change(
    'invite_admin',
    'admin_changed',
    { admin: 'adm_FormerFormer0000', email: 'boss@example.com', link: null, lasts_ms: 0 },
    { admin: 'adm_FormerFormer0000', change: 'invited' },
  )
  await change(
    'create_conversation',
    'conversation_changed',
    { conversation: 'site', title: 'Site', members: [ada, rea] },
    { conversation: 'site', change: 'created', members: [ada, rea] },
  )
  for (const suspend of [true, false])
    await change('suspend_account', 'account_suspended', { suspend }, { suspended: suspend })

  const checked = { certified: false, tier: 'write', tier_source: 'admin' }
  await call('record_checks', {
    account,
    uuids: [randomUUID()],
    member_ids: [ada],
    members: ['ada@example.com'],
    tiers: ['write'],
    sources: ['api'],
    results: [canonical(checked)],
    tails: [tail('checked', ada, { ...checked, source: 'api' })],
  })

  const recipients = [{ memberId: ada, channel: 'slack' as const, address: 'U0ADA' }]
  const hash = recipientsHash(recipients)
  await call('keep_recipients', {
    account,
    sha256: hash,
    members: [ada],
    channels: ['slack'],
    addresses: ['U0ADA'],
  })
  const payload = { message: 'Lunch is at noon.' }
  const facts = { member_version: 2, curricula_version: 2, policy_version: 2 }
  const propose = async (status: 'proposed' | 'denied', ttlMs = 3_600_000) => {
    const frozen = status === 'proposed' ? hash : null
    const digested = {
      kind: 'broadcast',
      member: 'ada@example.com',
      payload,
      recipients: frozen?.toString('hex') ?? null,
    }
    const rows = await call('propose', {
      account,
      uuid: randomUUID(),
      event: randomUUID(),
      kind: 'broadcast',
      status,
      denial_reason: status === 'denied' ? 'broadcasts need write' : null,
      member_id: ada,
      member: 'ada@example.com',
      ...facts,
      tier: 'write',
      source: 'api',
      payload: canonical(payload),
      salt,
      reach_slack: 1,
      reach_email: 0,
      reach_unreachable: 1,
      recipients: frozen,
      digest_tail: canonical(digested).slice(1),
      entry_tail: tail(
        status,
        ada,
        {
          kind: 'broadcast',
          tier: 'write',
          policy_version: 2,
          rule: 'broadcasts need write',
          source: 'api',
          recipients: frozen?.toString('hex') ?? null,
        },
        payload,
      ),
      ttl_ms: ttlMs,
      open_max: 100,
      due_ms: 60_000,
      key: null,
      request: null,
    })
    return Number((rows[0] as unknown as { action: string }).action.match(/^\(\w+,(\d+),/)![1])
  }
  const expiry = () => ({
    expire_event: randomUUID(),
    expire_tail: tail('expired', 'system', { closed_reason: 'expired' }),
    due_ms: 60_000,
  })
  const claim = (id: number, decision: string, kind: string, data: Json, consent: Record<string, Value>) =>
    call('claim_decision', {
      account,
      id,
      decision,
      command: randomUUID(),
      event: randomUUID(),
      entry_tail: tail(kind, decision === 'admin_cancel' ? 'admin' : ada, data),
      ...expiry(),
      ...(decision === 'confirm'
        ? facts
        : { member_version: null, curricula_version: null, policy_version: null }),
      confirmed_since: null,
      confirmed: null,
      ...consent,
      key: null,
      request: null,
    })
  const attested = {
    consent_strength: 'agent_attested',
    consent_by: 'ada@example.com',
    consent_channel: 'api',
  }
  const nobody = { consent_strength: null, consent_by: null, consent_channel: null }
  const confirmed = { strength: 'agent_attested', channel: 'api', tier: 'write', policy_version: 2 }

  const executed = await propose('proposed')
  await claim(executed, 'confirm', 'confirmed', confirmed, attested)
  await call('begin_execution', { account, id: executed, late_ok: true })
  await call('lay_out_deliveries', { account, id: executed, slack_max: 20, email_max: 100 })
  const step = { account, id: executed, channel: 'slack', slice_max: 20 }
  const none = { states: null, provider_ids: null, codes: null }
  await call('step_delivery', { ...step, record: null, attempt: null, ...none, slice: 0, message: '{}' })
  const sent = { states: ['ok'], provider_ids: ['1'], codes: [''] }
  await call('step_delivery', { ...step, record: 0, attempt: 1, ...sent, slice: null, message: null })
  const result = { outcome: 'done', slack: 1, email: 0, unreachable: 1 }
  await call('finish_action', {
    account,
    id: executed,
    status: 'executed',
    result: JSON.stringify(result),
    closed_reason: null,
    event: randomUUID(),
    entry_tail: tail('executed', 'system', result),
    delivered_events: [randomUUID()],
    delivered_tails: [tail('delivered', 'system', { step: 'slack:0-1', ok: 1 })],
  })

  const cancelled = await propose('proposed')
  await claim(cancelled, 'cancel', 'cancelled', { closed_reason: 'proposer', source: 'api' }, attested)
  const byAdmin = await propose('proposed')
  await claim(byAdmin, 'admin_cancel', 'cancelled', { closed_reason: 'admin', reason: 'a mistake' }, nobody)
  await propose('denied')
  const deniedLater = await propose('proposed')
  await call('deny_action', {
    account,
    id: deniedLater,
    claimed: false,
    reason: 'not any more',
    event: randomUUID(),
    entry_tail: tail('denied', ada, { reason: 'not any more', at: 'confirm' }),
    due_ms: 60_000,
    ...facts,
    key: null,
    request: null,
  })
  const expired = await propose('proposed', 1)
  await new Promise((resolve) => setTimeout(resolve, 5))
  await claim(expired, 'expire', 'expired', {}, nobody)
  const asked = await propose('proposed')
  await call('request_consent', {
    account,
    id: asked,
    event: randomUUID(),
    entry_tail: tail('consent_requested', ada, { required: 'page', via: 'email', source: 'api' }),
    ...expiry(),
    ...facts,
    required: 'page',
    via: 'email',
    address: 'ada@example.com',
    token: 'x',
    token_hash: randomBytes(32),
    every_ms: 1,
    hour_max: 10,
    key: null,
    request: null,
  })
  await propose('proposed')
  await owner.end()
  return account
}

export const formerKeyHash = randomBytes(32)
export const formerRows = {
  checked: 1,
  executed: 2,
  cancelled: 3,
  byAdmin: 4,
  denied: 5,
  deniedLater: 6,
  expired: 7,
  asked: 8,
  open: 9,
}
export const formerMembers = { ada, rea }
