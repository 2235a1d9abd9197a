import { GateError, httpStatusOf } from '../../errors.ts'
import type { Policy } from '../../gate/policy.ts'
import { policyInForce } from '../../operations/admin/policy.ts'
import { policyVersion } from '../../operations/admin/policy-history.ts'
import type { Redirect, View, PageContext } from '../page.ts'

/**
 * Does what a form about the policy asks for; where somebody set the policy since it was begun, shows the page that says
 * so. Only that page goes on from the version in force: any other that shows a form again keeps the version it was sent.
 * @param told  the page, of the policy in force by now and why nothing was done
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

/** The policy that a form was begun from; the one in force where there was none of that version before it. */
export async function basePolicy(
  { deps, session }: PageContext,
  inForce: Policy,
  version: number,
): Promise<Policy> {
  if (!Number.isSafeInteger(version) || version < 1 || version >= inForce.version) return inForce
  return (await policyVersion(deps, session.account, version)).policy
}
