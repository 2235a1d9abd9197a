import { currencies, formatAmount } from './money.ts'
import type { Band, KindRule, Policy } from './policy.ts'
import { type BandedRule, type LimitScope, limitScopes, mayBeAlone, velocityOf } from './velocity.ts'

/**
 * A policy in words, a rule a line, in an order that does not depend on how it was written down: what two versions
 * differ in is what their lines differ in. Of money, USD stands for every currency that has no lines of its own. Pure.
 */
export function policyLines(policy: Policy): string[] {
  return [
    `a proposal waits ${policy.expires_after_hours} hours for its decision`,
    `a member has at most ${policy.open_max_per_member} open proposals`,
    policy.mailbox_settles_after_hours === 0
      ? 'decisions through a changed e-mail or Slack identity count in full at once'
      : `decisions through a changed e-mail or Slack identity count as agent_attested for ${policy.mailbox_settles_after_hours} hours`,
    ...Object.keys(policy.kinds)
      .toSorted()
      .flatMap((kind) => ruleLines(kind, policy.kinds[kind]!)),
  ]
}

function ruleLines(kind: string, rule: KindRule): string[] {
  if (!('bands' in rule)) {
    const channels = rule.channels === undefined ? '' : `, to ${channelsText[rule.channels]}`
    return [`${kind}: ${rule.tier}, consent ${rule.consent}${channels}`]
  }
  const currencies = Object.keys(rule.bands).toSorted(usdFirst)
  return [
    ...currencies.flatMap((currency) => bandLines(kind, currency, rule.bands[currency] ?? [])),
    ...limitLines(kind, rule),
  ]
}

const channelsText = { preferred: 'one channel of each member', all: 'every channel of each member' }

function bandLines(kind: string, currency: string, bands: Band[]): string[] {
  const lines = bands.map(({ up_to_cents: upTo, tier, consent }, n) => {
    const amounts =
      upTo === undefined ? above(bands[n - 1], currency) : `up to ${formatAmount(upTo, currency)}`
    return `${kind} ${amounts}: ${tier}, consent ${consent}`
  })
  const last = bands.at(-1)
  return last?.up_to_cents === undefined
    ? lines
    : [...lines, `${kind} ${above(last, currency)}: denied for everyone`]
}

function above(band: Band | undefined, currency: string): string {
  const upTo = band?.up_to_cents
  return upTo === undefined
    ? `of any amount of ${currency.toUpperCase()}`
    : `above ${formatAmount(upTo, currency)}`
}

/** The limits of a day for a kind that is ruled by amount, a limit a line; those that hold by default too. Pure. */
export function limitLines(kind: string, rule: BandedRule): string[] {
  const velocity = velocityOf(rule)
  const lines = limitScopes.flatMap((scope) => {
    const limits = scope === 'member' ? velocity : velocity[scope]
    const { actions_per_day: actions, cents_per_day: cents } = limits ?? {}
    const may = `${kind}: ${whose[scope]} may confirm`
    return [
      ...(typeof actions === 'number' ? [`${may} ${actions} in 24 hours`] : []),
      ...Object.keys(cents ?? {})
        .toSorted(usdFirst)
        .map((currency) => {
          const alone = scope === 'member' && mayBeAlone(rule, currency) ? ', or one action alone' : ''
          return `${may} ${formatAmount(cents![currency]!, currency)} in 24 hours${perCurrency(currency, cents!)}${alone}`
        }),
    ]
  })
  const isMemberLimited = typeof velocity.actions_per_day === 'number' || Boolean(velocity.cents_per_day)
  return isMemberLimited ? lines : [`${kind}: a member may confirm any number in 24 hours`, ...lines]
}

/** No exchange rates are known: the limit of USD holds once for each currency that has none of its own. */
function perCurrency(currency: string, cents: Record<string, number>): string {
  const others = currencies.filter((one) => one !== 'usd' && cents[one] === undefined).length
  if (currency !== 'usd' || others === 0) return ''
  return ` per currency (as much again in each of ${others} others)`
}

const whose: Record<LimitScope, string> = {
  member: 'a member',
  account: 'the whole account',
  key: 'one API key',
}

// It holds for every currency that is not given apart.
function usdFirst(a: string, b: string): number {
  if (a === 'usd' || b === 'usd') return a === b ? 0 : a === 'usd' ? -1 : 1
  return a < b ? -1 : 1
}
