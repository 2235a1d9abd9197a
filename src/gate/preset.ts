import type { ConsentStrength } from './consent.ts'
import type { KindRule, Policy } from './policy.ts'
import type { Band } from './band.ts'

/** How much the agent's word alone allows, from most to least. */
export const presets = ['open', 'standard', 'strict'] as const
export type Preset = (typeof presets)[number]

/** What each preset requires, for people. */
export const presetWords: Record<Preset, string> = {
  open: 'The agent’s word is enough for everything that the member’s tier allows (the default).',
  standard:
    'Payouts, connections and amounts above the first band require the member’s own consent on a page. The agent’s word is enough for the rest.',
  strict: 'Messages, money and connections all require the member’s own consent on a page.',
}

/**
 * The rules of a policy with the consent that a preset requires. Tiers, amounts, channels and limits do not change. Pure.
 * @param defaults  the default rule of every kind, which `open` restores
 * @param canAsk  whether a policy can require the member's own page for a kind
 */
export function presetRules(
  preset: Preset,
  policy: Policy,
  { defaults, canAsk }: { defaults: Record<string, KindRule>; canAsk: (kind: string) => boolean },
): Record<string, KindRule> {
  const rules = Object.entries(policy.kinds).map(([kind, rule]) => {
    const byDefault = defaults[kind]
    const least = byDefault && !('bands' in byDefault) ? byDefault.consent : 'agent_attested'
    const consentFor = (isUpper: boolean): ConsentStrength =>
      canAsk(kind) && asksForPage[preset](kind, isUpper) ? 'page' : least
    // A rule without bands allows any amount.
    const isMoney = byDefault !== undefined && 'bands' in byDefault
    return [kind, withConsent(rule, isMoney, consentFor)] as const
  })
  return Object.fromEntries(rules)
}

const asksForPage: Record<Preset, (kind: string, isUpper: boolean) => boolean> = {
  open: () => false,
  standard: (kind, isUpper) => kind === 'payout' || kind === 'integration' || isUpper,
  strict: () => true,
}

function withConsent(
  rule: KindRule,
  isMoney: boolean,
  consentFor: (isUpper: boolean) => ConsentStrength,
): KindRule {
  if (!('bands' in rule)) return { ...rule, consent: consentFor(isMoney) }
  const bands = Object.entries(rule.bands).map(([currency, list]) => [
    currency,
    list.map((band, n) => ({ ...band, consent: consentFor(isUpper(band, n)) })),
  ])
  return { ...rule, bands: Object.fromEntries(bands) as Record<string, Band[]> }
}

// A band without an upper bound allows any amount.
const isUpper = (band: Band, n: number): boolean => n > 0 || band.up_to_cents === undefined
