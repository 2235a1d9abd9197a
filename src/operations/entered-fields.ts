import { z } from 'zod'
import { addressProblem, asciiAddress, hasBrokenDomain } from '../text/mail-address.ts'
import { currencies, isCurrency } from '../gate/money.ts'
import { tiers } from '../gate/tier.ts'
import { isNetwork } from '../network/cidr.ts'
import { adminPowers } from '../keys/admin-powers.ts'
import { actingPowers, keyPowers } from '../keys/rights.ts'
import { limits } from '../limits.ts'
import { text } from './schemas.ts'
import { conversationIdForm } from '../workspaces/store.ts'
import { wholeNumber } from './whole-number.ts'

// Values that administrators enter as command-line options or console fields, always as text. Each message continues
// the name of the option or field.

// eslint-disable-next-line no-control-regex
const control = /[\u0000-\u001f\u007f-\u009f]/

/** A name or a title: one line that is safe in a terminal, an e-mail subject and a page. */
export const line = (charsMax: number) =>
  text(charsMax)
    .refine((value) => !control.test(value), 'must be one line without control characters')
    .refine((value) => value.trim() !== '', 'must not be empty')

/**
 * An address by the grammar of the WHATWG's `<input type=email>`, which has no room for CR, LF or a comment. An international domain
 * is taken in either form.
 */
export const email = z
  .string()
  .max(limits.emailCharsMax, `must have at most ${limits.emailCharsMax} characters`)
  .transform(asciiAddress)
  .pipe(
    z
      .email({ pattern: z.regexes.html5Email, error: ({ input }) => addressProblem(String(input)) })
      .refine((text) => !hasBrokenDomain(text), { error: ({ input }) => addressProblem(String(input)) })
      .max(limits.emailCharsMax, `must have at most ${limits.emailCharsMax} characters`),
  )
export const slackId = z.string().regex(/^[UW][0-9A-Z]{1,63}$/, 'must be a Slack user ID, such as U012AB3CD')
/** A person in the tenant of a bot in Microsoft Teams. */
export const teamsId = z
  .string()
  .regex(
    /^[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$/,
    'must be the object ID of a user in Microsoft Entra, such as 0b9a1b2c-3d4e-4f50-8a6b-7c8d9e0f1a2b',
  )
  .transform((text) => text.toLowerCase())
/** A member by e-mail or Slack user ID, where one option names several. */
export const memberName = z.union(
  [email.transform((text) => ({ email: text })), slackId.transform((text) => ({ slack: text }))],
  "must be a member's e-mail or Slack user ID",
)
export type MemberName = z.output<typeof memberName>
export const tier = z.enum(tiers, `must be one of ${tiers.join(', ')}`)
export const slug = z
  .string()
  .regex(/^[a-z0-9][a-z0-9_-]*$/, 'must consist of lower-case letters, digits, _ and -, such as safe-sending')
  .max(limits.slugCharsMax, `must have at most ${limits.slugCharsMax} characters`)

export const conversationId = z.string().regex(conversationIdForm, 'must be 1 to 64 letters, digits, _ and -')

/** An instant: ISO 8601 with its offset, or a day, which begins at midnight UTC. */
export const instant = z
  .union(
    [z.iso.datetime({ offset: true }), z.iso.date()],
    'must be an ISO 8601 time such as 2030-01-31T12:00:00Z',
  )
  .transform((given) => new Date(given))
  .refine(
    (at) => at.getTime() >= 0 && at.getTime() <= limits.instantMsMax,
    'must be between the years 1970 and 9999',
  )

/** A list separated by commas, spaces or line breaks; duplicates are dropped. */
export const several = <Schema extends z.ZodType<unknown, string>>(
  schema: Schema,
  max: number,
  what: string,
) =>
  z
    .string()
    .transform((text) => text.split(/[\s,;]+/).filter((part) => part !== ''))
    .pipe(z.array(schema).max(max, `must name at most ${max} ${what}`))
    .transform((given) => [...new Set(given)])

const powersForm = `must be one or more of ${actingPowers.join(', ')}, or powers of administration such as ${adminPowers[0]}`

/** The powers of a key, in a fixed order. */
export const powers = several(z.enum(keyPowers, powersForm), keyPowers.length, 'powers')
  .refine((given) => given.length > 0, powersForm)
  .transform((given) => keyPowers.filter((power) => given.includes(power)))

/** Kinds of action. Which there are depends on the account. */
export const kindNames = several(z.string(), limits.keyKindsMax, 'kinds')

export const network = z
  .string()
  .refine(isNetwork, 'must be a network in CIDR form, such as 10.0.0.0/8 or 2001:db8::/32')

export const adminCallsPerDay = wholeNumber(1, limits.adminCallsPerDayMax)
export const actionsPerDay = wholeNumber(1, limits.velocityActionsMax)

const centsForm = `must be whole cents by currency, such as usd=100000; currencies: ${currencies.join(', ')}`

/** `usd=100000,eur=90000`. A currency that is not listed has the limit of the account's currency, or else the lowest. */
export const centsPerDay = z
  .string()
  .transform((text) => text.split(',').map((part) => part.trim().split('=')))
  .refine(
    (pairs) =>
      pairs.every(
        ([currency = '', cents = '', ...rest]) =>
          rest.length === 0 &&
          isCurrency(currency) &&
          /^[1-9]\d{0,10}$/.test(cents) &&
          Number(cents) <= limits.amountCentsMax,
      ) && new Set(pairs.map(([currency]) => currency)).size === pairs.length,
    centsForm,
  )
  .transform((pairs): Record<string, number> =>
    Object.fromEntries(pairs.map(([currency, cents]) => [currency, Number(cents)])),
  )
