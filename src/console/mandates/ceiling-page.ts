import { z } from 'zod'
import { GateError } from '../../errors.ts'
import { moneyStrengths } from '../../gate/consent.ts'
import { mandateDaysMax, signingStrengths } from '../../gate/mandates/terms.ts'
import type { Policy } from '../../gate/policy.ts'
import { limits } from '../../limits.ts'
import { ceilingFor } from '../../operations/consent/by-mandate.ts'
import { mandateKinds } from '../../operations/policy/mandates-document.ts'
import { parsePolicyDocument } from '../../operations/policy/parse-policy-document.ts'
import { policyInForce } from '../../operations/policy/policy-in-force.ts'
import { type Html, html } from '../../web/html.ts'
import { type PageContext, type Redirect, type RejectedForm, type View, definePage } from '../page.ts'
import { choice, field, formProblem, table } from '../parts.ts'
import { amountInput, currencyChoices, hiddenFields, picker } from '../policies/controls.ts'
import { ceilingPath, formText, policiesPath } from '../policies/form-schema.ts'
import type { Fields } from '../policies/form-values.ts'
import { reviewOf } from '../policies/review.ts'
import { onVersionConflict } from '../policies/version-conflict.ts'
import {
  type AmountName,
  amountLabels,
  ceilingFields,
  ceilingOf,
  ceilingRows,
  fieldOfCeiling,
} from './ceiling-fields.ts'

/** What the policy allows mandates for one kind to be, as a form. */
export const ceilingPage = definePage({
  path: ceilingPath(':kind'),
  role: 'admin',
  formBytesMax: limits.policyFormBytesMax,
  form: z.object({}).catchall(formText),
  fieldOf: fieldOfCeiling,
  async show(context, _query, rejected) {
    const kind = await kindOf(context)
    const inForce = await policyInForce(context.deps, context.session.account)
    const fields = rejected?.values ?? ceilingFields(ceilingFor(inForce.mandates, kind), inForce.version)
    return ceilingView(inForce, { kind, fields, rejected })
  },
  async send(context, form): Promise<View | Redirect> {
    const fields = form as Fields
    const kind = await kindOf(context)
    const kinds = await context.deps.kinds.now(context.session.account)
    const document = { version: Number(fields['version']), mandates: { [kind]: ceilingOf(fields) } }
    const edit = parsePolicyDocument(kinds, document)
    const inForce = await policyInForce(context.deps, context.session.account)
    return onVersionConflict(
      context,
      () => reviewOf(context, inForce, { edit, note: fields['note'] }),
      (now, problem) =>
        ceilingView(now, {
          kind,
          fields: { ...fields, version: String(now.version) },
          rejected: { problem, values: {} },
        }),
    )
  },
})

/** @throws GateError `not_found` where the policy allows no mandates for it at all */
async function kindOf({ deps, session, params }: PageContext): Promise<string> {
  const kind = params['kind']!
  if (mandateKinds((await deps.kinds.now(session.account)).values()).includes(kind)) return kind
  throw new GateError(
    'not_found',
    'There are no mandates for this kind of action. Open the policy to see all kinds.',
  )
}

/** The form with the given values. */
export function ceilingView(
  inForce: Policy,
  { kind, fields, rejected }: { kind: string; fields: Fields; rejected?: RejectedForm | undefined },
): View {
  return {
    title: `Edit mandates for ${kind}`,
    body: html`${formProblem(rejected)}
      <p>
        Version ${inForce.version} is in force. The next page shows the changes before you set them. A lower
        limit narrows the mandates that members have signed at once.
      </p>
      ${ceilingForm(kind, fields, rejected)}`,
  }
}

function ceilingForm(kind: string, fields: Fields, rejected: RejectedForm | undefined): Html {
  const of = (name: string) => fields[name] ?? ''
  const count = (name: string, label: string, hint: string): Html =>
    field({ name, label, hint, value: of(name), inputmode: 'decimal', isRequired: false, rejected })
  const strengths = (list: readonly string[]) => list.map((one) => [one, one] as const)
  return html`<form method="post" class="policy">
    ${hiddenFields({ version: of('version'), ...(fields['note'] ? { note: fields['note'] } : {}) })}
    <div class="pair">
      ${choice({
        name: 'allowed',
        label: `Mandates for ${kind}`,
        values: [
          ['no', 'none'],
          ['yes', 'up to the limits below'],
        ],
        value: of('allowed'),
        rejected,
      })}
      ${choice({
        name: 'consent',
        label: 'Signing requires',
        values: strengths(signingStrengths),
        value: of('consent'),
        rejected,
      })}
      ${choice({
        name: 'counts_as',
        label: 'A use counts at most as',
        values: [['', 'what it was signed with'], ...strengths(moneyStrengths)],
        value: of('counts_as'),
        rejected,
      })}
      ${count('uses', 'Uses in all', `Empty: ${limits.mandateUsesDefault}. At most ${limits.mandateUsesMax}.`)}
      ${count('uses_per_day', 'Uses a day', `Empty: ${limits.mandateUsesPerDayDefault}. A day is one of UTC.`)}
      ${count('days', 'Days that a mandate lasts', `Empty: ${mandateDaysMax}, which is the most.`)}
    </div>
    <p>
      A kind with amounts needs all three in each row. A currency without a row is not covered. Rows without
      amounts are ignored.
    </p>
    ${table(
      `Amounts of mandates for ${kind}`,
      ['Currency', ...Object.values(amountLabels)],
      ceilingRows(fields).map((n) => {
        const named = (name: string, label: string) => ({
          name: `amount.${n}.${name}`,
          label: `${label}, row ${n + 1}`,
          value: of(`amount.${n}.${name}`),
          rejected,
        })
        return [
          picker({ ...named('currency', 'Currency'), choices: currencyChoices }),
          ...(Object.keys(amountLabels) as AmountName[]).map((name) =>
            amountInput({ ...named(name, amountLabels[name]), placeholder: 'none' }),
          ),
        ]
      }),
    )}
    <p class="actions">
      <button type="submit">Review changes</button>
      <a class="button" href="${policiesPath}">Cancel</a>
    </p>
  </form>`
}
