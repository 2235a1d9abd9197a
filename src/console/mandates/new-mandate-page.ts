import { z } from 'zod'
import { placeholders } from '../../gate/mandates/template.ts'
import { amountText } from '../../gate/money.ts'
import type { Allowance } from '../../gate/mandates/terms.ts'
import { runnerKind } from '../../gate/runner-calls/tool-call.ts'
import { type MandateForm, formOfMandates } from '../../operations/mandates/mandate-form.ts'
import type { MandateDraft } from '../../operations/mandates/mandate-terms.ts'
import { proposeMandate } from '../../operations/mandates/sign-mandate.ts'
import { type Html, type Part, html } from '../../web/html.ts'
import { type RejectedForm, definePage } from '../page.ts'
import { choice, empty, field, formProblem, textArea } from '../parts.ts'
import { proposalsPath } from '../proposals/list-page.ts'
import { matchText } from '../runner-rules/match-text.ts'
import { limitText } from './limit-lines.ts'
import { draftOf, fieldOfParam, kindLabels, labels, named, places } from './mandate-fields.ts'
import { ceilingsTable, mandatesPath, newMandatePath } from './mandate-parts.ts'

/** The form for a mandate. It proposes one; the member signs it by approving its card. */
export const newMandatePage = definePage({
  path: newMandatePath,
  query: z.strictObject({ from: z.string().max(200).optional() }),
  form: z.strictObject(Object.fromEntries(Object.keys(labels).map((name) => [name, z.string().optional()]))),
  labels,
  fieldOf: fieldOfParam,
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
  const currency = Object.keys(filled?.cents ?? {})[0]
  const amountOf = (cents: Record<string, number> | undefined) =>
    currency === undefined || !cents ? '' : amountText(cents[currency]!)
  const amount = (name: string, value: string): Html =>
    field({ name, label: labels[name]!, value, inputmode: 'decimal', isRequired: false, rejected })
  const count = (name: 'uses' | 'uses_per_day' | 'days', value: number, most: number): Html =>
    field({
      name,
      label: labels[name]!,
      type: 'number',
      value: String(value),
      hint: `At most ${most}.`,
      rejected,
    })
  const ofKinds = { kinds, allows: filled?.allows ?? [], amountOf, rejected }
  const most = Object.values(ceilings)
  const isOpen = (n: number) =>
    filled?.allows[n] !== undefined || (rejected?.values[named('kind', n)] ?? '') !== ''
  return html`<form method="post">
    ${choice({
      name: 'agent',
      label: labels['agent']!,
      hint: 'Only this agent can use the mandate.',
      values: agents.map(({ agent, name }) => [agent, `${name} (${agent})`] as const),
      ...(filled ? { value: filled.agent } : {}),
      rejected,
    })}
    ${kindFields(0, ofKinds)}
    ${places.slice(1, kinds.length).map(
      (n) =>
        html`<details ${isOpen(n) ? html`open` : ''}>
          <summary>Another kind of action (${n + 1})</summary>
          ${kindFields(n, ofKinds)}
        </details>`,
    )}
    <fieldset>
      <legend>Budget, of all kinds together</legend>
      ${field({ name: 'currency', label: labels['currency']!, value: currency?.toUpperCase() ?? '', hint: 'Such as USD, of kinds that have amounts. Other currencies are not covered.', charsMax: 3, isRequired: false, rejected })}
      ${amount('cents', amountOf(filled?.cents))} ${amount('cents_per_day', amountOf(filled?.cents_per_day))}
      ${count('uses', filled?.uses ?? Math.min(...most.map((one) => one.uses)), Math.max(...most.map((one) => one.uses)))}
      ${count('uses_per_day', filled?.uses_per_day ?? Math.min(...most.map((one) => one.uses_per_day)), Math.max(...most.map((one) => one.uses_per_day)))}
      ${count('days', suggested?.days ?? 7, Math.max(...most.map((one) => one.days)))}
    </fieldset>
    <p class="hint">A day is one of UTC. What is spent is not given back, even if the action fails.</p>
    <button type="submit">Show the mandate to sign</button>
    <a class="button" href="${mandatesPath}">Go back</a>
  </form>`
}

/** The fields of one kind. `allows`: what the form is filled in with. */
function kindFields(
  n: number,
  {
    kinds,
    allows,
    amountOf,
    rejected,
  }: {
    kinds: string[]
    allows: Allowance[]
    amountOf(cents: Record<string, number> | undefined): string
    rejected: RejectedForm | undefined
  },
): Html {
  const chosen = allows[n]
  const none = n === 0 ? [] : [['', 'none'] as const]
  return html`${choice({
    name: named('kind', n),
    label: kindLabels.kind,
    values: [...none, ...kinds.map((kind) => [kind, kind] as const)],
    ...(chosen ? { value: chosen.kind } : {}),
    rejected,
  })}
  ${textArea({
    name: named('arguments', n),
    label: kindLabels.arguments,
    ...(n === 0 ? { hint: argumentsHint } : {}),
    isRequired: false,
    rows: 4,
    value: limitText(chosen?.arguments ?? {}),
    rejected,
  })}
  ${field({
    name: named('each', n),
    label: kindLabels.each,
    value: amountOf(chosen?.cents_each),
    inputmode: 'decimal',
    hint: 'Of kinds that have amounts.',
    isRequired: false,
    rejected,
  })}
  ${kinds.includes(runnerKind) ? callFields(n, chosen?.calls, rejected) : ''}`
}

const callFields = (
  n: number,
  calls: MandateDraft['allows'][number]['calls'],
  rejected: RejectedForm | undefined,
): Html =>
  html`<fieldset>
    <legend>Of tool calls of agent runners</legend>
    ${field({ name: named('tool', n), label: kindLabels.tool, value: calls?.tool ?? '', hint: 'Such as Bash. * stands for any characters.', isRequired: false, rejected })}
    ${textArea({ name: named('match', n), label: kindLabels.match, hint: 'As rules of the policy, one a line: “command: git status*”.', isRequired: false, value: matchText(calls?.match as never), rejected })}
  </fieldset>`

const argumentsHint: Part = html`What each argument may be, one a line: <code>customer = cus_1</code> (one of
  these values), <code>message ~ Order {number} has shipped</code> (this text, with
  ${placeholders.map((name) => `{${name}}`).join(', ')}), <code>payment *</code> (any id or number, no text).
  An argument that is not named must be absent.`
