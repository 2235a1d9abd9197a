import { GateError } from '../../errors.ts'
import { amountText, parseAmount } from '../../gate/money.ts'
import { type KindRule, type Policy, type Velocity } from '../../gate/policy.ts'
import { defaultChannels } from '../../gate/reach.ts'
import { limits } from '../../limits.ts'

// A policy as the fields of a form, and back. Rows that were left empty are no bands.

export type Fields = Record<string, string>

/** What the tier of a row may say beside a tier: that there is no band, or none any more. */
export const noBand = ''
export const removedBand = 'remove'

/**
 * The fields that a form begins with. Pure.
 * @param rules  the default rule of every kind: it says what a kind's rule may hold
 */
export function fieldsOfPolicy(policy: Policy, rules: Record<string, KindRule>): Fields {
  return {
    version: String(policy.version),
    expires_after_hours: String(policy.expires_after_hours),
    open_max_per_member: String(policy.open_max_per_member),
    mailbox_settles_after_hours: String(policy.mailbox_settles_after_hours),
    ...Object.fromEntries(
      Object.entries(policy.kinds).flatMap(([kind, rule]) =>
        Object.entries(fieldsOfRule(rule, rules[kind])).map(([name, value]) => [`${kind}.${name}`, value]),
      ),
    ),
  }
}

function fieldsOfRule(rule: KindRule, defaultRule: KindRule | undefined): Fields {
  if (!('bands' in rule)) {
    const { tier, consent, channels = defaultChannels } = rule
    const reachesMembers = defaultRule !== undefined && 'channels' in defaultRule
    return { by: 'tier', tier, consent, ...(reachesMembers ? { channels } : {}) }
  }
  const bands = usdFirst(Object.entries(rule.bands)).flatMap(([currency, list]) =>
    list.map((band) => ({ currency, ...band })),
  )
  const { actions_per_day: actions, cents_per_day: cents = {} } = rule.velocity ?? {}
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
    actions_per_day: actions === undefined ? '' : String(actions),
    ...Object.assign(
      {},
      ...usdFirst(Object.entries(cents)).map(([currency, most], n) => ({
        [`day.${n}.currency`]: currency,
        [`day.${n}.amount`]: amountText(most),
      })),
    ),
  }
}

// It holds for all that have no rows of their own.
function usdFirst<T>(entries: [string, T][]): [string, T][] {
  return entries.toSorted(([a], [b]) => Number(b === 'usd') - Number(a === 'usd'))
}

/** How many rows of bands, or of a day's amounts, a form has of a kind; with `isFilled` those that are filled. Pure. */
export function rowsIn(fields: Fields, kind: string, what: 'band' | 'day', isFilled: boolean): number {
  const telling = what === 'band' ? ['up_to', 'tier'] : ['amount']
  const rows = Object.entries(fields).flatMap(([name, value]) => {
    const found = rowField.exec(name)
    if (found?.[1] !== kind || found[2] !== what) return []
    return isFilled && (value === '' || !telling.includes(found[4]!)) ? [] : [Number(found[3]) + 1]
  })
  return Math.max(0, ...rows)
}

/**
 * The policy document that a form holds, still to be checked as one: amounts in cents, bands in their order.
 * @param kinds  those that a policy may name
 * @throws GateError `invalid` that names a field that is not of the form, or what cannot be read in it
 */
export function documentOfFields(fields: Fields, kinds: string[]): unknown {
  for (const name of Object.keys(fields))
    if (!isKnown(name, kinds)) throw new GateError('invalid', `unknown field ${name.slice(0, 100)}.`)
  return {
    version: wholeOf(fields, 'version'),
    expires_after_hours: numberOf(fields, 'expires_after_hours'),
    open_max_per_member: numberOf(fields, 'open_max_per_member'),
    mailbox_settles_after_hours: numberOf(fields, 'mailbox_settles_after_hours'),
    kinds: Object.fromEntries(kinds.map((kind) => [kind, ruleOfFields(fields, kind)])),
  }
}

const ofPolicy = [
  'version',
  'expires_after_hours',
  'open_max_per_member',
  'mailbox_settles_after_hours',
  'do',
]
const rowField = /^([a-z_]+)\.(band|day)\.(0|[1-9]\d{0,2})\.(currency|up_to|tier|consent|amount)$/

