import { upstreamKind } from './declared/upstream-call.ts'
import { formatAmount, isCurrency } from './money.ts'

/** How a result reads at a glance. */
export type Tone = 'good' | 'warn' | 'bad'

type Result = Record<string, unknown>

/**
 * The result of an action in words: `Refunded 10.00 EUR`, `Delivered to 4 in Slack and 2 by e-mail, 1 unreachable`. Pure.
 * It reads the result alone, as entries of the ledger hold it. What a kind says of its own payload is its `outcome`.
 * It may hold a provider's error code or an agent's text: escape it like any other text.
 */
export function resultWords(kind: string, result: Result): string {
  const isSandbox = result['sandbox'] === true
  return `${sentenceOf(kind, result)}${isSandbox ? ' (sandbox)' : ''}`
}

/** `bad`: nothing was done. `warn`: only a part was done, or nobody knows. Pure. */
export function resultTone({ outcome }: Result): Tone {
  if (outcome === 'refused') return 'bad'
  return outcome === 'partial' || outcome === 'unknown' ? 'warn' : 'good'
}

function sentenceOf(kind: string, result: Result): string {
  const words = wordsWithoutProvider(kind, result)
  if (words !== undefined) return words
  if (kind === 'broadcast') return deliveryWords(result)
  if (result['outcome'] === 'refused') return refusedWords(kind, result)
  if (result['outcome'] === 'unknown') return unknownWords(result)
  return doneWords.get(kind)?.(result) ?? otherWords(result)
}

const doneWords = new Map<string, (result: Result) => string>([
  ['refund', (result) => `Refunded ${amountOf(result)}${statusNote(result, ['succeeded'])}`],
  ['payout', (result) => `Paid out ${amountOf(result)}${statusNote(result, ['paid'])}`],
  ['checkout', () => 'Checkout page created'],
  [
    'subscription_cancellation',
    ({ status }) =>
      status === 'canceled' ? 'Subscription cancelled' : 'Subscription ends with its paid period',
  ],
  ['integration', ({ provider }) => `${nameOf(provider)} connected`],
  [
    'runner_tool',
    ({ usable_until: until }) => (until === undefined ? 'Allowed by the policy' : 'Approved to run once'),
  ],
  [
    'runner_mandate',
    ({ in_force_until: until }) =>
      typeof until === 'string' ? `Allowed until ${until.slice(0, 16).replace('T', ' ')} UTC` : 'Not allowed',
  ],
  [
    upstreamKind,
    ({ is_error: isError }) => (isError === true ? 'Tool called; it answered with an error' : 'Tool called'),
  ],
  ['preview', ({ stopped_by: by }) => (by === undefined ? 'Preview started' : 'Preview stopped')],
  [
    'capability_check',
    ({ tier, certified }) => `Tier ${String(tier)}, ${certified === true ? 'certified' : 'not certified'}`,
  ],
])

/** Tells a member why what they approved was not done, without a full stop. Pure. */
export const notDoneWords = (kind: string, result: Result): string =>
  wordsWithoutProvider(kind, result) ??
  `The provider refused it${saying(result['provider_message'])}. Nothing was executed`

/** What a provider said, to follow a sentence: in quotation marks that it cannot end itself. Empty where it said nothing. Pure. */
export const saying = (words: unknown): string =>
  typeof words === 'string' && words !== ''
    ? `: “${words.replace(/\.$/, '').replaceAll(/[“”„‟❝❞〝〞＂]/g, '"')}”`
    : ''

/** A result that did not come from a provider; undefined for any other. */
function wordsWithoutProvider(kind: string, result: Result): string | undefined {
  if (result['code'] === 'payload_changed')
    return 'Changed in the database after the consent. Nothing was done'
  if (result['code'] === 'policy_changed') return 'Another policy was set meanwhile. Nothing was changed'
  if (result['executor'] === 'webhook') return calledWords(result)
  if (kind === upstreamKind && result['outcome'] === 'refused') return uncalledWords(result)
  return claimWords(result)
}

