import { expect, test } from '@jest/globals'
import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from '../../src/process/root.ts'

/** Functions of the database that change nothing that people are told of: when a session was seen, which form was sent. */
const readers = new Set([
  'approval_rules_changed',
  'accounts_with_upstreams',
  'applied_files',
  'approvals_counted',
  'authenticate',
  'authority_page',
  'claim_form',
  'company_id_token',
  'consent_stop',
  'devices_to_tell',
  'end_form',
  'epoch_before',
  'epoch_leaves',
  'epoch_note',
  'epoch_size',
  'epoch_tile_roots',
  'epoch_tiles',
  'failing_calls',
  'failing_endpoints',
  'find_app_client',
  'find_connect_link',
  'find_consent_request',
  'find_chat_request',
  'find_passkey',
  'find_mailbox',
  'find_sign_in_link',
  'first_entry_from',
  'holds_key',
  'is_derived',
  'is_only_account',
  'key_ceilings',
  'key_holds',
  'key_limits',
  'knows_teams_bot',
  'list_accounts',
  'list_app_clients',
  'list_apps',
  'list_expired',
  'list_keys',
  'list_open',
  'list_preview_hosts',
  'list_sessions',
  'list_signing_elsewhere',
  'list_stray_previews',
  'list_teams_bots',
  'live_preview_hosts',
  'log_id',
  'look_at_edit',
  'lone_company_account',
  'mandate_agent',
  'open_summary',
  'outbox_of',
  'published_state',
  'push_key',
  'read_preview',
  'receipt_keys',
  'runner_signing',
  'seal_faults',
  'seal_for',
  'seal_parts',
  'seal_status',
  'seal_work',
  'sealed_by_epochs',
  'tenant',
  'unproven_leaf',
  'unsigned_seals',
  'use_session',
  'waiting_marks',
])

const folder = join(projectRoot, 'src/db/queries')
const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) =>
  file.endsWith('.ts'),
)
const statements = files.flatMap((file) => {
  const text = readFileSync(join(folder, file), 'utf8')
  return [...text.matchAll(/db\.read\b[^`]*`([^`]*)`/g)].map(([, sql]) => ({ file, sql: sql! }))
})

test('a statement that is run as a read calls no function that writes: its failure says that nothing was changed', () => {
  expect(statements.length).toBeGreaterThan(40)
  const writing = statements.flatMap(({ file, sql }) =>
    [...sql.matchAll(/gate\.(\w+)\s*\(/g)]
      .filter(([, name]) => !readers.has(name!))
      .map(([, name]) => `${file}: ${name}`),
  )
  expect(writing).toEqual([])
  expect(statements.filter(({ sql }) => /\b(insert into|update|delete from)\b/.test(sql))).toEqual([])
})
