import { randomBytes, randomUUID } from 'node:crypto'
import type { ActionKind, Fields } from '../../actions/kind.ts'
import { type ActionRow, readAction, readUsedKey } from '../../db/queries/actions/actions.ts'
import { propose } from '../../db/queries/actions/propose.ts'
import type { Facts, MemberFacts } from '../../db/queries/members/facts.ts'
import { GateError } from '../../errors.ts'
import { canonical } from '../../gate/canonical.ts'
import { cannotBeAsked, wayToAsk } from '../../gate/consent.ts'
import { type Clearance, belowEveryBand, channelChoice, denialReason } from '../../gate/policy.ts'
import { type Channel, channels, noReach } from '../../gate/reach.ts'
import { eventId } from '../../ledger/digest.ts'
import { limits } from '../../limits.ts'
import { actingMember, memberLabel } from '../members/actor.ts'
import { waysToAsk } from '../consent/request-consent.ts'
import { workflowInput } from '../decisions/wait-for-execution.ts'
import { evaluateClearance, standingOf } from './evaluate-clearance.ts'
import { type IdempotentRequest, idempotencyOf, keyReused } from '../idempotency.ts'
import type { CallContext } from '../operation.ts'
import { requireKeyKind } from '../require-key-kind.ts'
import type { Actor } from '../schemas.ts'

/** What is to become a row, the same at each try. */
interface Request {
  kind: ActionKind
  actor: Actor
  given: Fields
  /** What was given, completed by the provider; asked for once. */
  freeze(): Promise<Fields>
  uuid: string
  idempotency: IdempotentRequest | null
}

/**
 * Makes the row of a proposal, proposed or denied, and starts its workflow behind the answer.
 * @throws GateError `not_found`, `forbidden`, `invalid`, `too_many`, `unavailable`, and what the kind's `freeze` throws
 */
export async function proposeRow(
  context: CallContext,
  kind: ActionKind,
  actor: Actor,
  given: Fields,
): Promise<{ action: ActionRow; isReplayed: boolean }> {
  await requireKeyKind(context, kind.kind)
  let frozen: Promise<Fields> | undefined
  const request: Request = {
    kind,
    actor,
    given,
    freeze: () => (frozen ??= freeze(context, kind, given)),
    uuid: randomUUID(),
    idempotency: idempotencyOf(context, 'propose', { kind: kind.kind, actor, payload: given }),
  }
  for (let tries = 0; tries < limits.staleTriesMax; tries++) {
    const { outcome, action } = await proposeOnce(context, request).catch((error: unknown) =>
      firstAnswer(context, request, error),
    )
    if (outcome === 'stale') continue
    if (outcome === 'reused') throw keyReused()
    if (outcome === 'too_many' || outcome === 'too_many_of_key') {
      throw new GateError('too_many', sentenceOfBound[outcome], 60)
    }
    if (outcome === 'created' && action.status === 'proposed') {
      context.deps.starter.startInBackground(workflowInput(action))
    }
    return { action, isReplayed: outcome === 'replayed' }
  }
  throw new GateError(
    'unavailable',
    'The facts about this member keep changing. Nothing was recorded; try again.',
    1,
  )
}

const sentenceOfBound = {
  too_many: 'This member has too many open proposals. Confirm or cancel some of them first.',
  too_many_of_key:
    'This API key holds half of the open proposals that this member may have; the rest is kept for the other keys. Confirm or cancel some of them first.',
}

const freeze = async ({ deps, account }: CallContext, kind: ActionKind, given: Fields): Promise<Fields> =>
  kind.freeze ? kind.freeze(deps, account, given) : given

// The member has left since the first try: its repeat still gets the first answer.
async function firstAnswer(context: CallContext, { idempotency }: Request, error: unknown) {
  if (!(error instanceof GateError) || error.code !== 'not_found') throw error
  const action = await answeredBefore(context, idempotency).catch((refusal: unknown) => {
    // Of a key that was used otherwise, a member who is not there matters more.
    throw refusal instanceof GateError && refusal.code === 'invalid' ? error : refusal
  })
  if (!action) throw error
  return { outcome: 'replayed' as const, action }
}

/**
 * The row that the caller's key has led to; undefined where the key is free.
 * @throws GateError `invalid` where it led there with another request
 */
async function answeredBefore(
  { deps, account }: CallContext,
  idempotency: IdempotentRequest | null,
): Promise<ActionRow | undefined> {
  const used = idempotency && (await readUsedKey(deps.db, account, 'propose', idempotency.key))
  if (!used) return undefined
  if (!used.request.equals(idempotency.request)) throw keyReused()
  return readAction(deps.db, account, used.action_id)
}

async function proposeOnce(context: CallContext, request: Request) {
  const { deps, account } = context
  const { kind, given, uuid, idempotency } = request
  const { facts, member } = await actingMember(context, request.actor)
  // What a repeat would freeze may be refused by now, and it still gets the first answer.
  const before = kind.freeze && (await answeredBefore(context, idempotency))
  if (before) return { outcome: 'replayed' as const, action: before }

  const { policy, tier } = standingOf(deps, facts, member)
  // For a member who may do nothing of the kind, no provider is asked: the denial stands without it.
  const hopeless = kind.freeze && belowEveryBand(policy, kind.kind, tier)
  const payload = hopeless ? given : await request.freeze()
  const cleared =
    hopeless ??
    (
      await evaluateClearance(deps, {
        account,
        facts,
        member,
        kind,
        payload,
        keys: [context.keyId],
        ceilings: [context.ceilings],
      })
    ).cleared
  const frozen =
    kind.reaches === 'members'
      ? await deps.recipients.freeze(
          account,
          facts.rosterVersion,
          channelChoice(policy, kind.kind),
          await available(context, facts.integrationsVersion),
        )
      : null
  const reason = cleared.allowed
    ? await whyNotAskable(context, facts, member, kind, cleared)
    : denialReason(cleared, tier, member, facts.now)
  const status = reason === null ? 'proposed' : 'denied'
  const recipients = reason === null ? (frozen?.sha256 ?? null) : null
  return propose(deps.db, {
    account,
    uuid,
    eventId: eventId(uuid, 'proposed'),
    kind: kind.kind,
    status,
    denialReason: reason,
    rule: cleared.rule,
    memberId: member.memberId,
    member: memberLabel(member),
    memberVersion: member.version,
    curriculaVersion: facts.curriculaVersion,
    policyVersion: facts.policyVersion,
    tier,
    source: context.source,
    payload: canonical(payload),
    salt: randomBytes(16),
    reach: frozen?.blastRadius ?? noReach,
    recipients,
    ttlMs: kind.expiresAfterMs ?? Math.round(policy.expires_after_hours * 3_600_000),
    openMax: policy.open_max_per_member,
    dueMs: limits.outboxDueMs,
    apiKey: context.keyHash,
    idempotency,
  })
}

/** Why a member who qualifies could never give the consent that is asked for; null where they can, or need not. */
async function whyNotAskable(
  { deps, account }: CallContext,
  facts: Facts,
  member: MemberFacts,
  kind: ActionKind,
  { consent, rule }: Extract<Clearance, { allowed: true }>,
): Promise<string | null> {
  if (consent === 'agent_attested' || kind.isDecidedByLink) return null
  const ways = await waysToAsk(deps, account, facts.integrationsVersion)
  return wayToAsk(consent, member, ways) ? null : cannotBeAsked(rule, consent)
}

async function available({ deps, account }: CallContext, integrationsVersion: number): Promise<Channel[]> {
  const there = await deps.channelsOf(account, integrationsVersion)
  return channels.filter((channel) => there[channel] !== undefined)
}
