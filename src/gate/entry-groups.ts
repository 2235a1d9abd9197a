import { type EntryKind, entryKinds } from './lifecycle.ts'

/** The kinds of ledger entry by what they are about, for filters. Every kind but `checked` is in one. */
export const entryGroups = {
  actions: [
    'proposed',
    'denied',
    'consent_requested',
    'consent_message_frozen',
    'edited',
    'confirmed',
    'cancelled',
    'expired',
    'action_claimed',
    'outcome_reported',
    'delivered',
    'executed',
    'payload_erased',
  ],
  refusals: ['decision_refused', 'write_refused'],
  mandates: ['mandate_used', 'mandate_ended', 'mandate_frozen', 'mandate_resumed'],
  members: [
    'member_changed',
    'tier_set',
    'pass_recorded',
    'passkey_added',
    'passkey_removed',
    'curriculum_changed',
    'curriculum_retired',
    'group_changed',
  ],
  keys: [
    'key_minted',
    'key_revoked',
    'key_rotated',
    'key_limits_set',
    'app_client_added',
    'app_client_removed',
    'app_connected',
    'app_ended',
  ],
  policy: ['policy_set', 'kind_set', 'kind_retired'],
  runners: ['tool_allowed', 'grant_used', 'tool_reported', 'tool_calls_counted'],
  tools: ['tool_called', 'tool_answered', 'tool_not_called'],
  account: [
    'account_created',
    'account_suspended',
    'admin_changed',
    'integration_connected',
    'integration_disconnected',
    'kind_secret_rotated',
    'ledger_archived',
    'upstream_added',
    'upstream_changed',
    'upstream_removed',
    'upstream_tool_reviewed',
    'upstream_tool_quarantined',
  ],
  previews: ['preview_started', 'preview_stopped', 'preview_ended', 'conversation_changed'],
} as const satisfies Record<string, readonly EntryKind[]>

export type EntryGroup = keyof typeof entryGroups

/** All kinds but checks, which are most of a ledger. */
export const kindsWithoutChecks: readonly EntryKind[] = entryKinds.filter((kind) => kind !== 'checked')
