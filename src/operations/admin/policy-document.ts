import { z } from 'zod'
import { consentStrengths } from '../../gate/consent.ts'
import { currencies } from '../../gate/money.ts'
import { type KindRule, type Policy, unconfirmedKinds } from '../../gate/policy.ts'
import { channelChoices } from '../../gate/reach.ts'
import { tiers } from '../../gate/tier.ts'
import type { DayLimits, Velocity } from '../../gate/velocity.ts'
import { limits } from '../../limits.ts'

const tier = z.enum(tiers, `must be one of ${tiers.join(', ')}`)
const strength = z.enum(consentStrengths, `must be one of ${consentStrengths.join(', ')}`)
const consent = strength.default('agent_attested')
const cents = z.int('must be whole cents').min(0).max(limits.amountCentsMax)

const band = z.strictObject({ up_to_cents: cents.optional(), tier, consent })
const bands = z
  .array(band)
  .min(1, 'must have at least one band')
  .max(limits.bandsMax, `must have at most ${limits.bandsMax} bands`)
  .refine(
    (list) => list.slice(0, -1).every(({ up_to_cents }) => up_to_cents !== undefined),
    'may lack up_to_cents only in the last band',
  )
  .refine(
    (list) =>
      list.every((b, i) => i === 0 || (b.up_to_cents ?? Infinity) > (list[i - 1]!.up_to_cents ?? Infinity)),
    'must ascend by up_to_cents',
  )

const unconfirmed = z.strictObject({
  tier,
  consent: z
    .literal('agent_attested', 'must be agent_attested: nothing of this kind is confirmed')
    .default('agent_attested'),
})
const toMembers = z.strictObject({
  tier,
  channels: z.enum(channelChoices, `must be one of ${channelChoices.join(', ')}`).optional(),
  consent,
})
// `usd` holds for every currency that is not given apart, so it cannot be left out.
const bandsByCurrency = z.strictObject({
  ...Object.fromEntries(currencies.map((currency) => [currency, bands.optional()])),
  usd: bands,
})
const dayLimits = {
  actions_per_day: z
    .int('must be a whole number')
    .min(1, 'must be at least 1')
    .max(limits.velocityActionsMax, `must be at most ${limits.velocityActionsMax}`)
    .nullable()
    .optional(),
  cents_per_day: z
    .strictObject({
      ...Object.fromEntries(currencies.map((currency) => [currency, cents.optional()])),
      usd: cents,
    })
    .nullable()
    .optional(),
}
const dayLimitsOfMany = z
  .strictObject(dayLimits)
  .refine((day) => day.actions_per_day ?? day.cents_per_day, 'must limit actions_per_day or cents_per_day')
  .optional()
const limitsOfVelocity = z
  .strictObject({ ...dayLimits, account: dayLimitsOfMany, key: dayLimitsOfMany })
  .refine(
    (given) => Object.values(given).some((value) => value !== undefined),
    'must limit actions_per_day or cents_per_day, of a member, the account or a key; "off" limits nothing',
  )
// No union: a union's complaint would not name what is wrong within.
const velocity = z.unknown().transform((given, context) => {
  if (given === 'off') return 'off' as const
  const parsed = limitsOfVelocity.safeParse(given)
  if (parsed.success) return normalizeVelocity(parsed.data as Velocity)
  context.issues.push(...(parsed.error.issues.map((issue) => ({ ...issue, input: given })) as never[]))
  return z.NEVER
})

/** What says the same is stored the same: null beside a limit that is set adds nothing, and no limit at all is `off`. */
function normalizeVelocity({ account, key, ...ofMember }: Velocity): Velocity | 'off' {
  const others = { ...(account ? { account: named(account) } : {}), ...(key ? { key: named(key) } : {}) }
  const isOff = ofMember.actions_per_day === null || ofMember.cents_per_day === null
  const member = named(ofMember)
  if (Object.keys(member).length > 0 || !isOff) return { ...member, ...others }
  return Object.keys(others).length === 0 ? 'off' : { actions_per_day: null, ...others }
}

const named = ({ actions_per_day: actions, cents_per_day: cents }: DayLimits): DayLimits => ({
  ...(actions ? { actions_per_day: actions } : {}),
  ...(cents ? { cents_per_day: cents } : {}),
})

// One object and no union: a union's complaint would not name what is wrong within.
const byAmount = z
  .strictObject({
    tier: tier.optional(),
    consent: strength.optional(),
    bands: bandsByCurrency.optional(),
    velocity: velocity.optional(),
  })
  .refine(
    (rule) => (rule.tier === undefined) !== (rule.bands === undefined),
    'must have either bands or tier',
  )
  .refine((rule) => !(rule.bands && rule.consent), 'has bands: consent belongs into each of them')
  .refine((rule) => rule.bands || !rule.velocity, 'has a tier: velocity goes with bands')
  .transform(({ tier, bands, velocity, consent = 'agent_attested' }) =>
    bands ? { bands, ...(velocity ? { velocity } : {}) } : { tier, consent },
  )

/**
 * The document of `gate policy set`, for kinds whose default rules are known. Unknown fields and kinds are refused.
 * @source docs/cli.md#set-the-policy
 */
export function policyDocument(defaults: Record<string, KindRule>) {
  const kinds = Object.entries(defaults).map(([kind, rule]) => [kind, ruleLike(kind, rule).optional()])
  return z.strictObject({
    version: z.int('must be a whole number').positive().optional(),
    expires_after_hours: z
      .number()
      .gt(0, 'must be above 0')
      .max(limits.expiresAfterHoursMax, `must be at most ${limits.expiresAfterHoursMax}`)
      .optional(),
    open_max_per_member: z
      .int('must be a whole number')
      .min(1, 'must be at least 1')
      .max(limits.openPerMemberMax, `must be at most ${limits.openPerMemberMax}`)
      .optional(),
    mailbox_settles_after_hours: z
      .number()
      .min(0, 'must be at least 0')
      .max(limits.settlesAfterHoursMax, `must be at most ${limits.settlesAfterHoursMax}`)
      // So that a form can show it.
      .refine((hours) => hours === 0 || hours >= 0.0001, 'must be 0 or at least 0.0001')
      .optional(),
    kinds: z.strictObject(Object.fromEntries(kinds)).optional(),
  })
}

/** What a policy document says, all defaults filled in. */
export type PolicyDocument = Partial<Omit<Policy, 'kinds'>> & { kinds?: Record<string, KindRule> }

// What has no amount cannot be weighed by one; what reaches members has channels.
function ruleLike(kind: string, rule: KindRule) {
  if (unconfirmedKinds.includes(kind)) return unconfirmed
  if ('bands' in rule) return byAmount
  return rule.channels ? toMembers : z.strictObject({ tier, consent: strength.default(rule.consent) })
}
