import type { KindDocument, Pointer } from './declared-kind.ts'
import type { KindRule } from '../policy.ts'

/** What an administrator decided about one tool of an MCP server. */
export interface ToolRule {
  /** Passed on at once, proposed to the member, or denied. */
  rule: (typeof toolRules)[number]
  /** Only `confirm` has it: what a call requires. Bands need `amount`. */
  requires?: KindRule | undefined
  /** Where the arguments have the amount of a call. */
  amount?: KindDocument['amount']
  /** What duplicates and daily limits count by, in the arguments. */
  subject?: Pointer | undefined
  /** The arguments that a member may change before they approve: single values. */
  editable?: Pointer[] | undefined
  /** A call whose outcome is unknown may be repeated: the administrator says so, never the server. */
  is_idempotent?: boolean | undefined
}

export const toolRules = ['allow', 'confirm', 'deny'] as const

/** What a reviewed tool requires until an administrator sets a rule for it. */
export const defaultToolRule = {
  rule: 'confirm',
  requires: { tier: 'write', consent: 'chat' },
} as const satisfies ToolRule
