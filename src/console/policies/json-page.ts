import { z } from 'zod'
import type { Policy } from '../../gate/policy.ts'
import { limits } from '../../limits.ts'
import { parsePolicyDocument } from '../../operations/policy/parse-policy-document.ts'
import { policyInForce } from '../../operations/policy/policy-in-force.ts'
import type { PolicyDocument } from '../../operations/policy/policy-document.ts'
import { html } from '../../web/html.ts'
import { jsonDocument } from '../forms.ts'
import { type RejectedForm, type View, definePage } from '../page.ts'
import { formProblem, textArea } from '../parts.ts'
import { hiddenFields } from './controls.ts'
import { formText, formDocument, formNote, policiesPath } from './form-schema.ts'
import { onVersionConflict } from './version-conflict.ts'
import { reviewOf } from './review.ts'

const path = `${policiesPath}/json`

/** The policy as a JSON document. */
export const policyJsonPage = definePage({
  path,
  role: 'admin',
  formBytesMax: limits.policyFormBytesMax,
  form: z.strictObject({
    version: formText,
    document: formDocument,
    note: formNote,
  }),
  // Whatever is wrong with the document is wrong in its field.
  fieldOf: (param) => (param === 'note' || param === 'version' ? undefined : 'document'),
  async show({ deps, session }, _query, rejected) {
    const inForce = await policyInForce(deps, session.account)
    return jsonView(inForce, {
      version: rejected?.values['version'] ?? String(inForce.version),
      note: rejected?.values['note'],
      rejected,
    })
  },
  async send(context, { version, document, note }) {
    const given = parsePolicyDocument(
      await context.deps.kinds.now(context.session.account),
      jsonDocument(document),
    )
    const inForce = await policyInForce(context.deps, context.session.account)
    return onVersionConflict(
      context,
      () => reviewOf(context, inForce, { edit: { version: Number(version), ...given }, note }),
      (now, problem) =>
        jsonView(now, {
          version: String(now.version),
          note,
          rejected: { problem: `${problem} ${documentKept}`, values: { document } },
        }),
    )
  },
})

interface JsonForm {
  /** The version the document is based on; a `version` inside the document takes precedence. */
  version: string
  /** Default: the policy in force. */
  document?: PolicyDocument
  note?: string | undefined
  rejected?: RejectedForm | undefined
}

/** The form of a policy document. */
export function jsonView(inForce: Policy, { version, document, note, rejected }: JsonForm): View {
  return {
    title: 'Policy as JSON',
    body: html`${formProblem(rejected)}
      <p>
        Kinds in the document are replaced; all other kinds stay, as with <code>gate policy set</code>. The
        next page shows the changes before you set them.
      </p>
      <form method="post" action="${path}">
        ${hiddenFields({ version, ...(note ? { note } : {}) })}
        ${textArea({
          name: 'document',
          label: 'Document',
          rows: 24,
          value: JSON.stringify(document ?? { ...inForce, version: undefined }, null, 2),
          rejected,
        })}
        <p class="actions">
          <button type="submit">Review changes</button>
          <a class="button" href="${policiesPath}">Back to policy</a>
        </p>
      </form>`,
  }
}

const documentKept = 'The document below is unchanged. If you set it, its kinds replace the ones in force.'
