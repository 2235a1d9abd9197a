import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { adminWrite } from '../../src/db/admin-write.ts'
import { storePolicy } from '../../src/db/queries/accounts/policies.ts'
import { verifyLedger } from '../../src/ledger/verify.ts'
import { type ExecutorScene, executorScene } from '../executors/scene.ts'
import { claim, claimScene, report } from '../operations/claims/scene.ts'
import { runnerScene } from '../support/runner-scene.ts'
import { addTool, addUpstream, setRule } from '../support/tools-behind-gate.ts'
import { fullAccount } from './full-account.ts'
import { connectedApp } from '../support/connected-app.ts'
import { dropChecks, whileTampered } from './tampered.ts'

// Why `gate ledger verify` does not find a change of a column by the owner of the machine.
const names = 'names the row: with another name the row is missing, or is of something else'
const shown = 'shown to people; nothing is decided or done by it'
const underWay = 'work under way: when and how often something is tried, not whether it may be'
const version = 'a decision that was made on another version is checked again: nothing more is allowed by it'
const inTransit =
  'what is sent to a provider: it is compared with the action before it is sent, and may be erased'
const secret = 'sealed under the keys of the operator, or a salt: changed, it opens or fits nothing'
const credential =
  'a credential of a person or a browser: docs/security.md says what somebody can do who writes it'
const brief = 'kept for a short time, to recognise a repeat'
const seal = 'held against the seals and their signatures: test/seals'
const chain = 'held against the chain of hashes: test/ledger/verify.test.ts'
const cached = 'what a server said of itself: read again every few minutes'
const events = 'what endpoints are sent, and what they answered: the ledger is the record'
const derived = 'counted from rows that are compared'

type Why = Record<string, string>
interface Covered {
  /** Which account has rows of it. */
  of?: 'full' | 'runner' | 'executor' | 'claims' | 'upstream' | 'app'
  /** Each is changed below, and must be found. */
  found?: string
  /** Columns by the reason why a change is not found. */
  not: Why
}

