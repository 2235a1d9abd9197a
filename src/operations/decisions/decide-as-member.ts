import { randomUUID } from 'node:crypto'
import { type Card, cardHash } from '../../consent/card.ts'
import { type ActionRow, readAction } from '../../db/queries/actions/actions.ts'
import type { Claim, Credential, SignedByPasskey } from '../../db/queries/actions/decide.ts'
import { readFacts } from '../../db/queries/members/facts.ts'
import type { Deps } from '../../deps.ts'
import { GateError, OutcomeUnknown } from '../../errors.ts'
import {
  type ChatChannel,
  type ConsentChannel,
  type RequestedStrength,
  meetsFloor,
  decisionNotSettled,
} from '../../gate/consent.ts'
import { passkeyRefusal, passkeyRequired, passkeyStrength } from '../../gate/passkey.ts'
import { eventId } from '../../ledger/digest.ts'
import { limits } from '../../limits.ts'
import { cardOfRow } from '../consent/card-of-row.ts'
import { identitiesNow, identityOfChannel } from '../members/identity-age.ts'
import { isOpen, isRunning } from '../actions/action-view.ts'
import { type Stale, keepsChanging, retryStale } from '../retry-stale.ts'
import { type GivenConsent, type OpenProposal, claimConfirm } from '../clearance/claim-confirm.ts'
import { isApproverIn, isAwaitingApprovals, isRuled, tallyOf } from '../approvers/tally.ts'
import { expiryEvent } from '../clearance/expiry.ts'
import { editedRow } from './edit-proposal.ts'
import { refuseMember } from './member-refusal.ts'
import { policyOf } from '../policy/account-policy.ts'
import { isPasskeyProblem, passkeyProblem, passkeyUsed } from './passkey-of-decision.ts'
import { type RefusalReason, type Refused, refused } from '../clearance/refusal.ts'
import { workflowInput } from '../../temporal/names.ts'
import { claimLogged } from '../clearance/claim-logged.ts'

/** A member's own decision about an action that was proposed for them, through one of their channels. */
export interface MemberDecision {
  account: string
  id: number
  /** Who decides. The channel has authenticated them. */
  memberId: string
  does: 'confirm' | 'decline'
  /** What the channel proves. A changed identity that has not settled makes it weaker. */
  strength: Exclude<RequestedStrength, 'passkey'>
  channel: ChatChannel | 'email' | 'console'
  /** Hash of the card that they saw: see `cardHash`. */
  shown: Buffer
  /** The row's digest, where it was shown with the card. */
  digest?: string | undefined
  /** What their passkey signed, if it did. */
  passkey?: SignedByPasskey | undefined
  /** Of a confirm: what the member changes, as the form has it. They consent to what that makes of the proposal. */
  changes?: Record<string, string> | undefined
  /** Why the member declines, in their words. */
  declineReason?: string | undefined
  /** They execute it alone, in place of those who must approve it. */
  breaksGlass?: boolean | undefined
  /** The consent request's token, which the decision uses up, or the member's session. */
  credential: Exclude<Credential, { apiKey: Buffer }>
  /** Where the consent request was sent, if this answers one. */
  request?: { via: ConsentChannel; address: string } | undefined
}

/**
 * Decides as a member: the same checks and the same claim as every confirm, with the strength of the channel. A confirm is
 * executed in the background; a decline cancels. Of any number of decisions one wins.
 * @returns the row: confirmed and still to be executed, cancelled, or denied where the member no longer qualifies
 * @throws GateError with a sentence for a person, and an entry in the ledger: `not_found`, `not_proposer`, `conflict`, `gone`
 */
export async function decideAsMember(deps: Deps, decision: MemberDecision): Promise<ActionRow> {
  const commandId = randomUUID()
  const decided = await retryStale(
    () => decideOnce(deps, decision, commandId),
    () => keepsChanging('Nothing was decided.'),
  )
  if (decided.outcome === 'refused') throw await refuseMember(deps, decided.row, { ...decided, ...decision })
  return decided.row
}

