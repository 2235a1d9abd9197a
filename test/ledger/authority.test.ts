import { expect, test } from '@jest/globals'
import type { AuthorityFacts } from '../../src/db/queries/ledger/authority.ts'
import { ledgerAuthority } from '../../src/ledger/authority.ts'
import { authorityMismatch } from '../../src/ledger/authority-mismatch.ts'
import type { Link } from '../../src/ledger/chain.ts'
import { testRows } from '../support/rows.ts'

type Integration = AuthorityFacts['integration']
const [first, second] = ['int_FirstFirstFirst0', 'int_SecondSecondSec0']

/**
 * What is wrong with a connection after these entries: `connected <id> <action>`, `console <id> <administrator>` or
 * `disconnected <id>`.
 */
function judge(entries: string[], facts: Partial<Integration>, id = first): string | null {
  const authority = ledgerAuthority()
  for (const [i, text] of entries.entries()) {
    const [what, integration, action] = text.split(' ')
    const isConnected = what === 'connected'
    const link = {
      seq: i + 1,
      kind: isConnected
        ? 'executed'
        : what === 'console'
          ? 'integration_connected'
          : 'integration_disconnected',
      action_id: isConnected ? Number(action) : null,
    } as Link
    const data = isConnected ? { integration_id: integration } : { integration }
    authority.take(link, { actor: `admin:${action}`, data: { ...data, provider: 'stripe' } })
  }
  const stored = {
    provider: 'stripe',
    state: 'connected',
    action: 1,
    admin: null,
    is_running: false,
    ...facts,
  }
  return authorityMismatch.integration(stored, authority, id)
}

testRows<[string, string[], Partial<Integration>]>([
  ['is connected', [`connected ${first} 1`], {}],
  ['comes into use before its execution is written down', [], { is_running: true }],
  ['is disconnected', [`connected ${first} 1`, `disconnected ${first}`], { state: 'disconnected' }],
  [
    'was disconnected before its execution was written down',
    [`disconnected ${first}`, `connected ${first} 1`],
    { state: 'disconnected' },
  ],
  ['was replaced', [`connected ${first} 1`, `connected ${second} 2`], { state: 'disconnected' }],
  ['waits for its confirm', [], { state: 'pending' }],
  ['was connected in the console', [`console ${first} adm_1`], { action: null, admin: 'adm_1' }],
  [
    'was replaced in the console',
    [`connected ${first} 1`, `console ${second} adm_1`],
    { state: 'disconnected' },
  ],
])('entries of a connection in a possible order are no fault', (_, entries, facts) => {
  expect(judge(entries, facts)).toBeNull()
})

testRows<[string, string[], Partial<Integration>]>([
  ['has no entry', [], {}],
  ['is of another action', [`connected ${first} 2`], {}],
  ['is of another provider', [`connected ${first} 1`], { provider: 'slack' }],
  ['is in use after it was disconnected', [`connected ${first} 1`, `disconnected ${first}`], {}],
  ['is not in use, without a reason in an entry', [`connected ${first} 1`], { state: 'disconnected' }],
  ['another administrator connected', [`console ${first} adm_2`], { action: null, admin: 'adm_1' }],
  ['says an administrator connected it', [`connected ${first} 1`], { action: null, admin: 'adm_1' }],
  ['was set back', [`connected ${first} 1`], { state: 'pending' }],
])('entries of a connection in any other order are a fault', (_, entries, facts) => {
  expect(judge(entries, facts)).not.toBeNull()
})

test('a note that is not the one of its entry is a fault', () => {
  const authority = ledgerAuthority()
  const link = { seq: 1, kind: 'policy_set', action_id: null } as Link
  authority.take(link, { data: { version: 2, document: 'd', note_digest: 'n' } })
  const judged = (note_digest: string | null) =>
    authorityMismatch.policy({ document: 'd', note_digest, action: null }, authority, '000000000000000002')
  expect([judged('n'), judged(null), judged('m')]).toEqual([
    null,
    'its note does not match the ledger',
    'its note does not match the ledger',
  ])
})

test('the row of a key may be gone only if it was a token of an app, has expired, and no entry names it', () => {
  const authority = ledgerAuthority()
  const expires = '2026-01-01T00:00:00.000Z'
  for (const [key, app] of [
    ['key_unnamed', 'app_1'],
    ['key_named', 'app_1'],
    ['key_made', undefined],
  ]) {
    const data = { key, expires_at: expires, ...(app === undefined ? {} : { app }) }
    authority.take({ seq: 1, kind: 'key_minted' } as Link, { actor: 'mem_1', data })
  }
  authority.take({ seq: 2, kind: 'checked' } as Link, { actor: 'mem_1', key: 'key_named', data: {} })
  const gone = [...authority.keys].map(([key, { goneAfter }]) => [key, goneAfter])
  expect(gone).toEqual([
    ['key_unnamed', Date.parse(expires)],
    ['key_named', undefined],
    ['key_made', undefined],
  ])
})