const tables: Record<string, Covered> = {
  'gate.account': {
    of: 'full',
    found: 'name suspended_at policy_version stripe_changed_at stripe_change',
    not: {
      [names]: 'account_id',
      [shown]: 'created_at',
      [version]: 'curricula_version roster_version integrations_version kinds_version upstreams_version',
    },
  },
  'gate.action': {
    of: 'full',
    found:
      'uuid kind status member_id member tier_at_request source payload salt subject customer created_at requires_confirmation ' +
      'denial_reason denial_code denial_needs reach_slack reach_email reach_unreachable reach_teams recipients digest expires_at duplicate_of ' +
      'proposed_key requested_by requested_host decided_key asked_required asked_via asked_at decision decided_at consent_strength consent_by ' +
      'consent_channel consent_tier consent_policy_version mandate_id consent_passkey card closed_reason result executed_at rationale consent_required facts ' +
      'decline_reason input kind_version amount_cents amount_currency former replaces approval_rule consented_at approvals_given',
    not: { [names]: 'account_id id', [underWay]: 'command_id begun_at' },
  },
  'gate.admin': {
    of: 'full',
    found: 'email removed_at role is_managed salt',
    not: {
      [names]: 'account_id admin_id',
      'whether they may confirm an identity that was changed before they were added: docs/security.md':
        'created_at',
    },
  },
  'gate.api_key': {
    of: 'full',
    found:
      'name actors expires_at revoked_at powers kinds networks actions_per_day cents_per_day rotated_from grant_id ' +
      'admin_calls_per_day minted_by',
    not: { [names]: 'account_id key_id', [shown]: 'last4 created_at' },
  },
  'gate_private.api_key_hash': {
    of: 'full',
    found:
      'hash family actors expires_at revoked_at powers kinds networks actions_per_day cents_per_day admin_calls_per_day',
    not: { [names]: 'account_id key_id', [underWay]: 'last_used_at refused_noted_at named_at' },
  },
  'gate.member_group': {
    of: 'full',
    found: 'name is_of_directory external_id',
    not: { [names]: 'account_id group_id', [shown]: 'created_at' },
  },
  'gate.group_membership': {
    of: 'full',
    found: 'member_id counts_from',
    not: { [names]: 'account_id group_id' },
  },
  'gate.directory_user': {
    of: 'full',
    found: 'external_id user_name left_at',
    not: { [names]: 'account_id member_id', [shown]: 'changed_at' },
  },
  'gate.approval': {
    not: {
      [names]: 'account_id action_id n',
      'compared with its entry: test/approvals/attacks.test.ts':
        'member_id digest strength channel card at for_member',
      'compared with the entry of the deactivation: test/operations/deactivation.test.ts': 'ended_at',
      'what the claim reads of it is compared with the action and its entries': 'is_own key_id passkey',
      [shown]: 'reason',
      [underWay]: 'command_id',
    },
  },
  'gate.glass_break': {
    not: {
      [names]: 'account_id action_id',
      'compared with its entries: test/approvals/break-glass.test.ts':
        'member_id digest channel card passkey reason at review_due_at reviewed_at reviewed_by is_justified note',
    },
  },
  'gate.delegation': {
    not: {
      [names]: 'account_id delegation_id',
      'compared with its entries: test/approvals/deputies.test.ts':
        'from_member to_member kinds until reason created_at ended_at ended_by',
    },
  },
  'gate.app_grant': {
    of: 'app',
    found: 'client_id name host member_id granted_by powers kinds actions_per_day cents_per_day ended_at',
    not: { [names]: 'account_id grant_id', [shown]: 'created_at', [credential]: 'expires_at' },
  },
  'gate.claim': {
    of: 'claims',
    found: 'lease_expires_at outcome result',
    not: {
      [names]: 'account_id action_id',
      'follows from lease and outcome, which are compared': 'state claimed_at reported_at',
      [credential]: 'claimed_key token report reported_key',
    },
  },
  'gate.consent_request': {
    of: 'full',
    found: 'is_reminder required via address workspace created_at member_id asked_key',
    not: {
      [names]: 'account_id action_id n',
      [shown]: 'outside_mandate',
      [underWay]: 'state attempted_at code held_until',
      [credential]: 'token',
      [inTransit]: 'message card provider_id',
    },
  },
  'gate.company_identity': {
    of: 'full',
    found: 'issuer subject member_id admin_id ended_at',
    not: { [names]: 'account_id identity_id', [shown]: 'linked_by linked_at seen_at' },
  },
  'gate.company_sign_in': {
    of: 'full',
    found: 'issuer client_id links_by_mailbox roles_claim roles acr is_only directory_claim',
    not: { [names]: 'account_id', [secret]: 'ciphertext wrapped_key kid', [shown]: 'set_at' },
  },
  'gate.conversation': { not: { [names]: 'account_id conversation_id', [shown]: 'title created_at' } },
  'gate.participant': {
    of: 'full',
    found: 'member_id',
    not: { [names]: 'account_id conversation_id', [shown]: 'created_at' },
  },
  'gate.curriculum': {
    of: 'full',
    found: 'title modules grants valid_days retired_at module_titles',
    not: { [names]: 'account_id slug', [shown]: 'created_at' },
  },
  'gate.delivery': {
    of: 'full',
    found: 'channel states',
    not: {
      [names]: 'account_id action_id slice',
      'the set of recipients is compared by its hash, which was consented to': 'members addresses',
      [inTransit]: 'message provider_ids codes',
      [underWay]: 'attempt round attempted_at',
    },
  },
  'gate.call_change': { not: { [shown]: 'account_id action_id step n at state code attempts' } },
  'gate.executor_call': {
    of: 'executor',
    found: 'state code',
    not: {
      [names]: 'account_id action_id step',
      [inTransit]: 'body',
      [underWay]:
        'failing_since attempts is_maybe_done first_at attempted_at due_at location attempt_id unsigned',
    },
  },
  'gate.executor_result': { of: 'executor', found: 'result', not: { [names]: 'account_id action_id' } },
  'gate.idempotency': { not: { [brief]: 'account_id operation key request action_id created_at' } },
  'gate.identity_change': {
    of: 'full',
    found: 'set_at changed_at changed_by confirmed_at confirmed_by',
    not: { [names]: 'account_id member_id via', 'only told in the next message about a change': 'former' },
  },
  'gate.identity_notice': {
    not: {
      [underWay]: 'account_id notice_id member_id via address identity next is_first changed_by changed_at',
    },
  },
  'gate_private.identity_notice_due': { not: { [underWay]: 'notice_id account_id tries due_at' } },
  'gate.integration': {
    not: {
      'compared by test/ledger/verify-authority.test.ts': 'provider state action_id admin_id',
      [names]: 'account_id integration_id',
      'follows from the action, which is compared': 'member_id',
      [shown]: 'settings created_at connected_at disconnected_at',
      'whether the next connection is of another account: a change makes it count as one': 'fingerprint',
    },
  },
  'gate.integration_secret': {
    not: { [secret]: 'account_id integration_id field ciphertext wrapped_key kid created_at' },
  },
  'gate.kind': {
    of: 'executor',
    found: 'document digest created_by retired_at',
    not: { [names]: 'account_id kind version', [shown]: 'created_at' },
  },
  'gate.kind_secret': {
    not: { [secret]: 'account_id kind secret_id ciphertext wrapped_key kid created_at valid_until' },
  },
  'gate.ledger': { not: { [chain]: 'account_id seq event_id at kind action_id entry prev hash actor' } },
  'gate.ledger_head': {
    not: {
      [chain]: 'account_id seq hash at action_seq',
      [underWay]: 'is_unsealed',
      [events]: 'has_endpoints',
    },
  },
  'gate.endpoint': {
    of: 'full',
    found: 'url description types is_full off_reason public_key',
    not: {
      [names]: 'account_id endpoint_id',
      [shown]: 'created_at off_at',
      [underWay]: 'failing_since paused_until',
    },
  },
  'gate.endpoint_secret': {
    not: { [secret]: 'account_id endpoint_id secret_id ciphertext wrapped_key kid created_at valid_until' },
  },
  'gate.event_delivery': { not: { [events]: '*' } },
  'gate.event_attempt': { not: { [events]: '*' } },
  'gate_private.event_account': { not: { [events]: '*' } },
  'gate.ledger_archive': {
    not: {
      'held against the archive: test/ledger/archive.test.ts':
        'account_id first_seq last_seq hash file manifest',
      [shown]: 'archived_at',
    },
  },
  'gate.ledger_seal': { not: { [seal]: 'account_id size hash root frontier epoch_leaf salt at note' } },
  'gate.ledger_tile': { not: { [seal]: 'account_id level n root hashes nodes' } },
  'gate.member': {
    of: 'full',
    found: 'name email slack teams admin_tier is_active salt',
    not: { [names]: 'account_id member_id', [version]: 'version', [shown]: 'created_at erased_at' },
  },
  'gate.pass': {
    of: 'full',
    found: 'passed_at latest_at revoked_at',
    not: { [names]: 'account_id member_id curriculum module' },
  },
  'gate.passkey': {
    of: 'full',
    found: 'member_id name credential public_key is_device_bound admin_id created_at removed_at removed_by',
    not: {
      [names]: 'account_id passkey_id',
      [shown]: 'transports used_at',
      'counters of consents are compared in their entries: test/ledger/passkeys.test.ts': 'sign_count',
    },
  },
  'gate.policy': {
    of: 'full',
    found: 'action_id document note note_salt',
    not: { [names]: 'account_id version', [shown]: 'created_at' },
  },
  'gate.preview': {
    not: {
      [names]: 'account_id preview_id conversation_id action_id',
      [underWay]: 'mode state host_id gateway_url started_at running_at expires_at last_access_at ended_at',
      [credential]: 'link_secret',
      [shown]: 'error exit_code log_tail',
    },
  },
  'gate.provider_call': {
    of: 'full',
    found: 'state code answer',
    not: {
      [names]: 'account_id action_id step',
      [inTransit]: 'request key provider',
      [underWay]: 'failing_since attempt credential first_attempted_at',
    },
  },
  'gate.push_device': {
    not: {
      [names]: 'account_id device_id member_id',
      'who writes it can tell another device that something waits: docs/security.md':
        'endpoint public_key auth',
      [shown]: 'browser created_at notified_at',
    },
  },
  'gate.recipient_set': {
    of: 'full',
    found: 'members channels addresses',
    not: { [names]: 'account_id sha256', [underWay]: 'created_at kept_at forgotten_at' },
  },
  'gate.tool_call': {
    of: 'runner',
    found: 'at key_id member_id tier_at_request runner tool effect binding decision',
    not: {
      [names]: 'account_id n',
      'recognises the same call again: changed, it is another call, which is judged again': 'ref',
      [shown]: 'rule call',
      'of a call with a row; without one it is counted alone': 'action_id',
      'what a runner says of a call that was allowed; an entry has it where the call has a row':
        'outcome reported_at',
    },
  },
  'gate.tool_consent': {
    of: 'runner',
    found: 'binding granted_at expires_at spent_at',
    not: { [names]: 'account_id action_id' },
  },
  // Each is changed, and found, in test/operations/runner-mandates.test.ts and mandates.test.ts.
  'gate.mandate': {
    not: {
      [names]: 'account_id action_id',
      'compared with its action and its entries':
        'scope member_id key_id granted_at expires_at ended_at uses frozen_at',
      [shown]: 'ended_by last_used_at',
      'who may resume it: docs/security.md': 'frozen_by',
      [version]: 'epoch',
    },
  },
  'gate.mandate_debit': {
    not: {
      [names]: 'account_id mandate_id',
      'compared with the entries of its mandate and with its action': 'n action_id cents currency',
      'the day that it counts for: docs/security.md': 'at',
    },
  },
  'gate.tool_count': {
    of: 'runner',
    found: 'hour member_id key_id tool allowed denied asked',
    not: { [names]: 'account_id', [underWay]: 'is_noted' },
  },
  'gate.upstream': {
    of: 'upstream',
    found: 'transport url command headers',
    not: {
      [names]: 'account_id upstream',
      [cached]: 'checked_at failing_since failure server refused',
      [version]: 'connection',
      [shown]: 'added_at',
    },
  },
  'gate.upstream_secret': { not: { [secret]: 'account_id upstream ciphertext wrapped_key kid' } },
  'gate.upstream_tool': {
    of: 'upstream',
    found: 'reviewed_hash quarantined_at rule',
    not: {
      [names]: 'account_id upstream tool',
      [cached]: 'definition hash seen_at gone_at',
      'the hash of what was reviewed is compared, and the definition is held against it when it is served':
        'reviewed_definition',
      [shown]: 'reviewed_at reviewed_by',
    },
  },
  'gate.viewer': { not: { [shown]: 'account_id person_id time_zone chosen_at' } },
  'gate_private.app_client': {
    not: { [credential]: 'client_id account_id name redirects secret created_at connected_at' },
  },
  'gate_private.app_code': {
    not: { [credential]: 'code account_id grant_id challenge redirect expires_at used_at' },
  },
  'gate_private.app_refresh': { not: { [credential]: 'token account_id grant_id created_at used_at' } },
  'gate_private.account_directory': {
    of: 'full',
    found: 'key_limits',
    not: { [names]: 'account_id', [shown]: 'created_at', [derived]: 'has_company_sign_in' },
  },
  'gate_private.company_state': { not: { [brief]: 'state used_at' } },
  'gate_private.connect_draft': {
    not: {
      [secret]: 'token integration_id settings fingerprint field ciphertext wrapped_key kid created_at',
    },
  },
  'gate_private.connect_link': {
    not: {
      [credential]:
        'token account_id action_id provider expires_at tries state state_session used_at created_at admin_id',
    },
  },
  'gate_private.consent_token': {
    not: { [credential]: 'token account_id action_id n expires_at used_at slack_message' },
  },
  'gate_private.epoch_cosignature': { not: { [seal]: 'size name line at' } },
  'gate_private.epoch_leaf': { not: { [seal]: 'n account_id size hash' } },
  'gate_private.epoch_seal': { not: { [seal]: 'size root frontier at note' } },
  'gate_private.epoch_tile': { not: { [seal]: 'level n root hashes nodes' } },
  'gate_private.failing_notice': { not: { [shown]: 'account_id target noticed_at' } },
  'gate_private.key_minute': { not: { [brief]: 'account_id key_id ends_at taken' } },
  'gate_private.ledger_log': { not: { [seal]: 'log_id' } },
  'gate_private.mailbox': { of: 'full', found: 'hash', not: { [names]: 'account_id holder' } },
  'gate_private.member_notice_due': {
    not: { [underWay]: 'account_id about subject member_id tries due_at' },
  },
  'gate_private.message_update': { not: { [underWay]: 'account_id action_id n due_at tries' } },
  'gate_private.migration': { not: { 'of the program, not of an account': '*' } },
  'gate_private.mandate_end_due': { not: { [underWay]: 'account_id mandate_id tries due_at' } },
  'gate_private.open_action': {
    not: {
      [underWay]:
        'uuid account_id action_id kind expires_at decided_at wake due_at woken created_at again_at',
    },
  },
  'gate_private.open_preview': {
    not: { [underWay]: 'preview_id account_id action_id host_id expires_at due_at' },
  },
  'gate_private.passkey_nonce': {
    not: { [credential]: 'nonce purpose account_id member_id action_id expires_at' },
  },
  'gate_private.preview_host': {
    not: { [underWay]: 'host_id gateway_url modes unavailable started_at beat_at' },
  },
  'gate_private.push_key': {
    not: { [secret]: 'is_only public_key ciphertext wrapped_key secrets_kid created_at' },
  },
  'gate_private.receipt_key': {
    not: { [secret]: 'kid public_key ciphertext wrapped_key secrets_kid signs_from created_at' },
  },
  'gate_private.runner_nonce': { not: { [brief]: 'account_id key_id nonce request at' } },
  'gate_private.runner_signing': {
    not: {
      [names]: 'account_id key_id',
      'who writes it can ask and report as that runner key: docs/security.md':
        'name ciphertext wrapped_key kid',
    },
  },
  'gate_private.seal_fault': { not: { [shown]: 'account_id problem held at' } },
  'gate_private.sent_form': { not: { [brief]: 'form claim sent_at path flash' } },
  'gate_private.teams_bot': {
    not: {
      'whose calls are looked at: a press counts for the bot alone that sent its button': 'app_id account_id',
    },
  },
  'gate_private.session': {
    not: {
      [credential]:
        'token session_id account_id mailbox admin_id member_id passkey_id identity_id is_fresh id_token created_at seen_at expires_at',
      [shown]: 'browser address seen_address',
    },
  },
  'gate_private.sign_in_asker': { not: { [brief]: 'mailbox asker seen_at' } },
  'gate_private.sign_in_link': {
    not: {
      [credential]:
        'token account_id mailbox admin_id member_id expires_at used_at created_at asker is_known',
    },
  },
  'gate_private.unsealed_account': { not: { [derived]: 'account_id' } },
  'gate_private.upstream_due': { not: { [underWay]: 'account_id upstream due_at' } },
}