/**
 * Adds to a decision whose answer was lost where the member can see the outcome.
 * @throws GateError as `decision` does
 */
export async function sayIfLost(decision: Promise<ActionRow>): Promise<ActionRow> {
  return decision.catch((error: unknown) => {
    if (!(error instanceof OutcomeUnknown)) throw error
    throw new OutcomeUnknown(
      'your decision',
      'Open the request again to see whether it was recorded. It counts once.',
    )
  })
}

type Decided = { outcome: 'decided'; row: ActionRow } | (Refused & { row: ActionRow })

async function decideOnce(deps: Deps, decision: MemberDecision, commandId: string): Promise<Decided | Stale> {
  const { account, id, memberId } = decision
  const [row, facts] = await Promise.all([
    readAction(deps.db, account, id),
    readFacts(deps.db, account, { memberId }),
  ])
  if (!row || !facts) throw new GateError('not_found', 'This request was not found.')
  const refuse = (reason: RefusalReason) => ({ ...refused(reason), row })
  const isApprover = memberId !== row.member_id
  if (isApprover && !isRuled(row)) return refuse('not_proposer')
  if (!isApprover && decision.breaksGlass) return refuse('not_approver')
  if (!isOpen(row)) return refuse('not_open')
  const [member] = facts.members
  if (!member) return refuse('inactive')
  const { changes = {} } = decision
  const version = decision.does === 'confirm' ? await editedRow(deps, row, changes) : row
  const proposal = { row: version, facts, member, isEdited: version !== row }
  const changed = await whatChanged(deps, proposal, decision)
  if (changed) return refuse(changed)
  const problem = passkeyProblem(deps, proposal, decision)
  if (problem) return { ...problem, row }
  const decide = decision.does === 'decline' ? decline : isApprover ? approve : confirm
  const decided = await decide(deps, proposal, decision, commandId)
  return typeof decided === 'string' ? decided : { row, ...decided }
}

/**
 * Approves what another member proposed and consented to. That member is judged again, as at every confirm; who approves, by the rule
 * that is stored with the action.
 * @param proposal  `member`: who approves
 */
async function approve(
  deps: Deps,
  { row, facts, member, isEdited = false }: OpenProposal,
  decision: MemberDecision,
  commandId: string,
): Promise<{ outcome: 'decided'; row: ActionRow } | Refused | Stale> {
  const ofMember = await readFacts(deps.db, row.account_id, { memberId: row.member_id! })
  const [acting] = ofMember?.members ?? []
  if (!ofMember || !acting) return refused('not_open', 'The member this is for is no longer active.')
  const consent = consentOf(deps, { row, facts, member }, decision)
  const confirmed = await claimConfirm(
    deps,
    { row, facts: ofMember, member: acting, isEdited },
    {
      consent,
      commandId,
      idempotency: null,
      approver: { member, reason: decision.declineReason, breaksGlass: decision.breaksGlass },
    },
  )
  if (typeof confirmed === 'string' || confirmed.outcome === 'refused') return confirmed
  if (confirmed.outcome === 'too_weak') return refused('too_weak')
  wake(deps, confirmed.row)
  return { outcome: 'decided', row: confirmed.row }
}

/** What is no longer as it was when the member was asked: their address, or what they were shown. */
async function whatChanged(
  deps: Deps,
  { row, facts, member }: OpenProposal,
  { strength, request, shown }: MemberDecision,
): Promise<'identity' | 'card' | undefined> {
  if (request && !isSameAddress(member[request.via], request.address)) return 'identity'
  // A page is rendered again each time it is shown; a message was frozen when it was sent.
  const isRenderedAgain = strength === 'page' || (isRuled(row) && row.former !== null)
  if (!isRenderedAgain || row.expires_at! <= facts.now) return undefined
  return isShown(await cardOfRow(deps, row), shown) ? undefined : 'card'
}

const isShown = (card: Card, shown: Buffer): boolean => cardHash(card).equals(shown)

const isSameAddress = (now: string | null, asked: string): boolean =>
  now?.toLowerCase() === asked.toLowerCase()

