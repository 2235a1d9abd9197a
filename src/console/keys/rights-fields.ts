import { z } from 'zod'
import { GateError } from '../../errors.ts'
import { currencies, isCurrency, parseAmount } from '../../gate/money.ts'
import { limits } from '../../limits.ts'
import { kindsForKeys } from '../../operations/kinds/declared-kinds.ts'
import { type Html, html } from '../../web/html.ts'
import { keyLabels } from './key-form.ts'
import type { PageContext, RejectedForm } from '../page.ts'
import { checkboxes, field, textArea } from '../parts.ts'

// What limits a key to kinds and amounts: for keys that an administrator mints, and for connected apps.

const amountsForm = `must have one amount per line, such as 1000.00 USD; currencies: ${currencies.join(', ')}`

/** Amounts with their currencies, one per line, parsed to cents by currency. */
export const amounts = z
  .string()
  .transform((text) =>
    text
      .split(/[\n;]/)
      .filter((part) => part.trim() !== '')
      .map((part): [string, number | undefined] => {
        const pair = part.trim()
        return [pair.slice(-3).toLowerCase(), parseAmount(pair.slice(0, -3))]
      }),
  )
  .refine(
    (pairs) =>
      pairs.every(
        ([currency, cents = 0]) => isCurrency(currency) && cents > 0 && cents <= limits.amountCentsMax,
      ) &&
      pairs.length > 0 &&
      new Set(pairs.map(([currency]) => currency)).size === pairs.length,
    amountsForm,
  )
  .transform((pairs) => Object.fromEntries(pairs) as Record<string, number>)

/** A box for each kind of action, named `kind_…`. */
export const kindFields = (kinds: string[], rejected: RejectedForm | undefined): Html =>
  checkboxes({
    legend: 'Kinds of action',
    hint: 'If none is checked, all kinds are allowed, including kinds added later.',
    boxes: kinds.map((kind) => ({
      name: `kind_${kind}`,
      words: kind.replaceAll('_', ' '),
      isChecked: false,
    })),
    rejected,
  })

export const limitFields = (rejected: RejectedForm | undefined): Html =>
  html`<fieldset class="narrow">
    <legend>Limits per 24 hours</legend>
    ${field({
      name: 'actions_per_day',
      label: keyLabels.actions_per_day,
      type: 'number',
      hint: 'Empty: no limit beyond the policy.',
      isRequired: false,
      rejected,
    })}
    ${textArea({
      name: 'amounts_per_day',
      label: keyLabels.amounts_per_day,
      hint: 'One currency per line, such as 1000.00 USD. The USD limit applies separately to each currency that is not listed.',
      isRequired: false,
      rows: 2,
      rejected,
    })}
  </fieldset>`

export const kindsOf = async ({ deps, session }: PageContext): Promise<string[]> =>
  kindsForKeys(await deps.kinds.now(session.account))

/** The kinds that a form checks; null: none, so all. @param fields  the other fields of the form @throws GateError `invalid` */
export function kindsIn(
  kinds: string[],
  form: Record<string, unknown>,
  fields: readonly string[],
): string[] | null {
  const others = Object.keys(form).filter((name) => !fields.includes(name))
  const known = new Set(kinds.map((kind) => `kind_${kind}`))
  const unknown = others.find((name) => !known.has(name))
  if (unknown !== undefined)
    throw new GateError('invalid', `unknown field ${unknown.slice(0, limits.formNameEchoCharsMax)}.`)
  const odd = others.find((name) => form[name] !== 'on')
  if (odd !== undefined) throw new GateError('invalid', `${odd} must be checked or not.`)
  return others.length === 0 ? null : kinds.filter((kind) => others.includes(`kind_${kind}`))
}
