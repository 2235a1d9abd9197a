import { listAgents } from '../../db/queries/actions/mandates.ts'
import type { Deps } from '../../deps.ts'
import type { MandateCeiling } from '../../gate/mandates/terms.ts'
import { policyInForce } from '../policy/policy-in-force.ts'
import type { Session } from '../sign-in/session.ts'
import type { MandateDraft } from './mandate-terms.ts'

/** What the form for a mandate offers a member. */
export interface MandateForm {
  agents: { agent: string; name: string }[]
  /** By kind, what the policy allows. */
  ceilings: Record<string, MandateCeiling>
  /** The limits that would have covered what the member approved before; undefined: an empty form. */
  filled: MandateDraft | undefined
}

/** The form, filled in where it is opened from a suggestion of the gate. @param from  the suggestion */
export async function formOfMandates(
  deps: Deps,
  { account, memberId }: Session,
  _from: string | undefined,
): Promise<MandateForm> {
  const [{ mandates: ceilings }, agents] = await Promise.all([
    policyInForce(deps, account),
    memberId === null ? [] : listAgents(deps.db, account, memberId),
  ])
  return { agents, ceilings, filled: undefined }
}
