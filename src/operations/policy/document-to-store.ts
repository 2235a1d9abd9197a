import { readGroupNames } from '../../db/queries/actions/approvals.ts'
import { pagePolicies } from '../../db/queries/accounts/policies.ts'
import type { Facts } from '../../db/queries/members/facts.ts'
import { GateError } from '../../errors.ts'
import { groupsNamed } from '../../gate/approvals/in-policy.ts'
import type { Policy } from '../../gate/policy.ts'
import { type AccountMoney, isAllowedCurrency } from '../../gate/money.ts'
import type { PolicyDocument } from './policy-document.ts'
import type { PolicyDeps } from './policy-in-force.ts'
import { parsePolicyDocument } from './parse-policy-document.ts'

/** A change of the policy: a document over the one in force, or the version whose document is set again. */
export type PolicyEdit = PolicyDocument & { restores?: number | undefined }

/** The error for a document that is based on an earlier version than the one in force. */
export const policyVersionConflict = (from: number, inForce: number): GateError =>
  new GateError(
    'conflict',
    `Your edit is based on version ${from}, but version ${inForce} is in force. Nothing was saved. Check what changed, then edit the current version.`,
  )

/**
 * The document to store: everything the account has set, without defaults.
 * @throws GateError `not_found` where there is no such version to restore, `invalid` where its rules are no longer possible
 */
export async function documentToStore(
  deps: PolicyDeps,
  account: string,
  { facts, edit: { restores, ...document } }: { facts: Pick<Facts, 'policy'>; edit: PolicyEdit },
): Promise<Omit<Policy, 'version'>> {
  if (restores === undefined) {
    await requireGroups(deps, account, document.kinds ?? {})
    return withOwnCurrency(nextDocument(facts, document))
  }
  // Version 1 is not stored: it sets nothing.
  if (restores === 1) return { kinds: {} } as Omit<Policy, 'version'>
  const [row] = await pagePolicies(deps.db, account, { before: restores + 1, limitRows: 1 })
  if (row?.version !== restores) throw noPolicyVersion(restores)
  parsePolicyDocument(await deps.kinds.now(account), row.document)
  await requireGroups(deps, account, row.document.kinds)
  return row.document
}

/** @throws GateError `invalid` where a rule names a group that the account does not have */
async function requireGroups(
  { db }: PolicyDeps,
  account: string,
  kinds: NonNullable<PolicyDocument['kinds']>,
): Promise<void> {
  for (const [kind, rule] of Object.entries(kinds)) {
    const named = groupsNamed({ [kind]: rule })
    const known = await readGroupNames(db, account, named)
    const missing = named.find((group) => !known.has(group))
    if (missing !== undefined)
      throw new GateError(
        'invalid',
        `kinds.${kind} names the group ${missing}, which this account does not have.`,
        {
          param: `kinds.${kind}`,
        },
      )
  }
}

export const noPolicyVersion = (version: number): GateError =>
  new GateError('not_found', `Policy version ${version} was not found in this account.`)

function nextDocument(facts: Pick<Facts, 'policy'>, document: PolicyDocument): Omit<Policy, 'version'> {
  const { version: _, kinds = {}, mandates, ...rest } = document
  const ceilings = Object.entries({ ...facts.policy?.mandates, ...mandates }).filter(
    ([, one]) => one !== null,
  )
  return {
    ...facts.policy,
    ...rest,
    ...(ceilings.length === 0 && mandates === undefined ? {} : { mandates: Object.fromEntries(ceilings) }),
    kinds: { ...facts.policy?.kinds, ...kinds },
  } as Omit<Policy, 'version'>
}

/** @throws GateError `invalid` where the account does not allow the currency that it reckons in */
function withOwnCurrency<Document extends AccountMoney>(document: Document): Document {
  const { currency } = document
  if (currency === undefined || isAllowedCurrency(document, currency)) return document
  throw new GateError(
    'invalid',
    `currency is ${currency}, which currencies does not allow: ${document.currencies!.join(', ')}. Nothing was saved.`,
    { param: 'currency' },
  )
}
