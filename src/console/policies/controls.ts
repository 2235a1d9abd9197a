import { consentStrengths } from '../../gate/consent.ts'
import { currencies } from '../../gate/money.ts'
import { tiers } from '../../gate/tier.ts'
import { type Html, type Part, html } from '../../web/html.ts'

/** A value of a list, and the words that people read. */
export type Choice = readonly [value: string, words: string]

export const tierChoices: Choice[] = tiers.map((tier) => [tier, tier])
export const consentChoices: Choice[] = [
  ['agent_attested', 'the agent’s word'],
  ['chat', 'their own Slack (chat)'],
  ['page', 'their own page (page)'],
]
export const currencyChoices: Choice[] = currencies.map((currency) => [currency, currency.toUpperCase()])

/** Those of the choices that can be had, and what is chosen already, whatever it is. Pure. */
export function availableChoices(choices: Choice[], values: readonly string[], chosen: string): Choice[] {
  const isKnown = consentStrengths.some((strength) => strength === chosen)
  const kept = choices.filter(([value]) => values.includes(value) || value === chosen)
  return isKnown || chosen === '' ? kept : [...kept, [chosen, chosen]]
}

interface Control {
  name: string
  /** For those who hear it: the cell of a table has no label beside it. */
  label: string
  value: string
}

/** A list to choose from, inside of a table. */
export const picker = ({ name, label, value, choices }: Control & { choices: Choice[] }): Html =>
  html`<select name="${name}" aria-label="${label}">
    ${choices.map(
      ([one, words]) => html`<option value="${one}" ${one === value ? html`selected` : ''}>${words}</option>`,
    )}
  </select>`

/** An amount of money, inside of a table. */
export const amountInput = ({ name, label, value, placeholder }: Control & { placeholder: string }): Html =>
  html`<input
    name="${name}"
    type="text"
    inputmode="decimal"
    autocomplete="off"
    aria-label="${label}"
    value="${value}"
    placeholder="${placeholder}"
  />`

export const hiddenFields = (fields: Record<string, string>): Part =>
  Object.entries(fields).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`)
