import { GateError } from '../../errors.ts'
import { requestedStrengths } from '../../gate/consent.ts'
import type { RunnerRule, RunnerRules } from '../../gate/runner-calls/rules.ts'
import { limits } from '../../limits.ts'
import type { Fields } from '../policies/form-values.ts'
import { matchText, parseMatch } from './match-text.ts'

/** The controls of one rule. `decision`: allow or deny, or the strength of the consent. */
export const ruleFields = ['tool', 'match', 'tier', 'decision', 'note'] as const
export type RuleFields = Record<(typeof ruleFields)[number], string>

/** The value of a rule's tier that requires none. */
export const anyTier = ''

export const emptyRule: RuleFields = { tool: '', match: '', tier: anyTier, decision: 'chat', note: '' }

/** The fields of the form. Pure. */
export const rulesToFields = ({ rules, record }: RunnerRules, version: number): Fields => ({
  version: String(version),
  ...rowsToFields(rules.map(ruleToFields)),
  record,
})

const ruleToFields = ({ tool, match, tier, decision, consent = 'chat', note }: RunnerRule): RuleFields => ({
  tool,
  match: matchText(match),
  tier: tier ?? anyTier,
  decision: decision === 'consent' ? consent : decision,
  note,
})

export const fieldName = (row: number, field: string): string => `rule.${row}.${field}`

const fieldForm = /^rule\.(0|[1-9]\d{0,2})\.(\w+)$/

/** The rows of the form, in order. Pure. */
export function rowsOf(fields: Fields): RuleFields[] {
  const rows: Partial<RuleFields>[] = []
  for (const [name, value] of Object.entries(fields)) {
    const [, row, field] = isRuleField(name) ? fieldForm.exec(name)! : []
    if (row !== undefined) rows[Number(row)] = { ...rows[Number(row)], [field!]: value }
  }
  return Array.from(rows, (row) => ({ ...emptyRule, ...row }))
}

function isRuleField(name: string): boolean {
  const [, row, field] = fieldForm.exec(name) ?? []
  return row !== undefined && Number(row) < limits.rulesMax && ruleFields.some((known) => known === field)
}

const otherFields = ['version', 'do', 'note', 'record']

/** @throws GateError `invalid` for a field that the form does not have */
export function requireKnownFields(fields: Fields): void {
  const unknown = Object.keys(fields).find((name) => !otherFields.includes(name) && !isRuleField(name))
  if (unknown !== undefined)
    throw new GateError('invalid', `unknown field ${unknown.slice(0, limits.formNameEchoCharsMax)}.`)
}

export const rowsToFields = (rows: RuleFields[]): Fields =>
  Object.fromEntries(
    rows.flatMap((row, n) => ruleFields.map((field) => [fieldName(n, field), row[field]] as const)),
  )

/** A row in which nothing was written is no rule. */
const isEmpty = ({ tool, match, note }: RuleFields): boolean =>
  [tool, match, note].every((value) => value.trim() === '')

/**
 * The rules as part of a policy document, not yet validated.
 * @throws GateError `invalid` with the field that cannot be read
 */
export function fieldsToRules(fields: Fields): unknown {
  const rules = rowsOf(fields).flatMap((row, n) => (isEmpty(row) ? [] : [toRule(row, n)]))
  return { rules, record: fields['record'] }
}

function toRule({ tool, match, tier, decision, note }: RuleFields, n: number): unknown {
  const parsed = parseMatch(match)
  if ('problem' in parsed)
    throw new GateError('invalid', `Rule ${n + 1}: match ${parsed.problem}.`, {
      param: fieldName(n, 'match'),
    })
  const isConsent = (requestedStrengths as readonly string[]).includes(decision)
  return {
    tool: tool.trim(),
    ...(Object.keys(parsed.match).length === 0 ? {} : { match: parsed.match }),
    ...(tier === anyTier ? {} : { tier }),
    ...(isConsent ? { decision: 'consent', consent: decision } : { decision }),
    note: note.trim(),
  }
}

/**
 * The field of the form that a refusal concerns. The document names it in its own words, such as
 * `runner.rules.2.match.command`: the third rule, which may stand in a later row. Pure.
 */
export function fieldOfRule(param: string, fields: Fields): string | undefined {
  const [root, what, place, field = 'tier'] = param.split('.')
  if (root !== 'runner') return Object.hasOwn(fields, param) ? param : undefined
  if (what === 'record') return 'record'
  if (place === undefined) return undefined
  const filled = rowsOf(fields).flatMap((row, n) => (isEmpty(row) ? [] : [n]))
  const row = filled[Number(place)]
  // A rule as a whole is refused only for a tier that does not go with its decision.
  const control = field === 'consent' ? 'decision' : field
  return row === undefined ? undefined : fieldName(row, control)
}

/** What the buttons beside a rule do to the rows. */
const moves: Record<string, (rows: RuleFields[], n: number) => RuleFields[]> = {
  up: (rows, n) => swapped(rows, n - 1),
  down: (rows, n) => swapped(rows, n),
  insert: (rows, n) => rows.toSpliced(n, 0, emptyRule),
  remove: (rows, n) => rows.toSpliced(n, 1),
}

/** The row and its successor in each other's place. */
function swapped(rows: RuleFields[], n: number): RuleFields[] {
  const [one, other] = [rows[n], rows[n + 1]]
  return one && other ? rows.toSpliced(n, 2, other, one) : rows
}

/** The fields after a button of the form; undefined where the button is none of these. Pure. */
export function moveRule(fields: Fields): Fields | undefined {
  const { do: button = '', ...others } = fields
  const [name = '', place] = button.split('.')
  const rows = rowsOf(fields)
  const next =
    button === 'add'
      ? [...rows, emptyRule]
      : Object.hasOwn(moves, name)
        ? moves[name]!(rows, Number(place))
        : undefined
  if (!next) return undefined
  if (next.length > limits.rulesMax)
    throw new GateError('invalid', `A policy has at most ${limits.rulesMax} rules. Remove one first.`)
  const rest = Object.entries(others).filter(([field]) => !fieldForm.test(field))
  return { ...Object.fromEntries(rest), ...rowsToFields(next) }
}