/** How strong the decision counts: an identity that was changed and has not settled makes it weaker. */
function consentOf(deps: Deps, { facts, member }: OpenProposal, decision: MemberDecision): GivenConsent {
  const { channel, credential, digest, shown: card, passkey } = decision
  const identities = identitiesNow(deps, facts, member)
  const used = passkeyUsed(member, decision)
  const proven = used ? passkeyStrength(used, policyOf(deps, facts), facts.now) : decision.strength
  const strength = identities.strengthNow(proven, identityOfChannel(channel)!)
  return { strength, channel, credential, digest, card, passkey }
}

async function confirm(
  deps: Deps,
  proposal: OpenProposal,
  decision: MemberDecision,
  commandId: string,
): Promise<{ outcome: 'decided'; row: ActionRow } | Refused | Stale> {
  const consent = consentOf(deps, proposal, decision)
  const confirmed = await claimConfirm(deps, proposal, { consent, commandId, idempotency: null })
  if (typeof confirmed === 'string' || confirmed.outcome === 'refused') return confirmed
  if (confirmed.outcome !== 'too_weak') {
    const { row } = confirmed
    wake(deps, row)
    return { outcome: 'decided', row }
  }
  // Refused already: this only tells which way would have been strong enough.
  const used = passkeyUsed(proposal.member, decision)
  if (confirmed.floor === 'passkey' && !used) return refused('too_weak', passkeyRequired)
  if (!used && !meetsFloor(decision.strength, confirmed.floor)) return refused('too_weak')
  const policy = policyOf(deps, proposal.facts)
  if (
    confirmed.floor === 'passkey' &&
    used &&
    passkeyStrength(used, policy, proposal.facts.now) !== 'passkey'
  )
    return refused('passkey_not_accepted', passkeyRefusal(used, policy))
  const via = identityOfChannel(decision.channel)!
  const settlesAt = identitiesNow(deps, proposal.facts, proposal.member).settlesAt(via)
  return settlesAt === null
    ? refused('too_weak')
    : refused('unsettled_identity', decisionNotSettled(via, settlesAt))
}

async function decline(
  deps: Deps,
  proposal: OpenProposal,
  decision: MemberDecision,
  commandId: string,
): Promise<{ outcome: 'decided'; row: ActionRow } | Refused> {
  const { row } = proposal
  const decliner = await declinerOf(deps, proposal)
  if (!decliner) return refused('not_approver')
  const { strength, channel, credential, digest, card, passkey } = consentOf(deps, proposal, decision)
  if (digest !== undefined && digest !== row.digest) return refused('digest')
  const { outcome, action } = await claimLogged(deps, {
    account: row.account_id,
    id: row.id,
    decision: 'cancel',
    commandId,
    eventId: eventId(row.uuid, 'cancelled'),
    ...expiryEvent(row.uuid),
    dueMs: limits.outboxDueMs,
    versions: null,
    consent: { strength, channel },
    credential,
    idempotency: null,
    card,
    passkey,
    reason: decision.declineReason,
    ...decliner,
  })
  if (isPasskeyProblem(outcome)) return refused(outcome)
  if (outcome !== 'claimed') return refused(outcome === 'expired' ? 'expired' : 'not_open')
  deps.starter.closeInBackground(workflowInput(action))
  return { outcome: 'decided', row: action }
}

/** A confirmed action is executed; one that others must approve has them asked. */
function wake({ starter }: Deps, row: ActionRow): void {
  if (isRunning(row)) starter.confirmInBackground(workflowInput(row))
  else if (isOpen(row)) starter.askInBackground(workflowInput(row), null)
}

/** Whether somebody else than its member can decline it: one whose approval would count. */
async function declinerOf(
  deps: Deps,
  { row, facts, member }: OpenProposal,
): Promise<Pick<Claim, 'voter' | 'voters'> | undefined> {
  if (member.memberId === row.member_id) return {}
  if (!isAwaitingApprovals(row)) return undefined
  const tally = await tallyOf(deps, row, facts.now, member)
  return isApproverIn(tally, member.memberId) ? { voter: member.memberId, voters: tally.voters } : undefined
}
