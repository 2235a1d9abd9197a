import { GateError } from '../../errors.ts'
import { isCurrency, parseAmount } from '../../gate/money.ts'
import { type Weight } from '../../gate/policy.ts'
import { type Tier, tiers } from '../../gate/tier.ts'
import { type Explained } from '../../operations/admin/policy.ts'
import { type Html, type Part, html } from '../../transports/html.ts'
import { choice, facts, field } from '../parts.ts'
import { currencyChoices, hiddenFields, tierChoices } from './controls.ts'

/** What is asked, as it was entered. */
export type Question = Record<'kind' | 'amount' | 'currency' | 'tier', string>
export const noQuestion: Question = { kind: '', amount: '', currency: 'usd', tier: 'guarded_write' }

/** What a question weighs. @throws GateError `invalid` that says what cannot be read */
export function weightOf({ kind, amount, currency, tier }: Question): Weight & { tier: Tier } {
  if (!tiers.some((known) => known === tier))
    throw new GateError('invalid', `tier must be one of ${tiers.join(', ')}.`)
  if (!isCurrency(currency))
    throw new GateError('invalid', 'currency must be one that the gate can weigh, such as usd.')
  const amountCents = amount.trim() === '' ? undefined : parseAmount(amount)
  if (amount.trim() !== '' && amountCents === undefined)
    throw new GateError('invalid', 'amount: write it like 100, 99.50 or 1,250.00.')
  return { kind, tier: tier as Tier, ...(amountCents === undefined ? {} : { amountCents, currency }) }
}

/** Asks what a policy makes of an action, and says it. */
export function explainForm(options: {
  method: 'get' | 'post'
  action: string
  hidden?: Record<string, string>
  kinds: string[]
  question: Question
  answer?: Explained | undefined
}): Html {
  const { method, action, hidden = {}, kinds, question, answer } = options
  return html`${answer ? answerPart(answer) : ''}
    <form method="${method}" action="${action}">
      ${hiddenFields(hidden)}
      <div class="pair">
        ${choice({ name: 'kind', label: 'Kind', values: kinds.map((k) => [k, k]), value: question.kind })}
        ${choice({ name: 'tier', label: 'Tier of the member', values: tierChoices, value: question.tier })}
        ${field({
          name: 'amount',
          label: 'Amount',
          isRequired: false,
          value: question.amount,
          hint: 'For money: 100 or 99.50',
        })}
        ${choice({ name: 'currency', label: 'Currency', values: currencyChoices, value: question.currency })}
      </div>
      <button type="submit" ${method === 'post' ? html`name="do" value="explain"` : ''}>Explain</button>
    </form>`
}

function answerPart({ allowed, rule, consent }: Explained): Part {
  return html`<div role="status">
    ${facts([
      [
        'Answer',
        allowed ? html`<span class="badge good">allowed</span>` : html`<span class="badge bad">denied</span>`,
      ],
      ['Rule', rule],
      ['Consent', consent === null ? html`<span class="none">none helps</span>` : html`at least ${consent}`],
    ])}
  </div>`
}