const listed = (text = '') => text.split(' ').filter(Boolean)

let scene: ExecutorScene
const accounts = new Map<string, string>()
beforeAll(async () => {
  scene = await executorScene({ env: { OAUTH_URL: 'http://127.0.0.1:1' } })
  const { gate } = scene
  const { account } = await fullAccount(gate.deps)
  const document = '{"expires_after_hours":3}'
  const policy = { base: 3, document, kinds: [], note: 'Why', restores: null }
  await storePolicy(gate.database.db, { ...adminWrite(account), ...policy })
  accounts.set('full', account)

  const desk = await scene.customerDesk()
  await desk.confirm(await desk.propose())
  accounts.set('executor', desk.account.account)

  const claims = await claimScene(gate)
  const worker = await claims.keyed({ powers: ['execute'] })
  const id = await claims.confirmed()
  const { body } = await claim(worker, id)
  await report(worker, id, { claim: body.claim, outcome: 'done', result: { url: 'x' } })
  await claims.ended(id)
  accounts.set('claims', claims.account)

  const runner = await runnerScene(gate)
  await runner.hook.ask({ file_path: '/work/project/README.md' }, { tool: 'Read' })
  const asked = await runner.hook.ask('rm -rf build', { callId: 'toolu_1' })
  await runner.decide('approve')
  await runner.isGranted(asked.action!)
  await runner.hook.ask('rm -rf build', { callId: 'toolu_1' })
  accounts.set('runner', runner.account)

  const upstream = await gate.account()
  await addUpstream(gate.database, upstream, { name: 'notes', url: 'http://127.0.0.1:9/mcp' })
  await addTool(gate.database, upstream, 'notes', { name: 'write', description: 'Writes.' })
  await setRule(gate.database, upstream, ['notes', 'write'], { rule: 'deny' })
  accounts.set('upstream', upstream.account)
  const ofApp = await gate.account()
  await ofApp.addMember({ email: 'ada@example.com' })
  await connectedApp(gate.deps, ofApp.account, 'ada@example.com')
  accounts.set('app', ofApp.account)
  await dropChecks(gate.database)
}, 120_000)
afterAll(() => scene.stop())

