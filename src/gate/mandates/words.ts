import { formatAmount } from '../money.ts'
import type { Allowance, ArgumentLimit, CentsByCurrency, MandateTerms } from './terms.ts'

/** The most that can be done by a mandate, in words: `at most 300.00 USD in 20 uses`. Pure. */
export function worstCase({ uses, cents }: Pick<MandateTerms, 'uses' | 'cents'>): string {
  const most = amounts(cents)
  return `at most ${most === '' ? '' : `${most} in `}${times(uses)}`
}

/** Its budget of a day, in words. Pure. */
export function worstDay({
  uses_per_day: uses,
  cents_per_day: cents,
}: Pick<MandateTerms, 'uses_per_day' | 'cents_per_day'>): string {
  const most = amounts(cents)
  return `at most ${most === '' ? '' : `${most} in `}${times(uses)}. A day is one of UTC`
}

/** The limits of one kind, each in a line: what is limited, and how. Pure. */
export const limitLines = ({
  kind,
  cents_each: each,
  arguments: limits = {},
  calls,
}: Allowance): [string, string][] => [
  ...(each ? ([[`Each ${kind}`, `at most ${amounts(each)}`]] as [string, string][]) : []),
  ...(calls ? ([['Calls', callWords(calls)]] as [string, string][]) : []),
  ...Object.entries(limits).map(([name, limit]): [string, string] => [name, limitWords(limit)]),
]

/** Several amounts: `300.00 USD, 200.00 EUR`; empty where there is none. Pure. */
export const amounts = (cents: CentsByCurrency = {}): string =>
  Object.entries(cents)
    .map(([currency, value]) => formatAmount(value, currency))
    .join(', ')

export const times = (uses: number): string => (uses === 1 ? '1 use' : `${uses} uses`)

function limitWords(limit: ArgumentLimit): string {
  if ('template' in limit) return `exactly ${JSON.stringify(limit.template)}`
  return 'in' in limit
    ? limit.in.map((one) => JSON.stringify(one)).join(' or ')
    : 'any number or short id, no text'
}

function callWords({ tool, match = {} }: NonNullable<Allowance['calls']>): string {
  const fields = Object.entries(match).map(([name, pattern]) => `${name} ${JSON.stringify(pattern)}`)
  return [`tool ${JSON.stringify(tool)}`, ...fields].join(', ')
}
