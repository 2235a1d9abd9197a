import type { Fields } from '../../actions/kind.ts'
import { type CeilingsRow, readKeyCeilings } from '../../db/queries/accounts/authenticate.ts'
import type { ActionRow } from '../../db/queries/actions/actions.ts'
import type { Claim, Credential, FactVersions } from '../../db/queries/actions/decide.ts'
import type { MemberFacts } from '../../db/queries/members/facts.ts'
import type { Deps } from '../../deps.ts'
import {
  type ConsentStrength,
  type RequestedStrength,
  carriedConsent,
  meetsFloor,
  requestedFor,
  requiredConsent,
} from '../../gate/consent.ts'
import { reaches } from '../../gate/tier.ts'
import { eventId } from '../../ledger/digest.ts'
import { limits } from '../../limits.ts'
import { type IdempotentRequest, keyReused } from '../idempotency.ts'
import type { ActingMember } from '../members/actor.ts'
import type { CallContext } from '../operation.ts'
import { type Tally, isAwaitingApprovals, isRuled, tallyOf } from '../approvers/tally.ts'
import { requireKind } from '../actions/require-kind.ts'
import type { Stale } from '../retry-stale.ts'
import { type ClearanceRequest, evaluateClearance } from './evaluate-clearance.ts'
import { expiryEvent, expiryOf } from './expiry.ts'
import { type Denied, type DeniedRow, type DenyCommand, type Qualified, qualifyOrDeny } from './qualify.ts'
import { type RefusalReason, type Refused, refused } from './refusal.ts'
import { claimLogged } from './claim-logged.ts'
import { editOf } from './edit-of.ts'
import { toldOfGlass, whyNoGlassBreak } from './glass.ts'
import { isRepeat, isRuleKept, needsOthersNow, whyTooWeak, whyNotApprover } from './approvals.ts'

/**
 * An open row, with its member and everything else that a decision about it rests on. One that is edited is what the person who
 * decides makes of it: it is stored where they agree to it.
 */
export interface OpenProposal extends ActingMember {
  row: ActionRow
  isEdited?: boolean
}

/** The consent that a confirm carries. */
export interface GivenConsent<By extends Credential = Credential> {
  strength: ConsentStrength
  /** `api`, `mcp`, `slack`, `email` or `console`. */
  channel: string
  /** Must still be valid when the confirm is claimed, and bounds the strength. */
  credential: By
  /** The row's digest as it was shown, where the caller sent it. */
  digest?: string | undefined
  /** Hash of the card that was shown to the member. */
  card?: Claim['card']
  /** The mandate that it is given by. */
  mandate?: Claim['mandate']
  /** What the member's passkey signed. */
  passkey?: Claim['passkey']
}

/** One confirm: the same at every try. */
export interface ConfirmCommand<By extends Credential = Credential> {
  /** Who approves what another member proposed; absent: the member who acts. */
  approver?: Approver | undefined
  consent: GivenConsent<By>
  commandId: string
  idempotency: IdempotentRequest | null
  /** The API key that confirms: the action counts towards its day. */
  key?: Pick<CallContext, 'keyId' | 'ceilings'> | undefined
}

export interface Approver {
  member: MemberFacts
  reason: string | undefined
  /** They execute it alone, in place of those who must approve it. */
  breaksGlass?: boolean | undefined
}

export type Confirmed =
  | { outcome: 'claimed'; row: ActionRow; isReplayed: boolean }
  | DeniedRow
  | TooWeak
  | Refused

/** Nothing was changed: the policy demands a stronger consent. */
export interface TooWeak {
  outcome: 'too_weak'
  /** What the member is asked for. */
  floor: RequestedStrength
  /** The word of a client about its user would do. */
  isForClient: boolean
  rule: string
  versions: FactVersions
}

