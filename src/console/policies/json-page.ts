import { z } from 'zod'
import { GateError } from '../../errors.ts'
import type { Policy } from '../../gate/policy.ts'
import { limits } from '../../limits.ts'
import { parsePolicyDocument, policyInForce } from '../../operations/admin/policy.ts'
import { html } from '../../web/html.ts'
import { type RejectedForm, type View, definePage } from '../page.ts'
import { formProblem, textArea } from '../parts.ts'
import { hiddenFields } from './controls.ts'
import { formText, formDocument, policiesPath } from './form-schema.ts'
import { onVersionConflict } from './version-conflict.ts'
import { reviewOf } from './review.ts'

/** The policy for those who have its document as JSON. */
export const policyJsonPage = definePage({
  path: `${policiesPath}/json`,
  role: 'admin',
  formBytesMax: limits.policyFormBytesMax,
  form: z.strictObject({
    version: formText,
    document: formDocument,
  }),
  async show({ deps, session }, _query, rejected) {
    const inForce = await policyInForce(deps, session.account)
    return jsonView(inForce, rejected?.values['version'] ?? String(inForce.version), rejected)
  },
  async send(context, { version, document }) {
    const given = parsePolicyDocument(context.deps, jsonOf(document))
    const inForce = await policyInForce(context.deps, context.session.account)
    return onVersionConflict(
      context,
      () => reviewOf(context, inForce, { version: Number(version), ...given }),
      (now, problem) =>
        jsonView(now, String(now.version), { problem: `${problem} ${documentKept}`, values: { document } }),
    )
  },
})

/** @param version  the one that the document was begun from: it stands beside it, and one within is the writer's word */
function jsonView(inForce: Policy, version: string, rejected?: RejectedForm): View {
  return {
    title: 'Policy as JSON',
    body: html`${formProblem(rejected)}
      <p>
        The kinds that the document names are replaced, the others stay, as with <code>gate policy set</code>.
        The next page shows what would change.
      </p>
      <form method="post">
        ${hiddenFields({ version })}
        ${textArea({
          name: 'document',
          label: 'Document',
          rows: 24,
          value: JSON.stringify({ ...inForce, version: undefined }, null, 2),
          rejected,
        })}
        <p class="actions">
          <button type="submit">Review the changes</button>
          <a class="button" href="${policiesPath}">Back to the form</a>
        </p>
      </form>`,
  }
}

const documentKept = 'The document below is as you wrote it: what it names replaces what they set.'

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new GateError('invalid', `document is no JSON: ${(error as Error).message}.`)
  }
}
