import type { EntryKind } from './lifecycle.ts'

/** A type of event: the ledger entry that it is, and what it tells. */
export interface EventType {
  /** Null: it is no entry. */
  entry: EntryKind | null
  /** Of the entries of that kind, those alone whose data has one of these values in this field. Absent: all that no other type takes. */
  where?: { field: 'closed_reason' | 'outcome' | 'suspended' | 'retired'; is: readonly string[] }
  says: string
}

/**
 * The types of events, in the order of the documentation. The database gives an event its type when the entry is appended:
 * gate_private.event_type says the same, and test/events holds the two together.
 * @source docs/event-types.md
 */
export const eventTypes = {
  'action.proposed': { entry: 'proposed', says: 'An action was proposed. Nothing is executed yet.' },
  'action.denied': { entry: 'denied', says: 'It was denied, when proposed or at its confirm.' },
  'action.consent_requested': { entry: 'consent_requested', says: 'Its member, or an approver, was asked.' },
  'action.edited': { entry: 'edited', says: 'Its member changed it: its digest is another one.' },
  'action.approval_given': {
    entry: 'approved',
    says: 'One of several who must approve did. Others must still.',
  },
  'action.glass_broken': {
    entry: 'glass_broken',
    says: 'A named member executes it in place of those who must approve.',
  },
  'action.glass_reviewed': { entry: 'glass_reviewed', says: 'Somebody else judged whether that was right.' },
  'action.approved': { entry: 'confirmed', says: 'The decision that executes it was made.' },
  'action.declined': {
    entry: 'cancelled',
    where: { field: 'closed_reason', is: ['member_declined', 'approver_declined'] },
    says: 'Its member or an approver declined.',
  },
  'action.claimed': { entry: 'action_claimed', says: 'A service of yours took it, to execute it.' },
  'action.executed': { entry: 'executed', says: 'It was executed. `result.outcome` says how far.' },
  'action.unknown': {
    entry: 'executed',
    where: { field: 'outcome', is: ['unknown'] },
    says: 'It may or may not have been executed, and is not repeated.',
  },
  'action.failed': {
    entry: 'cancelled',
    where: { field: 'closed_reason', is: ['refused'] },
    says: 'It was approved, and its provider or executor refused. Nothing was done.',
  },
  'action.cancelled': { entry: 'cancelled', says: 'Its agent or an administrator cancelled it.' },
  'action.expired': { entry: 'expired', says: 'Nobody decided in time.' },
  'action.erased': { entry: 'payload_erased', says: 'Its payload was erased. Erase your copies.' },
  'mandate.used': { entry: 'mandate_used', says: 'A mandate consented to an action.' },
  'mandate.frozen': { entry: 'mandate_frozen', says: 'It consents to nothing until it is resumed.' },
  'mandate.resumed': { entry: 'mandate_resumed', says: 'It consents again.' },
  'mandate.ended': {
    entry: 'mandate_ended',
    says: 'Its member, an administrator or the stop switch ended it.',
  },
  'member.changed': { entry: 'member_changed', says: 'A member was added, changed, deactivated or erased.' },
  'member.tier_set': { entry: 'tier_set', says: 'An administrator set the tier of a member.' },
  'member.pass_recorded': { entry: 'pass_recorded', says: 'A pass was recorded or revoked.' },
  'member.passkey_added': { entry: 'passkey_added', says: 'A member added a passkey.' },
  'member.passkey_removed': { entry: 'passkey_removed', says: 'A passkey was removed.' },
  'member.device_added': { entry: 'device_added', says: 'A member gets notifications on another device.' },
  'member.device_removed': { entry: 'device_removed', says: 'A device gets no notifications any more.' },
  'member.identity_linked': {
    entry: 'identity_linked',
    says: 'A person of the company was linked, and signs in as that member or administrator.',
  },
  'member.identity_unlinked': { entry: 'identity_unlinked', says: 'That link was removed.' },
  'group.changed': {
    entry: 'group_changed',
    says: 'A group was created, renamed or removed, or its members changed.',
  },
  'delegation.started': { entry: 'delegation_started', says: 'A member named a deputy.' },
  'delegation.ended': { entry: 'delegation_ended', says: 'A deputy was removed before the end.' },
  'curriculum.changed': { entry: 'curriculum_changed', says: 'A curriculum was added or changed.' },
  'curriculum.retired': { entry: 'curriculum_retired', says: 'It grants nothing any more.' },
  'curriculum.restored': {
    entry: 'curriculum_retired',
    where: { field: 'retired', is: ['false'] },
    says: 'It is in force again.',
  },
  'kind.changed': { entry: 'kind_set', says: 'A declared kind was added, changed or set again.' },
  'kind.retired': { entry: 'kind_retired', says: 'Nothing of that kind can be proposed or confirmed.' },
  'kind.secret_rotated': { entry: 'kind_secret_rotated', says: 'Its executor has a new secret.' },
  'policy.changed': { entry: 'policy_set', says: 'A new version of the policy is in force.' },
  'key.minted': { entry: 'key_minted', says: 'An API key or a token of an app was made.' },
  'key.rotated': { entry: 'key_rotated', says: 'A key was replaced, and expires.' },
  'key.revoked': { entry: 'key_revoked', says: 'A key is refused from now on.' },
  'key.limits_set': { entry: 'key_limits_set', says: 'Requests of keys are counted in another way.' },
  'app.client_added': { entry: 'app_client_added', says: 'An app got an id and a secret.' },
  'app.client_removed': { entry: 'app_client_removed', says: 'That app cannot connect any more.' },
  'app.connected': { entry: 'app_connected', says: 'A member connected an app.' },
  'app.ended': { entry: 'app_ended', says: 'An app was disconnected.' },
  'account.suspended': { entry: 'account_suspended', says: 'Nothing is executed until it is resumed.' },
  'account.resumed': {
    entry: 'account_suspended',
    where: { field: 'suspended', is: ['false'] },
    says: 'Actions are executed again.',
  },
  'admin.changed': {
    entry: 'admin_changed',
    says: 'An administrator or auditor was added, changed or removed.',
  },
  'sign_in.changed': {
    entry: 'company_sign_in_set',
    says: 'Sign-in with the company was set up or changed.',
  },
  'sign_in.removed': { entry: 'company_sign_in_removed', says: 'Nobody signs in with the company any more.' },
  'integration.connected': {
    entry: 'integration_connected',
    says: 'An administrator connected a provider. What a member connects is an action.',
  },
  'integration.disconnected': { entry: 'integration_disconnected', says: 'A provider was disconnected.' },
  'upstream.added': { entry: 'upstream_added', says: 'An MCP server was put behind the gate.' },
  'upstream.changed': { entry: 'upstream_changed', says: 'Its headers, or the rule of a tool, changed.' },
  'upstream.removed': { entry: 'upstream_removed', says: 'It was removed.' },
  'upstream.tool_reviewed': { entry: 'upstream_tool_reviewed', says: 'Its tools were reviewed.' },
  'upstream.tool_quarantined': {
    entry: 'upstream_tool_quarantined',
    says: 'A tool is another one than was reviewed, and is not called.',
  },
  'conversation.changed': {
    entry: 'conversation_changed',
    says: 'A conversation was created, or its participants changed.',
  },
  'preview.started': { entry: 'preview_started', says: 'A preview was started.' },
  'preview.stopped': { entry: 'preview_stopped', says: 'Somebody stopped it.' },
  'preview.ended': { entry: 'preview_ended', says: 'It runs no more.' },
  'ledger.archived': { entry: 'ledger_archived', says: 'Old entries were moved into a file.' },
  'ledger.sealed': { entry: null, says: 'The ledger up to the entry `seq` was sealed.' },
  test: { entry: null, says: 'You asked for it, to see that your receiver works.' },
} as const satisfies Record<string, EventType>

