import type { ConsentStrength } from './consent.ts'
import { upstreamKind } from './declared/upstream-call.ts'
import { formatAmount } from './money.ts'
import type { KindRule, Policy } from './policy.ts'
import type { Band } from './band.ts'

/**
 * What a policy allows on the agent's word alone, in one line: the highest amount of a kind, or yes or no. USD also applies
 * to currencies without bands of their own. Pure.
 */
export function posture(policy: Policy): string {
  const others = Object.keys(policy.kinds)
    .filter((kind) => !movesMoney.includes(kind))
    .toSorted((a, b) => placeOf(a) - placeOf(b) || (a < b ? -1 : 1))
  const money = movesMoney.flatMap((kind) => policy.kinds[kind] ?? [])
  return [
    ...(money.length === 0 ? [] : [`money: ${moneyOnWord(money)}`]),
    ...others.map(
      (kind) => `${namesOf[kind] ?? kind.replaceAll('_', ' ')}: ${wordOf(kind, policy.kinds[kind]!)}`,
    ),
  ].join('; ')
}

/** Kinds that send money out. */
const movesMoney = ['refund', 'payout']
const namesOf: Record<string, string> = {
  broadcast: 'broadcasts',
  checkout: 'checkouts',
  integration: 'connections',
  preview: 'previews',
  runner_tool: 'tool calls of runners',
  runner_mandate: 'mandates of runners',
  subscription_cancellation: 'subscription cancellations',
  [upstreamKind]: 'tools of MCP servers',
}
const placeOf = (kind: string): number => (kind === 'broadcast' ? 0 : 1)

const isOnWord = ({ consent }: { consent: ConsentStrength }): boolean => consent === 'agent_attested'

/** Each tool of an MCP server has a rule of its own, and the policy only what all of them need at least. */
function wordOf(kind: string, rule: KindRule): string {
  const word = onWord([rule])
  return kind === upstreamKind && word !== 'no' ? 'as the rule of each tool says' : word
}

function onWord(rules: KindRule[]): string {
  const byTier = rules.flatMap((rule) => ('bands' in rule ? [] : [rule]))
  const byAmount = rules.flatMap((rule) => ('bands' in rule ? [rule] : []))
  if (byAmount.length === 0) return byTier.some(isOnWord) ? 'yes' : 'no'
  const most = mostByCurrency(byAmount.map((rule) => rule.bands))
  if (byTier.some(isOnWord) || most['usd'] === Infinity) return 'any amount'
  const named = Object.entries(most)
    .filter(([, cents]) => cents > 0)
    .map(([currency, cents]) =>
      cents === Infinity ? `any ${currency.toUpperCase()} amount` : `up to ${formatAmount(cents, currency)}`,
    )
  return named.length === 0 ? 'no' : named.join(', ')
}

function moneyOnWord(rules: KindRule[]): string {
  const most = onWord(rules)
  return most === 'yes' ? 'any amount' : most
}

/** The highest amount that needs no further consent, by currency; other currencies only where they differ from USD. */
function mostByCurrency(all: Record<string, Band[]>[]): Record<string, number> {
  const currencies = ['usd', ...all.flatMap((bands) => Object.keys(bands)).filter((one) => one !== 'usd')]
  const most = currencies.map((currency) => [
    currency,
    Math.max(...all.map((bands) => mostOf(bands[currency] ?? bands['usd'] ?? []))),
  ]) as [string, number][]
  const usd = most[0]![1]
  return Object.fromEntries(most.filter(([currency, cents]) => currency === 'usd' || cents !== usd))
}

// Bands may alternate: the highest one that needs no further consent counts.
function mostOf(bands: Band[]): number {
  return Math.max(0, ...bands.filter(isOnWord).map((band) => band.up_to_cents ?? Infinity))
}
