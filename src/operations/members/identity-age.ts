import type { Facts, MemberFacts } from '../../db/queries/members/facts.ts'
import type { Deps } from '../../deps.ts'
import {
  type ConsentChannel,
  type ConsentStrength,
  settledWays,
  settlesAt,
  strengthNow,
} from '../../gate/consent.ts'
import { accountPolicy } from '../proposals/account-policy.ts'

/** The identity that a decision comes through: the console is reached through the mailbox. undefined: an agent's confirm. */
export function identityOfChannel(channel: string): ConsentChannel | undefined {
  if (channel === 'slack') return 'slack'
  return channel === 'email' || channel === 'console' ? 'email' : undefined
}

/** What the account's policy makes of the ages of a member's identities, as of the facts. Pure. */
export function identitiesNow(deps: Pick<Deps, 'kinds'>, facts: Facts, { identities }: MemberFacts) {
  const { mailbox_settles_after_hours: hours } = accountPolicy(facts, deps.kinds.values())
  return {
    /** When a decision through it counts in full; null where it does now. */
    settlesAt: (via: ConsentChannel): Date | null => settlesAt(identities[via], hours, facts.now),
    strengthNow: <S extends ConsentStrength>(strength: S, via: ConsentChannel): S | 'agent_attested' =>
      strengthNow(strength, identities[via], hours, facts.now) as S | 'agent_attested',
    settledWays: (usable: readonly ConsentChannel[]): ConsentChannel[] =>
      settledWays(usable, identities, hours, facts.now),
  }
}
