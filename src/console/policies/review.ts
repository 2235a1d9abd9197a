import type { Policy } from '../../gate/policy.ts'
import { type ApprovalRule, ruleWords } from '../../gate/approvals/rule.ts'
import { posture } from '../../gate/posture.ts'
import type { PolicyEdit } from '../../operations/policy/document-to-store.ts'
import type { DryRunKind } from '../../gate/dry-run.ts'
import { type PolicyReview, reviewPolicy } from '../../operations/policy/policy-review.ts'
import { rulesChangedBy } from '../../operations/approval-rules/change-rule.ts'
import { onlyChanges } from '../../operations/policy/only-changes.ts'
import { GateError } from '../../errors.ts'
import { limits } from '../../limits.ts'
import { type Html, type Part, html } from '../../web/html.ts'
import { prose } from '../../web/prose.ts'
import type { RejectedForm, View, PageContext } from '../page.ts'
import { empty, field, formProblem, table } from '../parts.ts'
import { toolCallsPart } from '../runner-rules/dry-run-part.ts'
import { hiddenFields } from './controls.ts'
import { policiesPath, reviewPath } from './form-schema.ts'
import { explainForm, defaultQuestion } from './explain.ts'
import { type PolicyDraft, draftFields, draftFieldsWithNote } from './draft.ts'
import { approversPart, changeWords, diffList } from './words.ts'

/**
 * The page between editing a policy and setting it: the changed rules, and a dry run on past proposals.
 * @throws GateError as `reviewPolicy`
 */
export async function reviewView(
  { deps, session }: PageContext,
  { edit, note }: UnderReview,
  rejected?: RejectedForm,
): Promise<View> {
  const [review, asked] = await Promise.all([
    reviewPolicy(deps, session.account, edit),
    rulesChangedBy(deps, session.account, edit),
  ])
  const draft = { edit: { ...edit, version: review.inForce.version }, note }
  return {
    title: `Review of policy version ${review.next.version}`,
    body: html`${formProblem(rejected)} ${restorePart(edit)}
      <p>
        Version ${review.inForce.version} is in force. Nothing changes until you set the new version below.
      </p>
      <h2>Changes</h2>
      ${isSame(review) ? html`<p>No rule changes. Setting this version records your choice.</p>` : ''}
      ${diffList(review.lines)}
      <p>Allowed on the agent’s word alone: ${posture(review.next)}.</p>
      ${asked.length === 0 ? '' : askedPart(asked)} ${approversPart(review.approvers)} ${dryRunPart(review)}
      ${toolCallsPart(review.toolCalls)}
      <form method="post" action="${reviewPath}">
        ${hiddenFields(draftFields(draft))}
        ${field({
          name: 'note',
          label: 'Note',
          hint: 'Why the policy changes, in one line. It is shown in the version history. The ledger stores only its digest.',
          value: note ?? '',
          isRequired: false,
          charsMax: limits.policyNoteCharsMax,
          rejected,
        })}
        <p class="actions">
          ${
            asked.length === 0
              ? html`<button type="submit" name="do" value="set">Set version ${review.next.version}</button>`
              : html`<button type="submit" name="do" value="ask">Ask approvers</button>`
          }
          <button type="submit" class="quiet" name="do" value="edit">Edit again</button>
          <a class="button" href="${policiesPath}">Discard changes</a>
        </p>
      </form>
      <h2>Policy test</h2>
      ${explainForm({
        method: 'post',
        action: reviewPath,
        hidden: draftFieldsWithNote(draft),
        kinds: Object.keys(review.next.kinds).toSorted(),
        question: defaultQuestion,
      })}`,
  }
}

/** Why those who must approve now are asked first. */
const askedPart = (rules: ApprovalRule[]): Part =>
  html`<p class="notice">
    This changes who must approve. Those who must approve now have to agree, as to an action under their rule:
    ${rules.map((rule) => ruleWords(rule)[0]).join('; ')}. The new version is then set by itself, if no other
    is set before.
  </p>`

/** A change before its review: the version that it is based on may still be open. */
export type UnderReview = Omit<PolicyDraft, 'edit'> & { edit: PolicyEdit }

const restorePart = ({ restores }: PolicyEdit): Part =>
  restores === undefined
    ? ''
    : html`<p>
        This sets the document of <a href="${policiesPath}/history/${restores}">version ${restores}</a> again,
        as a new version. What it does not set follows the current defaults.
      </p>`

const isSame = ({ lines }: PolicyReview): boolean => lines.every(({ change }) => change === 'same')

/**
 * Reviews a whole document; only its differences are set.
 * @throws GateError `invalid` where there are none
 */
export async function reviewOf(
  context: PageContext,
  inForce: Policy,
  { edit, note }: UnderReview,
): Promise<View> {
  const changes = onlyChanges(inForce, edit)
  const { version: _, ...settings } = changes
  // The version conflict of an older document comes first: unchanged rules may differ from the policy in force.
  if (Object.keys(settings).length === 0 && edit.version === inForce.version)
    throw new GateError('invalid', 'This is already the policy in force. Change something first.')
  return reviewView(context, { edit: changes, note })
}

function dryRunPart(review: PolicyReview): Html {
  const { kinds, changed, changedInAll, isCut } = review
  const affected = kinds.filter(isAffected)
  return html`<h2>Dry run on the last ${limits.dryRunDays} days</h2>
    ${
      kinds.length === 0
        ? empty('No proposals in this period to compare.')
        : html`<p>
              Each proposal is checked against both policies, with the tier its member had at the time. Daily
              limits count only what the same policy would have
              allowed.${isCut ? ` For kinds with more than ${limits.dryRunRowsPerKindMax} proposals, only the newest are included.` : ''}
            </p>
            ${affected.length === 0 ? '' : resultsTable(affected)} ${unaffectedPart(kinds, affected)}`
    }
    ${
      changed.length === 0
        ? kinds.length === 0
          ? ''
          : html`<p>No proposal has a different result.</p>`
        : html`<h3>
              Proposals with a different
              result${changedInAll === changed.length ? '' : ` (newest ${changed.length} of ${changedInAll})`}
            </h3>
            ${table(
              'Proposals with a different result',
              ['Action', 'Kind', 'Result', 'Reason'],
              changed.map(({ id, kind, change, why }) => [
                html`<a href="/console/ledger/${id}">#${id}</a>`,
                kind,
                changeWords[change],
                prose(why),
              ]),
            )}`
    }`
}

const isAffected = ({ counts, unknownAmount }: DryRunKind): boolean =>
  unknownAmount > 0 || Object.values(counts).some((count) => count > 0)

const resultsTable = (affected: DryRunKind[]): Html =>
  table(
    'Different results by kind',
    ['Kind', 'Proposals', 'Now denied', 'Now allowed', 'Stronger consent', 'Weaker consent', 'Unknown'],
    affected.map((k) => [
      k.kind,
      ...[
        k.proposals,
        k.counts.denied,
        k.counts.allowed,
        k.counts.stronger,
        k.counts.weaker,
        k.unknownAmount,
      ].map(figure),
    ]),
  )

/** The kinds that the new policy rules as before, in a line instead of rows of zeros. */
function unaffectedPart(kinds: DryRunKind[], affected: DryRunKind[]): Part {
  const same = kinds.filter((one) => !affected.includes(one))
  if (same.length === 0) return ''
  const named = same.map(({ kind, proposals }) => `${kind} (${proposals})`).join(', ')
  return html`<p>Same result for every proposal of ${named}.</p>`
}

const figure = (count: number): Part =>
  html`<span class="${count === 0 ? 'number none' : 'number'}">${count}</span>`
