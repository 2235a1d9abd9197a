import type { DryRunChange } from '../../gate/dry-run.ts'
import type { PolicyVersion } from '../../operations/policy/policy-history.ts'
import type { DiffLine } from '../../operations/diff-lines.ts'
import { type Html, html } from '../../web/html.ts'
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
