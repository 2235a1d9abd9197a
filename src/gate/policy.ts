import { anyOf, subjectOf } from './action-words.ts'
import type { Band } from './band.ts'
import type { ConsentStrength } from './consent.ts'
import { currencies, formatAmount, isCurrency } from './money.ts'
import { type ChannelChoice, defaultChannels } from './reach.ts'
import { spentText } from './subject.ts'
import { type CertificationEntry, type CurriculumRecord, type Tier, certification, reaches } from './tier.ts'
import { type Spent, type Velocity, nothingSpent, overLimits, velocityOf } from './velocity.ts'

/** What one kind of action requires: a tier, or a tier by amount. `bands.usd` applies to currencies that are not listed. */
export type KindRule =
  | { tier: Tier; channels?: ChannelChoice | undefined; consent: ConsentStrength }
  | { bands: Record<string, Band[]>; velocity?: Velocity | 'off' | undefined }

export interface Policy {
  version: number
  expires_after_hours: number
  open_max_per_member: number
  /** How long decisions through a changed e-mail or Slack identity count as agent_attested. 0: never. */
  mailbox_settles_after_hours: number
  kinds: Record<string, KindRule>
}

const attested: ConsentStrength = 'agent_attested'
const banded = (...usd: [number | undefined, Tier][]): KindRule => ({
  bands: {
    usd: usd.map(([upTo, tier]) => ({
      ...(upTo === undefined ? {} : { up_to_cents: upTo }),
      tier,
      consent: attested,
    })),
  },
})

/**
 * The policy of an account that has not set one.
 * @source docs/money.md#who-may-do-what
 */
export const defaultPolicy: Policy = {
  version: 1,
  expires_after_hours: 168,
  open_max_per_member: 100,
  mailbox_settles_after_hours: 24,
  kinds: {
    broadcast: { tier: 'guarded_write', channels: defaultChannels, consent: attested },
    checkout: banded([100_000, 'guarded_write'], [5_000_000, 'write']),
    payout: banded([1_000_000, 'write']),
    preview: { tier: 'guarded_write', consent: attested },
    refund: banded([10_000, 'guarded_write'], [1_000_000, 'write']),
    subscription_cancellation: banded([50_000, 'guarded_write'], [undefined, 'write']),
  },
}

/** Kinds that execute without a confirm: a policy cannot require stronger consent for them. */
export const unconfirmedKinds: readonly string[] = ['preview']

/** What a policy evaluates: the kind, and for kinds with money the amount in whole cents ≥ 0. */
export interface Weight {
  kind: string
  amountCents?: number | undefined
  currency?: string | undefined
}

export type Clearance =
  | { allowed: true; rule: string; needed: Tier; consent: ConsentStrength }
  | {
      allowed: false
      rule: string
      needed: Tier | null
      consent: ConsentStrength | null
      /** The tier is sufficient, but a daily limit is exceeded. */
      isTooFast?: boolean
    }

/**
 * Decides whether a tier is sufficient for an action, and whether the daily limits allow it. Bands apply to the amount plus
 * what was confirmed for the same subject in the last 24 hours. Pure.
 * @param spent  what was confirmed in the last 24 hours; nothing by default
 * @returns allowed or not, with the rule in words and the required tier; `needed` is null if no tier is sufficient
 * @source docs/cli.md#set-the-policy
 */
export function clearance(
  policy: Policy,
  weight: Weight,
  tier: Tier,
  spent: Partial<Spent> = nothingSpent,
): Clearance {
  const rule = policy.kinds[weight.kind]
  if (!rule)
    return {
      allowed: false,
      rule: `The policy does not allow ${weight.kind} actions`,
      needed: null,
      consent: null,
    }
  if (!('bands' in rule)) return judge(`${subjectOf(weight.kind)} requires \`${rule.tier}\``, rule, tier)
  const { kind, amountCents, currency = 'usd' } = weight
  if (amountCents === undefined) {
    const rule = `The policy judges ${kind} by its amount, and none was given`
    return { allowed: false, rule, needed: null, consent: null }
  }
  if (!isCurrency(currency)) {
    const rule = `The currency ${currency} is not supported (supported: ${currencies.join(', ')})`
    return { allowed: false, rule, needed: null, consent: null }
  }
  const allSpent = { ...nothingSpent, ...spent }
  const before = spentText(kind, allSpent.subjectCents, currency)
  const alone = subjectOf(kind, formatAmount(amountCents, currency))
  const what = `${alone}${before === '' ? '' : `, ${before},`}`
  const bands = rule.bands[currency] ?? rule.bands['usd'] ?? []
  const bandOf = (cents: number) => bands.find((b) => b.up_to_cents === undefined || cents <= b.up_to_cents)
  const band = bandOf(amountCents + allSpent.subjectCents)
  if (!band) {
    const rule = `${what} is above the highest amount that the policy allows`
    const above = { allowed: false, rule, consent: null } as const
    const bandAlone = bandOf(amountCents)
    if (!bandAlone) return { ...above, needed: null }
    const judged = judge(`${alone} requires \`${bandAlone.tier}\``, bandAlone, tier)
    return judged.allowed ? { ...above, needed: bandAlone.tier, isTooFast: true } : judged
  }
  const limit = band.up_to_cents === undefined ? '' : ` (up to ${formatAmount(band.up_to_cents, currency)})`
  const judged = judge(`${what} requires \`${band.tier}\`${limit}`, band, tier)
  if (!judged.allowed) return judged
  const tooFast = overLimits(rule, { kind, amountCents, currency }, allSpent)
  if (tooFast === undefined) return judged
  return { allowed: false, rule: tooFast, needed: band.tier, consent: band.consent, isTooFast: true }
}

