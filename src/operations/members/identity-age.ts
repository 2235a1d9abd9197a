import type { Facts, MemberFacts } from '../../db/queries/members/facts.ts'
import type { Deps } from '../../deps.ts'
import {
  type ConsentChannel,
  type ConsentStrength,
  consentChannels,
  settledChannels,
  settlesAt,
  strengthNow,
} from '../../gate/consent.ts'
import { accountPolicy } from '../policy/account-policy.ts'

/** The identity behind a decision channel: the console is reached through the mailbox. undefined: an agent's confirm. */
export function identityOfChannel(channel: string): ConsentChannel | undefined {
  return channel === 'console' ? 'email' : consentChannels.find((via) => via === channel)
}

/** How recent changes of a member's identities affect consent under the account's policy. Pure. */
export function identitiesNow(deps: Pick<Deps, 'kinds'>, facts: Facts, { identities }: MemberFacts) {
  const { mailbox_settles_after_hours: hours } = accountPolicy(facts, deps.kinds.own.values())
  return {
    /** When a decision through the identity counts in full; null where it already does. */
    settlesAt: (via: ConsentChannel): Date | null => settlesAt(identities[via], hours, facts.now),
    strengthNow: <S extends ConsentStrength>(strength: S, via: ConsentChannel): S | 'agent_attested' =>
      strengthNow(strength, identities[via], hours, facts.now) as S | 'agent_attested',
    settledWays: (usable: readonly ConsentChannel[]): ConsentChannel[] =>
      settledChannels(usable, identities, hours, facts.now),
  }
}
