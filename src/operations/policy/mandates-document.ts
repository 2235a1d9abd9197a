import { z } from 'zod'
import type { ActionKind } from '../../actions/kind.ts'
import { moneyStrengths } from '../../gate/consent.ts'
import { upstreamKind } from '../../gate/declared/upstream-call.ts'
import { mandateDaysMax, signingStrengths } from '../../gate/mandates/terms.ts'
import { currencies } from '../../gate/money.ts'
import { runnerKind } from '../../gate/runner-calls/tool-call.ts'
import { limits } from '../../limits.ts'

const cents = z
  .strictObject(
    Object.fromEntries(
      currencies.map((currency) => [
        currency,
        z.int('must be whole cents').min(1, 'must be at least 1').max(limits.amountCentsMax).optional(),
      ]),
    ),
  )
  .refine((given) => Object.values(given).some((one) => one !== undefined), {
    message: `must have at least one currency: ${currencies.join(', ')}`,
  })

const count = z
  .int('must be a whole number')
  .min(1, 'must be at least 1')
  .max(limits.mandateUsesMax, `must be at most ${limits.mandateUsesMax}`)

const centsFields = ['cents_each', 'cents', 'cents_per_day'] as const

/** Whether the actions of a kind have amounts: the calls of tools have one where the rule of the tool says so. */
type HasAmount = 'always' | 'maybe' | 'never'

/** What an administrator allows mandates for a kind to be. @source docs/mandates.md#allow-mandates */
const ceilingOf = (hasAmount: HasAmount) =>
  z
    .strictObject({
      consent: z.enum(signingStrengths, `must be one of ${signingStrengths.join(', ')}`).default('page'),
      counts_as: z.enum(moneyStrengths, `must be one of ${moneyStrengths.join(', ')}`).optional(),
      uses: count.default(limits.mandateUsesDefault),
      uses_per_day: count.default(limits.mandateUsesPerDayDefault),
      days: z
        .int('must be a whole number')
        .min(1, 'must be at least 1')
        .max(mandateDaysMax, `must be at most ${mandateDaysMax}`)
        .default(mandateDaysMax),
      cents_each: cents.optional(),
      cents: cents.optional(),
      cents_per_day: cents.optional(),
    })
    .superRefine((given, context) => {
      for (const name of centsFields) {
        const isGiven = given[name] !== undefined
        if (hasAmount === 'maybe' || isGiven === (hasAmount === 'always')) continue
        const message = isGiven
          ? 'is only for kinds with amounts'
          : 'is required: actions of this kind have amounts'
        context.addIssue({ code: 'custom', path: [name], message, input: given })
      }
    })

type Limited = Pick<ActionKind, 'kind' | 'weigh' | 'argumentsOf' | 'isRetired'>

const limitedOf = (kinds: Iterable<Limited>): Limited[] =>
  [...kinds].filter(({ kind, argumentsOf, isRetired }) => (argumentsOf || kind === runnerKind) && !isRetired)

/** The kinds that can have mandates. Pure. */
export const mandateKinds = (kinds: Iterable<Limited>): string[] => limitedOf(kinds).map(({ kind }) => kind)

/** The part of a policy about mandates, for the kinds that can have any. null: the kind has none from now on. */
export function mandateCeilings(kinds: Iterable<Limited>) {
  return z.strictObject(
    Object.fromEntries(
      limitedOf(kinds).map((kind) => [kind.kind, ceilingOf(hasAmountOf(kind)).nullable().optional()]),
    ),
  )
}

const hasAmountOf = ({ kind, weigh }: Pick<ActionKind, 'kind' | 'weigh'>): HasAmount =>
  !weigh ? 'never' : kind === upstreamKind ? 'maybe' : 'always'
