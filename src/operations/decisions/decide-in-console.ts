import type { ApprovalState } from '../../consent/approvals.ts'
import { type Card, cardHash } from '../../consent/card.ts'
import { doneWords } from '../../consent/outcome.ts'
import { sameBefore } from '../../consent/same-as.ts'
import { type ActionRow, readAction } from '../../db/queries/actions/actions.ts'
import { tookPart } from '../../db/queries/actions/approvals.ts'
import type { SignedByPasskey } from '../../db/queries/actions/decide.ts'
import type { Deps } from '../../deps.ts'
import { GateError } from '../../errors.ts'
import type { ShownField } from '../../gate/edits/editable-fields.ts'
import { isOpen, saidOf } from '../actions/action-view.ts'
import { waitToShow } from '../actions/wait-for-execution.ts'
import { readFacts } from '../../db/queries/members/facts.ts'
import { isApproverIn, isAwaitingApprovals, isRuled, tallyOf } from '../approvers/tally.ts'
import { isNamedForGlass } from '../clearance/glass.ts'
import { approvalOf } from '../consent/approval-state.ts'
import { cardOfRow, sameRow } from '../consent/card-of-row.ts'
import { type PasskeyAsk, askPasskey } from './ask-passkey.ts'
import { editableFields, editedRow, enteredFields } from './edit-proposal.ts'
import { decideAsMember } from './decide-as-member.ts'
import { kindOfRow, requireKind } from '../actions/require-kind.ts'
import { type ShownAction, isVisible, notVisible, show } from '../actions/shown-action.ts'
import { recordRefusal } from '../clearance/refusal.ts'
import type { Session } from '../sign-in/session.ts'

/** An action on its page, with its decision card while it is open. */
export interface ShownProposal extends ShownAction {
  /** `shown`: the card's hash, hex. The form sends it back: only what was shown is decided. */
  open: DecidableCard | null
  /** What the person who looks can decide as its member, and why not more. */
  yours: 'nothing' | 'both' | 'decline_by_link' | 'decline_suspended' | 'decline_or_open' | 'decline_or_wait'
  /** Where others than its member must approve it too. */
  approval?: ApprovalState | undefined
  /** What was done, in words: `Refunded 10.00 EUR of payment pi_1`. Absent where nothing was, or where it has no words. */
  done?: string | undefined
  /** The one who looks may execute it in place of those who must approve it. */
  mayBreakGlass: boolean
  /** The status of the action that it repeats: see `sameBefore`. */
  sameBefore: string | undefined
  /** What its executor says of it, beside the outcome. */
  said: unknown
  /** The receipt of its consent, if it has one. */
  receipt: string | undefined
  /** Its payload was changed after the consent: that is why it has no receipt. */
  isAltered: boolean
}

/** A card to decide on. */
export interface DecidableCard {
  card: Card
  /** The card's hash, hex. The form sends it back: only what was shown is decided. */
  shown: string
  digest: string
  /** What the member may change before they approve; `text`: what it has, or what they entered. */
  fields: ShownField[]
  /** What its approval needs of the member's passkeys; absent where it needs none, or they cannot approve here. */
  passkey?: PasskeyAsk | undefined
}

/** What the form of the page sends. */
export interface ConsoleDecision {
  does: 'confirm' | 'decline'
  /** Hash of the card that was shown, hex. */
  shown: string
  /** The action's digest, as shown. */
  digest: string
  /** Of a confirm of version 2: what they change, by name of the field. */
  changes?: Record<string, string> | undefined
  /** Why they decline. */
  reason?: string | undefined
  /** What their passkey signed, if it did. */
  passkey?: SignedByPasskey | undefined
}

/** One action for its page. @throws GateError `not_found` also where the session may not see it */
export async function readProposal(deps: Deps, session: Session, id: number): Promise<ShownProposal> {
  const row = await readAction(deps.db, session.account, id)
  const isApprover = row !== undefined && (await mayApproveHere(deps, session, row))
  const isNamed = await isNamedForGlassHere(deps, session, row)
  if (!row || !(isApprover || isNamed || isVisible(session, row) || (await sawIt(deps, session, row))))
    throw notVisible(id)
  const shown = {
    ...(await show(deps, session, row)),
    done: doneWords(await kindOfRow(deps, row), row),
    sameBefore: sameBefore(row, await sameRow(deps, row)),
    receipt: await deps.receipts.receiptOf(row),
    mayBreakGlass: isNamed && isAwaitingApprovals(row),
    said: await saidOf(deps, row),
    isAltered: deps.receipts.problemOf(row) === 'payload_changed',
    approval: await approvalOf(deps, row, session.memberId),
  }
  if (!isOpen(row)) return { ...shown, open: null, yours: 'nothing' }
  const yours =
    isApprover || (shown.isOwn && !isAwaitingApprovals(row))
      ? await mayDecide(deps, session, row)
      : shown.isOwn
        ? 'decline_or_wait'
        : 'nothing'
  const fields = yours === 'both' ? await editableFields(deps, row) : []
  const open = await decidable(deps, row, fields)
  const passkey = yours === 'both' ? await askPasskey(deps, row, open.card, session.memberId) : undefined
  return { ...shown, open: { ...open, passkey }, yours }
}

