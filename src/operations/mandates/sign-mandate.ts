import { randomUUID } from 'node:crypto'
import type { Fields } from '../../actions/kind.ts'
import type { ActionRow } from '../../db/queries/actions/actions.ts'
import { readAgentName } from '../../db/queries/actions/mandates.ts'
import { readFacts } from '../../db/queries/members/facts.ts'
import type { Deps } from '../../deps.ts'
import { GateError } from '../../errors.ts'
import { requiredConsent } from '../../gate/consent.ts'
import { mandateKind } from '../../gate/mandates/terms.ts'
import { workflowInput } from '../../temporal/names.ts'
import { requireOwnKind } from '../actions/require-kind.ts'
import { evaluateClearance, standingOf } from '../clearance/evaluate-clearance.ts'
import { tooManyOpen } from '../proposals/record-proposal.ts'
import { storeProposal } from '../proposals/store-proposal.ts'
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
  const { cleared, denial, tier } = await evaluateClearance(deps, { account, facts, member, kind, payload })
  // Nothing is recorded that they could not sign.
  if (denial !== null) throw new GateError('forbidden', denial.sentence)
  const { outcome, action } = await storeProposal(
    { deps, account, source: 'console', keyId: null, keyHash: null },
    { facts, member },
    {
      policy,
      tier,
      rule: cleared.rule,
      consentRequired: requiredConsent(cleared, kind),
      denial: null,
      payload,
      facts: [],
      reach: null,
    },
    { uuid, kind: mandateKind, ttl_ms: kind.expiresAfterMs, session: tokenHash },
  )
  switch (outcome) {
    case 'created':
      deps.starter.startInBackground(workflowInput(action))
      return action
    case 'stale':
      return 'stale'
    case 'too_many':
    case 'too_many_of_key':
      throw tooManyOpen(outcome)
    case 'replayed':
    case 'reused':
      throw new Error(`a proposal without an Idempotency-Key ended as ${outcome}`)
  }
}
