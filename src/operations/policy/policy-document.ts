import { z } from 'zod'
import type { AccountKinds } from '../../actions/account-kinds.ts'
import type { ActionKind } from '../../actions/kind.ts'
import {
  type ConsentStrength,
  consentStrengths,
  moneyStrengths,
  requestedStrengths,
} from '../../gate/consent.ts'
import { upstreamKind } from '../../gate/declared/upstream-call.ts'
import { ruleChangeKind } from '../../gate/approvals/rule-change.ts'
import { mandateKind, signingStrengths } from '../../gate/mandates/terms.ts'
import { type AccountMoney, currencies, isAllowedCurrency } from '../../gate/money.ts'
import { type KindRule, type Policy, unconfirmedKinds } from '../../gate/policy.ts'
import { runnerMandateKind, runnerKind } from '../../gate/runner-calls/tool-call.ts'
import { channelChoices } from '../../gate/reach.ts'
import { tiers } from '../../gate/tier.ts'
import type { DayLimits, Velocity } from '../../gate/velocity.ts'
import { limits } from '../../limits.ts'
import { safeParseInput } from '../parse.ts'
import { approvalRule } from './approvals-document.ts'
import { mandateCeilings } from './mandates-document.ts'
import { runnerRules } from './rules-document.ts'

const tier = z.enum(tiers, `must be one of ${tiers.join(', ')}`)
const strength = z.enum(consentStrengths, `must be one of ${consentStrengths.join(', ')}`)
const consent = strength.default('agent_attested')
const moneyStrength = z.enum(
  moneyStrengths,
  `must be one of ${moneyStrengths.join(', ')}: a client never answers for its user about money`,
)
const cents = z.int('must be whole cents').min(0).max(limits.amountCentsMax)

const approvals = approvalRule.optional()

const band = z.strictObject({
  up_to_cents: cents.optional(),
  tier,
  consent: moneyStrength.default('agent_attested'),
  approvals,
})
const bands = z
  .array(band)
  .min(1, 'must have at least one band')
  .max(limits.bandsMax, `must have at most ${limits.bandsMax} bands`)
  .refine(
    (list) => list.slice(0, -1).every(({ up_to_cents }) => up_to_cents !== undefined),
    'must have up_to_cents in every band except the last',
  )
  .refine(
    (list) =>
      list.every((b, i) => i === 0 || (b.up_to_cents ?? Infinity) > (list[i - 1]!.up_to_cents ?? Infinity)),
    'must be in ascending order of up_to_cents',
  )

const unconfirmed = z.strictObject({
  tier,
  consent: z
    .literal('agent_attested', 'must be agent_attested: actions of this kind are not confirmed')
    .default('agent_attested'),
})
const toMembers = z.strictObject({
  tier,
  channels: z.enum(channelChoices, `must be one of ${channelChoices.join(', ')}`).optional(),
  consent,
  approvals,
})
/** By currency, for at least one: see `givenFor` and `limitFor` for those that are not listed. */
const byCurrency = <Value extends z.ZodType>(value: Value) =>
  z
    .strictObject(Object.fromEntries(currencies.map((currency) => [currency, value.optional()])))
    .refine((given) => Object.values(given).some((one) => one !== undefined), {
      message: `must have at least one currency: ${currencies.join(', ')}`,
    })
const bandsByCurrency = byCurrency(bands)
const dayLimits = {
  actions_per_day: z
    .int('must be a whole number')
    .min(1, 'must be at least 1')
    .max(limits.velocityActionsMax, `must be at most ${limits.velocityActionsMax}`)
    .nullable()
    .optional(),
  cents_per_day: byCurrency(cents).nullable().optional(),
}
const dayLimitsOfMany = z
  .strictObject(dayLimits)
  .refine((day) => day.actions_per_day ?? day.cents_per_day, 'must limit actions_per_day or cents_per_day')
  .optional()
const limitsOfVelocity = z
  .strictObject({ ...dayLimits, account: dayLimitsOfMany, key: dayLimitsOfMany })
  .refine(
    (given) => Object.values(given).some((value) => value !== undefined),
    'must limit actions_per_day or cents_per_day for a member, the account or a key; "off" sets no limit',
  )
// Not a union: the error of a union would not name the wrong field.
const velocity = z.unknown().transform((given, context) => {
  if (given === 'off') return 'off' as const
  const parsed = safeParseInput(limitsOfVelocity, given)
  if (parsed.success) return normalizeVelocity(parsed.data as Velocity)
  context.issues.push(...(parsed.error.issues as never[]))
  return z.NEVER
})

/** Stores equal limits in equal form: null beside a limit is dropped, and no limit at all is `off`. */
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

