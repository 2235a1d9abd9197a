import type { ConsentStrength } from '../../../src/gate/consent.ts'
import type { Tier } from '../../../src/gate/tier.ts'

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

const unbounded = { open_max_per_member: 10_000 }

/** The policies between which administrators change: who may, and how strong a consent must be. */
export const policyDocuments: readonly Record<string, unknown>[] = [
  {
    ...unbounded,
    kinds: {
      broadcast: kind('guarded_write', 'agent_attested'),
      refund: money('guarded_write', 'agent_attested', 'page'),
      payout: money('guarded_write', 'agent_attested', 'chat'),
      checkout: money('guarded_write', 'agent_attested', 'agent_attested'),
      subscription_cancellation: money('guarded_write', 'agent_attested', 'page'),
    },
  },
  {
    ...unbounded,
    kinds: {
      broadcast: kind('write', 'chat'),
      refund: money('write', 'page', 'page'),
      payout: money('write', 'chat', 'page'),
      checkout: money('guarded_write', 'chat', 'chat'),
      subscription_cancellation: money('write', 'page', 'page'),
    },
  },
  {
    ...unbounded,
    kinds: {
      broadcast: kind('guarded_write', 'page'),
      refund: money('guarded_write', 'agent_attested', 'agent_attested'),
      payout: money('write', 'agent_attested', 'agent_attested'),
      checkout: money('write', 'agent_attested', 'page'),
      subscription_cancellation: money('guarded_write', 'agent_attested', 'agent_attested'),
    },
  },
]
