import type { DryRunChange } from '../../gate/dry-run.ts'
import type { DiffLine, PolicyVersion } from '../../operations/admin/policy-history.ts'
import { type Html, html } from '../../web/html.ts'

/** Lines that came and went, each with a sign that is heard and seen without colour. */
export function diffList(lines: DiffLine[]): Html {
  const changed = lines.filter(({ change }) => change !== 'same')
  const same = lines.filter(({ change }) => change === 'same')
  return html`<ul class="diff">
      ${changed.map(({ change, text }) => diffLine(change, text))}
    </ul>
    ${
      same.length === 0
        ? ''
        : html`<details>
            <summary>${same.length} ${same.length === 1 ? 'rule stays' : 'rules stay'} as they are</summary>
            <ul class="diff">
              ${same.map(({ change, text }) => diffLine(change, text))}
            </ul>
          </details>`
    }`
}

const diffLine = (change: DiffLine['change'], text: string): Html => {
  if (change === 'same') return html`<li>${text}</li>`
  return change === 'added'
    ? html`<li class="added">
        <ins><span class="hidden">now: </span>${text}</ins>
      </li>`
    : html`<li class="removed">
        <del><span class="hidden">no more: </span>${text}</del>
      </li>`
}

/** What the other policy would do to a proposal. */
export const changeWords: Record<DryRunChange, string> = {
  denied: 'would be denied',
  allowed: 'would be allowed',
  stronger: 'would need stronger consent',
  weaker: 'would need weaker consent',
}

/** Who set something, as the ledger names them. */
export function setByWords({ by, byName }: Pick<PolicyVersion, 'by' | 'byName'>): Html {
  if (by === null) return html`<span class="none">not noted</span>`
  if (by === 'admin') return html`an administrator, by the command line`
  return html`<bdi>${byName ?? by}</bdi>`
}
