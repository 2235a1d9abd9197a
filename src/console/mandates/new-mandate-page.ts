import { z } from 'zod'
import { GateError } from '../../errors.ts'
import { placeholders } from '../../gate/mandates/template.ts'
import { amountText, parseAmount } from '../../gate/money.ts'
import { runnerKind } from '../../gate/runner-calls/tool-call.ts'
import { type MandateForm, formOfMandates } from '../../operations/mandates/mandate-form.ts'
import { MandateDraft } from '../../operations/mandates/mandate-terms.ts'
import { proposeMandate } from '../../operations/mandates/sign-mandate.ts'
import { parseInput } from '../../operations/parse.ts'
import { type Html, type Part, html } from '../../web/html.ts'
import { type RejectedForm, definePage } from '../page.ts'
import { choice, empty, field, formProblem, textArea } from '../parts.ts'
import { proposalsPath } from '../proposals/list-page.ts'
import { matchText, parseMatch } from '../runner-rules/match-text.ts'
import { limitText, parseLimits } from './limit-lines.ts'
import { ceilingsTable, mandatesPath, newMandatePath } from './mandate-parts.ts'

const labels = {
  agent: 'Agent',
  kind: 'Kind of action',
  currency: 'Currency',
  each: 'Each action, at most',
  cents: 'In all, at most',
  cents_per_day: 'A day, at most',
  uses: 'Uses in all',
  uses_per_day: 'Uses a day',
  arguments: 'Arguments',
  tool: 'Tool',
  match: 'Calls of the tool',
  days: 'Days',
} as const

/** The form for a mandate. It proposes one; the member signs it by approving its card. */
export const newMandatePage = definePage({
  path: newMandatePath,
  query: z.strictObject({ from: z.string().max(200).optional() }),
  form: z.strictObject(
    Object.fromEntries(Object.keys(labels).map((name) => [name, z.string().optional()])) as Record<
      keyof typeof labels,
      z.ZodOptional<z.ZodString>
    >,
  ),
  labels,
  fieldOf: (param) =>
    param === 'cents_each' ? 'each' : param === 'until' ? 'days' : param === 'template' ? 'arguments' : param,
  async show({ deps, session }, { from }, rejected) {
    const form = await formOfMandates(deps, session, from)
    return {
      title: 'New mandate',
      body: html`${formProblem(rejected)}
      ${
        Object.keys(form.ceilings).length === 0
          ? empty('The policy allows no mandates. Ask an administrator.')
          : form.agents.length === 0
            ? empty('No API key or app acts for you.')
            : html`${formPart(form, rejected)}
                <h2>Limits of the policy</h2>
                ${ceilingsTable(form.ceilings)}`
      }`,
    }
  },
  async send({ deps, session }, form) {
    const { id } = await proposeMandate(deps, session, draftOf(form, new Date()))
    return { to: `${proposalsPath}/${id}` }
  },
})

function formPart(
  { agents, ceilings, filled: suggested }: MandateForm,
  rejected: RejectedForm | undefined,
): Html {
  const kinds = Object.keys(ceilings)
  const filled = suggested?.terms
  const chosen = filled ? filled.allows[0]! : undefined
  const currency = Object.keys(chosen?.cents_each ?? {})[0]
  const amountOf = (cents: Record<string, number> | undefined) =>
    currency === undefined || !cents ? '' : amountText(cents[currency]!)
  const amount = (name: 'each' | 'cents' | 'cents_per_day', value: string): Html =>
    field({ name, label: labels[name], value, inputmode: 'decimal', isRequired: false, rejected })
  const count = (name: 'uses' | 'uses_per_day' | 'days', value: number, most: number): Html =>
    field({
      name,
      label: labels[name],
      type: 'number',
      value: String(value),
      hint: `At most ${most}.`,
      rejected,
    })
  const most = Object.values(ceilings)
  return html`<form method="post">
    ${choice({
      name: 'agent',
      label: labels.agent,
      hint: 'Only this agent can use the mandate.',
      values: agents.map(({ agent, name }) => [agent, `${name} (${agent})`] as const),
      ...(filled ? { value: filled.agent } : {}),
      rejected,
    })}
    ${choice({
      name: 'kind',
      label: labels.kind,
      values: kinds.map((kind) => [kind, kind] as const),
      ...(chosen ? { value: chosen.kind } : {}),
      rejected,
    })}
    ${textArea({
      name: 'arguments',
      label: labels.arguments,
      hint: argumentsHint,
      isRequired: false,
      rows: 4,
      value: limitText(chosen?.arguments ?? {}),
      rejected,
    })}
    <fieldset>
      <legend>Amounts, of kinds that have them</legend>
      ${field({ name: 'currency', label: labels.currency, value: currency?.toUpperCase() ?? '', hint: 'Such as USD. Other currencies are not covered.', charsMax: 3, isRequired: false, rejected })}
      ${amount('each', amountOf(chosen?.cents_each))} ${amount('cents', amountOf(filled?.cents))}
      ${amount('cents_per_day', amountOf(filled?.cents_per_day))}
    </fieldset>
    ${kinds.includes(runnerKind) ? callFields(chosen?.calls, rejected) : ''}
    ${count('uses', filled?.uses ?? Math.min(...most.map((one) => one.uses)), Math.max(...most.map((one) => one.uses)))}
    ${count('uses_per_day', filled?.uses_per_day ?? Math.min(...most.map((one) => one.uses_per_day)), Math.max(...most.map((one) => one.uses_per_day)))}
    ${count('days', suggested?.days ?? 7, Math.max(...most.map((one) => one.days)))}
    <p class="hint">A day is one of UTC. What is spent is not given back, even if the action fails.</p>
    <button type="submit">Show the mandate to sign</button>
    <a class="button" href="${mandatesPath}">Go back</a>
  </form>`
}

