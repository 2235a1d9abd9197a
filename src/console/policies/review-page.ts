import { z } from 'zod'
import { GateError } from '../../errors.ts'
import type { Policy } from '../../gate/policy.ts'
import { limits } from '../../limits.ts'
import { policyInForce, setPolicy } from '../../operations/admin/policy.ts'
import type { PolicyDocument } from '../../operations/admin/policy-document.ts'
import { html } from '../../web/html.ts'
import {
  type RejectedForm,
  type Redirect,
  type View,
  type PageContext,
  asAdmin,
  definePage,
} from '../page.ts'
import { formText, formDocument, formQuestion, policiesPath, reviewPath } from './form-schema.ts'
import { defaultQuestion } from './explain.ts'
import type { Fields } from './form-values.ts'
import { formFields, formView } from './form-page.ts'
import { type PolicyDraft, parseDraft } from './draft.ts'
import { basePolicy, onVersionConflict } from './version-conflict.ts'
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
  async show(context, _query, rejected) {
    if (!rejected) return nothingToReview
    const draft = parseDraft(context.deps, rejected.values)
    if (draft) return formOfDraft(context, draft, rejected)
    const inForce = await policyInForce(context.deps, context.session.account)
    return formView(context, inForce, formFields(context, inForce), rejected)
  },
  async send(context, form) {
    const draft = parseDraft(context.deps, form as Fields)
    if (!draft) throw new GateError('invalid', 'What was reviewed could not be read: change it again.')
    return onVersionConflict(
      context,
      () => buttonActions[form.do](context, draft, form as Fields),
      (inForce, problem) =>
        formView(context, inForce, formFields(context, applyDocument(inForce, draft)), {
          problem,
          values: {},
        }),
    )
  },
})

/** What each button does with what is under review. */
const buttonActions: Record<
  (typeof buttons)[number],
  (context: PageContext, draft: PolicyDraft, form: Fields) => Promise<Redirect | View>
> = {
  async set(context, draft) {
    await setPolicy({ ...asAdmin(context), kinds: context.deps.kinds }, draft)
    return { to: policiesPath, flash: 'policy_set' }
  },
  edit: (context, draft) => formOfDraft(context, draft),
  explain: (context, draft, form) => questionView(context, draft, { ...defaultQuestion, ...form }),
  review: (context, draft) => reviewView(context, draft),
}

const nothingToReview: View = {
  title: 'Nothing to review',
  body: html`<p>
    A change is reviewed right after it was made. <a href="${policiesPath}">Go to the policy</a> and change
    something.
  </p>`,
}

/** The form that a review came from, as it was, with the version that it was begun from. */
async function formOfDraft(context: PageContext, draft: PolicyDraft, rejected?: RejectedForm): Promise<View> {
  const inForce = await policyInForce(context.deps, context.session.account)
  const base = await basePolicy(context, inForce, draft.version)
  return formView(context, inForce, formFields(context, applyDocument(base, draft)), rejected)
}

const applyDocument = (policy: Policy, { kinds = {}, ...rest }: PolicyDocument): Policy => ({
  ...policy,
  ...rest,
  version: policy.version,
  kinds: { ...policy.kinds, ...kinds },
})
