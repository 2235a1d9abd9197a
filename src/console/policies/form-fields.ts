import { GateError } from '../../errors.ts'
import { amountText } from '../../gate/money.ts'
import type { KindRule, Policy } from '../../gate/policy.ts'
import { defaultChannels } from '../../gate/reach.ts'
import { limits } from '../../limits.ts'
import { actionsField, velocityFields, parseVelocityFields } from './form-velocity.ts'
import { type Fields, parseAmountField, parseNumber, rowField, countRows, usdFirst } from './form-values.ts'

// A policy as the fields of a form, and back. Rows that were left empty are no bands.

/** What the tier of a row may say beside a tier: that there is no band, or none any more. */
export const noBand = ''
export const removedBand = 'remove'

/**
 * The fields that a form begins with. Pure.
 * @param rules  the default rule of every kind: it says what a kind's rule may hold
 */
export function policyFields(policy: Policy, rules: Record<string, KindRule>): Fields {
  return {
    version: String(policy.version),
    expires_after_hours: String(policy.expires_after_hours),
    open_max_per_member: String(policy.open_max_per_member),
    mailbox_settles_after_hours: String(policy.mailbox_settles_after_hours),
    ...Object.fromEntries(
      Object.entries(policy.kinds).flatMap(([kind, rule]) =>
        Object.entries(ruleFields(rule, rules[kind])).map(([name, value]) => [`${kind}.${name}`, value]),
      ),
    ),
  }
}

function ruleFields(rule: KindRule, defaultRule: KindRule | undefined): Fields {
  if (!('bands' in rule)) {
    const { tier, consent, channels = defaultChannels } = rule
    const reachesMembers = defaultRule !== undefined && 'channels' in defaultRule
    return { by: 'tier', tier, consent, ...(reachesMembers ? { channels } : {}) }
  }
  const bands = usdFirst(Object.entries(rule.bands)).flatMap(([currency, list]) =>
    list.map((band) => ({ currency, ...band })),
  )
  return {
    by: 'amount',
    ...Object.assign(
      {},
      ...bands.map(({ currency, up_to_cents: upTo, tier, consent }, n) => ({
        [`band.${n}.currency`]: currency,
        [`band.${n}.up_to`]: upTo === undefined ? '' : amountText(upTo),
        [`band.${n}.tier`]: tier,
        [`band.${n}.consent`]: consent,
      })),
    ),
    ...velocityFields(rule.velocity),
  }
}

/**
 * The policy document that a form holds, still to be checked as one: amounts in cents, bands in their order.
 * @param kinds  those that a policy may name
 * @throws GateError `invalid` that names a field that is not of the form, or what cannot be read in it
 */
export function parsePolicyFields(fields: Fields, kinds: string[]): unknown {
  for (const name of Object.keys(fields))
    if (!isKnown(name, kinds)) throw new GateError('invalid', `unknown field ${name.slice(0, 100)}.`)
  return {
    version: requireNumber(fields, 'version'),
    expires_after_hours: parseNumber(fields, 'expires_after_hours'),
    open_max_per_member: parseNumber(fields, 'open_max_per_member'),
    mailbox_settles_after_hours: parseNumber(fields, 'mailbox_settles_after_hours'),
    kinds: Object.fromEntries(kinds.map((kind) => [kind, parseRuleFields(fields, kind)])),
  }
}

const rowFields = { band: ['currency', 'up_to', 'tier', 'consent'], day: ['whose', 'currency', 'amount'] }
const policyFieldNames = [
  'version',
  'expires_after_hours',
  'open_max_per_member',
  'mailbox_settles_after_hours',
  'do',
]
function isKnown(name: string, kinds: string[]): boolean {
  if (policyFieldNames.includes(name)) return true
  const row = rowField.exec(name)
  if (row) {
    const isOfRow = rowFields[row[2] as 'band' | 'day'].includes(row[4]!)
    return isOfRow && kinds.includes(row[1]!) && Number(row[3]) < limits.policyFormRowsMax
  }
  const [kind, field, ...rest] = name.split('.')
  const ofKind = ['by', 'tier', 'consent', 'channels', 'limits', ...Object.values(actionsField)]
  return rest.length === 0 && kinds.includes(kind!) && ofKind.includes(field!)
}

function parseRuleFields(fields: Fields, kind: string): unknown {
  const of = (name: string) => fields[`${kind}.${name}`]
  if (of('by') !== 'amount') {
    const channels = of('channels')
    return {
      tier: chosen(fields, kind, 'tier'),
      consent: chosen(fields, kind, 'consent'),
      ...(channels === undefined ? {} : { channels }),
    }
  }
  const velocity = parseVelocityFields(fields, kind)
  return { bands: parseBandFields(fields, kind), ...(velocity ? { velocity } : {}) }
}

// Nothing is taken for what nobody chose: a kind that was cleared by its amount has neither.
function chosen(fields: Fields, kind: string, name: 'tier' | 'consent'): string {
  const value = fields[`${kind}.${name}`] ?? ''
  if (value === '') throw new GateError('invalid', `${kind} is cleared by one tier: choose its ${name}.`)
  return value
}

function parseBandFields(fields: Fields, kind: string): Record<string, unknown[]> {
  const rows = Array.from({ length: countRows(fields, kind, 'band', true) }, (_, n) => {
    const of = (name: string) => fields[`${kind}.band.${n}.${name}`] ?? ''
    const [tier, upTo] = [of('tier'), of('up_to').trim()]
    if (tier === removedBand || (tier === noBand && upTo === '')) return undefined
    if (tier === noBand)
      throw new GateError(
        'invalid',
        `${kind} has a band up to ${upTo.slice(0, 30)} without a tier: choose one, or “remove”.`,
      )
    const cents = upTo === '' ? undefined : parseAmountField(upTo, `${kind}, band ${n + 1}`)
    return { currency: of('currency'), cents, tier, consent: of('consent') }
  }).filter((row) => row !== undefined)
  const bands: Record<string, unknown[]> = {}
  // By amount, what is open last: the order in which they were entered does not matter.
  for (const { currency, cents, tier, consent } of rows.toSorted(
    (a, b) => (a.cents ?? Infinity) - (b.cents ?? Infinity) || 0,
  )) {
    const list = Object.hasOwn(bands, currency) ? bands[currency]! : []
    list.push({ ...(cents === undefined ? {} : { up_to_cents: cents }), tier, consent })
    Object.defineProperty(bands, currency, { value: list, enumerable: true, configurable: true })
  }
  return bands
}

function requireNumber(fields: Fields, name: string): number | undefined {
  const value = parseNumber(fields, name)
  if (value === undefined) throw new GateError('invalid', `${name} is required.`)
  return value
}
