import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { type KindRule, type Policy, clearance, defaultPolicy } from '../../src/gate/policy.ts'
import { posture } from '../../src/gate/posture.ts'
import { presetRules, presets } from '../../src/gate/preset.ts'

const integration: KindRule = { tier: 'write', consent: 'agent_attested' }
const defaults: Record<string, KindRule> = { ...defaultPolicy.kinds, integration }
const everyKind: Policy = { ...defaultPolicy, kinds: defaults }
const canAsk = (kind: string) => kind !== 'preview'
const by = (preset: (typeof presets)[number], policy = everyKind): Policy => ({
  ...policy,
  kinds: presetRules(preset, policy, { defaults, canAsk }),
})

describe('the posture, what the agent’s word alone may do,', () => {
  test('is told in one line', () => {
    expect(posture(defaultPolicy)).toBe(
      'money: up to 10,000.00 USD; broadcasts: yes; checkouts: up to 50,000.00 USD; previews: yes; subscription cancellations: any amount',
    )
    expect(posture(by('standard'))).toBe(
      'money: up to 100.00 USD; broadcasts: yes; checkouts: up to 1,000.00 USD; connections: no; previews: yes; subscription cancellations: up to 500.00 USD',
    )
    expect(posture(by('strict'))).toBe(
      'money: no; broadcasts: no; checkouts: no; connections: no; previews: yes; subscription cancellations: no',
    )
  })

  test('leaves tools of MCP servers to their own rules, unless the policy requires more of all of them', () => {
    const wordOf = (consent: 'agent_attested' | 'chat') =>
      posture({ ...defaultPolicy, kinds: { upstream_tool: { tier: 'read_only', consent } } })
    expect(wordOf('agent_attested')).toBe('tools of MCP servers: as the rule of each tool says')
    expect(wordOf('chat')).toBe('tools of MCP servers: no')
  })

  test('names a currency that has bands of its own', () => {
    const usd = [{ up_to_cents: 100, tier: 'write' as const, consent: 'agent_attested' as const }]
    const sek = [{ tier: 'write' as const, consent: 'agent_attested' as const }]
    const eur = [{ up_to_cents: 100, tier: 'write' as const, consent: 'page' as const }]
    const policy = { ...defaultPolicy, kinds: { refund: { bands: { usd, sek, eur } } } }
    expect(posture(policy)).toBe('money: up to 1.00 USD, any SEK amount')
  })

  test('is what the policy clears for every tier: an amount above it asks for more', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...presets),
        fc.integer({ min: 1, max: 10_000_000 }),
        (preset, amountCents) => {
          const policy = by(preset)
          const onWord = ['refund', 'payout'].some((kind) => {
            const cleared = clearance(policy, { kind, amountCents, currency: 'usd' }, 'write')
            return cleared.allowed && cleared.consent === 'agent_attested'
          })
          const told = /^money: up to ([\d,]+)\.(\d\d) USD/.exec(posture(policy))
          const most = told ? Number(`${told[1]!.replaceAll(',', '')}${told[2]}`) : 0
          expect(onWord).toBe(amountCents <= most)
        },
      ),
    )
  })
})

describe('a preset', () => {
  test('changes consent alone: amounts, tiers, channels and limits stay', () => {
    const policy: Policy = {
      ...everyKind,
      kinds: {
        ...defaults,
        broadcast: { tier: 'write', channels: 'all', consent: 'chat' },
        refund: {
          bands: { usd: [{ up_to_cents: 7, tier: 'read_only', consent: 'chat' }] },
          velocity: { actions_per_day: 3 },
        },
      },
    }
    const withoutConsent = (p: Policy) =>
      JSON.parse(JSON.stringify(p, (name, value: unknown) => (name === 'consent' ? undefined : value)))
    for (const preset of presets) expect(withoutConsent(by(preset, policy))).toEqual(withoutConsent(policy))
  })

  test('open is what holds by default, whatever held before', () => {
    expect(by('open', by('strict')).kinds).toEqual(defaults)
  })

  test('standard asks for a page for payouts, connections and upper bands', () => {
    const { kinds } = by('standard')
    expect(kinds['broadcast']).toMatchObject({ consent: 'agent_attested' })
    expect(kinds['integration']).toMatchObject({ consent: 'page' })
    expect(kinds['payout']).toMatchObject({ bands: { usd: [{ consent: 'page' }] } })
    expect(kinds['refund']).toMatchObject({
      bands: { usd: [{ consent: 'agent_attested' }, { consent: 'page' }] },
    })
    const one = { ...everyKind, kinds: { refund: { tier: 'write', consent: 'agent_attested' } as KindRule } }
    expect(by('standard', one).kinds['refund']).toMatchObject({ consent: 'page' })
  })

  test('leaves kinds alone for which a policy cannot require consent', () => {
    const rules = presetRules('strict', everyKind, { defaults, canAsk: (kind) => kind === 'payout' })
    expect(rules['broadcast']).toMatchObject({ consent: 'agent_attested' })
    expect(rules['payout']).toMatchObject({ bands: { usd: [{ consent: 'page' }] } })
    expect(by('strict').kinds['preview']).toEqual(defaults['preview'])
  })
})
