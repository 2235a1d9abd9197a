import { readFacts } from '../../db/queries/members/facts.ts'
import { GateError } from '../../errors.ts'
import { runnerPower } from '../../keys/rights.ts'
import type { ActingMember } from '../members/actor.ts'
import type { CallContext } from '../operation.ts'
import { lacksPower } from '../run-operation.ts'

/** A call with the key of an agent runner, which is bound to one member. */
export type RunnerContext = CallContext & { memberId: string }

/** @throws GateError `forbidden` where the key is none of a runner */
export function runnerContext(context: CallContext): RunnerContext {
  if (!context.powers.includes(runnerPower) || context.actors?.length !== 1)
    throw lacksPower(context, runnerPower)
  return { ...context, memberId: context.actors[0]! }
}

/** The member that the key acts for. The first time, the facts that were read with the key. */
export async function memberOfRunner(context: RunnerContext): Promise<ActingMember> {
  const { deps, account, memberId, known } = context
  context.known = undefined
  const facts = known?.identity === null ? known.facts : await readFacts(deps.db, account, { memberId })
  const member = facts?.members.find((one) => one.memberId === memberId)
  if (!facts || !member)
    throw new GateError('unauthenticated', 'The member of this API key is not active. Ask an administrator.')
  return { facts, member }
}
