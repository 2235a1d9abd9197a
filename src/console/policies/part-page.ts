import { z } from 'zod'
import { approvalsIn } from '../../gate/approvals/in-policy.ts'
import { type Policy, ruleOfKind } from '../../gate/policy.ts'
import { GateError } from '../../errors.ts'
import { limits } from '../../limits.ts'
import { defaultRules, parsePolicyDocument } from '../../operations/policy/parse-policy-document.ts'
import { floorsFor } from '../../operations/policy/policy-document.ts'
import { type AccountKinds, policyInForce } from '../../operations/policy/policy-in-force.ts'
import { html } from '../../web/html.ts'
import {
  type ConsolePage,
  type PageContext,
  type Redirect,
  type RejectedForm,
  type View,
  definePage,
} from '../page.ts'
import { formProblem } from '../parts.ts'
import { fieldOfParam } from './form-errors.ts'
import { parsePolicyFields, partFields } from './form-fields.ts'
import { partForm } from './form-html.ts'
import { formText, kindPath, settingsPart, settingsPath } from './form-schema.ts'
import type { Fields } from './form-values.ts'
import { rebaseForm } from './rebase-form.ts'
import { reviewOf } from './review.ts'
import { basePolicy, onVersionConflict } from './version-conflict.ts'

/** The rules of one kind, as a form. */
export const policyKindPage = partPage(kindPath(':kind'), (context, kinds) => {
  const kind = context.params['kind']!
  if (!Object.hasOwn(defaultRules(kinds), kind))
    throw new GateError('not_found', 'Kind of action not found. Open the policy to see all kinds.')
  return kind
})

/** The settings of all kinds, as a form. */
export const policySettingsPage = partPage(settingsPath, () => settingsPart)

function partPage(path: string, partOf: (context: PageContext, kinds: AccountKinds) => string): ConsolePage {
  return definePage({
    path,
    role: 'admin',
    formBytesMax: limits.policyFormBytesMax,
    form: z.object({}).catchall(formText),
    fieldOf: fieldOfParam,
    async show(context, _query, rejected) {
      const kinds = await kindsNow(context)
      const part = partOf(context, kinds)
      const inForce = await policyInForce(context.deps, context.session.account)
      const fields = rejected?.values ?? fieldsOf(kinds, inForce, part)
      return partView(kinds, { part, inForce, fields, rejected })
    },
    send: async (context, form) =>
      reviewPart(context, partOf(context, await kindsNow(context)), form as Fields),
  })
}

async function reviewPart(context: PageContext, part: string, fields: Fields): Promise<View | Redirect> {
  const kinds = await kindsNow(context)
  const inForce = await policyInForce(context.deps, context.session.account)
  if (approvalsIn(ruleOfKind(inForce, part)).length > 0) throw new GateError('conflict', asJson)
  if (fields['do'] === 'more') return partView(kinds, { part, inForce, fields, wantsMore: true })
  const given = parsePolicyDocument(kinds, parsePolicyFields(fields, [part]))
  return onVersionConflict(
    context,
    () => reviewOf(context, inForce, { edit: given, note: fields['note'] }),
    async (now, problem) =>
      partView(kinds, {
        part,
        inForce: now,
        fields: await rebasedFields(context, { part, inForce: now, filled: fields }),
        // The fields are rebased: what was entered must not stand in their place.
        rejected: { problem, values: {} },
      }),
  )
}

const asJson =
  'Others must approve actions of this kind, which this form does not show. Nothing was saved. Edit the policy as JSON.'

interface PartForm {
  part: string
  inForce: Policy
  fields: Fields
  rejected?: RejectedForm | undefined
  /** The user requested more empty rows. */
  wantsMore?: boolean
}

/** The form of a part with the given values. */
export function partView(kinds: AccountKinds, { inForce, rejected, ...form }: PartForm): View {
  return {
    title: form.part === settingsPart ? 'Edit policy settings' : `Edit policy: ${form.part}`,
    body: html`${formProblem(rejected)}
      <p>Version ${inForce.version} is in force. The next page shows the changes before you set them.</p>
      ${
        approvalsIn(ruleOfKind(inForce, form.part)).length === 0
          ? ''
          : html`<p class="notice">
              Others must approve actions of this kind, which this form does not show.
              <a href="/console/policies/json">Edit the policy as JSON</a>.
            </p>`
      }
      ${partForm({
        rules: defaultRules(kinds),
        floors: (kind) => floorsFor(kinds.get(kind) ?? { kind }),
        inForce,
        rejected,
        ...form,
      })}`,
  }
}

/** The form fields of a part of a policy. */
export const fieldsOf = (kinds: AccountKinds, policy: Policy, part: string): Fields =>
  partFields(policy, defaultRules(kinds), part)

/** The user's changes, applied to the policy that was set in the meantime. */
async function rebasedFields(
  context: PageContext,
  { part, inForce, filled }: { part: string; inForce: Policy; filled: Fields },
): Promise<Fields> {
  const base = await basePolicy(context, inForce, Number(filled['version']))
  const kinds = await kindsNow(context)
  return rebaseForm(filled, fieldsOf(kinds, base, part), fieldsOf(kinds, inForce, part))
}

export function kindsNow({ deps, session }: PageContext): Promise<AccountKinds> {
  return deps.kinds.now(session.account)
}
