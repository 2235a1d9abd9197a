import { z } from 'zod'
import type { Policy } from '../../gate/policy.ts'
import { posture } from '../../gate/posture.ts'
import { limits } from '../../limits.ts'
import { defaultRules, floorsFor, parsePolicyDocument, policyInForce } from '../../operations/admin/policy.ts'
import { html } from '../../web/html.ts'
import { type RejectedForm, type View, type PageContext, definePage } from '../page.ts'
import { formProblem } from '../parts.ts'
import { formText, policiesPath, presetPath } from './form-schema.ts'
import { parsePolicyFields, policyFields } from './form-fields.ts'
import type { Fields } from './form-values.ts'
import { policyForm } from './form-html.ts'
import { basePolicy, onVersionConflict } from './version-conflict.ts'
import { rebaseForm } from './rebase-form.ts'
import { reviewOf } from './review.ts'

/** The policy in force, as a form. */
export const policiesPage = definePage({
  path: policiesPath,
  role: 'admin',
  formBytesMax: limits.policyFormBytesMax,
  async show(context, _query, rejected) {
    const inForce = await policyInForce(context.deps, context.session.account)
    return formView(context, inForce, rejected?.values ?? formFields(context, inForce), rejected)
  },
  form: z.object({}).catchall(formText),
  async send(context, form) {
    const fields = form as Fields
    const inForce = await policyInForce(context.deps, context.session.account)
    if (fields['do'] === 'more') return formView(context, inForce, fields, undefined, true)
    const document = parsePolicyFields(fields, Object.keys(defaultRules(context.deps)))
    const given = parsePolicyDocument(context.deps, document)
    return onVersionConflict(
      context,
      () => reviewOf(context, inForce, given),
      async (now, problem) =>
        formView(context, now, await rebasedFields(context, now, fields), { problem, values: fields }),
    )
  },
})

/** The form, with whatever is filled in. */
export function formView(
  context: PageContext,
  inForce: Policy,
  fields: Fields,
  rejected?: RejectedForm,
  wantsMore = false,
): View {
  return {
    title: 'Policy',
    body: html`${formProblem(rejected)}
      <p>
        Version ${inForce.version} is in force: which tier each kind of action needs, and how strong the
        member’s consent has to be. <a href="${policiesPath}/history">Earlier versions</a> ·
        <a href="${policiesPath}/explain">Ask it</a> · <a href="${policiesPath}/json">Edit as JSON</a> ·
        <a href="${presetPath}">Presets</a>
      </p>
      <p>Agent’s word alone, now: ${posture(inForce)}.</p>
      ${policyForm({
        rules: defaultRules(context.deps),
        floors: floorsFor,
        inForce: inForce.kinds,
        fields,
        wantsMore,
      })}`,
  }
}

/** The fields of the form that a policy begins with. */
export const formFields = ({ deps }: PageContext, policy: Policy): Fields =>
  policyFields(policy, defaultRules(deps))

/** What was filled in, on top of what others set meanwhile. */
async function rebasedFields(context: PageContext, inForce: Policy, filled: Fields): Promise<Fields> {
  const base = await basePolicy(context, inForce, Number(filled['version']))
  return rebaseForm(filled, formFields(context, base), formFields(context, inForce))
}
