import { httpStatusOf } from '../../errors.ts'
import { isCurrency, parseAmount } from '../../gate/money.ts'
import type { Policy, Weight } from '../../gate/policy.ts'
import { type Tier, tiers } from '../../gate/tier.ts'
import { limits } from '../../limits.ts'
import { type Explained, explainByPolicy } from '../../operations/admin/policy.ts'
import { type Html, type Part, html } from '../../web/html.ts'
import type { View } from '../page.ts'
import { choice, facts, field, formProblem } from '../parts.ts'
import { prose } from '../../web/prose.ts'
import { currencyChoices, hiddenFields, tierChoices } from './controls.ts'

/** The example action, as entered. */
export type Question = Record<'kind' | 'amount' | 'currency' | 'tier', string>
export const defaultQuestion: Question = { kind: '', amount: '', currency: 'usd', tier: 'guarded_write' }

/** The ruling of a policy, or the problem of the input. */
export type Answer = Explained | { problem: string; field: string }

/** The ruling of a policy on an example action. Pure. */
export function answerTo(policy: Policy, question: Question): Answer {
  const weight = weightOf(question)
  return 'problem' in weight ? weight : explainByPolicy(policy, weight)
}

/** The HTTP status of a page that shows an answer. Pure. */
export const answerStatus = (answer: Answer | undefined): Pick<View, 'status'> =>
  answer && 'problem' in answer ? { status: httpStatusOf.invalid } : {}

function weightOf({
  kind,
  amount,
  currency,
  tier,
}: Question): (Weight & { tier: Tier }) | { problem: string; field: string } {
  if (!tiers.some((known) => known === tier))
    return { problem: `tier must be one of ${tiers.join(', ')}.`, field: 'tier' }
  if (!isCurrency(currency))
    return { problem: 'currency must be a supported currency, such as usd.', field: 'currency' }
  const amountCents = amount.trim() === '' ? undefined : parseAmount(amount)
  if (amount.trim() !== '' && amountCents === undefined)
    return { problem: 'amount must be written like 100, 99.50 or 1,250.00.', field: 'amount' }
  return { kind, tier: tier as Tier, ...(amountCents === undefined ? {} : { amountCents, currency }) }
}

/** The form of a policy test, with the answer above it. */
export function explainForm(options: {
  method: 'get' | 'post'
  action: string
  hidden?: Record<string, string>
  kinds: string[]
  question: Question
  answer?: Answer | undefined
}): Html {
  const { method, action, hidden = {}, kinds, question, answer } = options
  const rejected = answer && 'problem' in answer ? { ...answer, values: question } : undefined
  return html`${answer ? answerPart(answer) : ''}
    <form method="${method}" action="${action}">
      ${hiddenFields(hidden)}
      <div class="pair">
        ${choice({ name: 'kind', label: 'Kind', values: kinds.map((k) => [k, k]), value: question.kind, rejected })}
        ${choice({ name: 'tier', label: 'Tier of the member', values: tierChoices, value: question.tier, rejected })}
        ${field({
          name: 'amount',
          label: 'Amount',
          isRequired: false,
          value: question.amount,
          hint: 'For kinds with money, such as 100 or 99.50',
          charsMax: limits.policyFieldCharsMax,
          rejected,
        })}
        ${choice({ name: 'currency', label: 'Currency', values: currencyChoices, value: question.currency, rejected })}
      </div>
      <button type="submit" ${method === 'post' ? html`name="do" value="explain"` : ''}>Test policy</button>
    </form>`
}

function answerPart(answer: Answer): Part {
  if ('problem' in answer) return formProblem({ ...answer, values: {} })
  const { allowed, rule, consent, limits: ofDay } = answer
  return html`<div role="status">
    ${facts([
      [
        'Result',
        allowed ? html`<span class="badge good">allowed</span>` : html`<span class="badge bad">denied</span>`,
      ],
      ['Rule', prose(rule)],
      [
        'Consent',
        consent === null ? html`<span class="none">not applicable</span>` : html`at least ${consent}`,
      ],
      ...(ofDay ? [['Limits per 24 hours', html`${ofDay.join('; ')}`] as [string, Part]] : []),
    ])}
  </div>`
}