/**
 * The denial for a tier that is below every band of a kind; undefined if the tier reaches a band. Pure.
 * @source docs/rest.md#propose-an-action: a denial names the rule and how to qualify
 */
export function belowEveryBand(policy: Policy, kind: string, tier: Tier): Clearance | undefined {
  const rule = policy.kinds[kind]
  if (!rule) return undefined
  const bands = 'bands' in rule ? Object.values(rule.bands).flat() : [rule]
  if (bands.some((band) => reaches(tier, band.tier))) return undefined
  const lowest = bands.reduce((low, band) => (reaches(band.tier, low.tier) ? low : band))
  return {
    allowed: false,
    rule: `${anyOf(kind)} requires at least \`${lowest.tier}\``,
    needed: lowest.tier,
    consent: lowest.consent,
  }
}

/** A policy with the default daily limits filled in, as it is shown to people. Pure. */
export function withLimits(policy: Policy): Policy {
  const kinds = Object.entries(policy.kinds).map(([kind, rule]) => [kind, ruleWithLimits(rule)] as const)
  return { ...policy, kinds: Object.fromEntries(kinds) }
}

export function ruleWithLimits(rule: KindRule): KindRule {
  if (!('bands' in rule) || rule.velocity === 'off') return rule
  return { ...rule, velocity: velocityOf(rule) }
}

/** The channels that the policy sets for a kind. Pure. */
export function channelChoice(policy: Policy, kind: string): ChannelChoice {
  const rule = policy.kinds[kind]
  return (rule && 'channels' in rule && rule.channels) || defaultChannels
}

/**
 * The `denial_reason` of an action: the rule, the member's tier, and how to qualify. Pure. Example: This broadcast
 * requires `guarded_write`; Grace has `read_only`. To qualify, pass "Safe sending" (2 of 4 modules), or ask an administrator.
 * @source docs/rest.md#propose-an-action: `broadcast needs guarded_write and you are read_only: pass "Safe sending" (2 of 4
 */
export function denialReason(
  clearance: Clearance,
  tier: Tier,
  member: { name: string; curricula: CurriculumRecord[] },
  now: Date,
): string {
  const { needed, rule } = clearance
  if ('isTooFast' in clearance && clearance.isTooFast) return `${rule}. Wait, or ask an administrator.`
  if (needed === null) return `${rule}. No tier is sufficient; ask an administrator to change the policy.`
  const paths = member.curricula
    .filter((curriculum) => reaches(curriculum.grants, needed))
    .map((curriculum) => certification(curriculum, now))
    .toSorted((a, b) => a.modules_total - a.modules_passed - (b.modules_total - b.modules_passed))
    .slice(0, qualifyingCurriculaMax)
    .map(progressOf)
  return `${rule}; ${member.name} has \`${tier}\`. To qualify, ${[...paths, 'ask an administrator'].join(', or ')}.`
}

// An account may have hundreds of curricula: a denial names those that the member is nearest to complete.
const qualifyingCurriculaMax = 3

function progressOf(entry: CertificationEntry): string {
  return `pass "${entry.title}" (${entry.modules_passed} of ${entry.modules_total} modules)`
}

function judge(rule: string, required: { tier: Tier; consent: ConsentStrength }, tier: Tier): Clearance {
  return { allowed: reaches(tier, required.tier), rule, needed: required.tier, consent: required.consent }
}
