import type { DryRunChange } from '../../gate/dry-run.ts'
import type { PolicyVersion } from '../../operations/policy/policy-history.ts'
import type { DiffLine } from '../../operations/diff-lines.ts'
import type { EligibleApprovers, EligibleOfKind } from '../../operations/approvers/eligible.ts'
import { limits } from '../../limits.ts'
import { type Html, type Part, html } from '../../web/html.ts'
import { table } from '../parts.ts'
import { type MarkedLine, markChanges } from './word-diff.ts'

/**
 * Added and removed lines, each marked for screen readers and without relying on colour; in each, the words that differ.
 * @param noun  what a line is
 */
export function diffList(lines: DiffLine[], noun = 'rule'): Html {
  const same = lines.filter(({ change }) => change === 'same')
  return html`<ul class="diff">
      ${markChanges(lines).map(markedLine)}
    </ul>
    ${
      same.length === 0
        ? ''
        : html`<details>
            <summary>${same.length} unchanged ${same.length === 1 ? noun : `${noun}s`}</summary>
            <ul class="diff">
              ${same.map(({ text }) => html`<li>${text}</li>`)}
            </ul>
          </details>`
    }`
}

const markedLine = ({ change, parts }: MarkedLine): Html => {
  const text = parts.map(({ text: part, isChanged }) => (isChanged ? html`<mark>${part}</mark>` : part))
  return change === 'added'
    ? html`<li class="added">
        <ins><span class="hidden">added: </span>${text}</ins>
      </li>`
    : html`<li class="removed">
        <del><span class="hidden">removed: </span>${text}</del>
      </li>`
}

/** How the new policy would change the result of a proposal. */
export const changeWords: Record<DryRunChange, string> = {
  denied: 'would be denied',
  allowed: 'would be allowed',
  stronger: 'would need stronger consent',
  weaker: 'would need weaker consent',
}

/** Who set a policy version. */
export function setByWords({ by, byName }: Pick<PolicyVersion, 'by' | 'byName'>): Html {
  if (by === null) return html`<span class="none">not recorded</span>`
  if (by === 'admin') return html`administrator (command line)`
  return html`<bdi>${byName ?? by}</bdi>`
}

/** How many people can approve under a rule now, and a warning where they are too few. */
export function eligibleWords(approvers: EligibleApprovers): Part {
  const { needed, eligible, eligible_after_escalation: later, warning } = approvers
  const counted = (n: number) => (n === limits.approversAskedMax ? `${n} or more` : String(n))
  const escalated = later === undefined ? '' : `, ${counted(later)} after it escalates`
  return html`${counted(eligible)} of ${needed}
  needed${escalated}${warning === undefined ? '' : html`. <strong>${warning}</strong>`}`
}

/** The same for each rule about approvals of a policy under review. */
export const approversPart = (rules: readonly EligibleOfKind[]): Part =>
  rules.length === 0
    ? ''
    : html`<h2>Approvers</h2>
        ${table(
          'Who must approve, and how many can now',
          ['Kind', 'Who must approve', 'Can approve now'],
          rules.map((one) => [one.kind, one.rule, eligibleWords(one)]),
        )}`
