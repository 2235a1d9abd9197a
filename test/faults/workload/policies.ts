import type { ApprovalRule } from '../../../src/gate/approvals/rule.ts'
import type { ConsentStrength } from '../../../src/gate/consent.ts'
import type { Tier } from '../../../src/gate/tier.ts'
import type { NotesTool } from '../system/notes-server.ts'

const kind = (tier: Tier, consent: ConsentStrength, approvals?: ApprovalRule) => ({
  tier,
  consent,
  ...(approvals && { approvals }),
})
const money = (tier: Tier, consent: ConsentStrength, large: ConsentStrength, approvals?: ApprovalRule) => ({
  bands: {
    usd: [{ up_to_cents: 10_000, ...kind(tier, consent, approvals) }, kind('write', large, approvals)],
  },
  velocity: 'off',
})

/** Who must approve, by kind: the same in every policy, because only the approvers can change it. */
const rulesFor = (memberIds: readonly string[]) =>
  ({
    release: {
      needed: 2,
      from: { members: memberIds.slice(0, 3) },
      distinct_from: ['proposer', 'agent_owner'],
      min_strength: 'chat',
      escalate_after_minutes: 1,
      escalate_to: { members: memberIds.slice(3, 4) },
      break_glass: { members: memberIds.slice(3, 4), review_within_hours: 24 },
    },
    subscription_cancellation: {
      needed: 2,
      // The last one is deactivated now and then.
      from: { members: [...memberIds.slice(0, 4), ...memberIds.slice(-1)] },
      distinct_from: ['proposer'],
      min_strength: 'page',
      remind_after_minutes: 1,
    },
  }) as const satisfies Record<string, ApprovalRule>

/** What the rule of a tool of the MCP server says: passed on, denied, or what a call needs. */
export type ToolNeed = 'allow' | 'deny' | { tier: Tier; consent: ConsentStrength }
export const toolNeeds: Record<NotesTool, ToolNeed> = {
  list_notes: 'allow',
  add_note: { tier: 'guarded_write', consent: 'agent_attested' },
  share_note: { tier: 'write', consent: 'chat' },
  wipe_notes: 'deny',
}

const unbounded = { open_max_per_member: 10_000, passkey_settles_after_hours: 0 }

/** What mandates may be. */
const times = { consent: 'page', uses: 8, uses_per_day: 8, days: 30 }
const withMoney = {
  ...times,
  cents_each: { usd: 10_000 },
  cents: { usd: 60_000 },
  cents_per_day: { usd: 50_000 },
}
const mandates = {
  broadcast: times,
  deployment: times,
  signing: times,
  payout: withMoney,
  refund: { ...withMoney, consent: 'passkey' },
}

/**
 * The policies between which administrators of an account change: who may, and how strong a consent must be.
 * @param memberIds  the members of the account
 */
export const policyDocumentsFor = (memberIds: readonly string[]): readonly Record<string, unknown>[] =>
  documentsWith(rulesFor(memberIds))

const documentsWith = (rules: ReturnType<typeof rulesFor>): readonly Record<string, unknown>[] => [
  {
    ...unbounded,
    mandates,
    kinds: {
      broadcast: kind('guarded_write', 'chat'),
      deployment: kind('guarded_write', 'agent_attested'),
      signing: kind('guarded_write', 'agent_attested'),
      refund: money('guarded_write', 'agent_attested', 'page'),
      payout: money('guarded_write', 'agent_attested', 'chat'),
      checkout: money('guarded_write', 'agent_attested', 'agent_attested'),
      subscription_cancellation: money(
        'guarded_write',
        'agent_attested',
        'page',
        rules.subscription_cancellation,
      ),
      release: kind('guarded_write', 'agent_attested', rules.release),
    },
  },
  {
    ...unbounded,
    mandates,
    kinds: {
      broadcast: kind('write', 'chat'),
      deployment: kind('guarded_write', 'chat'),
      signing: kind('write', 'passkey'),
      refund: money('write', 'page', 'passkey'),
      payout: money('write', 'chat', 'page'),
      checkout: money('guarded_write', 'chat', 'chat'),
      subscription_cancellation: money('write', 'page', 'page', rules.subscription_cancellation),
      release: kind('guarded_write', 'page', rules.release),
    },
  },
  {
    ...unbounded,
    // Below what members signed under the others: it narrows their mandates at once.
    mandates: {
      broadcast: { ...times, consent: 'passkey', uses: 4 },
      deployment: { ...times, uses: 4 },
      refund: mandates.refund,
    },
    kinds: {
      broadcast: kind('guarded_write', 'passkey'),
      deployment: kind('guarded_write', 'agent_attested'),
      signing: kind('guarded_write', 'page'),
      refund: money('guarded_write', 'agent_attested', 'agent_attested'),
      payout: money('write', 'agent_attested', 'agent_attested'),
      checkout: money('write', 'agent_attested', 'page'),
      subscription_cancellation: money(
        'guarded_write',
        'agent_attested',
        'agent_attested',
        rules.subscription_cancellation,
      ),
      release: kind('guarded_write', 'agent_attested', rules.release),
    },
  },
]
