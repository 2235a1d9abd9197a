import { z } from 'zod'
import type { AccountKinds } from '../../actions/account-kinds.ts'
import { GateError } from '../../errors.ts'
import { meetsFloor } from '../../gate/consent.ts'
import { lower } from '../../gate/mandates/outside.ts'
import { whyNoTemplate } from '../../gate/mandates/template.ts'
import {
  type Allowance,
  type CentsByCurrency,
  type MandateCeiling,
  type MandateTerms,
  neverByMandate,
} from '../../gate/mandates/terms.ts'
import { currencies, formatAmount } from '../../gate/money.ts'
import { runnerKind } from '../../gate/runner-calls/tool-call.ts'
import { limits } from '../../limits.ts'
import { ceilingFor } from '../consent/by-mandate.ts'
import { callsOfRule } from '../policy/rules-document.ts'
import { text } from '../schemas.ts'

const cents = z
  .partialRecord(z.enum(currencies), z.int('must be whole cents').min(1).max(limits.amountCentsMax))
  .refine((given) => Object.keys(given).length > 0, 'must have at least one currency')
  .optional() as unknown as z.ZodOptional<z.ZodType<CentsByCurrency>>

const value = text(limits.mandateValueCharsMax)
const limit = z.union(
  [
    z.strictObject({ in: z.array(value).min(1).max(limits.mandateValuesMax) }),
    z.strictObject({ template: text(limits.mandateTemplateCharsMax) }),
    z.strictObject({ any: z.literal('id') }),
  ],
  'must be {"in": […]}, {"template": "…"} or {"any": "id"}',
)

/** The terms of a mandate as its member enters them. */
export const MandateDraft = z.strictObject({
  /** An API key of the account, or a connected app. */
  agent: z.string().min(1).max(64),
  allows: z
    .array(
      z.strictObject({
        kind: z.string().min(1).max(64),
        cents_each: cents,
        arguments: z
          .record(z.string().min(1).max(limits.mandateNameCharsMax), limit)
          .refine(
            (named) => Object.keys(named).length <= limits.mandateArgumentsMax,
            'names too many arguments',
          )
          .optional(),
        calls: callsOfRule.optional(),
      }),
    )
    .min(1)
    .max(limits.mandateKindsMax)
    .refine((all) => new Set(all.map(({ kind }) => kind)).size === all.length, 'must not name a kind twice'),
  uses: z.int('must be a whole number').min(1, 'must be at least 1').max(limits.mandateUsesMax),
  uses_per_day: z.int('must be a whole number').min(1, 'must be at least 1').max(limits.mandateUsesMax),
  cents,
  cents_per_day: cents,
  until: z.iso.datetime('must be a time in UTC'),
})
export type MandateDraft = z.output<typeof MandateDraft>

/**
 * The terms that a draft comes to, if the policy allows them.
 * @param agentName  as the account knows the agent
 * @throws GateError `invalid` with the field that is above the policy, or no limit
 */
export function termsOf(
  { allows, ...draft }: MandateDraft,
  {
    agentName,
    ceilings,
    kinds,
    now,
  }: { agentName: string; ceilings: Record<string, MandateCeiling>; kinds: AccountKinds; now: Date },
): MandateTerms {
  const ruled = allows.map((allowed, at) => checkKind(allowed, `allows.${at}`, { ceilings, kinds }))
  for (const ceiling of ruled) checkBudget(draft, ceiling)
  const hasMoney = allows.some(({ cents_each: each }) => each !== undefined)
  if (hasMoney !== (draft.cents !== undefined) || hasMoney !== (draft.cents_per_day !== undefined))
    throw invalid(
      'cents',
      hasMoney ? 'must limit the amounts in all and a day' : 'is only for kinds with amounts',
    )
  const until = new Date(draft.until)
  const days = Math.min(...ruled.map((ceiling) => ceiling.days))
  if (until <= now || until.getTime() > now.getTime() + days * dayMs)
    throw invalid('until', `must be within the next ${days} days`)
  return {
    ...(draft as Omit<MandateDraft, 'allows'>),
    agent_name: agentName,
    allows: allows as Allowance[],
    until: until.toISOString(),
    required_consent: ruled
      .map(({ consent }) => consent)
      .reduce((most, one) => (meetsFloor(most, one) ? most : one)),
  }
}

const dayMs = 86_400_000

function checkKind(
  allowed: MandateDraft['allows'][number],
  place: string,
  { ceilings, kinds }: { ceilings: Record<string, MandateCeiling>; kinds: AccountKinds },
): MandateCeiling {
  const { kind: name, cents_each: each, arguments: named = {}, calls } = allowed
  const kind = kinds.get(name)
  const ceiling = ceilingFor(ceilings, name)
  if (!kind || kind.isRetired || !ceiling || neverByMandate.includes(name))
    throw invalidAt(place, 'kind', `The policy allows no mandates for ${name}.`)
  if ((name === runnerKind) !== (calls !== undefined))
    throw invalidAt(place, 'calls', name === runnerKind ? 'must name a tool' : `is only for ${runnerKind}`)
  if (each === undefined && ceiling.cents_each !== undefined && name !== 'upstream_tool')
    throw invalidAt(place, 'cents_each', `must limit the amount of each ${name}`)
  checkCents('cents_each', each, ceiling.cents_each, place)
  for (const [argument, limited] of Object.entries(named)) {
    const problem = 'template' in limited ? whyNoTemplate(limited.template) : undefined
    if (problem !== undefined) throw invalidAt(place, 'arguments', `The template of ${argument} ${problem}.`)
  }
  return ceiling
}

function checkBudget(draft: Omit<MandateDraft, 'allows'>, ceiling: MandateCeiling): void {
  for (const name of ['uses', 'uses_per_day'] as const)
    if (draft[name] > ceiling[name])
      throw invalid(name, `must be at most ${ceiling[name]}, as the policy says`)
  // Of a kind without amounts, the amounts are of the other kinds.
  if (ceiling.cents_each === undefined) return
  checkCents('cents', draft.cents, ceiling.cents)
  checkCents('cents_per_day', draft.cents_per_day, ceiling.cents_per_day)
}

function checkCents(
  name: string,
  given: CentsByCurrency | undefined,
  most: CentsByCurrency | undefined,
  place?: string,
): void {
  if (!given || !most) {
    if (given && !most) throw invalidAt(place, name, 'is not allowed by the policy')
    return
  }
  const within = lower(given, most)
  for (const [currency, value] of Object.entries(given)) {
    if (within[currency] === undefined)
      throw invalidAt(
        place,
        name,
        `is not allowed in ${currency.toUpperCase()}: the policy names ${Object.keys(most).join(', ')}`,
      )
    if (within[currency] < value)
      throw invalidAt(
        place,
        name,
        `must be at most ${formatAmount(within[currency], currency)}, as the policy says`,
      )
  }
}

/** @param place  of a kind among those of the draft; undefined: it is about all of them */
const invalidAt = (place: string | undefined, name: string, problem: string): GateError =>
  new GateError('invalid', /^[A-Z]/.test(problem) ? problem : `${name} ${problem}.`, {
    param: place === undefined ? name : `${place}.${name}`,
  })

const invalid = (param: string, problem: string): GateError => invalidAt(undefined, param, problem)
