import { z } from 'zod'
import type { ApprovalState } from '../../consent/approvals.ts'
import { type Card, cardHash } from '../../consent/card.ts'
import { type ActionRow, readAction } from '../../db/queries/actions/actions.ts'
import { type FoundRequest, findConsentRequest } from '../../db/queries/actions/consent.ts'
import { readFacts } from '../../db/queries/members/facts.ts'
import type { Deps } from '../../deps.ts'
import { GateError } from '../../errors.ts'
import type { ShownField } from '../../gate/edits/editable-fields.ts'
import { consentTokenHash, isTokenForm } from '../../keys/link-token.ts'
import { parseInput } from '../parse.ts'
import { isOpen } from '../actions/action-view.ts'
import { waitToShow } from '../actions/wait-for-execution.ts'
import { cardOfRow } from '../consent/card-of-row.ts'
import { approvalOf } from '../consent/approval-state.ts'
import { type PasskeyAsk, askPasskey, signedOf } from './ask-passkey.ts'
import { decideAsMember } from './decide-as-member.ts'
import { editableFields, editedRow, enteredFields } from './edit-proposal.ts'
import { declineReason } from './decline-reason.ts'
import { memberError } from './member-refusal.ts'
import { recordRefusal } from '../clearance/refusal.ts'

/** What the page of a decision link shows. */
export interface LinkedDecision {
  row: ActionRow
  card: Card
  /** Hash of the card, hex. The form sends it back: only what was shown is decided. */
  shown: string
  /** Where the policy requires a passkey. */
  passkey: PasskeyAsk | undefined
  /** What the member may change before they approve; `text`: what the proposal has, or what they entered. */
  fields: ShownField[]
  /** Where others than its member must approve it too: why they are asked, and who did. */
  approval: ApprovalState | undefined
  /** It is what the member makes of the proposal, and nothing of it is stored. */
  isEdited: boolean
}

/**
 * The action that a link asks its receiver to decide about. Reading it changes nothing.
 * @param entered  what they change, by name of the field
 * @throws GateError `not_found` for an unknown link, `gone` where the action can no longer be decided by it, `conflict` where
 * the account is suspended, `invalid` for a change that the kind does not allow
 */
export async function readLinked(
  deps: Deps,
  token: string,
  entered: Record<string, string> = {},
): Promise<LinkedDecision> {
  const { request, row } = await linked(deps, token)
  const memberId = request.member_id ?? row.member_id!
  const facts = await readFacts(deps.db, row.account_id, { memberId })
  if (!isOpen(row)) throw memberError('not_open', row)
  if (!facts || row.expires_at! <= facts.now) throw memberError('expired', row)
  const [member] = facts.members
  if (!member) throw memberError('inactive', row)
  if (member.email?.toLowerCase() !== request.address.toLowerCase()) throw memberError('identity', row)
  if (facts.isSuspended) throw memberError('suspended', row)
  const version = await editedRow(deps, row, entered)
  const card = await cardOfRow(deps, version)
  const passkey = await askPasskey(deps, version, card, memberId)
  const fields = enteredFields(await editableFields(deps, row), entered)
  return {
    row: version,
    card,
    shown: cardHash(card).toString('hex'),
    passkey,
    fields,
    isEdited: version !== row,
    approval: await approvalOf(deps, version, memberId),
  }
}

/** Whether a form changes the open proposal of a link. @throws GateError `not_found`; `invalid` for a change that its kind does not allow */
export async function isChangeByLink(
  deps: Deps,
  token: string,
  entered: Record<string, string>,
): Promise<boolean> {
  const { row } = await linked(deps, token)
  return isOpen(row) && (await editedRow(deps, row, entered)) !== row
}

/**
 * Decides by the form of a link. An approval waits a little for the result.
 * @param form  as it was sent
 * @throws GateError as `decideAsMember`, `not_found` for an unknown link, `invalid` for a form that this service did not make
 */
export async function decideByLink(
  deps: Deps,
  token: string,
  {
    does,
    shown,
    reason,
    changes,
    signed = {},
  }: {
    does: string
    shown: string
    reason: string
    changes?: Record<string, string> | undefined
    /** The fields that a passkey signed, among others. */
    signed?: Record<string, string>
  },
): Promise<ActionRow> {
  const { request, row } = await linked(deps, token)
  if ((does !== 'confirm' && does !== 'decline') || !/^[0-9a-f]{64}$/.test(shown))
    throw new GateError('invalid', 'Press one of the two buttons on the page.')
  const why = parseInput(z.object({ reason: declineReason }), { reason })
  const decided = await decideAsMember(deps, {
    account: row.account_id,
    id: row.id,
    memberId: request.member_id ?? row.member_id!,
    does,
    strength: 'page',
    channel: 'email',
    shown: Buffer.from(shown, 'hex'),
    changes,
    declineReason: why.reason,
    passkey: signedOf(signed),
    credential: { token: consentTokenHash('email', token) },
    request: { via: 'email', address: request.address },
  })
  return waitToShow(deps, decided)
}

/** The action behind a link, decided or not. @throws GateError `not_found` for an unknown link */
export const actionOfLink = async (deps: Deps, token: string): Promise<ActionRow> =>
  (await linked(deps, token)).row

/** Records that another website sent the form of a link. @throws GateError `not_found` for an unknown link */
export async function noteForeignForm(deps: Deps, token: string): Promise<void> {
  const { row } = await linked(deps, token)
  await recordRefusal(deps, row, {
    decision: 'confirm',
    reason: 'foreign_form',
    actor: 'unknown',
    source: 'email',
  })
}

async function linked(deps: Deps, token: string): Promise<{ request: FoundRequest; row: ActionRow }> {
  const request = isTokenForm(token)
    ? await findConsentRequest(deps.db, consentTokenHash('email', token))
    : undefined
  const row = request && (await readAction(deps.db, request.account_id, request.action_id))
  if (!row)
    throw new GateError(
      'not_found',
      'This link was not found. It may have expired. Check that you copied the whole link.',
    )
  return { request, row }
}
