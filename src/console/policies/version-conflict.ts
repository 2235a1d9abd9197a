import { GateError, httpStatusOf } from '../../errors.ts'
import type { Policy } from '../../gate/policy.ts'
import { policyInForce } from '../../operations/policy/policy-in-force.ts'
import { policyVersion } from '../../operations/policy/policy-history.ts'
import type { Redirect, View, PageContext } from '../page.ts'

/**
 * Handles a policy form. If the policy was set since the form was opened, shows the conflict page. Only that page
 * continues from the version in force: other pages that show the form again keep its version.
 * @param showConflict  makes the page from the policy in force and the reason why nothing was saved
 */
export async function onVersionConflict(
  { deps, session }: PageContext,
  send: () => Promise<Redirect | View>,
  showConflict: (inForce: Policy, problem: string) => View | Promise<View>,
): Promise<Redirect | View> {
  try {
    return await send()
  } catch (error) {
    if (!(error instanceof GateError) || error.code !== 'conflict') throw error
    const view = await showConflict(await policyInForce(deps, session.account), error.message)
    return { ...view, status: httpStatusOf.conflict }
  }
}

/** The policy a form is based on; the one in force where the version is not an earlier one. */
export async function basePolicy(
  { deps, session }: PageContext,
  inForce: Policy,
  version: number,
): Promise<Policy> {
  if (!Number.isSafeInteger(version) || version < 1 || version >= inForce.version) return inForce
  return (await policyVersion(deps, session.account, version)).policy
}
