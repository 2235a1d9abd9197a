import { listAgents } from '../../db/queries/actions/mandates.ts'
import type { Deps } from '../../deps.ts'
import type { SuggestedMandate } from '../../gate/mandates/suggest.ts'
import type { MandateCeiling } from '../../gate/mandates/terms.ts'
import { policyInForce } from '../policy/policy-in-force.ts'
import type { Session } from '../sign-in/session.ts'
import { nameOfSuggestion, suggestionsFor } from './suggestions.ts'

/** What the form for a mandate offers a member. */
export interface MandateForm {
  agents: { agent: string; name: string }[]
  /** By kind, what the policy allows. */
  ceilings: Record<string, MandateCeiling>
  /** The limits that would have covered what the member approved before; undefined: an empty form. */
  filled: SuggestedMandate | undefined
}

/** The form, filled in where it is opened from a suggestion of the gate. @param from  its name */
export async function formOfMandates(
  deps: Deps,
  { account, memberId }: Session,
  from: string | undefined,
): Promise<MandateForm> {
  const { mandates: ceilings } = await policyInForce(deps, account)
  if (memberId === null) return { agents: [], ceilings, filled: undefined }
  const [agents, suggested] = await Promise.all([
    listAgents(deps.db, account, memberId),
    from === undefined ? [] : suggestionsFor(deps, { account, memberId }, ceilings),
  ])
  return { agents, ceilings, filled: suggested.find((one) => nameOfSuggestion(one) === from) }
}
