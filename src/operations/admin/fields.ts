import { z } from 'zod'
import { currencies, isCurrency } from '../../gate/money.ts'
import { tiers } from '../../gate/tier.ts'
import { isNetwork } from '../../keys/network.ts'
import { keyPowers } from '../../keys/rights.ts'
import { limits } from '../../limits.ts'
import { text } from '../schemas.ts'
import { conversationIdForm } from '../../workspaces/store.ts'

// What administrators may enter, as options of the command line or fields of the console, always as text. Each message goes
// on from the name of the option or field.

// eslint-disable-next-line no-control-regex
const control = /[\u0000-\u001f\u007f-\u009f]/

/** A name or a title: one line that a terminal, an e-mail's subject and a page can show. */
export const line = (charsMax: number) =>
  text(charsMax)
    .refine((value) => !control.test(value), 'must be one line without control characters')
    .refine((value) => value.trim() !== '', 'must not be empty')

export const accountId = z.string().regex(/^acct_[0-9A-Za-z]{16}$/, 'must be acct_ and 16 letters or digits')
export const memberId = z.string().regex(/^mem_[0-9A-Za-z]{16}$/, 'must be mem_ and 16 letters or digits')
export const keyId = z.string().regex(/^key_[0-9A-Za-z]{16}$/, 'must be key_ and 16 letters or digits')

/** An address by the grammar of the WHATWG's `<input type=email>`, which has no room for CR, LF or a comment. */
export const email = z
  .email({ pattern: z.regexes.html5Email, error: 'must be an e-mail address' })
  .max(limits.emailCharsMax, `must have at most ${limits.emailCharsMax} characters`)
export const slackId = z
  .string()
  .regex(/^[UW][0-9A-Z]{1,63}$/, "must be a Slack user's id, such as U012AB3CD")
/** A member by e-mail or Slack id, where several are named by one option. */
export const memberName = z.union(
  [email.transform((text) => ({ email: text })), slackId.transform((text) => ({ slack: text }))],
  "must be a member's e-mail or Slack id",
)
export type MemberName = z.output<typeof memberName>
export const tier = z.enum(tiers, `must be one of ${tiers.join(', ')}`)
export const slug = z
  .string()
  .regex(/^[a-z0-9][a-z0-9_-]*$/, 'must be small letters, digits, _ and -, such as safe-sending')
  .max(limits.slugCharsMax, `must have at most ${limits.slugCharsMax} characters`)

export const conversationId = z.string().regex(conversationIdForm, 'must be 1 to 64 letters, digits, _ and -')

export function whole(min: number, max: number) {
  const sentence = `must be a whole number from ${min} to ${max}`
  return z
    .string()
    .regex(/^\d{1,16}$/, sentence)
    .transform(Number)
    .refine((value) => value >= min && value <= max, sentence)
}

/** An instant: ISO 8601 with its offset, or a day, which begins at midnight UTC. */
export const instant = z
  .union(
    [z.iso.datetime({ offset: true }), z.iso.date()],
    'must be an ISO 8601 time such as 2030-01-31T12:00:00Z',
  )
  .transform((given) => new Date(given))

/** Several of them, divided by commas, spaces or lines; each is kept once. */
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

/** What a key may do, in the order of power. */
export const powers = several(
  z.enum(keyPowers, `must be some of ${keyPowers.join(', ')}`),
  keyPowers.length,
  'powers',
)
  .refine((given) => given.length > 0, `must be some of ${keyPowers.join(', ')}`)
  .transform((given) => keyPowers.filter((power) => given.includes(power)))

/** Kinds of action, of those that are known. */
export const kindsAmong = (known: string[]) =>
  several(
    z.string().refine((kind) => known.includes(kind), `must be some of ${known.join(', ')}`),
    limits.keyKindsMax,
    'kinds',
  ).refine((given) => given.length > 0, `must be some of ${known.join(', ')}`)

export const network = z
  .string()
  .refine(isNetwork, 'must be a network in CIDR form, such as 10.0.0.0/8 or 2001:db8::/32')

export const actionsPerDay = whole(1, limits.velocityActionsMax)

const centsForm = `must be whole cents by currency, such as usd=100000, with one for usd, of ${currencies.join(', ')}`

/** `usd=100000,eur=90000`. What holds for usd holds for currencies that are not given, so it cannot be left out. */
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
      ) &&
      new Set(pairs.map(([currency]) => currency)).size === pairs.length &&
      pairs.some(([currency]) => currency === 'usd'),
    centsForm,
  )
  .transform((pairs): Record<string, number> =>
    Object.fromEntries(pairs.map(([currency, cents]) => [currency, Number(cents)])),
  )
