import { type Facts, readFacts } from '../../db/queries/members/facts.ts'
import type { Deps } from '../../deps.ts'
import type { Policy } from '../../gate/policy.ts'
import { accountPolicy } from './account-policy.ts'
import { noAccount } from '../require-account.ts'

export type { AccountKinds } from '../../actions/account-kinds.ts'

/** The dependencies of reading and setting policies. */
export type PolicyDeps = Pick<Deps, 'db' | 'kinds'>

/** The policy in force, including defaults. @throws GateError `not_found` */
export async function policyInForce(deps: PolicyDeps, account: string): Promise<Policy> {
  return policyOf(deps, account, await policyFacts(deps, account))
}

/** The policy of an account as of its facts, with the rules of the kinds that it declared. */
export async function policyOf(deps: Pick<Deps, 'kinds'>, account: string, facts: Facts): Promise<Policy> {
  return accountPolicy(facts, (await deps.kinds.of(account, facts.kindsVersion)).values())
}

/** The stored facts of an account's policy. @throws GateError `not_found` */
export async function policyFacts({ db }: Pick<Deps, 'db'>, account: string): Promise<Facts> {
  const facts = await readFacts(db, account, { email: null, slack: null })
  if (!facts) throw noAccount(account)
  return facts
}
