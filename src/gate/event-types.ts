import type { EntryKind } from './lifecycle.ts'

/** A type of event: the ledger entry that it is, and what it tells. */
export interface EventType {
  /** Null: it is no entry. */
  entry: EntryKind | null
  /** Of the entries of that kind, those alone whose data has one of these values in this field. Absent: all that no other type takes. */
  where?: { field: 'closed_reason' | 'outcome'; is: readonly string[] }
  says: string
}

/**
 * The types of events, in the order of the documentation. The database gives an event its type when the entry is appended:
 * gate_private.event_type says the same, and test/events holds the two together.
 * @source docs/events.md
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
  'action.approved': { entry: 'confirmed', says: 'The decision that executes it was made.' },
  'action.declined': {
    entry: 'cancelled',
    where: { field: 'closed_reason', is: ['member_declined', 'approver_declined'] },
    says: 'Its member or an approver declined.',
  },
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
  'policy.changed': { entry: 'policy_set', says: 'A new version of the policy is in force.' },
  'key.minted': { entry: 'key_minted', says: 'An API key or a token of an app was made.' },
  'key.rotated': { entry: 'key_rotated', says: 'A key was replaced, and expires.' },
  'key.revoked': { entry: 'key_revoked', says: 'A key is refused from now on.' },
  'app.connected': { entry: 'app_connected', says: 'A member connected an app.' },
  'app.ended': { entry: 'app_ended', says: 'An app was disconnected.' },
  'ledger.sealed': { entry: null, says: 'The ledger up to the entry `seq` was sealed.' },
  test: { entry: null, says: 'You asked for it, to see that your receiver works.' },
} as const satisfies Record<string, EventType>

export type EventName = keyof typeof eventTypes
export const eventNames = Object.keys(eventTypes) as EventName[]

/** Those that an endpoint can choose: a test is always sent. */
export const chosenEvents = eventNames.filter((name) => name !== 'test') as Exclude<EventName, 'test'>[]

/** Why an endpoint is off. */
export const offReasons = ['admin', 'gone', 'failing'] as const
export type OffReason = (typeof offReasons)[number]
