import type { ActionRow } from '../../db/queries/actions/actions.ts'

/**
 * The action as it was when it was proposed: the answer to a repeat of that request. Pure.
 * @param isAsked  the member was asked at once, or a mandate of theirs consented
 */
export function asProposed(row: ActionRow, isAsked: boolean): ActionRow {
  if (!row.requires_confirmation) return row
  const isByMandate = isAsked && row.mandate_id !== null
  const { payload = row.payload, facts = row.facts, recipients, ...former } = row.former ?? {}
  return {
    ...row,
    ...former,
    payload,
    facts,
    ...(recipients ? { recipients: Buffer.from(recipients, 'hex') } : {}),
    former: null,
    status: 'proposed',
    denial_reason: null,
    denial_code: null,
    denial_needs: null,
    decline_reason: null,
    ...(isByMandate ? {} : undecided),
    consented_at: null,
    closed_reason: null,
    result: null,
    executed_at: null,
    ...(isAsked ? {} : { asked_at: null }),
  }
}

const undecided = {
  decision: null,
  decided_at: null,
  consent_strength: null,
  consent_passkey: null,
  consent_tier: null,
  consent_policy_version: null,
} as const
