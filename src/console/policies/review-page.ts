import { z } from 'zod'
import { GateError } from '../../errors.ts'
import { type Policy } from '../../gate/policy.ts'
import { limits } from '../../limits.ts'
import { parsePolicyDocument, policyInForce, setPolicy } from '../../operations/admin/policy.ts'
import { type PolicyDocument } from '../../operations/admin/policy-document.ts'
import { html } from '../../transports/html.ts'
import { type View, type Visit, asAdmin, definePage } from '../page.ts'
import { entered, enteredDocument, enteredQuestion, policiesPath, reviewPath } from './entered.ts'
import { type Question, noQuestion } from './explain.ts'
import { type Fields } from './form-fields.ts'
import { fieldsOf, formView } from './form-page.ts'
import { reviewView } from './review.ts'

/** Sets what was reviewed, asks it something, or leads back to the form with it. */
export const policyReviewPage = definePage({
  path: reviewPath,
  role: 'admin',
  formBytesMax: limits.policyFormBytesMax,
  form: z.strictObject({
    do: z.enum(['set', 'edit', 'explain'], 'must be a button of the page'),
    version: entered,
    document: enteredDocument,
    ...enteredQuestion,
  }),
  async show(visit, _query, again) {
    const inForce = await policyInForce(visit.deps, visit.session.account)
    if (!again) return nothingToReview
    const held = heldDocument(visit, again.filled)
    return formView(visit, inForce, fieldsOf(visit, held ? laidOver(inForce, held) : inForce), again)
  },
  async send(visit, form) {
    const { deps, session } = visit
    const held = heldDocument(visit, form as Fields)
    if (!held) throw new GateError('invalid', 'What was reviewed could not be read: change it again.')
    if (form.do === 'edit') {
      const inForce = await policyInForce(deps, session.account)
      return formView(visit, inForce, fieldsOf(visit, laidOver(inForce, held)))
    }
    if (form.do === 'explain')
      return reviewView(visit, held, { ...noQuestion, ...(form as Partial<Question>) })
    await setPolicy({ ...asAdmin(visit), kinds: deps.kinds }, held)
    return { to: policiesPath, said: 'policy_set' }
  },
})

const nothingToReview: View = {
  title: 'Nothing to review',
  body: html`<p>
    A change is reviewed right after it was made. <a href="${policiesPath}">Go to the policy</a> and change
    something.
  </p>`,
}

function heldDocument({ deps }: Visit, fields: Fields): PolicyDocument | undefined {
  try {
    const document = parsePolicyDocument(deps, JSON.parse(fields['document'] ?? ''))
    return { ...document, version: Number(fields['version']) }
  } catch {
    return undefined
  }
}

const laidOver = (inForce: Policy, { kinds = {}, ...rest }: PolicyDocument): Policy => ({
  ...inForce,
  ...rest,
  version: inForce.version,
  kinds: { ...inForce.kinds, ...kinds },
})
