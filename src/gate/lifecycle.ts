/**
 * The states an action can be in.
 * @source docs/concepts.md#propose-consent-confirm
 */
export const statuses = ['proposed', 'denied', 'cancelled', 'executed'] as const
export type Status = (typeof statuses)[number]

/**
 * The kinds of ledger entry.
 * @source docs/cli.md#kinds-of-ledger-entries
 */
export const entryKinds = [
  'account_created',
  'checked',
  'proposed',
  'denied',
  'consent_requested',
  'confirmed',
  'decision_refused',
  'cancelled',
  'expired',
  'action_claimed',
  'outcome_reported',
  'delivered',
  'executed',
  'tier_set',
  'pass_recorded',
  'member_changed',
  'curriculum_changed',
  'curriculum_retired',
  'conversation_changed',
  'policy_set',
  'kind_set',
  'kind_retired',
  'key_minted',
  'key_revoked',
  'key_rotated',
  'account_suspended',
  'key_limits_set',
  'integration_connected',
  'integration_disconnected',
  'kind_secret_rotated',
  'upstream_added',
  'upstream_changed',
  'upstream_removed',
  'upstream_tool_reviewed',
  'upstream_tool_quarantined',
  'preview_started',
  'preview_stopped',
  'preview_ended',
  'admin_changed',
  'write_refused',
  'payload_erased',
  'tool_allowed',
  'grant_used',
  'mandate_used',
  'mandate_ended',
  'tool_reported',
  'tool_calls_counted',
  'tool_called',
  'tool_answered',
  'tool_not_called',
  'ledger_archived',
] as const
export type EntryKind = (typeof entryKinds)[number]

/** An action as rebuilt from its entries: its status, and whether its execution was claimed. */
export interface Replayed {
  status: Status
  isConfirmed: boolean
}

type Step = (state: Replayed | null) => Replayed | null

const initial =
  (status: Status): Step =>
  (state) =>
    state === null ? { status, isConfirmed: false } : null
const fromOpen =
  (next: (state: Replayed) => Replayed | null): Step =>
  (state) =>
    state?.status === 'proposed' ? next(state) : null

/** How each entry changes the state of an action; null if the entry is not allowed in that state. */
const steps: Partial<Record<EntryKind, Step>> = {
  checked: initial('executed'),
  proposed: initial('proposed'),
  denied: (state) =>
    state === null
      ? { status: 'denied', isConfirmed: false }
      : fromOpen((s) => ({ ...s, status: 'denied' }))(state),
  confirmed: fromOpen((s) => (s.isConfirmed ? null : { ...s, isConfirmed: true })),
  consent_requested: fromOpen((s) => (s.isConfirmed ? null : s)),
  expired: fromOpen((s) => (s.isConfirmed ? null : { ...s, status: 'cancelled' })),
  // A confirmed action ends as cancelled only if the provider refused and did nothing.
  cancelled: fromOpen((s) => ({ ...s, status: 'cancelled' })),
  // Of an action of a `claim` kind.
  action_claimed: fromOpen((s) => (s.isConfirmed ? s : null)),
  outcome_reported: fromOpen((s) => (s.isConfirmed ? s : null)),
  delivered: (state) => (state?.isConfirmed ? state : null),
  executed: fromOpen((s) => (s.isConfirmed ? { ...s, status: 'executed' } : null)),
  decision_refused: (state) => state,
  // These need no confirm: the action starts as executed.
  preview_started: initial('executed'),
  preview_stopped: initial('executed'),
  preview_ended: (state) => (state?.status === 'executed' && !state.isConfirmed ? state : null),
  tool_allowed: initial('executed'),
  // Once, after the member's consent.
  grant_used: (state) => (state?.status === 'executed' && state.isConfirmed ? state : null),
  // Any number of times, until it ends.
  mandate_used: (state) => (state?.status === 'executed' && state.isConfirmed ? state : null),
  mandate_ended: (state) => (state?.status === 'executed' && state.isConfirmed ? state : null),
  // A call that is passed on without consent: recorded before it is made, and once more with its outcome.
  tool_called: initial('executed'),
  tool_answered: (state) => (state?.status === 'executed' && !state.isConfirmed ? state : null),
  tool_not_called: (state) =>
    state?.status === 'executed' && !state.isConfirmed ? { ...state, status: 'cancelled' } : null,
  tool_reported: (state) => (state?.status === 'executed' ? state : null),
  payload_erased: (state) => (state === null || state.status === 'proposed' ? null : state),
}

/**
 * Applies one entry to the state of an action. Pure.
 * @returns the state after the entry, or null if the entry contradicts the entries before it
 */
export function replay(state: Replayed | null, entry: EntryKind): Replayed | null {
  return steps[entry]?.(state) ?? null
}
