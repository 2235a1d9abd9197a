import type { ActionKind, Fields } from '../../actions/kind.ts'
import type { ActionRow } from '../../db/queries/actions/actions.ts'
import type { Deps } from '../../deps.ts'
import { GateError } from '../../errors.ts'
import type { ApprovalRule } from '../../gate/approvals/rule.ts'
import { requiredConsent } from '../../gate/consent.ts'
import { workflowInput } from '../../temporal/names.ts'
import { evaluateClearance } from '../clearance/evaluate-clearance.ts'
import type { ActingMember } from '../members/actor.ts'
import type { Session } from '../sign-in/session.ts'
import { tooManyOpen } from './record-proposal.ts'
import { storeProposal } from './store-proposal.ts'

/**
 * Stores what a member proposes in the console, and starts it. They consent to it by its card, as to every proposal of theirs. The
 * statement that stores it requires their session.
 * @param proposed.approvals  who else must approve it
 * @throws GateError `forbidden` where they could not consent to it, `too_many`
 */
export async function proposeAsMember(
  deps: Deps,
  { account, tokenHash }: Pick<Session, 'account' | 'tokenHash'>,
  acting: ActingMember,
  proposed: { uuid: string; kind: ActionKind; payload: Fields; approvals?: ApprovalRule },
): Promise<ActionRow | 'stale'> {
  const { uuid, kind, payload, approvals } = proposed
  const judged = await evaluateClearance(deps, { account, ...acting, kind, payload })
  const { cleared, denial, policy, tier } = judged
  // Nothing is recorded that they could not consent to.
  if (denial !== null) throw new GateError('forbidden', denial.sentence)
  const { outcome, action } = await storeProposal(
    { deps, account, source: 'console', keyId: null, keyHash: null },
    acting,
    {
      policy,
      tier,
      rule: cleared.rule,
      consentRequired: requiredConsent(cleared, kind),
      approvals: approvals ?? null,
      denial: null,
      payload,
      facts: [],
      reach: null,
    },
    { uuid, kind: kind.kind, ttl_ms: kind.expiresAfterMs, session: tokenHash },
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
