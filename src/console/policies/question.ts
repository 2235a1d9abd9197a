import { nextPolicy } from '../../operations/policy/next-policy.ts'
import { html } from '../../web/html.ts'
import type { View, PageContext } from '../page.ts'
import { hiddenFields } from './controls.ts'
import { reviewPath } from './form-schema.ts'
import { type Question, answerTo, explainForm, answerStatus } from './explain.ts'
import { type PolicyDraft, draftFieldsWithNote } from './draft.ts'

/**
 * Tests the policy under review with an example action. It does not repeat the dry run on past proposals.
 * @throws GateError as `nextPolicy`
 */
export async function questionView(
  context: PageContext,
  draft: PolicyDraft,
  question: Question,
): Promise<View> {
  const { next } = await nextPolicy(context.deps, context.session.account, draft.edit)
  const answer = await answerTo(context, next, question)
  return {
    ...answerStatus(answer),
    title: `Test of policy version ${next.version}`,
    body: html`<p>
        Test how version ${next.version}, which is under review, rules on an action. Nothing is recorded and
        nothing is set.
      </p>
      ${explainForm({
        method: 'post',
        action: reviewPath,
        hidden: draftFieldsWithNote(draft),
        kinds: Object.keys(next.kinds).toSorted(),
        question,
        answer,
      })}
      <form method="post" action="${reviewPath}">
        ${hiddenFields(draftFieldsWithNote(draft))}
        <p class="actions">
          <button type="submit" class="quiet" name="do" value="review">Back to review</button>
        </p>
      </form>`,
  }
}
