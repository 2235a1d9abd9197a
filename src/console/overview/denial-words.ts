import type { DenialCode } from '../../gate/denial.ts'

/** The reason of a denial by its code, as a label. A code without words is shown as it is. Pure. */
export const denialWords = (code: string | null): string =>
  code === null ? 'other' : (words[code as DenialCode] ?? code.replaceAll('_', ' '))

const words: Record<DenialCode, string> = {
  tier_insufficient: 'tier too low',
  kind_off: 'kind retired, or turned off by the policy',
  above_last_band: 'amount above every band',
  amount_unknown: 'amount unknown',
  subject_unknown: 'subject unknown',
  currency_unsupported: 'currency without bands',
  velocity: 'daily limit of the policy',
  key_limit: 'daily limit of the API key',
  cannot_be_asked: 'member cannot be asked for consent',
  consent_too_weak: 'consent too weak',
  member_inactive: 'member not active',
  runner_rule: 'rule for tool calls',
  call_unreadable: 'tool call that cannot be read',
  consent_used: 'consent already used',
  consent_declined: 'consent declined before',
  asked_too_often: 'asked too often',
  tool_not_reviewed: 'MCP tool not reviewed',
  tool_changed: 'MCP tool changed after its review',
  tool_denied: 'rule of an MCP tool',
  account_suspended: 'account suspended',
  canary: 'test of a hook',
}
