import { GateError, httpStatusOf } from '../../errors.ts'
import type { Policy } from '../../gate/policy.ts'
import { policyInForce } from '../../operations/admin/policy.ts'
import { policyVersion } from '../../operations/admin/policy-history.ts'
import type { Onward, View, Visit } from '../page.ts'

/**
 * Does what a form about the policy asks for; where somebody set the policy since it was begun, shows the page that says
 * so. Only that page goes on from the version in force: any other that shows a form again keeps the version it was sent.
 * @param told  the page, of the policy in force by now and why nothing was done
 */
export async function onVersionConflict(
  { deps, session }: Visit,
  send: () => Promise<Onward | View>,
  told: (inForce: Policy, problem: string) => View | Promise<View>,
): Promise<Onward | View> {
  try {
    return await send()
  } catch (error) {
    if (!(error instanceof GateError) || error.code !== 'conflict') throw error
    const view = await told(await policyInForce(deps, session.account), error.message)
    return { ...view, status: httpStatusOf.conflict }
  }
}

/** The policy that a form was begun from; the one in force where there was none of that version before it. */
export async function begunFrom({ deps, session }: Visit, inForce: Policy, version: number): Promise<Policy> {
  if (!Number.isSafeInteger(version) || version < 1 || version >= inForce.version) return inForce
  return (await policyVersion(deps, session.account, version)).policy
}