/**
 * Checks a confirm and claims it: the only way to an execution. Checks in the order of the contract: expiry, digest,
 * suspension, tier and policy, consent.
 * @throws GateError `invalid` where the Idempotency-Key was used for another request
 * @source docs/rest.md#confirm-or-cancel
 */
export async function claimConfirm(
  deps: Deps,
  proposal: OpenProposal,
  command: ConfirmCommand,
): Promise<Confirmed | Stale> {
  const reason = await whyRefused(deps, proposal, command)
  if (reason) return refused(reason)
  const { row, facts } = proposal
  const { approver } = command
  // The member consented to it as it is, or changes it no more.
  if (isAwaitingApprovals(row) && !approver && !proposal.isEdited)
    return { outcome: 'claimed', row, isReplayed: true }
  const breaksGlass = approver?.breaksGlass === true
  const voter = breaksGlass ? undefined : approver?.member
  const tally = isRuled(row) ? await tallyOf(deps, row, facts.now, voter) : undefined
  if (isRuled(row) && approver && breaksGlass) {
    const why = await whyNoGlassBreak(deps, row, { now: facts.now, approver, consent: command.consent })
    if (why) return why
  } else if (tally && isRuled(row) && approver) {
    const given = { strength: command.consent.strength, reason: approver.reason }
    const why = whyNotApprover(row, { facts, voter: approver.member, tally }, given)
    if (why) return why
    // A second press of the same person.
    if (isRepeat(row, approver.member, tally)) return { outcome: 'claimed', row, isReplayed: true }
  }
  const qualified = await (proposal.isEdited ? qualifyEdited : qualifyToConfirm)(deps, proposal, command)
  // Lost: another decision came first. The next try finds it.
  if (qualified === 'stale' || qualified.outcome === 'lost') return 'stale'
  if (qualified.outcome === 'denied' || qualified.outcome === 'refused') return qualified
  const { cleared, versions } = qualified
  if (!isRuleKept(row, qualified)) return refused('others_needed', needsOthersNow)
  const floor = requiredConsent(cleared, await requireKind(deps, proposal.row))
  if (approver) {
    return whyTooWeak(tally!, floor) ?? claim(deps, proposal, command, { ...qualified, tally })
  }
  // Every confirm is compared here, an agent's as well as a member's in Slack, by link or in the console.
  const strength = carriedConsent(command.consent.strength, floor)
  if (!meetsFloor(strength, floor)) {
    const isForClient = floor === 'client_attested'
    return { outcome: 'too_weak', floor: requestedFor(floor), isForClient, rule: cleared.rule, versions }
  }
  const consent = { ...command.consent, strength }
  return claim(deps, proposal, { ...command, consent }, { ...qualified, tally })
}

/** Why a confirm is refused whatever the member's tier. A row past its expiry is closed. */
async function whyRefused(
  deps: Deps,
  { row, facts }: OpenProposal,
  { consent: { digest, credential } }: ConfirmCommand,
): Promise<RefusalReason | undefined> {
  if (row.expires_at! <= facts.now) {
    await claimLogged(deps, expiryOf({ account: row.account_id, id: row.id, uuid: row.uuid }))
    return 'expired'
  }
  if ((await requireKind(deps, row)).isDecidedByLink) return 'by_link'
  // An approver changed it: an agent's confirm may be the repeat of one of version 1.
  const isOfVersion1 = digest === undefined && row.former !== null && 'apiKey' in credential
  if (isOfVersion1 || (digest !== undefined && digest !== row.digest)) return 'digest'
  return facts.isSuspended ? 'suspended' : undefined
}

async function qualifyToConfirm(
  deps: Deps,
  proposal: OpenProposal,
  command: ConfirmCommand,
): Promise<Qualified | Denied | 'stale'> {
  const request = await clearanceRequest(deps, proposal, command)
  return qualifyOrDeny(deps, request, denialOf(proposal.row, command))
}

