import { anyOf, subjectOf } from './action-words.ts'
import type { ApprovalRule } from './approvals/rule.ts'
import type { Band } from './band.ts'
import { type ConsentStrength, floorOf } from './consent.ts'
import { type Denial, type DenialCode, denial } from './denial.ts'
import {
  type AccountMoney,
  currencies,
  formatAmount,
  givenFor,
  isAllowedCurrency,
  isCurrency,
  limitFor,
  ownCurrency,
} from './money.ts'
import { type MandateCeiling, kindsOfMany } from './mandates/terms.ts'
import { defaultRunnerRules } from './runner-calls/default-rules.ts'
import type { RunnerRules } from './runner-calls/rules.ts'
import { type ChannelChoice, defaultChannels } from './reach.ts'
import type { PasskeyPolicy } from './passkey.ts'
import { countedCents, spentText } from './subject.ts'
import {
  type CertificationEntry,
  type CurriculumRecord,
  type Tier,
  certification,
  expiredModules,
  reaches,
} from './tier.ts'
import { type Spent, type Velocity, nothingSpent, overLimits, velocityOf } from './velocity.ts'

/** What one kind of action requires: a tier, or a tier by amount. The bands of the account's currency apply to those that are not listed. */
export type KindRule =
  | {
      tier: Tier
      channels?: ChannelChoice | undefined
      consent: ConsentStrength
      approvals?: ApprovalRule | undefined
    }
  | { bands: Record<string, Band[]>; velocity?: Velocity | 'off' | undefined }

export interface Policy extends AccountMoney, PasskeyPolicy {
  version: number
  expires_after_hours: number
  open_max_per_member: number
  /** How long decisions through a changed e-mail or Slack identity count as agent_attested. 0: never. */
  mailbox_settles_after_hours: number
  /** A member whose own consent is required is asked when the action is proposed, not at its confirm. */
  ask_when_proposed: boolean
  /** By currency: an action above it is not approved together with others by one press. Absent or null: no amount is too high. */
  together_up_to_cents?: Record<string, number> | null | undefined
  kinds: Record<string, KindRule>
  /** Which tool calls of agent runners are allowed, denied, or need the member's consent. */
  runner: RunnerRules
  /** What mandates may be, by kind. A kind that is not named has none. */
  mandates: Record<string, MandateCeiling>
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
  passkey_settles_after_hours: 1,
  passkey_device_bound: false,
  ask_when_proposed: false,
  kinds: {
    broadcast: { tier: 'guarded_write', channels: defaultChannels, consent: attested },
    checkout: banded([100_000, 'guarded_write'], [5_000_000, 'write']),
    payout: banded([1_000_000, 'write']),
    preview: { tier: 'guarded_write', consent: attested },
    refund: banded([10_000, 'guarded_write'], [1_000_000, 'write']),
    subscription_cancellation: banded([50_000, 'guarded_write'], [undefined, 'write']),
  },
  runner: defaultRunnerRules,
  mandates: {},
}

/** Why an action is not approved together with others by one press; undefined: it may be. Pure. */
export function whyAlone(
  policy: Pick<Policy, 'together_up_to_cents' | 'currency' | 'currencies'>,
  { kind, weight }: { kind: string; weight: { amountCents: number; currency: string } | null },
): string | undefined {
  if (kindsOfMany.includes(kind)) return 'It stands for many decisions. Approve it on its own.'
  if (weight === null) return undefined
  const { amountCents, currency } = weight
  const limit = limitFor(policy.together_up_to_cents, currency, ownCurrency(policy))
  return limit === undefined || amountCents <= limit
    ? undefined
    : `${formatAmount(amountCents, currency)} is above the ${formatAmount(limit, currency)} up to which the policy lets one press approve several. Approve it on its own.`
}

/** Kinds that execute without a confirm: a policy cannot require stronger consent for them. */
export const unconfirmedKinds: readonly string[] = ['preview']

/** What a policy evaluates: the kind, and for kinds with money the amount in whole cents ≥ 0. */
export interface Weight {
  kind: string
  /** An administrator retired the kind, so that no policy has a rule for it. */
  isRetired?: boolean | undefined
  amountCents?: number | undefined
  currency?: string | undefined
}

