/**
 * The states an action can be in.
 * @source docs/concepts.md#propose-consent-confirm
 */
export const statuses = ['proposed', 'denied', 'cancelled', 'executed'] as const
export type Status = (typeof statuses)[number]

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

/** A mandate is in force a moment before its action is executed: the stop switch, or the next mandate, can end it between the two. */
const ofMandate: Step = (state) =>
  state?.isConfirmed && (state.status === 'proposed' || state.status === 'executed') ? state : null

/**
 * The kinds of ledger entry, and how each changes the state of an action: null where it is not allowed in that state. A kind
 * without a step is about the account, and names no action.
 * @source docs/cli.md#kinds-of-ledger-entries
 */
const steps = {
  account_created: null,
  checked: initial('executed'),
  proposed: initial('proposed'),
  denied: (state) =>
    state === null
      ? { status: 'denied', isConfirmed: false }
      : fromOpen((s) => ({ ...s, status: 'denied' }))(state),
  consent_requested: fromOpen((s) => (s.isConfirmed ? null : s)),
  consent_message_frozen: fromOpen((s) => (s.isConfirmed ? null : s)),
  confirmed: fromOpen((s) => (s.isConfirmed ? null : { ...s, isConfirmed: true })),
  // A consent or an approval, where others than the member must approve.
  approved: fromOpen((s) => (s.isConfirmed ? null : s)),
  // Its confirm is the next entry.
  glass_broken: fromOpen((s) => (s.isConfirmed ? null : s)),
  glass_reviewed: (state) => (state?.isConfirmed ? state : null),
  // Its confirm or approval is the next entry: see `ledgerChecker`.
  edited: fromOpen((s) => (s.isConfirmed ? null : s)),
  decision_refused: (state) => state,
  // A confirmed action ends as cancelled only if the provider refused and did nothing.
  cancelled: fromOpen((s) => ({ ...s, status: 'cancelled' })),
  expired: fromOpen((s) => (s.isConfirmed ? null : { ...s, status: 'cancelled' })),
  // Only actions of a kind that is executed by claim.
  action_claimed: fromOpen((s) => (s.isConfirmed ? s : null)),
  outcome_reported: fromOpen((s) => (s.isConfirmed ? s : null)),
  delivered: (state) => (state?.isConfirmed ? state : null),
  executed: fromOpen((s) => (s.isConfirmed ? { ...s, status: 'executed' } : null)),
  tier_set: null,
  pass_recorded: null,
  member_changed: null,
  curriculum_changed: null,
  curriculum_retired: null,
  group_changed: null,
  delegation_started: null,
  delegation_ended: null,
  conversation_changed: null,
  policy_set: null,
  kind_set: null,
  kind_retired: null,
  key_minted: null,
  key_revoked: null,
  key_rotated: null,
  app_connected: null,
  app_ended: null,
  app_client_added: null,
  app_client_removed: null,
  account_suspended: null,
  key_limits_set: null,
  integration_connected: null,
  integration_disconnected: null,
  kind_secret_rotated: null,
  upstream_added: null,
  upstream_changed: null,
  upstream_removed: null,
  upstream_tool_reviewed: null,
  upstream_tool_quarantined: null,
  // These need no confirm: the action starts as executed.
  preview_started: initial('executed'),
  preview_stopped: initial('executed'),
  preview_ended: (state) => (state?.status === 'executed' && !state.isConfirmed ? state : null),
  admin_changed: null,
  admin_called: null,
  company_sign_in_set: null,
  company_sign_in_removed: null,
  company_sign_in_refused: null,
  identity_linked: null,
  identity_unlinked: null,
  passkey_added: null,
  passkey_removed: null,
  device_added: null,
  device_removed: null,
  write_refused: null,
  payload_erased: (state) => (state === null || state.status === 'proposed' ? null : state),
  tool_allowed: initial('executed'),
  // Once, after the member's consent.
  grant_used: (state) => (state?.status === 'executed' && state.isConfirmed ? state : null),
  // Any number of times, until it ends.
  mandate_used: (state) => (state?.status === 'executed' && state.isConfirmed ? state : null),
  mandate_ended: ofMandate,
  mandate_frozen: ofMandate,
  mandate_resumed: ofMandate,
  tool_reported: (state) => (state?.status === 'executed' ? state : null),
  tool_calls_counted: null,
  // A call that is passed on without consent: recorded before it is made, and once more with its outcome.
  tool_called: initial('executed'),
  tool_answered: (state) => (state?.status === 'executed' && !state.isConfirmed ? state : null),
  tool_not_called: (state) =>
    state?.status === 'executed' && !state.isConfirmed ? { ...state, status: 'cancelled' } : null,
  ledger_archived: null,
  endpoint_set: null,
  endpoint_removed: null,
} satisfies Record<string, Step | null>
export type EntryKind = keyof typeof steps
export const entryKinds = Object.keys(steps) as EntryKind[]

/** Whether entries of a kind name an action; the others are about the account. Pure. */
export const isAboutAction = (kind: EntryKind): boolean => steps[kind] !== null

/**
 * Applies one entry to the state of an action. Pure.
 * @returns the state after the entry, or null if the entry contradicts the entries before it
 */
export function replay(state: Replayed | null, entry: EntryKind): Replayed | null {
  const step: Step | null = Object.hasOwn(steps, entry) ? steps[entry] : null
  return step?.(state) ?? null
}
