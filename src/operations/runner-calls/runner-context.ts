import { type Facts, type MemberFacts, memberOfKey, readFactsByKey } from '../../db/queries/members/facts.ts'
import { GateError } from '../../errors.ts'
import { runnerPower } from '../../keys/rights.ts'
import type { ActingMember } from '../members/actor.ts'
import type { CallContext } from '../operation.ts'
import { lacksPower } from '../key-powers.ts'

/** A call with the key of an agent runner, which is bound to one member. */
export type RunnerContext = CallContext & {
  memberId: string
  /** Only a signed request has it: see `nonceTaker`. */
  takeNonce?: (() => Promise<void>) | undefined
}

/** @throws GateError `forbidden` where the key is none of a runner */
export function runnerContext(context: CallContext): RunnerContext {
  if (!context.powers.includes(runnerPower) || context.actors?.length !== 1)
    throw lacksPower(context, runnerPower)
  return { ...context, memberId: context.actors[0]! }
}

/**
 * The member that the key acts for. The first time the facts that came with the key, later those of now. The first may be up to a
 * minute old: they are good for an answer that is recorded with a check of all of it, and for nothing else.
 * @throws GateError `unauthenticated` where the key is no longer valid
 */
export async function memberOfRunner(context: RunnerContext): Promise<ActingMember> {
  const { known } = context
  context.known = undefined
  if (known?.identity !== null) return readMember(context)
  const member = memberIn(known.facts, context)
  return member ? { facts: known.facts, member } : readMember(context)
}

async function readMember(context: RunnerContext): Promise<ActingMember> {
  const { deps, keyHash } = context
  deps.kept.runners.drop(keyHash)
  const { holder, facts } = (await readFactsByKey(deps.db, keyHash, memberOfKey)) ?? {}
  const member = facts && memberIn(facts, context)
  if (!holder?.is_valid || !member)
    throw new GateError('unauthenticated', 'This API key is no longer valid: it was revoked or expired.')
  deps.kept.runners.keep({ holder, facts }, keyHash)
  return { facts, member }
}

const memberIn = ({ members }: Facts, { memberId }: RunnerContext): MemberFacts | undefined =>
  members.find((one) => one.memberId === memberId)
