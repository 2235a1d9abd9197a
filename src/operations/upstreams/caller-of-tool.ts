import { z } from 'zod'
import { readFacts } from '../../db/queries/members/facts.ts'
import { GateError } from '../../errors.ts'
import { type ActingMember, actingMember, identityOf, namesActor } from '../members/actor.ts'
import type { CallContext } from '../operation.ts'
import type { ActorArgument } from './actor-argument.ts'
import { parseSent } from '../parse.ts'
import { Actor } from '../schemas.ts'

/** The member that a call acts for, and whether the facts are those of a minute ago. */
export interface ToolCaller extends ActingMember {
  isKept: boolean
}

/**
 * Finds the member of the key, or the one that the call names.
 * @param actor  as sent; not read where the key is bound to one member
 * @param argument  the name that it was sent by
 * @param mayBeKept  the facts may be kept ones: only for what is recorded with a check of all of it
 * @throws GateError `invalid`, `not_found`, `forbidden`
 */
export async function callerOfTool(
  context: CallContext,
  { actor, argument }: { actor: unknown; argument: ActorArgument },
  mayBeKept: boolean,
): Promise<ToolCaller> {
  const { deps, account, actors } = context
  const named = namesActor(context)
    ? parseSent(namedBy[argument], { [argument]: actor })[argument]
    : undefined
  const identity = named ? identityOf(named) : { memberId: actors![0]! }
  const kept = mayBeKept ? deps.kept.calling.get(account, identity) : undefined
  if (!kept) deps.kept.calling.drop(account, identity)
  const facts = kept ?? (await readFacts(deps.db, account, identity))
  if (!facts) throw new GateError('not_found', 'Account not found.')
  const acting =
    'memberId' in identity
      ? { facts, member: facts.members[0] }
      : await actingMember({ ...context, known: { identity, facts } }, named!).catch((refusal: unknown) => {
          if (!kept) throw refusal
        })
  // Kept facts never refuse: the identity may belong to another member now.
  if (kept && !acting?.member) return callerOfTool(context, { actor, argument }, false)
  if (!acting?.member) throw new GateError('not_found', 'The member of this API key is not active.')
  if (!kept) deps.kept.calling.keep(facts, account, identity)
  return { facts, member: acting.member, isKept: kept !== undefined }
}

const namedBy: { [Name in ActorArgument]: z.ZodType<{ [name: string]: Actor }> } = {
  actor: z.object({ actor: Actor }),
  gate_actor: z.object({ gate_actor: Actor }),
}
