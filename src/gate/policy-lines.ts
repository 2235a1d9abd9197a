import { type ApprovalRule, ruleWords } from './approvals/rule.ts'
import { amounts, worstCase } from './mandates/words.ts'
import type { MandateCeiling } from './mandates/terms.ts'
import type { Band } from './band.ts'
import {
  type AccountMoney,
  currencies,
  formatAmount,
  isAllowedCurrency,
  limitFor,
  ownCurrency,
  ownFirst,
} from './money.ts'
import type { KindRule, Policy } from './policy.ts'
import { runnerRuleLines } from './runner-calls/rule-words.ts'
import {
  type BandedRule,
  type LimitScope,
  limitScopes,
  allowsSingleLargeAction,
  velocityOf,
} from './velocity.ts'

/**
 * A policy in words, one rule a line, in an order that does not depend on how the document is written, so that comparing
 * lines compares policies. Rules about tool calls keep their order, which decides. Lines of the account's currency
 * also apply to currencies without lines of their own. Pure.
 */
export function policyLines(policy: Policy): string[] {
  const own = ownCurrency(policy)
  return [
    ...(policy.currency || policy.currencies ? [`the currency of the account is ${own}`] : []),
    ...(policy.currencies ? [`actions can be in ${policy.currencies.toSorted().join(', ')}`] : []),
    `proposals expire after ${policy.expires_after_hours} hours`,
    `each member can have at most ${policy.open_max_per_member} open proposals`,
    policy.mailbox_settles_after_hours === 0
      ? 'decisions through a changed e-mail or Slack identity count in full immediately'
      : `decisions through a changed e-mail or Slack identity count as agent_attested for ${policy.mailbox_settles_after_hours} hours`,
    ...passkeyAgeLine(policy),
    ...(policy.passkey_device_bound ? ['passkeys must be bound to their device'] : []),
    ...(policy.ask_when_proposed ? ['members are asked when an action is proposed'] : []),
    ...togetherLines(policy),
    ...Object.keys(policy.kinds)
      .toSorted()
      .flatMap((kind) => ruleLines(kind, policy.kinds[kind]!, policy)),
    ...Object.entries(policy.mandates)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([kind, ceiling]) => mandateLine(kind, ceiling)),
    ...runnerRuleLines(policy.runner),
  ]
}

/** What mandates for a kind may be. Pure. */
const mandateLine = (kind: string, ceiling: MandateCeiling): string => {
  const { consent, counts_as: most, uses, uses_per_day: perDay, days } = ceiling
  const each = ceiling.cents_each ? `${amounts(ceiling.cents_each)} each, ` : ''
  const budget = `${worstCase({ uses, cents: ceiling.cents })}, a day ${worstCase({ uses: perDay, cents: ceiling.cents_per_day })}`
  const strength = `signed with ${consent}${most ? `, counts as ${most}` : ''}`
  return `mandates for ${kind}: ${each}${budget}, ${days === 1 ? '1 day' : `${days} days`}, ${strength}`
}

/** Where it is another time than by default. */
const passkeyAgeLine = ({ passkey_settles_after_hours: hours }: Policy): string[] => {
  if (hours === 1) return []
  return [hours === 0 ? 'a new passkey counts immediately' : `a new passkey counts after ${hours} hours`]
}

/** Up to which amounts one press decides about several. Pure. */
export const togetherLines = ({ together_up_to_cents: most }: Policy): string[] =>
  Object.entries(most ?? {})
    .toSorted()
    .map(
      ([currency, cents]) =>
        `one press approves several actions of up to ${formatAmount(cents, currency)} each`,
    )

/** The rule of one kind in words. Pure. */
export function ruleLines(kind: string, rule: KindRule, money: AccountMoney = {}): string[] {
  if (!('bands' in rule)) {
    const channels = rule.channels === undefined ? '' : `, to ${channelsText[rule.channels]}`
    return [
      `${kind}: ${rule.tier}, consent ${rule.consent}${channels}`,
      ...approvalLines(kind, rule.approvals),
    ]
  }
  const banded = Object.keys(rule.bands).toSorted(ownFirst(ownCurrency(money)))
  return [
    ...banded.flatMap((currency) => bandLines(kind, currency, rule.bands[currency] ?? [])),
    ...limitLines(kind, rule, money),
  ]
}

