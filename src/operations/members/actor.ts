import { type Facts, type MemberFacts, readFacts } from '../../db/queries/members/facts.ts'
import { GateError } from '../../errors.ts'
import type { CallContext, Identity } from '../operation.ts'
import type { Actor } from '../schemas.ts'

export interface ActingMember {
  facts: Facts
  member: MemberFacts
}

/**
 * Finds the member an agent acts for, with the facts that decisions rest on.
 * @throws GateError `invalid` when nobody or two members are named, `not_found`, `forbidden` when the key is bound to others
 */
export async function actingMember(context: CallContext, actor: Actor): Promise<ActingMember> {
  const { facts, member } = await findActingMember(context, actor)
  if (context.actors !== null && !(member && context.actors.includes(member.memberId))) {
    throw new GateError('forbidden', 'This API key is bound to other members. Use a key for this member.')
  }
  if (!member) throw new GateError('not_found', 'No member of this account has that identity.')
  return { facts, member }
}

/** The same without a refusal: `member` is undefined where no active member has the identity. */
export async function findActingMember(
  context: CallContext,
  actor: Actor,
): Promise<{ facts: Facts; member: MemberFacts | undefined }> {
  const wanted = identityOf(actor)
  const facts =
    takeCachedFacts(context, wanted) ?? (await readFacts(context.deps.db, context.account, wanted))
  if (!facts) throw new GateError('not_found', 'No such account.')
  if (facts.members.length > 1) {
    throw new GateError('invalid', 'email and external_id name two different members. Name one.')
  }
  return { facts, member: facts.members.find((m) => hasAll(m, wanted)) }
}

/** The name a member goes by in the ledger's rows. */
export function memberLabel(member: Pick<MemberFacts, 'email' | 'slack' | 'memberId'>): string {
  return member.email ?? (member.slack === null ? member.memberId : `slack:${member.slack}`)
}

// Once: whoever looks again wants to see what has changed.
function takeCachedFacts(context: CallContext, wanted: Identity): Facts | undefined {
  const { known } = context
  context.known = undefined
  const isWanted = known?.identity.email === wanted.email && known.identity.slack === wanted.slack
  return isWanted ? known.facts : undefined
}

/**
 * The identities that an actor names.
 * @throws GateError `invalid` when that is nobody, half an identity, or two different ones
 */
export function identityOf(actor: Actor): Identity {
  if ((actor.provider === undefined) !== (actor.external_id === undefined)) {
    throw new GateError('invalid', 'provider and external_id go together: give both, or email alone.')
  }
  const emails = [actor.email, actor.provider === 'email' ? actor.external_id : undefined].filter(
    (e) => e !== undefined,
  )
  const slack = actor.provider === 'slack' ? actor.external_id! : null
  if (emails.length === 0 && slack === null) {
    throw new GateError('invalid', 'Name the member: email, or provider and external_id.')
  }
  if (emails.length === 2 && emails[0]!.toLowerCase() !== emails[1]!.toLowerCase()) {
    throw new GateError('invalid', 'email and external_id name two different members. Name one.')
  }
  return { email: emails[0] ?? null, slack }
}

function hasAll(member: MemberFacts, wanted: { email: string | null; slack: string | null }): boolean {
  const hasEmail = wanted.email === null || member.email?.toLowerCase() === wanted.email.toLowerCase()
  return hasEmail && (wanted.slack === null || member.slack === wanted.slack)
}