function isKnown(name: string, kinds: string[]): boolean {
  if (ofPolicy.includes(name)) return true
  const row = rowField.exec(name)
  if (row) {
    const isOfRow = row[2] === 'band' ? row[4] !== 'amount' : row[4] === 'amount' || row[4] === 'currency'
    return isOfRow && kinds.includes(row[1]!) && Number(row[3]) < limits.policyFormRowsMax
  }
  const [kind, field, ...rest] = name.split('.')
  const ofKind = ['by', 'tier', 'consent', 'channels', 'actions_per_day']
  return rest.length === 0 && kinds.includes(kind!) && ofKind.includes(field!)
}

function ruleOfFields(fields: Fields, kind: string): unknown {
  const of = (name: string) => fields[`${kind}.${name}`]
  if (of('by') !== 'amount') {
    const channels = of('channels')
    return {
      tier: chosen(fields, kind, 'tier'),
      consent: chosen(fields, kind, 'consent'),
      ...(channels === undefined ? {} : { channels }),
    }
  }
  const velocity = velocityOfFields(fields, kind)
  return { bands: bandsOfFields(fields, kind), ...(velocity ? { velocity } : {}) }
}

// Nothing is taken for what nobody chose: a kind that was cleared by its amount has neither.
function chosen(fields: Fields, kind: string, name: 'tier' | 'consent'): string {
  const value = fields[`${kind}.${name}`] ?? ''
  if (value === '') throw new GateError('invalid', `${kind} is cleared by one tier: choose its ${name}.`)
  return value
}

function bandsOfFields(fields: Fields, kind: string): Record<string, unknown[]> {
  const rows = Array.from({ length: rowsIn(fields, kind, 'band', true) }, (_, n) => {
    const of = (name: string) => fields[`${kind}.band.${n}.${name}`] ?? ''
    const [tier, upTo] = [of('tier'), of('up_to').trim()]
    if (tier === removedBand || (tier === noBand && upTo === '')) return undefined
    if (tier === noBand)
      throw new GateError(
        'invalid',
        `${kind} has a band up to ${upTo.slice(0, 30)} without a tier: choose one, or “remove”.`,
      )
    const cents = upTo === '' ? undefined : amountIn(upTo, `${kind}, band ${n + 1}`)
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

function velocityOfFields(fields: Fields, kind: string): Velocity | undefined {
  const actions = numberOf(fields, `${kind}.actions_per_day`)
  const amounts = Array.from({ length: rowsIn(fields, kind, 'day', true) }, (_, n) => {
    const amount = fields[`${kind}.day.${n}.amount`]?.trim() ?? ''
    const currency = fields[`${kind}.day.${n}.currency`] ?? ''
    return amount === '' ? [] : [[currency, amountIn(amount, `${kind}, a day's amount`)] as const]
  }).flat()
  if (new Set(amounts.map(([currency]) => currency)).size < amounts.length)
    throw new GateError('invalid', `${kind} has two amounts a day of one currency: leave one of them.`)
  if (actions === undefined && amounts.length === 0) return undefined
  return {
    ...(actions === undefined ? {} : { actions_per_day: actions }),
    ...(amounts.length === 0 ? {} : { cents_per_day: Object.fromEntries(amounts) }),
  }
}

function amountIn(text: string, where: string): number {
  const cents = parseAmount(text)
  if (cents !== undefined) return cents
  throw new GateError(
    'invalid',
    `${where}: “${text.slice(0, 30)}” is no amount. Write it like 100, 99.50 or 1,250.00.`,
  )
}

function numberOf(fields: Fields, name: string): number | undefined {
  const text = fields[name]?.trim() ?? ''
  if (text === '') return undefined
  if (/^\d{1,15}(\.\d{1,25})?(e-\d{1,2})?$/.test(text)) return Number(text)
  throw new GateError('invalid', `${name} must be a number, such as 20.`)
}

function wholeOf(fields: Fields, name: string): number | undefined {
  const value = numberOf(fields, name)
  if (value === undefined) throw new GateError('invalid', `${name} is required.`)
  return value
}
