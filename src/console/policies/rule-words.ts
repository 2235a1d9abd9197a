import type { Band } from '../../gate/band.ts'
import { type KindRule, unconfirmedKinds } from '../../gate/policy.ts'
import { type AccountMoney, ownFirst } from '../../gate/money.ts'
import { bandsInWords, limitLines } from '../../gate/policy-lines.ts'
import { defaultChannels } from '../../gate/reach.ts'
import { consentWords } from './controls.ts'

/** What one rule requires of which amounts. `requires` null: denied. */
export interface RuleLine {
  /** Empty: of everything. */
  amounts: string
  requires: string | null
}

/** The tier that a rule requires, by amount. Pure. */
export const tierLines = (rule: KindRule, own: string = 'usd'): RuleLine[] =>
  'bands' in rule ? linesOf(rule.bands, own, ({ tier }) => tier) : [{ amounts: '', requires: rule.tier }]

/** The consent that a rule requires: one line where it is the same for every amount that is allowed. Pure. */
export function consentLines(kind: string, rule: KindRule, own: string = 'usd'): RuleLine[] {
  if (unconfirmedKinds.includes(kind))
    return [{ amounts: '', requires: 'none: it starts without a confirmation' }]
  if (!('bands' in rule)) return [{ amounts: '', requires: consentWords(rule.consent) }]
  const all = Object.values(rule.bands).flat()
  const [first] = all
  if (first && all.every(({ consent }) => consent === first.consent))
    return [{ amounts: '', requires: consentWords(first.consent) }]
  return linesOf(rule.bands, own, ({ consent }) => consentWords(consent)).filter(
    ({ requires }) => requires !== null,
  )
}

/** The limits per 24 hours of a rule, or that there are none. Pure. */
export function dayLimitLines(kind: string, rule: KindRule, money: AccountMoney = {}): string[] {
  if (!('bands' in rule)) return ['no limit']
  return limitLines(kind, rule, money).map((line) =>
    line
      .slice(`${kind}: `.length)
      .replace(' can confirm ', ': ')
      .replace(' in 24 hours', '')
      .replace(/ \(per currency: [^()]*\)/, '; the same in other currencies'),
  )
}

/** Through which channels members are reached. Pure. */
export const channelWords = (rule: KindRule): string =>
  'bands' in rule
    ? ''
    : { preferred: 'one channel per member', all: 'every channel of each member' }[
        rule.channels ?? defaultChannels
      ]

function linesOf(
  bands: Record<string, Band[]>,
  own: string,
  requirement: (band: Band) => string,
): RuleLine[] {
  const currencies = Object.keys(bands).toSorted(ownFirst(own))
  const lines = currencies.flatMap((currency) =>
    bandsInWords(currency, bands[currency] ?? []).map(({ amounts, band }) => ({
      amounts: amounts.replace(/^of /, ''),
      requires: band && requirement(band),
    })),
  )
  const stands = [own, 'usd'].find((currency) => bands[currency] !== undefined)
  const requires = stands === undefined ? null : `same amounts as ${stands.toUpperCase()}`
  return [...lines, { amounts: 'other currencies', requires }]
}

/** Hours, and days where they are whole. Pure. */
export function hoursWords(hours: number): string {
  const unit = (count: number, name: string) => `${count} ${name}${count === 1 ? '' : 's'}`
  const inHours = unit(hours, 'hour')
  return hours >= 48 && hours % 24 === 0 ? `${inHours} (${unit(hours / 24, 'day')})` : inHours
}