const channelsText = { preferred: 'one channel per member', all: 'every channel of each member' }

function bandLines(kind: string, currency: string, bands: Band[]): string[] {
  return bandsInWords(currency, bands).flatMap(({ amounts, band }) =>
    band === null
      ? [`${kind} ${amounts}: denied for every tier`]
      : [
          `${kind} ${amounts}: ${band.tier}, consent ${band.consent}`,
          ...approvalLines(`${kind} ${amounts}`, band.approvals),
        ],
  )
}

/** Who else must approve, in words. */
const approvalLines = (what: string, rule: ApprovalRule | undefined): string[] =>
  rule ? [`${what}: ${ruleWords(rule).join(', ')}`] : []

/** The bands of a currency with their amounts in words. `band` null: these amounts are denied for every tier. Pure. */
export function bandsInWords(currency: string, bands: Band[]): { amounts: string; band: Band | null }[] {
  const lines = bands.map((band, n) => {
    const { up_to_cents: upTo } = band
    const amounts =
      upTo === undefined ? above(bands[n - 1], currency) : `up to ${formatAmount(upTo, currency)}`
    return { amounts, band }
  })
  const last = bands.at(-1)
  return last?.up_to_cents === undefined ? lines : [...lines, { amounts: above(last, currency), band: null }]
}

function above(band: Band | undefined, currency: string): string {
  const upTo = band?.up_to_cents
  return upTo === undefined
    ? `of any ${currency.toUpperCase()} amount`
    : `above ${formatAmount(upTo, currency)}`
}

/** The daily limits of a kind with amounts, one limit a line, including the default limits. Pure. */
export function limitLines(kind: string, rule: BandedRule, money: AccountMoney = {}): string[] {
  const own = ownCurrency(money)
  const velocity = velocityOf(rule)
  const lines = limitScopes.flatMap((scope) => {
    const limits = scope === 'member' ? velocity : velocity[scope]
    const { actions_per_day: actions, cents_per_day: cents } = limits ?? {}
    const may = `${kind}: ${whose[scope]} can confirm`
    return [
      ...(typeof actions === 'number' ? [`${may} ${actions} actions in 24 hours`] : []),
      ...Object.keys(cents ?? {})
        .toSorted(ownFirst(own))
        .map((currency) => {
          const alone =
            scope === 'member' && allowsSingleLargeAction(rule, currency, own)
              ? ', or a single larger action'
              : ''
          return `${may} ${formatAmount(cents![currency]!, currency)} in 24 hours${perCurrency(currency, cents!, money)}${alone}`
        }),
    ]
  })
  const isMemberLimited = typeof velocity.actions_per_day === 'number' || Boolean(velocity.cents_per_day)
  return isMemberLimited
    ? lines
    : [`${kind}: one member can confirm any number of actions in 24 hours`, ...lines]
}

/** Exchange rates are not known: one of the limits applies separately to each currency without a limit of its own. */
function perCurrency(currency: string, cents: Record<string, number>, money: AccountMoney): string {
  const others = currencies.filter((one) => cents[one] === undefined && isAllowedCurrency(money, one))
  const [other] = others
  if (other === undefined) return ''
  const own = ownCurrency(money)
  const theirs = limitFor(cents, other, own)
  const stands = Object.keys(cents)
    .toSorted(ownFirst(own))
    .find((one) => cents[one] === theirs)
  return currency === stands ? ` (per currency: the same amount in ${eachOf(others)})` : ''
}

const currenciesNamed = 3

const eachOf = (others: readonly string[]): string =>
  others.length <= currenciesNamed
    ? others.map((one) => one.toUpperCase()).join(' and in ')
    : `each of ${others.length} others`

const whose: Record<LimitScope, string> = {
  member: 'one member',
  account: 'the whole account',
  key: 'one API key',
}
