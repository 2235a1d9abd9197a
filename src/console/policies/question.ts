import { nextPolicy } from '../../operations/admin/policy-review.ts'
import { html } from '../../web/html.ts'
import type { View, PageContext } from '../page.ts'
import { hiddenFields } from './controls.ts'
import { reviewPath } from './form-schema.ts'
import { type Question, answerTo, explainForm, answerStatus } from './explain.ts'
import { type PolicyDraft, draftFields } from './draft.ts'

/**
 * What the policy under review makes of an action, with the way back to the review: for a question nothing is tried on
 * the past proposals.
 * @throws GateError as `nextPolicy`
 */
export async function questionView(
  { deps, session }: PageContext,
  draft: PolicyDraft,
  question: Question,
): Promise<View> {
  const { next } = await nextPolicy(deps, session.account, draft)
  const answer = answerTo(next, question)
  return {
    ...answerStatus(answer),
    title: `Ask version ${next.version} of the policy`,
    body: html`<p>
        What version ${next.version}, which is under review, makes of an action: no row is made, and nothing
        is set.
      </p>
      ${explainForm({
        method: 'post',
        action: reviewPath,
        hidden: draftFields(draft),
        kinds: Object.keys(next.kinds).toSorted(),
        question,
        answer,
      })}
      <form method="post" action="${reviewPath}">
        ${hiddenFields(draftFields(draft))}
        <p class="actions">
          <button type="submit" class="quiet" name="do" value="review">Back to the review</button>
        </p>
      </form>`,
  }
}