/** The result of an action that is executed by claim, without a full stop; undefined for any other. Pure. */
export const claimWords = (result: Result): string | undefined =>
  reportedWords.get(result['reported']) ?? unreportedWords.get(result['code'])

/** What was reported, and why nothing was. */
const reportedWords = new Map<unknown, string>([
  ['done', 'Done, as its executor reported'],
  ['refused', 'Refused by its executor. Nothing was done'],
  ['failed', 'Failed, as its executor reported. A part may be done'],
  ['unknown', 'Outcome unknown to its executor'],
])
const unreportedWords = new Map<unknown, string>([
  ['not_claimed', 'Nobody claimed it in time. Nothing was done'],
  ['lease_ended', 'Outcome unknown: it was claimed, and nothing was reported in time'],
])

/** The words for an action whose executor the gate calls. */
function calledWords({ outcome, code, result_left_out: leftOut }: Result): string {
  if (outcome === 'done') {
    const why = whyLeftOut.get(leftOut)
    return `Done by its executor${why === undefined ? '' : `. Its answer is not kept: ${why}`}`
  }
  if (outcome === 'unknown')
    return 'Outcome unknown: its executor may have done it. Check there before you repeat it'
  const why = whyExecutorUncalled.get(code)
  if (why !== undefined) return `${why}. Nothing was done`
  const reason = String(code).replaceAll('_', ' ')
  const isAnswer = String(code).startsWith('http_4')
  return `${isAnswer ? 'Refused by its executor' : 'Its executor was not reached'}: ${reason}. Nothing was done`
}

const whyLeftOut = new Map<unknown, string>([
  ['too_large', 'it is too large'],
  ['not_json', 'it is not JSON that can be stored'],
  ['not_exact', 'it has a number that JSON readers round, or a name twice'],
])

const whyExecutorUncalled = new Map<unknown, string>([
  ['account_suspended', 'Its executor was not called: the account is suspended'],
  ['not_called', 'Its executor was not called: the action ended before'],
  ['not_signed', 'Its executor was not called: the gate has no secret or no receipt to sign the call with'],
  ['key_unreadable', 'Its executor was not called: a key that signs the call could not be read'],
  ['address_refused', 'Its executor was not called: its address is not one that the gate may call'],
])

/** The words for a tool of an MCP server that was not called. */
const uncalledWords = ({ code }: Result): string =>
  `${whyUncalled.get(code) ?? `Not called: ${String(code).replaceAll('_', ' ')}`}. Nothing was done`

const whyUncalled = new Map<unknown, string>([
  ['not_taken', 'The MCP server was not reached, or did not take the call'],
  ['tool_changed', 'The tool changed after it was proposed'],
  ['tool_gone', 'The tool is no longer served'],
  ['tool_denied', 'The rule of the tool now denies every call'],
  ['rule_changed', 'The rule of the tool changed after it was proposed'],
])

function deliveryWords(result: Result): string {
  const { slack, email } = countsOf(result)
  const [failed, unknown] = [countsOf(result['failed']), countsOf(result['unknown'])]
  const channels = [...(slack > 0 ? [`${slack} in Slack`] : []), ...(email > 0 ? [`${email} by e-mail`] : [])]
  const others: [number, string][] = [
    [Number(result['unreachable'] ?? 0), 'unreachable'],
    [failed.slack + failed.email, 'failed'],
    [unknown.slack + unknown.email, 'unknown'],
  ]
  return [
    channels.length === 0 ? 'Delivered to nobody' : `Delivered to ${channels.join(' and ')}`,
    ...others.filter(([count]) => count > 0).map(([count, word]) => `${count} ${word}`),
  ].join(', ')
}

function countsOf(given: unknown): { slack: number; email: number } {
  const { slack, email } = (given ?? {}) as Result
  return { slack: Number(slack ?? 0), email: Number(email ?? 0) }
}

