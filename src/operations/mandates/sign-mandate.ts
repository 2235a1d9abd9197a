import { randomUUID } from 'node:crypto'
import type { Fields } from '../../actions/kind.ts'
import type { ActionRow } from '../../db/queries/actions/actions.ts'
import { readAgentName } from '../../db/queries/actions/mandates.ts'
import { readFacts } from '../../db/queries/members/facts.ts'
import type { Deps } from '../../deps.ts'
import { GateError } from '../../errors.ts'
import { mandateKind } from '../../gate/mandates/terms.ts'
import { requireOwnKind } from '../actions/require-kind.ts'
import { standingOf } from '../clearance/evaluate-clearance.ts'
import { proposeAsMember } from '../proposals/propose-as-member.ts'
import { keepsChanging, retryStale } from '../retry-stale.ts'
import type { Session } from '../sign-in/session.ts'
import { type MandateDraft, termsOf } from './mandate-terms.ts'

/**
 * Proposes a mandate as the member who is signed in. They sign it by approving its card, as every proposal of theirs. No agent can
 * propose one: the statement that stores it requires the member's session.
 * @returns the open proposal
 * @throws GateError `invalid` where the policy does not allow the terms, `forbidden`, `not_found`, `unauthenticated`
 */
export async function proposeMandate(
  deps: Deps,
  session: Pick<Session, 'account' | 'memberId' | 'tokenHash'>,
  draft: MandateDraft,
): Promise<ActionRow> {
  const uuid = randomUUID()
  return retryStale(
    () => proposeOnce(deps, session, draft, uuid),
    () => keepsChanging('Nothing was recorded.'),
  )
}

async function proposeOnce(
  deps: Deps,
  { account, memberId, tokenHash }: Pick<Session, 'account' | 'memberId' | 'tokenHash'>,
  draft: MandateDraft,
  uuid: string,
): Promise<ActionRow | 'stale'> {
  if (memberId === null) throw new GateError('forbidden', 'Only a member can sign a mandate.')
  const [facts, agentName] = await Promise.all([
    readFacts(deps.db, account, { memberId }),
    readAgentName(deps.db, account, { agent: draft.agent, memberId }),
  ])
  const member = facts?.members[0]
  if (!facts || !member) throw new GateError('not_found', 'You are no longer a member of this account.')
  if (agentName === undefined)
    throw new GateError('invalid', 'No API key or app with this id acts for you.', { param: 'agent' })
  const kinds = await deps.kinds.of(account, facts.kindsVersion)
  const kind = requireOwnKind(deps, mandateKind)
  const { policy } = standingOf(deps, facts, member, kinds)
  const terms = termsOf(draft, { agentName, ceilings: policy.mandates, kinds, now: facts.now })
  const payload = terms as unknown as Fields
  return proposeAsMember(deps, { account, tokenHash }, { facts, member }, { uuid, kind, payload })
}
