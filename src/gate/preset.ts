import type { ConsentStrength } from './consent.ts'
import type { KindRule, Policy } from './policy.ts'
import type { Band } from './band.ts'

/** How much an agent's word alone may do, from most to least. */
export const presets = ['open', 'standard', 'strict'] as const
export type Preset = (typeof presets)[number]

/** What each asks for, for people. */
export const presetWords: Record<Preset, string> = {
  open: 'The agent’s word is enough for what the member’s tier allows, as by default.',
  standard:
    'Payouts, connections and amounts above the first band of their kind need the member’s own page; the agent’s word is enough for the rest.',
  strict: 'Everything that leaves the service needs the member’s own page: messages, money and connections.',
}

/**
 * The rules of a policy with the consent that a preset asks for. Tiers, amounts, channels and limits stay as they are. Pure.
 * @param defaults  the default rule of every kind: what `open` goes back to
 * @param canAsk  whether a policy can ask for the member's own page for a kind
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
    // Where one tier clears what has an amount, it clears any amount.
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

// A band that is open clears any amount.
const isUpper = (band: Band, n: number): boolean => n > 0 || band.up_to_cents === undefined
