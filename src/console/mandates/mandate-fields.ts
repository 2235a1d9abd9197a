import { GateError } from '../../errors.ts'
import { parseAmount } from '../../gate/money.ts'
import { limits } from '../../limits.ts'
import { MandateDraft } from '../../operations/mandates/mandate-terms.ts'
import { parseInput } from '../../operations/parse.ts'
import { parseMatch } from '../runner-rules/match-text.ts'
import { parseLimits } from './limit-lines.ts'

// The fields of the form for a mandate, and the draft that they come to.

/** What the form asks of each kind of action. */
export const kindLabels = {
  kind: 'Kind of action',
  each: 'Each action, at most',
  arguments: 'Arguments',
  tool: 'Tool',
  match: 'Calls of the tool',
} as const
export type KindField = keyof typeof kindLabels

/** The fields of the first kind have the plain names, those of the others a number behind them. */
export const named = (name: KindField, n: number): string => (n === 0 ? name : `${name}_${n + 1}`)
export const places = Array.from({ length: limits.mandateKindsMax }, (_, n) => n)

export const labels: Record<string, string> = {
  agent: 'Agent',
  currency: 'Currency',
  cents: 'In all, at most',
  cents_per_day: 'A day, at most',
  uses: 'Uses in all',
  uses_per_day: 'Uses a day',
  days: 'Days',
  ...Object.fromEntries(
    places.flatMap((n) =>
      Object.entries(kindLabels).map(([name, label]) => [
        named(name as KindField, n),
        n === 0 ? label : `${label} (${n + 1})`,
      ]),
    ),
  ),
}

/** A form as it was sent. */
export type Sent = Record<string, string | undefined>

/** What the member entered, as a draft. @throws GateError `invalid` with the field */
export function draftOf(form: Sent, now: Date): MandateDraft {
  const days = whole('days', form['days'])
  return parseInput(
    MandateDraft,
    definedOf({
      agent: form['agent'],
      allows: filledIn(form).map((n) => allowanceOf(form, n)),
      uses: whole('uses', form['uses']),
      uses_per_day: whole('uses_per_day', form['uses_per_day']),
      cents: centsOf(form, 'cents'),
      cents_per_day: centsOf(form, 'cents_per_day'),
      until: new Date(now.getTime() + days * 86_400_000).toISOString(),
    }),
  )
}

function allowanceOf(form: Sent, n: number): Record<string, unknown> {
  const read = parseLimits(form[named('arguments', n)] ?? '')
  if ('problem' in read) throw invalid(named('arguments', n), read.problem)
  return definedOf({
    kind: form[named('kind', n)],
    cents_each: centsOf(form, named('each', n)),
    arguments: Object.keys(read.limits).length === 0 ? undefined : read.limits,
    calls: callsOf(form, n),
  })
}

function centsOf(form: Sent, name: string): Record<string, number> | undefined {
  const text = form[name]?.trim() ?? ''
  if (text === '') return undefined
  const currency = form['currency']?.trim().toLowerCase() ?? ''
  const value = parseAmount(text)
  if (value === undefined) throw invalid(name, 'must be an amount, such as 50.00')
  if (currency === '') throw invalid('currency', 'is required with an amount')
  return { [currency]: value }
}

function callsOf(form: Sent, n: number): unknown {
  const tool = form[named('tool', n)]?.trim() ?? ''
  if (tool === '') return undefined
  const read = parseMatch(form[named('match', n)] ?? '')
  if ('problem' in read) throw invalid(named('match', n), read.problem)
  return { tool, ...(Object.keys(read.match).length === 0 ? {} : { match: read.match }) }
}

function whole(name: string, text: string | undefined): number {
  if (!/^\d{1,6}$/.test(text?.trim() ?? '')) throw invalid(name, 'must be a whole number')
  return Number(text)
}

const definedOf = (given: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))

const invalid = (name: string, problem: string): GateError =>
  new GateError('invalid', `${labels[name]} ${problem}.`, { param: name })

/** The field that a refusal of the draft concerns: `allows.1.cents_each` is of the second kind that is filled in. */
export function fieldOfParam(param: string, values: Sent): string {
  const [, at, name] = /^allows\.(\d)\.(kind|cents_each|arguments|calls)/.exec(param) ?? []
  if (at === undefined) return param === 'until' ? 'days' : param
  const field = { kind: 'kind', cents_each: 'each', arguments: 'arguments', calls: 'tool' }[
    name!
  ] as KindField
  return named(field, filledIn(values)[Number(at)] ?? 0)
}

/** The places of the form where a kind is chosen. */
const filledIn = (form: Sent): number[] => places.filter((n) => (form[named('kind', n)] ?? '') !== '')
