import { z } from 'zod'
import type { Policy } from '../../gate/policy.ts'
import { posture } from '../../gate/posture.ts'
import { limits } from '../../limits.ts'
import { defaultRules, floorsFor, parsePolicyDocument, policyInForce } from '../../operations/admin/policy.ts'
import { html } from '../../web/html.ts'
import { type Again, type View, type Visit, definePage } from '../page.ts'
import { problemOf } from '../parts.ts'
import { formText, policiesPath, presetPath } from './form-schema.ts'
import { documentOfFields, fieldsOfPolicy } from './form-fields.ts'
import type { Fields } from './form-values.ts'
import { policyForm } from './form-html.ts'
import { begunFrom, onVersionConflict } from './version-conflict.ts'
import { rebaseForm } from './rebase-form.ts'
import { reviewOf } from './review.ts'

/** The policy in force, as a form. */
export const policiesPage = definePage({
  path: policiesPath,
  role: 'admin',
  formBytesMax: limits.policyFormBytesMax,
  async show(visit, _query, again) {
    const inForce = await policyInForce(visit.deps, visit.session.account)
    return formView(visit, inForce, again?.filled ?? fieldsOf(visit, inForce), again)
  },
  form: z.object({}).catchall(formText),
  async send(visit, form) {
    const fields = form as Fields
    const inForce = await policyInForce(visit.deps, visit.session.account)
    if (fields['do'] === 'more') return formView(visit, inForce, fields, undefined, true)
    const document = documentOfFields(fields, Object.keys(defaultRules(visit.deps)))
    const given = parsePolicyDocument(visit.deps, document)
    return onVersionConflict(
      visit,
      () => reviewOf(visit, inForce, given),
      async (now, problem) =>
        formView(visit, now, await onTopOf(visit, now, fields), { problem, filled: fields }),
    )
  },
})

/** The form, with whatever is filled in. */
export function formView(
  visit: Visit,
  inForce: Policy,
  fields: Fields,
  again?: Again,
  wantsMore = false,
): View {
  return {
    title: 'Policy',
    body: html`${problemOf(again)}
      <p>
        Version ${inForce.version} is in force: which tier each kind of action needs, and how strong the
        member’s consent has to be. <a href="${policiesPath}/history">Earlier versions</a> ·
        <a href="${policiesPath}/explain">Ask it</a> · <a href="${policiesPath}/json">Edit as JSON</a> ·
        <a href="${presetPath}">Presets</a>
      </p>
      <p>Agent’s word alone, now: ${posture(inForce)}.</p>
      ${policyForm({
        rules: defaultRules(visit.deps),
        floors: floorsFor,
        inForce: inForce.kinds,
        fields,
        wantsMore,
      })}`,
  }
}

/** The fields of the form that a policy begins with. */
export const fieldsOf = ({ deps }: Visit, policy: Policy): Fields =>
  fieldsOfPolicy(policy, defaultRules(deps))

/** What was filled in, on top of what others set meanwhile. */
async function onTopOf(visit: Visit, inForce: Policy, filled: Fields): Promise<Fields> {
  const base = await begunFrom(visit, inForce, Number(filled['version']))
  return rebaseForm(filled, fieldsOf(visit, base), fieldsOf(visit, inForce))
}
