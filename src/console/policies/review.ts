import type { Policy } from '../../gate/policy.ts'
import { posture } from '../../gate/posture.ts'
import type { PolicyDocument } from '../../operations/admin/policy-document.ts'
import { type PolicyReview, onlyChanges, reviewPolicy } from '../../operations/admin/policy-review.ts'
import { GateError } from '../../errors.ts'
import { limits } from '../../limits.ts'
import { type Html, type Part, html } from '../../web/html.ts'
import type { View, PageContext } from '../page.ts'
import { empty, table } from '../parts.ts'
import { hiddenFields } from './controls.ts'
import { policiesPath, reviewPath } from './form-schema.ts'
import { explainForm, defaultQuestion } from './explain.ts'
import { draftFields } from './draft.ts'
import { changeWords, diffList } from './words.ts'

/**
 * The page between editing a policy and setting it: what changes in words, and what it would have changed.
 * @throws GateError as `reviewPolicy`
 */
export async function reviewView({ deps, session }: PageContext, document: PolicyDocument): Promise<View> {
  const review = await reviewPolicy(deps, session.account, document)
  const draft = draftFields({ ...document, version: review.inForce.version })
  return {
    title: `Review version ${review.next.version} of the policy`,
    body: html`<p>
        Version ${review.inForce.version} is in force. Nothing is set until you press the button below.
      </p>
      <h2>What changes</h2>
      ${isSame(review) ? html`<p>No rule changes. Setting it records that you chose it.</p>` : ''}
      ${diffList(review.lines)}
      <p>Agent’s word alone, then: ${posture(review.next)}.</p>
      ${dryRunPart(review)}
      <form method="post" action="${reviewPath}">
        ${hiddenFields(draft)}
        <p class="actions">
          <button type="submit" name="do" value="set">Set version ${review.next.version}</button>
          <button type="submit" class="quiet" name="do" value="edit">Change it again</button>
          <a class="button" href="${policiesPath}">Discard</a>
        </p>
      </form>
      <h2>Ask the new policy</h2>
      ${explainForm({
        method: 'post',
        action: reviewPath,
        hidden: draft,
        kinds: Object.keys(review.next.kinds).toSorted(),
        question: defaultQuestion,
      })}`,
  }
}

const isSame = ({ lines }: PolicyReview): boolean => lines.every(({ change }) => change === 'same')

/**
 * The same for a whole document, of which only what differs is set.
 * @throws GateError `invalid` where nothing differs
 */
export async function reviewOf(
  context: PageContext,
  inForce: Policy,
  document: PolicyDocument,
): Promise<View> {
  const changes = onlyChanges(inForce, document)
  const { version: _, ...settings } = changes
  // An older version is told first: what it does not change may be a change by now.
  if (Object.keys(settings).length === 0 && document.version === inForce.version)
    throw new GateError('invalid', 'That is the policy in force already: change something first.')
  return reviewView(context, changes)
}

function dryRunPart(review: PolicyReview): Html {
  const { kinds, changed, changedInAll, isCut } = review
  return html`<h2>On the proposals of the last ${limits.dryRunDays} days</h2>
    ${
      kinds.length === 0
        ? empty('Nothing was proposed in that time, so there is nothing to try it on.')
        : html`<p>
              Each is judged by both policies, with the tier that its member had then. A day’s limit counts
              what the same policy would have let
              through.${isCut ? ` Of kinds with more than ${limits.dryRunRowsPerKindMax}, the newest.` : ''}
            </p>
            ${table(
              'What would be otherwise, by kind',
              [
                'Kind',
                'Proposals',
                'Now denied',
                'Now allowed',
                'Stronger consent',
                'Weaker consent',
                'Cannot be told',
              ],
              kinds.map((k) => [
                k.kind,
                ...[
                  k.proposals,
                  k.counts.denied,
                  k.counts.allowed,
                  k.counts.stronger,
                  k.counts.weaker,
                  k.untold,
                ].map(figure),
              ]),
            )}`
    }
    ${
      changed.length === 0
        ? kinds.length === 0
          ? ''
          : html`<p>Every one of them would have gone as it went.</p>`
        : html`<h3>
              ${changedInAll === changed.length ? 'Those' : `The newest ${changed.length} of ${changedInAll}`}
              that would be judged otherwise
            </h3>
            ${table(
              'Proposals that would be judged otherwise',
              ['Row', 'Kind', 'It', 'Why'],
              changed.map(({ id, kind, change, why }) => [
                html`<a href="/console/ledger/${id}">${id}</a>`,
                kind,
                changeWords[change],
                why,
              ]),
            )}`
    }`
}

const figure = (count: number): Part =>
  html`<span class="${count === 0 ? 'number none' : 'number'}">${count}</span>`