/** A rule of actions with an amount, or of calls that may have one: those without can require any strength. */
export const byAmount = ({ mayLackAmount = false } = {}) =>
  // One object, not a union: the error of a union would not name the wrong field.
  z
    .strictObject({
      tier: tier.optional(),
      consent: ((mayLackAmount ? strength : moneyStrength) as z.ZodType<ConsentStrength>).optional(),
      bands: bandsByCurrency.optional(),
      velocity: velocity.optional(),
      approvals,
    })
    .refine(
      (rule) => (rule.tier === undefined) !== (rule.bands === undefined),
      'must have either bands or tier',
    )
    .refine((rule) => !(rule.bands && rule.consent), 'has bands: set consent in each band instead')
    .refine((rule) => !(rule.bands && rule.approvals), 'has bands: set approvals in each band instead')
    .refine((rule) => rule.bands || !rule.velocity, 'has a tier: velocity is only allowed with bands')
    .transform(({ tier, bands, velocity, consent = 'agent_attested', approvals: others }) =>
      bands
        ? { bands, ...(velocity ? { velocity } : {}) }
        : { tier, consent, ...(others ? { approvals: others } : {}) },
    )

// The agent's own word never approves its tool calls.
const inPerson = z.strictObject({
  tier,
  consent: z.enum(requestedStrengths, `must be one of ${requestedStrengths.join(', ')}`).default('chat'),
})

// A mandate stands for many decisions.
const signed = z.strictObject({
  tier,
  consent: z.enum(signingStrengths, `must be one of ${signingStrengths.join(', ')}`).default('page'),
})

const currencyName = z.enum(currencies, `must be one of ${currencies.join(', ')}`)

/**
 * The schema of the policy document, for kinds with these default rules. Unknown fields and kinds are refused.
 * @source docs/cli.md#set-the-policy
 */
export function policyDocument(defaults: Record<string, KindRule>, known: AccountKinds = new Map()) {
  const kinds = Object.entries(defaults).map(([kind, rule]) => [
    kind,
    (known.get(kind)?.declared
      ? ruleOf(known.get(kind)!.weigh !== undefined)
      : ruleLike(kind, rule)
    ).optional(),
  ])
  const document = z.strictObject({
    version: z.int('must be a whole number').positive().optional(),
    currency: currencyName.optional(),
    currencies: z
      .array(currencyName)
      .min(1, 'must have at least one currency')
      .refine((given) => new Set(given).size === given.length, 'must not name a currency twice')
      .optional(),
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
      // A form could not show smaller numbers.
      .refine((hours) => hours === 0 || hours >= 0.0001, 'must be 0 or at least 0.0001')
      .optional(),
    passkey_settles_after_hours: z
      .number()
      .min(0, 'must be at least 0')
      .max(limits.settlesAfterHoursMax, `must be at most ${limits.settlesAfterHoursMax}`)
      .refine((hours) => hours === 0 || hours >= 0.0001, 'must be 0 or at least 0.0001')
      .optional(),
    passkey_device_bound: z.boolean('must be true or false').optional(),
    ask_when_proposed: z.boolean('must be true or false').optional(),
    together_up_to_cents: byCurrency(cents).nullable().optional(),
    kinds: z.strictObject(Object.fromEntries(kinds)).optional(),
    runner: runnerRules.optional(),
    mandates: mandateCeilings(known.values()).optional(),
  })
  return document.refine(
    ({ currency, ...money }) => currency === undefined || isAllowedCurrency(money as AccountMoney, currency),
    { message: 'must be one of those in currencies', path: ['currency'] },
  )
}

/** A parsed policy document with all defaults. */
export type PolicyDocument = Partial<Omit<Policy, 'kinds'>> & { kinds?: Record<string, KindRule> }

/** A rule of a declared kind. */
export const ruleOf = (hasAmount: boolean): z.ZodType =>
  hasAmount ? byAmount() : z.strictObject({ tier, consent, approvals })

// Only kinds with an amount can have bands; only kinds that reach members have channels.
function ruleLike(kind: string, rule: KindRule) {
  if (unconfirmedKinds.includes(kind)) return unconfirmed
  if (kind === runnerKind || kind === runnerMandateKind) return inPerson
  if (kind === mandateKind || kind === ruleChangeKind) return signed
  if ('bands' in rule) return byAmount()
  const plain = { tier, consent: strength.default(rule.consent) }
  // A connection is decided on its own page.
  if (kind === 'integration') return z.strictObject(plain)
  return rule.channels ? toMembers : z.strictObject({ ...plain, approvals })
}

/** The consent strengths that a kind can require. Pure. */
export function floorsFor({ kind, weigh }: Pick<ActionKind, 'kind' | 'weigh'>): readonly ConsentStrength[] {
  if (unconfirmedKinds.includes(kind)) return ['agent_attested']
  if (kind === mandateKind || kind === ruleChangeKind) return signingStrengths
  if (kind === runnerKind || kind === runnerMandateKind) return requestedStrengths
  // Whether a call of a tool has an amount, the rule of the tool says.
  return weigh && kind !== upstreamKind ? moneyStrengths : consentStrengths
}