type WithEvent = NonNullable<(typeof eventTypes)[keyof typeof eventTypes]['entry']>

const ofEachCall = 'there is one for each call of an agent'
const ofRefusal = 'nothing was changed, and anyone who is refused could send you many'
const ofEndpoint = 'an endpoint that fails would be told to the others'

/** Every kind of ledger entry that is no event, and why. */
export const withoutEvent = {
  account_created: 'no endpoint is there yet',
  checked: ofEachCall,
  consent_message_frozen: 'it belongs to `consent_requested`',
  outcome_reported: '`executed` or `cancelled` follows',
  delivered: '`executed` follows',
  decision_refused: ofRefusal,
  write_refused: ofRefusal,
  company_sign_in_refused: ofRefusal,
  admin_called: 'what the call did has its own entry',
  tool_allowed: ofEachCall,
  tool_reported: ofEachCall,
  tool_calls_counted: ofEachCall,
  grant_used: ofEachCall,
  tool_called: ofEachCall,
  tool_answered: ofEachCall,
  tool_not_called: ofEachCall,
  endpoint_set: ofEndpoint,
  endpoint_removed: ofEndpoint,
} as const satisfies Record<Exclude<EntryKind, WithEvent>, string>

export type EventName = keyof typeof eventTypes
export const eventNames = Object.keys(eventTypes) as EventName[]

/** Those that an endpoint can choose: a test is always sent. */
export const chosenEvents = eventNames.filter((name) => name !== 'test') as Exclude<EventName, 'test'>[]

/** Why an endpoint is off. */
export const offReasons = ['admin', 'gone', 'failing'] as const
export type OffReason = (typeof offReasons)[number]