test('each column of the schema is listed once: as compared, or with the reason why not', async () => {
  const stored = await scene.gate.database.asSuperuser(`
    select table_schema || '.' || table_name as name, array_agg(column_name::text order by 1) as columns
    from information_schema.columns where table_schema in ('gate', 'gate_private') group by 1`)
  const described = Object.fromEntries(
    Object.entries(tables).map(([name, { found, not }]) => [
      name,
      [found, ...Object.values(not)].flatMap(listed),
    ]),
  )
  const wrong = (stored as { name: string; columns: string[] }[]).flatMap(({ name, columns }) => {
    const told = described[name] ?? []
    if (told.includes('*')) return []
    return [
      ...columns
        .filter((column) => told.filter((one) => one === column).length !== 1)
        .map((column) => `${name}.${column}`),
      ...told.filter((column) => !columns.includes(column)).map((column) => `${name}.${column} is gone`),
    ]
  })
  expect(wrong).toEqual([])
  expect(Object.keys(described).toSorted()).toEqual(stored.map((row) => String(row['name'])).toSorted())
})

const other: Record<string, string> = {
  text: `coalesce($c, gen_random_uuid()::text) || 'x'`,
  integer: 'coalesce($c, 0) + 1',
  bigint: 'coalesce($c, 0) + 1',
  boolean: 'not $c',
  uuid: 'gen_random_uuid()',
  bytea: `sha256(coalesce($c, ''))`,
  json: `'{"forged":true}'`,
  ARRAY: `array_append(coalesce($c, '{}'), 'x')`,
  'timestamp with time zone': `coalesce($c, clock_timestamp()) + interval '1 hour'`,
}

test('every column that is listed as compared is found where the superuser changes it', async () => {
  const { database } = scene.gate
  for (const account of accounts.values())
    expect(await verifyLedger(database.db, account)).toMatchObject({ ok: true })
  const types = new Map(
    (
      await database.asSuperuser(`
        select table_schema || '.' || table_name || '.' || column_name as name, data_type as type
        from information_schema.columns where table_schema in ('gate', 'gate_private')`)
    ).map(({ name, type }) => [String(name), String(type)]),
  )
  const unfound: string[] = []
  let changed = 0
  for (const [table, { of, found }] of Object.entries(tables)) {
    for (const column of listed(found)) {
      const account = accounts.get(of!)!
      const to = other[types.get(`${table}.${column}`)!]!.replaceAll('$c', column)
      const statement = `update ${table} set ${column} = ${to} where $ours`
      const verdict = await whileTampered(database, account, table, statement, () =>
        verifyLedger(database.db, account),
      )
      changed += 1
      if (verdict?.ok !== false) unfound.push(`${table}.${column}`)
    }
  }
  expect(unfound).toEqual([])
  expect(changed).toBeGreaterThan(130)
}, 240_000)
