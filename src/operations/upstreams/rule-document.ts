import { z } from 'zod'
import { moneyStrengths } from '../../gate/consent.ts'
import { currencies } from '../../gate/money.ts'
import type { KindRule } from '../../gate/policy.ts'
import { type ToolRule, defaultToolRule, toolRules } from '../../gate/declared/tool-rule.ts'
import { byAmount } from '../policy/policy-document.ts'

/** The longest JSON Pointer into the arguments of a tool. */
const upstreamPointerCharsMax = 300

const editableArgumentsMax = 20

/** The longest rule, as JSON: its ledger entry has the whole of it. */
const ruleCharsMax = 15_000

const pointer = z
  .string('must be a text')
  .max(upstreamPointerCharsMax, `must have at most ${upstreamPointerCharsMax} characters`)
  .regex(/^(\/[A-Za-z0-9_-]+)+$/, 'must be a JSON Pointer into the arguments, such as /amount')

const amount = z.strictObject({
  cents: pointer,
  currency: z.union(
    [pointer, z.strictObject({ always: z.enum(currencies, `must be one of ${currencies.join(', ')}`) })],
    'must be a JSON Pointer, or {"always": "usd"}',
  ),
})

/** Nobody has reviewed what a foreign tool does with its arguments: the agent's own word is no default for it. */
const requires = z.preprocess(withConsent, byAmount({ mayLackAmount: true }).optional())

/** The schema of a rule about one tool. @source docs/put-an-mcp-server-behind-the-gate.md#the-rule-of-a-tool */
export const ruleDocument = z
  .strictObject({
    rule: z.enum(toolRules, `must be one of ${toolRules.join(', ')}`),
    requires: requires.optional(),
    amount: amount.optional(),
    subject: pointer.optional(),
    editable: z
      .array(pointer.regex(/^\/[^/]{1,64}$/, 'must name an argument, such as /title'))
      .max(editableArgumentsMax, `must have at most ${editableArgumentsMax} arguments`)
      .refine((names) => new Set(names).size === names.length, 'must not name an argument twice')
      .optional(),
    is_idempotent: z.boolean('must be true or false').optional(),
  })
  .superRefine((given, context) => {
    const { rule, requires: needed, amount: money, subject, editable, is_idempotent: isIdempotent } = given
    const refuse = (path: string, message: string) =>
      context.addIssue({ code: 'custom', path: path.split('.'), message })
    if (rule !== 'confirm' && needed) refuse('requires', 'is for the rule confirm')
    if (rule !== 'confirm' && money) refuse('amount', 'is for the rule confirm')
    if (rule !== 'confirm' && subject !== undefined) refuse('subject', 'is for the rule confirm')
    if (rule !== 'confirm' && editable) refuse('editable', 'is for the rule confirm')
    const weighed = [money?.cents, money?.currency, subject]
    if (editable?.some((at) => weighed.some((one) => one === at || String(one).startsWith(`${at}/`))))
      refuse('editable', 'must not name the amount, the currency or the subject')
    if (rule === 'deny' && isIdempotent !== undefined) refuse('is_idempotent', 'is not for the rule deny')
    if (JSON.stringify(given).length > ruleCharsMax)
      refuse('requires', `is too long: a rule has at most ${ruleCharsMax} characters. Leave out bands`)
    if (money && needed && 'consent' in needed && needed.consent === 'client_attested')
      refuse(
        'requires.consent',
        `must be one of ${moneyStrengths.join(', ')}, because the rule has an amount`,
      )
    if (needed && 'bands' in needed && !money) refuse('amount', 'must be given, because the rule has bands')
  })
  .transform(({ requires: needed, ...given }): ToolRule => {
    if (given.rule !== 'confirm') return given
    return { ...given, requires: (needed as KindRule | undefined) ?? defaultToolRule.requires }
  })

/** The stated strengths, and `chat` where none is. */
function withConsent(given: unknown): unknown {
  if (typeof given !== 'object' || given === null) return given
  if (!('bands' in given)) return { consent: defaultToolRule.requires.consent, ...given }
  const { bands } = given
  if (typeof bands !== 'object' || bands === null) return given
  const stated = Object.entries(bands).map(([currency, list]) => [
    currency,
    Array.isArray(list) ? list.map(bandWithConsent) : list,
  ])
  return { ...given, bands: Object.fromEntries(stated) }
}

const bandWithConsent = (band: unknown): unknown =>
  typeof band === 'object' && band !== null ? { consent: defaultToolRule.requires.consent, ...band } : band
