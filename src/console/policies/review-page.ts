import { z } from 'zod'
import { GateError } from '../../errors.ts'
import type { Policy } from '../../gate/policy.ts'
import { limits } from '../../limits.ts'
import { policyInForce, setPolicy } from '../../operations/admin/policy.ts'
import type { PolicyDocument } from '../../operations/admin/policy-document.ts'
import { html } from '../../web/html.ts'
import { type Again, type Onward, type View, type Visit, asAdmin, definePage } from '../page.ts'
import { formText, formDocument, formQuestion, policiesPath, reviewPath } from './form-schema.ts'
import { noQuestion } from './explain.ts'
import type { Fields } from './form-values.ts'
import { fieldsOf, formView } from './form-page.ts'
import { type PolicyDraft, parseDraft } from './draft.ts'
import { begunFrom, onVersionConflict } from './version-conflict.ts'
import { questionView } from './question.ts'
import { reviewView } from './review.ts'

const buttons = ['set', 'edit', 'explain', 'review'] as const

/** Sets what was reviewed, asks it something, or leads back to the form with it. */
export const policyReviewPage = definePage({
  path: reviewPath,
  role: 'admin',
  formBytesMax: limits.policyFormBytesMax,
  form: z.strictObject({
    do: z.enum(buttons, 'must be a button of the page'),
    version: formText,
    document: formDocument,
    ...formQuestion,
  }),
  async show(visit, _query, again) {
    if (!again) return nothingToReview
    const held = parseDraft(visit.deps, again.filled)
    if (held) return formBehind(visit, held, again)
    const inForce = await policyInForce(visit.deps, visit.session.account)
    return formView(visit, inForce, fieldsOf(visit, inForce), again)
  },
  async send(visit, form) {
    const held = parseDraft(visit.deps, form as Fields)
    if (!held) throw new GateError('invalid', 'What was reviewed could not be read: change it again.')
    return onVersionConflict(
      visit,
      () => doing[form.do](visit, held, form as Fields),
      (inForce, problem) =>
        formView(visit, inForce, fieldsOf(visit, laidOver(inForce, held)), { problem, filled: {} }),
    )
  },
})

/** What each button does with what is under review. */
const doing: Record<
  (typeof buttons)[number],
  (visit: Visit, held: PolicyDraft, form: Fields) => Promise<Onward | View>
> = {
  async set(visit, held) {
    await setPolicy({ ...asAdmin(visit), kinds: visit.deps.kinds }, held)
    return { to: policiesPath, said: 'policy_set' }
  },
  edit: (visit, held) => formBehind(visit, held),
  explain: (visit, held, form) => questionView(visit, held, { ...noQuestion, ...form }),
  review: (visit, held) => reviewView(visit, held),
}

const nothingToReview: View = {
  title: 'Nothing to review',
  body: html`<p>
    A change is reviewed right after it was made. <a href="${policiesPath}">Go to the policy</a> and change
    something.
  </p>`,
}

/** The form that a review came from, as it was, with the version that it was begun from. */
async function formBehind(visit: Visit, held: PolicyDraft, again?: Again): Promise<View> {
  const inForce = await policyInForce(visit.deps, visit.session.account)
  const base = await begunFrom(visit, inForce, held.version)
  return formView(visit, inForce, fieldsOf(visit, laidOver(base, held)), again)
}

const laidOver = (policy: Policy, { kinds = {}, ...rest }: PolicyDocument): Policy => ({
  ...policy,
  ...rest,
  version: policy.version,
  kinds: { ...policy.kinds, ...kinds },
})
