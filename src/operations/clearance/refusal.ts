import { randomUUID } from 'node:crypto'
import type { ActionRow } from '../../db/queries/actions/actions.ts'
import { noteRefusal } from '../../db/queries/actions/decide.ts'
import { type ErrorCode, type ErrorDetail, GateError } from '../../errors.ts'
import type { Deps } from '../../deps.ts'
import { requireKeyNow } from '../authenticate.ts'
import type { CallContext } from '../operation.ts'
import { type Reader, wayTo } from '../actions/next-step.ts'
import { otherKind } from '../require-key-kind.ts'

export type RefusalReason =
  | 'not_proposer'
  | 'not_open'
  | 'expired'
  | 'digest'
  | 'suspended'
  | 'by_link'
  /** The API key may not confirm, or not this kind of action. */
  | 'no_power'
  | 'other_kind'
  /** Who decides is no longer a member. */
  | 'inactive'
  /** The request went to an identity that the member no longer has. */
  | 'identity'
  /** What is shown now is not what was shown. */
  | 'card'
  /** A client answered no question about this that its key was asked in the last ten minutes. */
  | 'question'
  /** The policy does not allow what the member made of it. */
  | 'edit'
  /** The policy now requires a stronger consent. */
  | 'too_weak'
  /** The identity that the decision came through was changed, and has not settled. */
  | 'unsettled_identity'
  /** The passkey is not one of the member's, signed something else or before, or its counter went back. */
  | 'passkey_unknown'
  | 'passkey_invalid'
  | 'passkey_used'
  | 'passkey_counter'
  /** The policy does not accept this passkey, or not yet. */
  | 'passkey_not_accepted'
  /** The rule does not name them as approver, or not yet; the member has not consented; it is too early; a reason is missing. */
  | 'not_approver'
  | 'not_consented'
  | 'too_early'
  | 'no_reason'
  /** What was confirmed since it was proposed makes the policy ask others to approve it. */
  | 'others_needed'
  /** The form came from another site. */
  | 'foreign_form'
  /** A press in a chat named no known button, came from another workspace or from a place that others read, named several buttons,
   * or can be read in two ways. */
  | 'no_button'
  | 'other_workspace'
  | 'not_personal'
  | 'several_buttons'
  | 'not_exact'
  /** A connection was decided by nobody who was signed in, or by somebody who is neither its member nor an administrator. */
  | 'not_signed_in_member'
  /** A report came with another claim, after its lease, or after another report. */
  | 'other_claim'
  | 'lease_ended'
  | 'other_report'

/** A decision that was refused. The caller records it and turns it into an error. */
export interface Refused {
  outcome: 'refused'
  reason: RefusalReason
  /** For people, where it says more than the reason alone. */
  sentence?: string
}

export const refused = (reason: RefusalReason, sentence?: string): Refused => ({
  outcome: 'refused',
  reason,
  ...(sentence === undefined ? {} : { sentence }),
})

export interface Refusal {
  decision: 'confirm' | 'cancel' | 'report'
  reason: RefusalReason
  /** A member's id, `admin:` and an administrator's, `executor`, or `unknown`. */
  actor: string
  /** `api`, `mcp`, `slack`, `email` or `console`. */
  source: string
  /** Hash of the API key, if one was used. */
  apiKey?: Buffer | undefined
  /** Equal for repeats that are to be recorded once. */
  eventId?: string
}

/** Records in the ledger that a decision was refused. The action does not change. */
export async function recordRefusal(
  deps: Deps,
  row: Pick<ActionRow, 'account_id' | 'id'>,
  { apiKey, eventId = randomUUID(), ...refusal }: Refusal,
): Promise<void> {
  await noteRefusal(deps.db, {
    account: row.account_id,
    id: row.id,
    eventId,
    ...refusal,
    apiKey: apiKey ?? null,
  })
}

/** Records that a decision by an API key was refused, and returns the error to throw. The action does not change. */
export async function refuseDecision(
  context: CallContext,
  row: ActionRow,
  refusal: { decision: 'confirm' | 'cancel' } & Pick<Refusal, 'actor'> & Pick<Refused, 'reason' | 'sentence'>,
): Promise<GateError> {
  const { deps, keyHash: apiKey, source } = context
  const {
    decision,
    actor,
    reason,
    sentence = refusalSentence(row, decision, { reason, reader: context }),
  } = refusal
  await requireKeyNow(context)
  await recordRefusal(deps, row, { decision, reason, actor, source, apiKey })
  return reason === 'other_kind'
    ? otherKind(context, row.kind)
    : new GateError(codeOf[reason] ?? 'conflict', sentence, detailOf[reason])
}

const codeOf: Partial<Record<RefusalReason, ErrorCode>> = { not_proposer: 'not_proposer' }

const detailOf: Partial<Record<RefusalReason, { detail?: ErrorDetail; param?: string }>> = {
  not_proposer: { param: 'actor' },
  not_open: { detail: 'already_decided' },
  expired: { detail: 'expired' },
  digest: { detail: 'digest_mismatch', param: 'digest' },
  suspended: { detail: 'account_suspended' },
  by_link: { detail: 'decided_by_link' },
  unsettled_identity: { detail: 'identity_unsettled' },
}

/** Why a decision is refused, for the caller. Pure. */
export function refusalSentence(
  row: ActionRow,
  decision: 'confirm' | 'cancel',
  { reason, reader }: { reason: RefusalReason; reader: Reader },
): string {
  switch (reason) {
    case 'not_proposer':
      return `Only the member who proposed action ${row.id} can ${decision} it.`
    case 'expired':
      return `Action ${row.id} expired before this ${decision}. Propose it again.`
    case 'digest':
      if (row.former !== null)
        return `Somebody who must approve action ${row.id} changed it. Read it again and show it to the member, then confirm it with its digest.`
      return `The digest does not match action ${row.id}. Read the action again and show it to the member before you confirm.`
    case 'question':
    case 'card':
      return `The answer is not to the card of action ${row.id} as it is, or came more than ten minutes later. Nothing was decided. Confirm the action again: the card is then shown again.`
    case 'suspended':
      return 'This account is suspended. Nothing is executed until an administrator resumes it.'
    case 'by_link':
      return `Action ${row.id} cannot be confirmed by an agent. Give the member the connect_url that connect_integration returned: they open it in a browser and sign in.`
    default: {
      const state = row.status === 'proposed' ? 'being executed' : row.status
      const read = wayTo('read', reader, row.id)
      return `Action ${row.id} is already ${state}.${read === undefined ? '' : ` Read it with ${read}.`}`
    }
  }
}