export type Clearance =
  | {
      allowed: true
      rule: string
      needed: Tier
      consent: ConsentStrength
      /** Who else must approve. Absent: nobody. */
      approvals?: ApprovalRule | undefined
    }
  | {
      allowed: false
      code: DenialCode
      rule: string
      /** The tier that the rule requires; null if no tier is sufficient. */
      needed: Tier | null
      /** The amount was not read: a higher tier than `needed` may be required. */
      isLowest?: boolean
      /** What to do, where a change of the policy would not suffice. */
      advice?: string
      consent: ConsentStrength | null
    }

/** The rule of a kind; undefined where the policy has none. Of a name that every object has, such as constructor, too. Pure. */
export const ruleOfKind = ({ kinds }: Pick<Policy, 'kinds'>, kind: string): KindRule | undefined =>
  Object.hasOwn(kinds, kind) ? kinds[kind] : undefined

/**
 * Judges an action by the policy: decides whether a tier is sufficient for it, and whether the daily limits allow it. Bands apply to the amount plus
 * what was confirmed for the same subject, or the same customer, in the last 24 hours. Pure.
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
  const rule = ruleOfKind(policy, weight.kind)
  if (!rule && weight.isRetired) return retired(weight.kind)
  if (!rule) return never('kind_off', `The policy does not allow ${weight.kind} actions`)
  const own = ownCurrency(policy)
  const { kind, amountCents, currency = own } = weight
  if (amountCents !== undefined && isCurrency(currency) && !isAllowedCurrency(policy, currency))
    return never(
      'currency_unsupported',
      `The currency ${currency} is not allowed in this account (allowed: ${policy.currencies!.join(', ')})`,
    )
  if (!('bands' in rule))
    return judge(`${subjectOf(weight.kind)} requires \`${rule.tier}\``, rule, { tier, weight })
  if (amountCents === undefined)
    return never('amount_unknown', `The policy judges ${kind} by its amount, and none was given`)
  if (!isCurrency(currency)) {
    const supported = currencies.join(', ')
    return never(
      'currency_unsupported',
      `The currency ${currency} is not supported (supported: ${supported})`,
    )
  }
  const allSpent = { ...nothingSpent, ...spent }
  const before = spentText(kind, allSpent, currency)
  const alone = subjectOf(kind, formatAmount(amountCents, currency))
  const what = `${alone}${before === '' ? '' : `, ${before},`}`
  const bands = givenFor(rule.bands, currency, own)
  if (!bands) {
    const named = Object.keys(rule.bands).join(', ')
    return never(
      'currency_unsupported',
      `The policy has no amounts of ${kind} in ${currency} (it has: ${named})`,
    )
  }
  const bandOf = (cents: number) => bands.find((b) => b.up_to_cents === undefined || cents <= b.up_to_cents)
  const band = bandOf(amountCents + countedCents(allSpent))
  if (!band) {
    const above = `${what} is above the highest amount that the policy allows`
    const bandAlone = bandOf(amountCents)
    if (!bandAlone) return never('above_last_band', above)
    const judged = judge(`${alone} requires \`${bandAlone.tier}\``, bandAlone, { tier, weight })
    return judged.allowed ? { ...never('velocity', above), needed: bandAlone.tier } : judged
  }
  const limit = band.up_to_cents === undefined ? '' : ` (up to ${formatAmount(band.up_to_cents, currency)})`
  const judged = judge(`${what} requires \`${band.tier}\`${limit}`, band, { tier, weight })
  if (!judged.allowed) return judged
  const tooFast = overLimits(rule, { kind, amountCents, currency }, allSpent, own)
  if (tooFast === undefined) return judged
  return { allowed: false, code: 'velocity', rule: tooFast, needed: band.tier, consent: judged.consent }
}

const never = (code: DenialCode, rule: string): Refusal => ({
  allowed: false,
  code,
  rule,
  needed: null,
  consent: null,
})

/** @source docs/declare-a-kind.md#change-and-retire-a-kind */
const retired = (kind: string): Refusal => ({
  ...never('kind_off', `The kind ${kind} was retired`),
  advice: 'Ask an administrator to declare it again, then propose the action again.',
})

