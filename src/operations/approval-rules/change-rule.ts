import { randomUUID } from 'node:crypto'
import type { Fields } from '../../actions/kind.ts'
import { readRulesChanged } from '../../db/queries/accounts/rule-changes.ts'
import type { ActionRow } from '../../db/queries/actions/actions.ts'
import { readFacts } from '../../db/queries/members/facts.ts'
import type { Deps } from '../../deps.ts'
import { GateError } from '../../errors.ts'
import { type RuleChange, ruleChangeKind } from '../../gate/approvals/rule-change.ts'
import type { ApprovalRule } from '../../gate/approvals/rule.ts'
import { type Json, canonical } from '../../gate/canonical.ts'
import { limits } from '../../limits.ts'
import { requireOwnKind } from '../actions/require-kind.ts'
import { diffPolicies } from '../policy/diff-policies.ts'
import { type PolicyEdit, documentToStore } from '../policy/document-to-store.ts'
import { nextPolicy } from '../policy/next-policy.ts'
import { type PolicyDeps, policyFacts } from '../policy/policy-in-force.ts'
import { proposeAsMember } from '../proposals/propose-as-member.ts'
import { keepsChanging, retryStale } from '../retry-stale.ts'
import type { Session } from '../sign-in/session.ts'

/** The rules about approvals in force that an edit of the policy changes: their approvers must agree. @throws GateError as `nextPolicy` */
export async function rulesChangedBy(
  deps: PolicyDeps,
  account: string,
  edit: PolicyEdit,
): Promise<ApprovalRule[]> {
  const facts = await policyFacts(deps, account)
  return readRulesChanged(
    deps.db,
    account,
    canonical((await documentToStore(deps, account, { facts, edit })) as unknown as Json),
  )
}

/**
 * Asks the approvers of the rule in force to agree to another one, as the administrator who is signed in and is a member, too. They consent
 * first, by its card. Once it is approved, the policy is set, unless another one was set meanwhile.
 * @returns the open proposal
 * @throws GateError `forbidden`, `invalid` where it changes several different rules or nothing that approvers decide, `conflict`, `not_found`
 */
export async function proposeRuleChange(
  deps: Deps,
  session: Session,
  edit: PolicyEdit & { version: number },
  note?: string,
): Promise<ActionRow> {
  const uuid = randomUUID()
  return retryStale(
    () => proposeOnce(deps, session, { edit, note, uuid }),
    () => keepsChanging('Nothing was recorded.'),
  )
}

async function proposeOnce(
  deps: Deps,
  session: Session,
  { edit, note, uuid }: { edit: PolicyEdit & { version: number }; note: string | undefined; uuid: string },
): Promise<ActionRow | 'stale'> {
  const { account, memberId } = session
  if (memberId === null)
    throw new GateError(
      'forbidden',
      'Only an administrator who is also a member can ask approvers. Ask another administrator, or have yourself added as a member.',
    )
  const { inForce, next } = await nextPolicy(deps, account, edit)
  const facts = await readFacts(deps.db, account, { memberId })
  const member = facts?.members[0]
  if (!facts || !member) throw new GateError('not_found', 'You are no longer a member of this account.')
  const document = await documentToStore(deps, account, { facts, edit })
  const text = canonical(document as unknown as Json)
  const [rule, ...others] = await readRulesChanged(deps.db, account, text)
  if (!rule) throw new GateError('invalid', 'This changes no rule about approvals. Set it without asking.')
  if (others.length > 0)
    throw new GateError(
      'invalid',
      'This changes rules with different approvers. Change one of them at a time, so that the approvers of each are asked.',
    )
  const changes = diffPolicies(inForce, next)
    .filter(({ change }) => change !== 'same')
    .map(({ change, text: line }) => `${change === 'added' ? '+' : '-'} ${line}`)
  if (changes.length > limits.ruleChangeLinesMax)
    throw new GateError(
      'invalid',
      `This changes more than ${limits.ruleChangeLinesMax} lines of the policy. Ask for the rule about approvals alone, so that approvers can read it.`,
    )
  const payload: RuleChange = {
    base: edit.version,
    document: text,
    kinds: Object.keys((edit.restores === undefined ? edit : document).kinds ?? {}),
    changes,
    ...(note === undefined ? {} : { note }),
    ...(edit.restores === undefined ? {} : { restores: edit.restores }),
  }
  return proposeAsMember(
    deps,
    session,
    { facts, member },
    {
      uuid,
      kind: requireOwnKind(deps, ruleChangeKind),
      payload: payload as unknown as Fields,
      approvals: rule,
    },
  )
}
