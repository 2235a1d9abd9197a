import { GateError } from '../../errors.ts'
import { amountText } from '../../gate/money.ts'
import type { KindRule, Policy } from '../../gate/policy.ts'
import { defaultChannels } from '../../gate/reach.ts'
import { limits } from '../../limits.ts'
import { actionsField, velocityFields, parseVelocityFields } from './form-velocity.ts'
import { settingsPart } from './form-schema.ts'
import { isTogetherField, parseTogetherFields, togetherFields } from './form-together.ts'
import { type Fields, parseAmountField, parseNumber, rowField, countRows, usdFirst } from './form-values.ts'

// Converts a policy to form fields and back. Empty rows are not bands.

/** Values of a row's tier that are not a tier: no band, or a band to remove. */
export const noBand = ''
export const removedBand = 'remove'

/**
 * The initial fields of the form. Pure.
 * @param rules  the default rule of every kind: it decides which fields a kind has
 */
export function policyFields(policy: Policy, rules: Record<string, KindRule>): Fields {
  return {
    version: String(policy.version),
    expires_after_hours: String(policy.expires_after_hours),
    open_max_per_member: String(policy.open_max_per_member),
    mailbox_settles_after_hours: String(policy.mailbox_settles_after_hours),
    passkey_settles_after_hours: String(policy.passkey_settles_after_hours),
    passkey_device_bound: String(policy.passkey_device_bound),
    ask_when_proposed: String(policy.ask_when_proposed),
    ...togetherFields(policy.together_up_to_cents),
    ...Object.fromEntries(
      Object.entries(policy.kinds).flatMap(([kind, rule]) =>
        Object.entries(ruleFields(rule, rules[kind])).map(([name, value]) => [`${kind}.${name}`, value]),
      ),
    ),
  }
}

/** The initial fields of the form of one part: a kind, or the settings. Pure. */
export function partFields(policy: Policy, rules: Record<string, KindRule>, part: string): Fields {
  const isOfPart = (name: string) =>
    name === 'version' || (part === settingsPart ? isSetting(name) : name.startsWith(`${part}.`))
  return Object.fromEntries(Object.entries(policyFields(policy, rules)).filter(([name]) => isOfPart(name)))
}

// Any other text is refused by the schema of the document.
const booleans: Record<string, boolean> = { true: true, false: false }

const numberNames = [
  'expires_after_hours',
  'open_max_per_member',
  'mailbox_settles_after_hours',
  'passkey_settles_after_hours',
]
const booleanNames = ['passkey_device_bound', 'ask_when_proposed']
const isSetting = (name: string): boolean =>
  numberNames.includes(name) || booleanNames.includes(name) || isTogetherField(name)

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
 * Converts form fields to a policy document, not yet validated: amounts in cents, bands in order.
 * @param parts  the parts of the form: kinds, and the settings
 * @throws GateError `invalid` with the field that is unknown or cannot be read
 */
export function parsePolicyFields(fields: Fields, parts: string[]): unknown {
  const kinds = parts.filter((part) => part !== settingsPart)
  for (const name of Object.keys(fields))
    if (!isKnown(name, parts))
      throw new GateError('invalid', `unknown field ${name.slice(0, limits.formNameEchoCharsMax)}.`)
  return {
    version: requireNumber(fields, 'version'),
    ...(parts.includes(settingsPart)
      ? {
          ...Object.fromEntries(numberNames.map((name) => [name, requireNumber(fields, name)])),
          ...Object.fromEntries(
            booleanNames.flatMap((name) => {
              const given = fields[name]
              return given === undefined ? [] : [[name, booleans[given] ?? given]]
            }),
          ),
          ...parseTogetherFields(fields),
        }
      : {}),
    kinds: Object.fromEntries(kinds.map((kind) => [kind, parseRuleFields(fields, kind)])),
  }
}

const rowFields = { band: ['currency', 'up_to', 'tier', 'consent'], day: ['whose', 'currency', 'amount'] }
const commonNames = ['version', 'do', 'note']
function isKnown(name: string, parts: string[]): boolean {
  if (commonNames.includes(name)) return true
  if (isSetting(name)) return parts.includes(settingsPart)
  const kinds = parts.filter((part) => part !== settingsPart)
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

// No default here: a kind that was ruled by amount has neither a tier nor a consent of its own.
function chosen(fields: Fields, kind: string, name: 'tier' | 'consent'): string {
  const value = fields[`${kind}.${name}`] ?? ''
  if (value === '')
    throw new GateError('invalid', `${kind} is ruled by one tier. Choose its ${name}.`, {
      param: `${kind}.${name}`,
    })
  return value
}

function parseBandFields(fields: Fields, kind: string): Record<string, unknown[]> {
  const bands: Record<string, unknown[]> = {}
  for (const { currency, cents, tier, consent } of bandRows(fields, kind)) {
    const list = Object.hasOwn(bands, currency) ? bands[currency]! : []
    list.push({ ...(cents === undefined ? {} : { up_to_cents: cents }), tier, consent })
    Object.defineProperty(bands, currency, { value: list, enumerable: true, configurable: true })
  }
  return bands
}

/** A row of bands that is filled. `n`: its place in the form. */
interface BandRow {
  n: number
  currency: string
  cents: number | undefined
  tier: string
  consent: string
}

/**
 * The filled rows of bands by amount, open bands last: the order of input does not matter. Pure.
 * @throws GateError `invalid` with the field that cannot be read
 */
export function bandRows(fields: Fields, kind: string): BandRow[] {
  const rows = Array.from({ length: countRows(fields, kind, 'band', true) }, (_, n) => {
    const of = (name: string) => fields[`${kind}.band.${n}.${name}`] ?? ''
    const [tier, upTo] = [of('tier'), of('up_to').trim()]
    if (tier === removedBand || (tier === noBand && upTo === '')) return undefined
    if (tier === noBand)
      throw new GateError(
        'invalid',
        `${kind} has a band up to ${upTo.slice(0, limits.formValueEchoCharsMax)} without a tier. Choose a tier, or remove the amount.`,
        { param: `${kind}.band.${n}.tier` },
      )
    const cents =
      upTo === '' ? undefined : parseAmountField(upTo, `${kind}, band ${n + 1}`, `${kind}.band.${n}.up_to`)
    return { n, currency: of('currency'), cents, tier, consent: of('consent') }
  }).filter((row) => row !== undefined)
  return rows.toSorted((a, b) => (a.cents ?? Infinity) - (b.cents ?? Infinity) || 0)
}

function requireNumber(fields: Fields, name: string): number | undefined {
  const value = parseNumber(fields, name)
  if (value === undefined) throw new GateError('invalid', `${name} is required.`, { param: name })
  return value
}