/**
 * The denial for a tier that is below every band of a kind; undefined if the tier reaches a band. Pure.
 * @source docs/rest.md#propose-an-action: a denial names the rule and how to qualify
 */
export function belowEveryBand(policy: Policy, kind: string, tier: Tier): Refusal | undefined {
  const rule = ruleOfKind(policy, kind)
  if (!rule) return undefined
  const bands = 'bands' in rule ? Object.values(rule.bands).flat() : [rule]
  if (bands.some((band) => reaches(tier, band.tier))) return undefined
  const lowest = bands.reduce((low, band) => (reaches(band.tier, low.tier) ? low : band))
  return {
    allowed: false,
    code: 'tier_insufficient',
    rule: `${anyOf(kind)} requires at least \`${lowest.tier}\``,
    needed: lowest.tier,
    ...(bands.some((band) => band.tier !== lowest.tier) ? { isLowest: true } : {}),
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
  const rule = ruleOfKind(policy, kind)
  return (rule && 'channels' in rule && rule.channels) || defaultChannels
}

/** A clearance that denies. */
export type Refusal = Extract<Clearance, { allowed: false }>

/**
 * The denial of an action: the rule, the member's tier, and how to qualify. Pure. Example: This broadcast requires
 * `guarded_write`; the member has `read_only`. To qualify, pass "Safe sending" (2 of 4 modules), or ask an administrator.
 * A certification does not change a tier that an administrator set, so no curriculum is named then.
 * @source docs/rest.md#read-a-denial
 */
export function denialBy(
  { code, needed, isLowest = false, rule, advice = changeThePolicy }: Refusal,
  tier: Tier,
  member: { adminTier: Tier | null; curricula: CurriculumRecord[] },
  now: Date,
): Denial {
  if (code === 'velocity' || code === 'key_limit')
    return denial(code, `${rule}. Wait, or ask an administrator.`)
  if (needed === null) return denial(code, `${rule}. ${advice}`)
  const paths = (member.adminTier === null ? member.curricula : [])
    .filter((curriculum) => reaches(curriculum.grants, needed))
    .map((curriculum) => ({ ...certification(curriculum, now), expired: expiredModules(curriculum, now) }))
    .toSorted((a, b) => a.modules_total - a.modules_passed - (b.modules_total - b.modules_passed))
    .slice(0, qualifyingCurriculaMax)
  const ways = [...paths.map(progressOf), 'ask an administrator']
  const curricula = paths.map(({ curriculum }) => curriculum)
  return {
    code,
    sentence: `${rule}; the member has \`${tier}\`. To qualify, ${ways.join(', or ')}.`,
    needs: isLowest ? null : { needed_tier: needed, ...(curricula.length > 0 ? { curricula } : {}) },
  }
}

const changeThePolicy = 'No tier is sufficient; ask an administrator to change the policy.'

// An account may have hundreds of curricula: a denial names those that the member is nearest to complete.
const qualifyingCurriculaMax = 3

/** The modules that are left to pass. Who had passed one before reads that it expired, not that it was never taken. */
function progressOf({ title, modules_passed: passed, modules_total: total, expired }: Path): string {
  if (expired === 0) return `pass "${title}" (${passed} of ${total} modules)`
  return `pass "${title}" again (${passed} of ${total} modules, ${expired} expired)`
}

type Path = CertificationEntry & { expired: number }

function judge(
  rule: string,
  required: { tier: Tier; consent: ConsentStrength; approvals?: ApprovalRule | undefined },
  { tier, weight }: { tier: Tier; weight: Weight },
): Clearance {
  const judged = { rule, needed: required.tier, consent: floorOf(required.consent, weight) }
  return reaches(tier, required.tier)
    ? { allowed: true, ...judged, ...(required.approvals ? { approvals: required.approvals } : {}) }
    : { allowed: false, code: 'tier_insufficient', ...judged }
}