function refusedWords(kind: string, { provider, code, provider_message: words }: Result): string {
  const nothing = kind === 'integration' ? 'Nothing was connected' : 'Nothing was done'
  if (provider !== undefined && code === 'not_sent') return `${nameOf(provider)} was not asked. ${nothing}`
  const reason = saying(words) || (typeof code === 'string' ? `: ${code.replaceAll('_', ' ')}` : '')
  if (provider === undefined) return `Refused${reason}. ${nothing}`
  const who =
    code === 'account_suspended' ? `${nameOf(provider)} was not asked` : `Refused by ${nameOf(provider)}`
  return `${who}${reason}. ${nothing}`
}

const unknownWords = ({ provider }: Result): string =>
  provider === undefined
    ? 'Outcome unknown'
    : `Outcome unknown: ${nameOf(provider)} may have done it. Check there before you repeat it`

function amountOf({ amount_cents: cents, currency }: Result): string {
  const isAmount = typeof cents === 'number' && typeof currency === 'string' && isCurrency(currency)
  return isAmount ? formatAmount(cents, currency) : 'an amount that was not recorded'
}

/** The provider's status, where it is not the last one yet. */
function statusNote({ status }: Result, last: string[]): string {
  return typeof status !== 'string' || last.includes(status)
    ? ''
    : `, ${status.replaceAll('_', ' ')} at the provider`
}

/** The result of a kind without a sentence of its own: its fields. */
function otherWords(result: Result): string {
  const words = Object.entries(result).map(([name, value]) => {
    const label = name.replaceAll('_', ' ')
    if (typeof value === 'string' || typeof value === 'number') return `${label}: ${value}`
    if (typeof value === 'boolean') return value ? label : ''
    return `${label}: ${JSON.stringify(value).replaceAll(/["{}]/g, '').replaceAll(',', ', ')}`
  })
  return words.filter((word) => word !== '').join('; ')
}

const nameOf = (provider: unknown): string => {
  const name = String(provider)
  return name.charAt(0).toUpperCase() + name.slice(1)
}

/** A change in how the call of a running action goes. */
export interface CallChange {
  state: 'pending' | 'sending' | 'accepted' | 'asking'
  code: string | null
  attempts: number
}

/** The change in a sentence without its full stop. Pure. */
export function callChangeWords({ state, code, attempts }: CallChange): string {
  const why = code === null ? '' : ` (${code})`
  switch (state) {
    case 'pending':
      return code === null ? 'The call is repeated' : `Attempt ${attempts} failed${why}. It is repeated`
    case 'sending':
      return `Attempt ${attempts} ended without a known outcome${why}. It is repeated or looked for`
    case 'accepted':
      return code === null ? 'Accepted, and under way there' : `Asking how far it is failed${why}`
    case 'asking':
      return `No longer repeated. Its outcome is asked for${why}`
  }
}

/** What fails, since when: `customer_deletion fails since 2026-01-01T12:00:00.000Z (http_503), 2 actions wait`. Pure. */
export const failingWords = (failing: {
  target: string
  failing_since: Date
  code: string
  actions: number
}): string =>
  `${failing.target} fails since ${failing.failing_since.toISOString()} (${failing.code}), ${failing.actions === 1 ? '1 action waits' : `${failing.actions} actions wait`}`

/** A call of a running action, as far as people are told. Times are ISO 8601. */
export interface RunningCall {
  attempts: number
  last_error: string | null
  repeated_until: string | null
}

/** What a running action waits for, in one or two sentences. Pure. */
export function runningWords(call: RunningCall | null | undefined): string {
  if (!call || call.last_error === null) return 'It is running.'
  const until = call.repeated_until === null ? '' : ` until ${minuteOf(call.repeated_until)} UTC`
  return `It is running, and not done yet: attempt ${call.attempts} failed (${call.last_error}). The gate repeats it${until}.`
}

const minuteOf = (iso: string): string => iso.slice(0, 16).replace('T', ' ')