/** Version 2 of a proposal is refused where tier, policy or ceilings do not allow it, or ask more for it: version 1 stays open. */
async function qualifyEdited(
  deps: Deps,
  proposal: OpenProposal,
  command: ConfirmCommand,
): Promise<Qualified | Refused> {
  const request = await clearanceRequest(deps, proposal, command)
  const [now, before] = await Promise.all([
    evaluateClearance(deps, request),
    evaluateClearance(deps, { ...request, payload: proposal.row.former!.payload as Fields }),
  ])
  if (now.denial !== null)
    return refused('edit', `With your changes it is denied. ${now.denial.sentence} ${staysOpen}`)
  const { needed } = before.cleared
  const asksMore = needed !== null && !reaches(needed, now.cleared.needed)
  return asksMore
    ? refused('edit', `With your changes it requires a higher tier. ${now.cleared.rule}. ${staysOpen}`)
    : { outcome: 'qualified', ...now }
}

const staysOpen = 'Nothing was executed, and the request stays open as it was.'

async function clearanceRequest(
  deps: Deps,
  { row, facts, member }: OpenProposal,
  command: ConfirmCommand,
): Promise<ClearanceRequest> {
  return {
    account: row.account_id,
    facts,
    member,
    kind: await requireKind(deps, row),
    payload: row.payload as Fields,
    keys: [row.proposed_key, command.key?.keyId],
    ceilings: await ceilingsOf(deps, row, command.key),
  }
}

/** The denial of a row at its confirm, without its reason. */
export const denialOf = (
  { id }: ActionRow,
  { consent: { credential }, commandId, idempotency }: ConfirmCommand,
): DenyCommand => ({
  id,
  isClaimed: false,
  eventId: commandId,
  apiKey: 'apiKey' in credential ? credential.apiKey : null,
  idempotency,
})

/** The ceilings of the key that proposed, and of the key that confirms. */
async function ceilingsOf(
  deps: Deps,
  row: ActionRow,
  key: ConfirmCommand['key'],
): Promise<(CeilingsRow | null | undefined)[]> {
  const isSame = row.proposed_key === null || row.proposed_key === key?.keyId
  const proposers = isSame ? null : await readKeyCeilings(deps.db, row.account_id, row.proposed_key!)
  return [key?.ceilings, proposers]
}

async function claim(
  deps: Deps,
  { row, isEdited = false }: OpenProposal,
  { consent, commandId, idempotency, approver }: ConfirmCommand,
  { versions, counted, tier, tally }: Qualified & { tally: Tally | undefined },
): Promise<Confirmed | Stale> {
  const { strength, channel, credential, card, mandate, passkey } = consent
  const { outcome, action } = await claimLogged(deps, {
    account: row.account_id,
    id: row.id,
    decision: 'confirm',
    commandId,
    eventId: eventId(row.uuid, 'confirmed'),
    ...expiryEvent(row.uuid),
    dueMs: limits.outboxDueMs,
    versions,
    digest: isEdited ? row.former!.digest : row.digest,
    counted,
    tier,
    consent: { strength, channel },
    credential,
    idempotency,
    card,
    mandate,
    passkey,
    edit: isEdited ? editOf(row) : undefined,
    voter: approver?.member.memberId,
    voters: tally?.voters,
    reason: approver?.reason,
    glass: approver?.breaksGlass && isRuled(row) ? { tell: await toldOfGlass(deps, row) } : undefined,
  })
  switch (outcome) {
    case 'claimed':
    case 'approved':
    case 'replayed':
      return { outcome: 'claimed', row: action, isReplayed: outcome === 'replayed' }
    case 'lost':
      return refused('not_open')
    case 'expired':
    case 'suspended':
    case 'passkey_unknown':
    case 'passkey_used':
    case 'passkey_counter':
      return refused(outcome)
    case 'stale':
    case 'moved':
      return outcome
    case 'reused':
      throw keyReused()
    case 'early':
      return refused('too_early')
    case 'missing':
      throw new Error(`the claim of a confirm ended as ${outcome}`)
  }
}