/**
 * What the member who is signed in makes of their open proposal. Nothing of it is stored.
 * @returns undefined where the form changes nothing, and where it is not theirs to change: the decision says why
 * @throws GateError `invalid` for a change that the kind does not allow
 */
export async function readEdited(
  deps: Deps,
  session: Session,
  id: number,
  entered: Record<string, string>,
): Promise<DecidableCard | undefined> {
  const { account, memberId } = session
  const row = await readAction(deps.db, account, id)
  if (!row || memberId === null || !isOpen(row)) return undefined
  if (memberId !== row.member_id && !(await mayApproveHere(deps, session, row))) return undefined
  const version = await editedRow(deps, row, entered)
  if (version === row) return undefined
  const changed = await decidable(deps, version, enteredFields(await editableFields(deps, row), entered))
  return { ...changed, passkey: await askPasskey(deps, version, changed.card, memberId) }
}

async function decidable(deps: Deps, row: ActionRow, fields: ShownField[]): Promise<DecidableCard> {
  const card = await cardOfRow(deps, row)
  return { card, shown: cardHash(card).toString('hex'), digest: row.digest!, fields }
}

/** Whether the member of a session is one of those who must approve an action of somebody else, and can now. */
export async function mayApproveHere(deps: Deps, { memberId }: Session, row: ActionRow): Promise<boolean> {
  if (memberId === null || memberId === row.member_id || !isAwaitingApprovals(row)) return false
  const facts = await readFacts(deps.db, row.account_id, { memberId })
  const [member] = facts?.members ?? []
  if (!facts || !member) return false
  return isApproverIn(await tallyOf(deps, row, facts.now, member), memberId)
}

/** Whether the member of a session approved or declined what others had to approve, and it is decided: they see how it ends. */
const sawIt = async ({ db }: Deps, { account, memberId }: Session, row: ActionRow): Promise<boolean> =>
  memberId !== null && isRuled(row) && !isOpen(row) && tookPart(db, account, row.id, memberId)

/** Whether the member of a session is named to execute an open action in place of those who must approve it. */
export async function isNamedForGlassHere(
  deps: Deps,
  { memberId }: Session,
  row: ActionRow | undefined,
): Promise<boolean> {
  if (!row || memberId === null || !isOpen(row) || !isRuled(row)) return false
  const facts = await readFacts(deps.db, row.account_id, { memberId })
  return facts?.members[0] !== undefined && isNamedForGlass(deps, row, memberId, facts.now)
}

/** What the member of an open action can decide here, and why not more. */
export async function mayDecide(
  deps: Deps,
  { isSuspended }: Session,
  row: ActionRow,
): Promise<Exclude<ShownProposal['yours'], 'nothing'>> {
  if ((await requireKind(deps, row)).isDecidedByLink) return 'decline_by_link'
  return isSuspended ? 'decline_suspended' : 'both'
}

/** Decides as the member who is signed in. An approval waits a little for the result. @throws GateError as `decideOwn` */
export const decideInConsole = async (
  deps: Deps,
  ...decision: DropOne<Parameters<typeof decideOwn>>
): Promise<ActionRow> => waitToShow(deps, await decideOwn(deps, ...decision))

type DropOne<List extends unknown[]> = List extends [unknown, ...infer Rest] ? Rest : never

/**
 * The same without the wait. They signed in by a link in their own mailbox, so this is `page` consent. Somebody else is refused,
 * with an entry in the ledger.
 * @throws GateError as `decideAsMember`, `not_found` where the session may not see the action
 */
export async function decideOwn(
  deps: Deps,
  session: Session,
  id: number,
  { does, shown, digest, changes, reason, passkey }: ConsoleDecision,
): Promise<ActionRow> {
  const { account, memberId } = session
  const row = await readAction(deps.db, account, id)
  if (!row) throw notVisible(id)
  const isApprover = await mayApproveHere(deps, session, row)
  if (memberId === null || (memberId !== row.member_id && !isApprover))
    throw await refuseOther(deps, session, row, does)
  return decideAsMember(deps, {
    account,
    id,
    memberId,
    does,
    strength: 'page',
    channel: 'console',
    credential: { session: session.tokenHash },
    shown: Buffer.from(shown, 'hex'),
    digest,
    changes,
    declineReason: reason,
    passkey,
  })
}

async function refuseOther(
  deps: Deps,
  session: Session,
  row: ActionRow,
  does: ConsoleDecision['does'],
): Promise<GateError> {
  const { memberId, adminId } = session
  await recordRefusal(deps, row, {
    decision: does === 'confirm' ? 'confirm' : 'cancel',
    reason: 'not_proposer',
    actor: memberId ?? `admin:${adminId}`,
    source: 'console',
  })
  if (!isVisible(session, row)) return notVisible(row.id)
  return new GateError(
    'not_proposer',
    'Only the member this was proposed for can decide about it. An administrator can cancel it.',
  )
}
