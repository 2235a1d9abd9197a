/** The kind of action by which the approvers of a rule agree to another one. */
export const ruleChangeKind = 'change_approval_rule'

/** A policy that changes who must approve, as it is proposed. */
export interface RuleChange {
  /** The version of the policy that it is based on. */
  base: number
  /** Canonical JSON of the document to store. */
  document: string
  /** The kinds whose rules it sets. */
  kinds: string[]
  /** What changes, in words: each line begins with `+ ` or `- `. */
  changes: string[]
  note?: string | undefined
  restores?: number | undefined
}
