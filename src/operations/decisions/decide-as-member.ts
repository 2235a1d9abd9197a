import { randomUUID } from 'node:crypto'
import { type Card, cardHash } from '../../consent/card.ts'
import { type ActionRow, readAction } from '../../db/queries/actions/actions.ts'
import { type Credential, claimDecision } from '../../db/queries/actions/decide.ts'
import { type Facts, type MemberFacts, readFacts } from '../../db/queries/members/facts.ts'
import type { Deps } from '../../deps.ts'
import { GateError, OutcomeUnknown } from '../../errors.ts'
import {
  type ConsentChannel,
  type ConsentStrength,
  type RequestedStrength,
  meetsFloor,
  notYetDecided,
} from '../../gate/consent.ts'
import { eventId } from '../../ledger/digest.ts'
import { limits } from '../../limits.ts'
import { isOpen, isRunning } from '../proposals/action-view.ts'
import { workflowInput } from './wait-for-execution.ts'
import { cardOfRow } from '../consent/card-of-row.ts'
import { claimConfirm, untilFactsHold } from './claim-confirm.ts'
import { expiryEvent } from './expiry.ts'
import { identitiesNow, identityOf } from '../members/identity-age.ts'
import { refuseMember } from './member-refusal.ts'
import type { RefusalReason } from './refusal.ts'

/** A member's own decision about a row they proposed, through whatever shows it to them. */
export interface MemberDecision {
  account: string
  id: number
  /** Who decides, as the channel has made sure of it. */
  memberId: string
  does: 'confirm' | 'decline'
  /** What the channel proves. A changed identity that has not settled makes less of it. */
  strength: RequestedStrength
  channel: 'slack' | 'email' | 'console'
  /** Hash of the card that they were shown: see `cardHash`. */
  shown: Buffer
  /** The row's digest, where it was shown with the card. */
  digest?: string | undefined
  /** By what it comes: the request that is answered, spent by the decision, or the member's session. */
  credential: Exclude<Credential, { apiKey: Buffer }>
  /** Where the request that is answered was sent. */
  request?: { via: ConsentChannel; address: string } | undefined
}

/**
 * Decides as a member: the same checks and the same claim as every confirm, with the strength of the channel. A confirm is
 * executed behind the answer; a decline cancels. Of any number of decisions one wins.
 * @returns the row: confirmed and still to be executed, cancelled, or denied where the member no longer qualifies
 * @throws GateError with a sentence for a person, and an entry in the ledger: `not_found`, `not_proposer`, `conflict`, `gone`
 */
export async function decideAsMember(deps: Deps, decision: MemberDecision): Promise<ActionRow> {
  const commandId = randomUUID()
  return untilFactsHold(() => decideOnce(deps, decision, commandId))
}

/**
 * Says of a decision whose answer was lost where to see what stands.
 * @throws GateError as `decision` does
 */
export async function sayIfLost(decision: Promise<ActionRow>): Promise<ActionRow> {
  return decision.catch((error: unknown) => {
    if (!(error instanceof OutcomeUnknown)) throw error
    throw new OutcomeUnknown(
      'your decision',
      'Open the request again to see whether it counted; it counts once.',
    )
  })
}

async function decideOnce(
  deps: Deps,
  decision: MemberDecision,
  commandId: string,
): Promise<ActionRow | 'again' | 'moved'> {
  const { account, id, memberId, does, channel, shown } = decision
  const [row, facts] = await Promise.all([
    readAction(deps.db, account, id),
    readFacts(deps.db, account, { memberId }),
  ])
  if (!row || !facts) throw new GateError('not_found', 'There is no such request.')
  const refuse = (reason: RefusalReason) =>
    refuseMember(deps, row, { does, reason, actor: memberId, source: channel })
  if (memberId !== row.member_id) throw await refuse('not_proposer')
  if (!isOpen(row)) throw await refuse('not_open')
  const [member] = facts.members
  if (!member) throw await refuse('inactive')
  const problem = await problemOf(deps, row, decision, { facts, member })
  if (problem) throw await refuse(problem)

  const via = identityOf(channel)!
  const identities = identitiesNow(deps, facts, member)
  const strength = identities.strengthNow(decision.strength, via)
  const answered = { credential: decision.credential, card: shown }
  if (does === 'decline') return decline(deps, row, decision, { commandId, refuse, strength })
  const claimed = await claimConfirm({
    deps,
    account,
    row,
    facts,
    member,
    strength,
    channel,
    commandId,
    refuse,
    ...answered,
    digest: decision.digest,
    idempotency: null,
  })
  if (typeof claimed === 'string') return claimed
  if (claimed.outcome === 'too_weak') {
    const settlesAt = meetsFloor(decision.strength, claimed.floor) ? identities.settlesAt(via) : null
    if (settlesAt === null) throw await refuse('too_weak')
    const refusal = await refuse('unsettled_identity')
    throw new GateError(refusal.code, notYetDecided(via, settlesAt))
  }
  if (isRunning(claimed.row)) deps.starter.confirmInBackground(workflowInput(claimed.row))
  return claimed.row
}

/** What is wrong with this way of deciding, beside what is wrong with every confirm. */
async function problemOf(
  deps: Deps,
  row: ActionRow,
  { strength, request, shown }: MemberDecision,
  { member, facts }: { member: MemberFacts; facts: Facts },
): Promise<RefusalReason | undefined> {
  if (request && !isSameAddress(member[request.via], request.address)) return 'identity'
  // A page is made anew each time it is shown; what stands in a message was frozen when it was sent.
  if (strength !== 'page' || row.expires_at! <= facts.now) return undefined
  return isShown(await cardOfRow(deps, row), shown) ? undefined : 'card'
}

const isShown = (card: Card, shown: Buffer): boolean => cardHash(card).equals(shown)

const isSameAddress = (now: string | null, asked: string): boolean =>
  now?.toLowerCase() === asked.toLowerCase()

async function decline(
  deps: Deps,
  row: ActionRow,
  { account, id, channel, digest, credential, shown }: MemberDecision,
  command: {
    commandId: string
    strength: ConsentStrength
    refuse(reason: RefusalReason): Promise<GateError>
  },
): Promise<ActionRow> {
  if (digest !== undefined && digest !== row.digest) throw await command.refuse('digest')
  const { outcome, action } = await claimDecision(deps.db, {
    account,
    id,
    decision: 'cancel',
    commandId: command.commandId,
    eventId: eventId(row.uuid, 'cancelled'),
    ...expiryEvent(row.uuid),
    dueMs: limits.outboxDueMs,
    versions: null,
    consent: { strength: command.strength, channel },
    credential,
    idempotency: null,
    card: shown,
  })
  if (outcome === 'expired') throw await command.refuse('expired')
  if (outcome !== 'claimed') throw await command.refuse('not_open')
  deps.starter.closeInBackground(workflowInput(action))
  return action
}
