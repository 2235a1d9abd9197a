import type { Outcome } from '../../db/queries/actions/actions.ts'
import { type Claim, type ClaimOutcome, claimDecision } from '../../db/queries/actions/decide.ts'
import type { Deps } from '../../deps.ts'
import { logStep } from '../../temporal/action-log.ts'

/** Claims the decision of a proposal, and logs the one that wins. */
export async function claimLogged(
  deps: Pick<Deps, 'db' | 'log'>,
  claim: Claim,
): Promise<Outcome<ClaimOutcome>> {
  const claimed = await claimDecision(deps.db, claim)
  const { decision, consent } = claim
  if (claimed.outcome === 'claimed') logStep(deps, claimed.action, 'decided', { decision, ...consent })
  return claimed
}
