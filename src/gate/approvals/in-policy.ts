import { type ApprovalRule, groupsOf } from './rule.ts'
import type { KindRule } from '../policy.ts'

/** The rules about approvals in the rule of a kind. Pure. */
export const approvalsIn = (rule: KindRule | undefined): ApprovalRule[] => {
  if (!rule) return []
  const required = 'bands' in rule ? Object.values(rule.bands).flat() : [rule]
  return required.flatMap(({ approvals }) => approvals ?? [])
}

/** The groups that the rules of a policy name. Pure. */
export const groupsNamed = (kinds: Record<string, KindRule>): string[] => [
  ...new Set(Object.values(kinds).flatMap((rule) => approvalsIn(rule).flatMap(groupsOf))),
]
