import { storePolicy } from '../../db/queries/accounts/policies.ts'
import type { Deps } from '../../deps.ts'
import { type Json, canonical } from '../../gate/canonical.ts'
import type { Policy } from '../../gate/policy.ts'
import { GateError } from '../../errors.ts'
import { type AdminContext, writeOf } from '../admin-context.ts'
import { policyInForce, policyFacts } from './policy-in-force.ts'
import { type PolicyEdit, policyVersionConflict, documentToStore } from './document-to-store.ts'

/** The account whose policy is set, and the session that sets it. */
export type PolicyContext = AdminContext & Pick<Deps, 'kinds'>

/**
 * Replaces the kinds in a document and keeps the others, or sets the document of an earlier version again. Of concurrent
 * writes, only the first succeeds.
 * @param note  why, in one line
 * @param options.withoutApprovals  of the command line: also where approvers would have to agree
 * @returns the new policy in force
 * @throws GateError `conflict` where the document is based on another version, `not_found`
 */
export async function setPolicy(
  context: PolicyContext,
  edit: PolicyEdit,
  note?: string,
  { withoutApprovals = false } = {},
): Promise<Policy> {
  const { account } = context
  const facts = await policyFacts(context, account)
  const base = facts.policyVersion
  if (edit.version !== undefined && edit.version !== base) throw policyVersionConflict(edit.version, base)
  const next = await documentToStore(context, account, { facts, edit })
  const stored = await storePolicy(context.db, {
    ...writeOf(context),
    base,
    document: canonical(next as unknown as Json),
    kinds: Object.keys((edit.restores === undefined ? edit : next).kinds ?? {}),
    note,
    restores: edit.restores,
    withoutApprovals,
  })
  if (stored === 0) throw approversMustAgree()
  if (stored === null) throw policyVersionConflict(base, (await policyFacts(context, account)).policyVersion)
  return policyInForce(context, account)
}

const approversMustAgree = () =>
  new GateError(
    'conflict',
    'This changes who must approve, so those who must approve now have to agree. Nothing was saved. Review the policy in the console, and ask the approvers there.',
  )
