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
    return formView(context, { inForce, fields: rejected?.values ?? formFields(context, inForce), rejected })
  },
  form: z.object({}).catchall(formText),
  async send(context, form) {
    const fields = form as Fields
    const inForce = await policyInForce(context.deps, context.session.account)
    if (fields['do'] === 'more') return formView(context, { inForce, fields, wantsMore: true })
    const document = parsePolicyFields(fields, Object.keys(defaultRules(context.deps)))
    const given = parsePolicyDocument(context.deps, document)
    return onVersionConflict(
      context,
      () => reviewOf(context, inForce, given),
      async (now, problem) =>
        formView(context, {
          inForce: now,
          fields: await rebasedFields(context, now, fields),
          rejected: { problem, values: fields },
        }),
    )
  },
})

/** The form with the given values. */
export function formView(
  context: PageContext,
  form: { inForce: Policy; fields: Fields; rejected?: RejectedForm | undefined; wantsMore?: boolean },
): View {
  const { inForce, fields, rejected, wantsMore = false } = form
  return {
    title: 'Policy',
    body: html`${formProblem(rejected)}
      <p>
        Version ${inForce.version} is in force. The policy sets which tier each kind of action requires, and
        how strong the member’s consent must be. <a href="${policiesPath}/history">Version history</a> ·
        <a href="${policiesPath}/explain">Test policy</a> · <a href="${policiesPath}/json">Edit as JSON</a> ·
        <a href="${presetPath}">Presets</a>
      </p>
      <p>Allowed on the agent’s word alone: ${posture(inForce)}.</p>
      ${policyForm({
        rules: defaultRules(context.deps),
        floors: floorsFor,
        inForce: inForce.kinds,
        fields,
        wantsMore,
      })}`,
  }
}

/** The form fields of a policy. */
export const formFields = ({ deps }: PageContext, policy: Policy): Fields =>
  policyFields(policy, defaultRules(deps))

/** The user's changes, applied to the policy that was set in the meantime. */
async function rebasedFields(context: PageContext, inForce: Policy, filled: Fields): Promise<Fields> {
  const base = await basePolicy(context, inForce, Number(filled['version']))
  return rebaseForm(filled, formFields(context, base), formFields(context, inForce))
}
