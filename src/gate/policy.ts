import type { Band } from './band.ts'
import type { ConsentStrength } from './consent.ts'
import { currencies, formatAmount, isCurrency } from './money.ts'
import { type ChannelChoice, defaultChannels } from './reach.ts'
import { spentWords } from './subject.ts'
import { type CertificationEntry, type CurriculumRecord, type Tier, certification, reaches } from './tier.ts'
import { type Spent, type Velocity, nothingSpent, overLimits, velocityOf } from './velocity.ts'

/** What one kind of action asks for: a tier, or a tier by amount. `bands.usd` holds for currencies not given apart. */
export type KindRule =
  | { tier: Tier; channels?: ChannelChoice | undefined; consent: ConsentStrength }
  | { bands: Record<string, Band[]>; velocity?: Velocity | 'off' | undefined }

export interface Policy {
  version: number
  expires_after_hours: number
  open_max_per_member: number
  /** How long decisions through a changed e-mail or Slack identity count as agent_attested. 0: not at all. */
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

/** The policy of an account that never set one. @source docs/money.md#who-may-do-what */
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

/** Kinds that are done when they are asked for: nothing of them is confirmed, so a policy cannot ask for stronger consent. */
export const unconfirmedKinds: readonly string[] = ['preview']

/** What is asked of the policy: the kind, and for money its amount in whole cents ≥ 0. */
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
      /** Tiers suffice for it alone; it is too much for one day. */
      isTooFast?: boolean
    }

/**
 * Decides whether a tier suffices for an action, and whether the day has room for it. Bands weigh the amount together with
 * what was confirmed of the same subject in the last 24 hours. Pure.
 * @param spent  what was confirmed in the last 24 hours; nothing by default
 * @returns allowed or not, with the rule in words and the tier it asks for; `needed` null where no tier suffices
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
      rule: `${weight.kind} is not allowed by the policy`,
      needed: null,
      consent: null,
    }
  if (!('bands' in rule)) return judge(`${weight.kind} needs ${rule.tier}`, rule, tier)
  const { kind, amountCents, currency = 'usd' } = weight
  if (amountCents === undefined) {
    return { allowed: false, rule: `${kind} is weighed by its amount`, needed: null, consent: null }
  }
  if (!isCurrency(currency)) {
    const rule = `${currency} is not a currency the gate can weigh (${currencies.join(', ')})`
    return { allowed: false, rule, needed: null, consent: null }
  }
  const allSpent = { ...nothingSpent, ...spent }
  const before = spentWords(kind, allSpent.subjectCents, currency)
  const what = `${kind} of ${formatAmount(amountCents, currency)}${before === '' ? '' : `, ${before},`}`
  const bands = rule.bands[currency] ?? rule.bands['usd'] ?? []
  const bandOf = (cents: number) => bands.find((b) => b.up_to_cents === undefined || cents <= b.up_to_cents)
  const band = bandOf(amountCents + allSpent.subjectCents)
  if (!band) {
    const above = { allowed: false, rule: `${what} is above the last band`, consent: null } as const
    const alone = bandOf(amountCents)
    if (!alone) return { ...above, needed: null }
    const judged = judge(`${kind} of ${formatAmount(amountCents, currency)} needs ${alone.tier}`, alone, tier)
    return judged.allowed ? { ...above, needed: alone.tier, isTooFast: true } : judged
  }
  const limit = band.up_to_cents === undefined ? '' : ` (up to ${formatAmount(band.up_to_cents, currency)})`
  const judged = judge(`${what} needs ${band.tier}${limit}`, band, tier)
  if (!judged.allowed) return judged
  const tooFast = overLimits(rule, { kind, amountCents, currency }, allSpent)
  if (tooFast === undefined) return judged
  return { allowed: false, rule: tooFast, needed: band.tier, consent: band.consent, isTooFast: true }
}

/**
 * The denial of a tier that no amount of a kind is within; undefined where some is. Pure.
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
    rule: `${kind} needs at least ${lowest.tier}`,
    needed: lowest.tier,
    consent: lowest.consent,
  }
}

/** A policy with the day's limits that hold by default written out: as it is shown. Pure. */
export function withLimits(policy: Policy): Policy {
  const kinds = Object.entries(policy.kinds).map(([kind, rule]) => [kind, ruleWithLimits(rule)] as const)
  return { ...policy, kinds: Object.fromEntries(kinds) }
}

export function ruleWithLimits(rule: KindRule): KindRule {
  if (!('bands' in rule) || rule.velocity === 'off') return rule
  return { ...rule, velocity: velocityOf(rule) }
}

/** The channels a kind's policy asks for. Pure. */
export function channelChoice(policy: Policy, kind: string): ChannelChoice {
  const rule = policy.kinds[kind]
  return (rule && 'channels' in rule && rule.channels) || defaultChannels
}

/**
 * The sentence of a denied row: the rule, and the way out. Pure.
 * @source docs/rest.md#propose-an-action: `broadcast needs guarded_write and you are read_only: pass "Safe sending" (2 of 4
 * modules), or ask an admin`
 */
export function denialReason(
  clearance: Clearance,
  tier: Tier,
  curricula: CurriculumRecord[],
  now: Date,
): string {
  const { needed, rule } = clearance
  if ('isTooFast' in clearance && clearance.isTooFast) return `${rule}: wait, or ask an admin`
  if (needed === null) return `${rule}: denied for every tier`
  const ways = curricula
    .filter((curriculum) => reaches(curriculum.grants, needed))
    .map((curriculum) => certification(curriculum, now))
    .toSorted((a, b) => a.modules_total - a.modules_passed - (b.modules_total - b.modules_passed))
    .slice(0, waysOutMax)
    .map(wayOut)
  return `${rule} and you are ${tier}: ${[...ways, 'ask an admin'].join(', or ')}`
}

// A denial names the nearest ways to qualify; an account may have hundreds of curricula.
const waysOutMax = 3

function wayOut(entry: CertificationEntry): string {
  return `pass "${entry.title}" (${entry.modules_passed} of ${entry.modules_total} modules)`
}

function judge(rule: string, asked: { tier: Tier; consent: ConsentStrength }, tier: Tier): Clearance {
  return { allowed: reaches(tier, asked.tier), rule, needed: asked.tier, consent: asked.consent }
}
