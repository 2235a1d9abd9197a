import type { ConsentStrength } from '../../../src/gate/consent.ts'
import type { Tier } from '../../../src/gate/tier.ts'
import type { NotesTool } from '../system/notes-server.ts'

const kind = (tier: Tier, consent: ConsentStrength) => ({ tier, consent })
const money = (tier: Tier, consent: ConsentStrength, large: ConsentStrength) => ({
  bands: {
    usd: [
      { up_to_cents: 10_000, tier, consent },
      { tier: 'write', consent: large },
    ],
  },
  velocity: 'off',
})

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

/** The policies between which administrators change: who may, and how strong a consent must be. */
export const policyDocuments: readonly Record<string, unknown>[] = [
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
      subscription_cancellation: money('guarded_write', 'agent_attested', 'page'),
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
      subscription_cancellation: money('write', 'page', 'page'),
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
      subscription_cancellation: money('guarded_write', 'agent_attested', 'agent_attested'),
    },
  },
]
