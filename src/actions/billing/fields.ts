import { z } from 'zod'
import { currencies, isCurrency } from '../../gate/money.ts'
import { limits } from '../../limits.ts'
import { outcomes } from '../kind.ts'

const providerIdCharsMax = 255

// C0 and C1 control characters and DEL.
// eslint-disable-next-line no-control-regex
const controls = /[\u0000-\u001f\u007f-\u009f]/

/** An amount in whole cents. */
export const amountCents = z
  .int('must be a whole number of cents')
  .min(1, 'must be at least 1 cent')
  .max(limits.amountCentsMax, `must be at most ${limits.amountCentsMax} cents`)

/** A two-decimal currency, in any case; lower-case when stored. */
export const currency = z
  .string()
  .transform((code) => code.toLowerCase())
  .refine(isCurrency, `must be a currency whose amounts are in cents: ${currencies.join(', ')}`)
  .meta({ description: "ISO 4217, two decimals. Default: the account's." })

/** One line of text for people. */
export const line = (charsMax: number) =>
  z
    .string()
    .max(charsMax, `must have at most ${charsMax} characters`)
    .refine((text) => text.trim().length > 0, 'must not be empty')
    .refine((text) => text.isWellFormed() && !controls.test(text), 'must be one line of valid Unicode')

/** An identifier of the payment provider, with its allowed prefixes. */
export const providerId = (what: string, ...prefixes: string[]) =>
  z
    .string()
    .max(providerIdCharsMax, `must have at most ${providerIdCharsMax} characters`)
    .regex(
      new RegExp(`^(${prefixes.join('|')})_[A-Za-z0-9_]+$`),
      `must be the id of a ${what}: ${prefixes.map((prefix) => `${prefix}_…`).join(' or ')}`,
    )

/** The result of an action that is one call to the payment provider. */
export const billingResult = z.object({
  outcome: z.enum(outcomes),
  provider: z.string(),
  code: z
    .string()
    .optional()
    .meta({ description: "The provider's code of a refusal or an unknown outcome." }),
  provider_message: z.string().optional().meta({
    description: 'Why the provider refused, in its words: at most one line. Not written by the gate.',
  }),
  provider_id: z.string().optional().meta({ description: 'The id of what was made at the provider.' }),
  status: z.string().optional().meta({ description: 'The status at the provider.' }),
  amount_cents: z.int().optional(),
  currency: z.string().optional(),
  sandbox: z.boolean().optional().meta({ description: 'true: no money moved.' }),
})
