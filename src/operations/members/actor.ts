import {
  type Facts,
  type Identity as FactsIdentity,
  type MemberFacts,
  readFacts,
} from '../../db/queries/members/facts.ts'
import { findMember } from '../../db/queries/members/members.ts'
import { GateError } from '../../errors.ts'
import { asciiAddress } from '../../text/mail-address.ts'
import type { CallContext, Identity } from '../operation.ts'
import type { Actor } from '../schemas.ts'

export interface ActingMember {
  facts: Facts
  member: MemberFacts
}

/** Whether a key must name the member that it acts for: it is not bound to exactly one. Pure. */
export const namesActor = ({ actors }: Pick<CallContext, 'actors'>): boolean => actors?.length !== 1

/**
 * Finds the member an agent acts for, with the facts that decisions are based on.
 * @throws GateError `invalid` where no member or two members are named, `not_found`. Where the key is bound to other members,
 * a read is `not_found` with the same sentence, and a write `forbidden`, whether or not the member exists
 */
export async function actingMember(context: CallContext, actor: Actor): Promise<ActingMember> {
  const { facts, member } = await findActingMember(context, actor)
  if (!member && (isOwn(context, actor) || (await isFormer(context, actor))))
    throw new GateError('not_found', 'The member of this API key is not active.', { param: 'actor' })
  const isHidden = context.actors !== null && !(member && context.actors.includes(member.memberId))
  if (isHidden && !context.isRead) {
    throw new GateError('forbidden', 'This API key is bound to other members. Use a key for this member.', {
      detail: 'key_member_not_allowed',
      param: 'actor',
    })
  }
  if (!member || isHidden)
    throw new GateError('not_found', 'No active member of this account has this identity.', {
      param: 'actor',
    })
  return { facts, member }
}

/** The same without an error: `member` is undefined where no active member has the identity. */
export async function findActingMember(
  context: CallContext,
  actor: Actor,
): Promise<{ facts: Facts; member: MemberFacts | undefined }> {
  const wanted = identityFor(context, actor)
  const facts =
    takeCachedFacts(context, wanted) ?? (await readFacts(context.deps.db, context.account, wanted))
  if (!facts) throw new GateError('not_found', 'Account not found.')
  const { actors } = context
  const isSeen = facts.members.every(({ memberId }) => actors === null || actors.includes(memberId))
  // A key that is bound to members does not learn from it that another one has the other identity.
  if (facts.members.length > 1 && isSeen) {
    throw invalidActor('email and external_id name two different members. Name one.')
  }
  return { facts, member: facts.members.find((m) => hasAll(m, wanted)) }
}

/** Whether an actor is a member that the key is bound to, who was deactivated. */
async function isFormer(context: CallContext, actor: Actor): Promise<boolean> {
  if (context.actors === null) return false
  const { email = null, slack = null } = identityOf(actor)
  const name = email === null ? { slack: slack! } : { email }
  const found = await findMember(context.deps.db, context.account, name)
  return found !== undefined && !found.isActive && context.actors.includes(found.memberId)
}

/** The name of a member on actions. */
export function memberLabel(member: Pick<MemberFacts, 'email' | 'slack' | 'memberId'>): string {
  return member.email ?? (member.slack === null ? member.memberId : `slack:${member.slack}`)
}

// Used once: a second lookup must see changes.
function takeCachedFacts(context: CallContext, wanted: FactsIdentity): Facts | undefined {
  const { known } = context
  context.known = undefined
  return known && isSame(known.identity, wanted) ? known.facts : undefined
}

function isSame(one: FactsIdentity | null, other: FactsIdentity): boolean {
  if (!one || 'memberId' in one || 'memberId' in other)
    return one !== null && 'memberId' in one && 'memberId' in other && one.memberId === other.memberId
  return one.email === other.email && one.slack === other.slack
}

/** An actor without fields is the member that the key is bound to. Pure. */
const isOwn = (context: Pick<CallContext, 'actors'>, actor: Actor): boolean =>
  !namesActor(context) && Object.values(actor).every((value) => value === undefined)

/**
 * The member that a caller names by an actor, or its own one.
 * @throws GateError `invalid` as `identityOf`
 */
export const identityFor = (context: Pick<CallContext, 'actors'>, actor: Actor): FactsIdentity =>
  isOwn(context, actor) ? { memberId: context.actors![0]! } : identityOf(actor)

/**
 * The identities that an actor names.
 * @throws GateError `invalid` for no identity, an incomplete one, or two different ones
 */
export function identityOf(actor: Actor): Identity {
  if ((actor.provider === undefined) !== (actor.external_id === undefined)) {
    throw invalidActor('provider and external_id must be given together. Give both, or only email.')
  }
  const emails = [actor.email, actor.provider === 'email' ? actor.external_id : undefined]
    .filter((given) => given !== undefined)
    .map(asciiAddress)
  const slack = actor.provider === 'slack' ? actor.external_id! : null
  if (emails.length === 0 && slack === null) {
    throw invalidActor('Name the member: email, or provider and external_id.')
  }
  if (emails.length === 2 && emails[0]!.toLowerCase() !== emails[1]!.toLowerCase()) {
    throw invalidActor('email and external_id name two different members. Name one.')
  }
  return { email: emails[0] ?? null, slack }
}

const invalidActor = (sentence: string) => new GateError('invalid', sentence, { param: 'actor' })

function hasAll(member: MemberFacts, wanted: FactsIdentity): boolean {
  if ('memberId' in wanted) return member.memberId === wanted.memberId
  const hasEmail = wanted.email === null || member.email?.toLowerCase() === wanted.email.toLowerCase()
  return hasEmail && (wanted.slack === null || member.slack === wanted.slack)
}