const callFields = (
  calls: MandateDraft['allows'][number]['calls'],
  rejected: RejectedForm | undefined,
): Html =>
  html`<fieldset>
    <legend>Of tool calls of agent runners</legend>
    ${field({ name: 'tool', label: labels.tool, value: calls?.tool ?? '', hint: 'Such as Bash. * stands for any characters.', isRequired: false, rejected })}
    ${textArea({ name: 'match', label: labels.match, hint: 'As rules of the policy, one a line: “command: git status*”.', isRequired: false, value: matchText(calls?.match as never), rejected })}
  </fieldset>`

const argumentsHint: Part = html`What each argument may be, one a line: <code>customer = cus_1</code> (one of
  these values), <code>message ~ Order {number} has shipped</code> (this text, with
  ${placeholders.map((name) => `{${name}}`).join(', ')}), <code>payment *</code> (any id or number, no text).
  An argument that is not named must be absent.`

type Sent = { [Name in keyof typeof labels]?: string | undefined }

/** What the member entered, as a draft. @throws GateError `invalid` with the field */
function draftOf(form: Sent, now: Date): MandateDraft {
  const currency = form.currency?.trim().toLowerCase() ?? ''
  const cents = (name: 'each' | 'cents' | 'cents_per_day') => {
    const text = form[name]?.trim() ?? ''
    if (text === '') return undefined
    const value = parseAmount(text)
    if (value === undefined) throw invalid(name, 'must be an amount, such as 50.00')
    if (currency === '') throw invalid('currency', 'is required with an amount')
    return { [currency]: value }
  }
  const read = parseLimits(form.arguments ?? '')
  if ('problem' in read) throw invalid('arguments', read.problem)
  const days = whole('days', form.days)
  return parseInput(
    MandateDraft,
    definedOf({
      agent: form.agent,
      allows: [
        definedOf({
          kind: form.kind,
          cents_each: cents('each'),
          arguments: Object.keys(read.limits).length === 0 ? undefined : read.limits,
          calls: callsOf(form),
        }),
      ],
      uses: whole('uses', form.uses),
      uses_per_day: whole('uses_per_day', form.uses_per_day),
      cents: cents('cents'),
      cents_per_day: cents('cents_per_day'),
      until: new Date(now.getTime() + days * 86_400_000).toISOString(),
    }),
  )
}

function callsOf({ tool, match }: Sent): unknown {
  if (!tool?.trim()) return undefined
  const read = parseMatch(match ?? '')
  if ('problem' in read) throw invalid('match', read.problem)
  return { tool: tool.trim(), ...(Object.keys(read.match).length === 0 ? {} : { match: read.match }) }
}

function whole(name: keyof typeof labels, text: string | undefined): number {
  if (!/^\d{1,6}$/.test(text?.trim() ?? '')) throw invalid(name, 'must be a whole number')
  return Number(text)
}

const definedOf = (given: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))

const invalid = (name: keyof typeof labels, problem: string): GateError =>
  new GateError('invalid', `${labels[name]} ${problem}.`, { param: name })
