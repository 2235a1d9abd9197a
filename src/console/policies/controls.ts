import { consentStrengths } from '../../gate/consent.ts'
import { currencies } from '../../gate/money.ts'
import { tiers } from '../../gate/tier.ts'
import { type RejectedForm, describedBy, fieldError } from '../../web/fields.ts'
import { type Html, type Part, html } from '../../web/html.ts'

/** A value of a select and its label. */
export type Choice = readonly [value: string, words: string]

export const tierChoices: Choice[] = tiers.map((tier) => [tier, tier])
export const consentChoices: Choice[] = [
  ['agent_attested', 'the agent’s word'],
  ['client_attested', 'the word of the agent’s program (client_attested)'],
  ['chat', 'own consent in Slack (chat)'],
  ['page', 'own consent on a page (page)'],
  ['passkey', 'own consent by passkey (passkey)'],
]
export const currencyChoices: Choice[] = currencies.map((currency) => [currency, currency.toUpperCase()])

/** A consent floor in words. */
export const consentWords = (strength: string): string =>
  consentChoices.find(([value]) => value === strength)?.[1] ?? strength

/** The choices that are allowed, plus the current value even if it is not. Pure. */
export function availableChoices(choices: Choice[], values: readonly string[], chosen: string): Choice[] {
  const isKnown = consentStrengths.some((strength) => strength === chosen)
  const kept = choices.filter(([value]) => values.includes(value) || value === chosen)
  return isKnown || chosen === '' ? kept : [...kept, [chosen, chosen]]
}

interface Control {
  name: string
  /** For screen readers: a table cell has no visible label. */
  label: string
  value: string
  rejected?: RejectedForm | undefined
}

/** A select inside a table. */
export const picker = ({ name, label, value, choices, rejected }: Control & { choices: Choice[] }): Html =>
  html`<select id="${name}" name="${name}" aria-label="${label}" ${describedBy({ name, rejected })}>
      ${choices.map(
        ([one, words]) =>
          html`<option value="${one}" ${one === value ? html`selected` : ''}>${words}</option>`,
      )}
    </select>
    ${fieldError(name, rejected)}`

/** An amount of money inside a table. */
export const amountInput = ({
  name,
  label,
  value,
  placeholder,
  rejected,
}: Control & { placeholder: string }): Html =>
  html`<input
      id="${name}"
      name="${name}"
      type="text"
      inputmode="decimal"
      autocomplete="off"
      aria-label="${label}"
      value="${value}"
      placeholder="${placeholder}"
      ${describedBy({ name, rejected })}
    />
    ${fieldError(name, rejected)}`

export const hiddenFields = (fields: Record<string, string>): Part =>
  Object.entries(fields).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`)
