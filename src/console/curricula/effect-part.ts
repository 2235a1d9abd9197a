import type { CurriculumEffect, TierMove } from '../../operations/curricula/curriculum-effect.ts'
import { type Part, html } from '../../web/html.ts'
import { table, tierBadge } from '../parts.ts'

/** Members that are named where a change lowers tiers. */
const loweredMembersNamedMax = 10

/** What a change of a curriculum would do, in words and by member. */
export function effectPart(effect: CurriculumEffect): Part {
  const { lowered, raised, decertified, certified } = effect
  const sentences = [
    ...(decertified > 0 ? [`${members(decertified)} would no longer be certified in it.`] : []),
    ...(certified > 0 ? [`${members(certified)} would become certified in it.`] : []),
  ]
  if (sentences.length === 0 && lowered.length + raised.length === 0)
    return html`<p class="notice calm">No member’s tier or certification changes.</p>`
  return html`<div class="${lowered.length > 0 ? 'problem' : 'notice calm'}">
      <p>
        <strong
          >${lowered.length === 0 ? 'No member’s tier becomes lower.' : `${members(lowered.length)} would lose their tier.`}</strong
        >
        ${raised.length === 0 ? '' : `${members(raised.length)} would get a higher tier.`}
        ${sentences.join(' ')}
      </p>
    </div>
    ${movesPart('Lower tier', lowered)} ${movesPart('Higher tier', raised)}
    <p class="hint">
      This applies immediately, also to open proposals: they are judged again when they are confirmed. A tier
      that an administrator set stays as it is.
    </p>`
}

const members = (count: number): string =>
  `${count.toLocaleString('en')} ${count === 1 ? 'member' : 'members'}`

function movesPart(label: string, moves: TierMove[]): Part {
  if (moves.length === 0) return ''
  const shown = moves.slice(0, loweredMembersNamedMax)
  return html`${table(
    label,
    ['Member', 'Now', 'Then'],
    shown.map(({ memberId, name, from, to }) => [
      html`<a href="/console/members/${memberId}"><bdi>${name}</bdi></a>`,
      tierBadge(from),
      tierBadge(to),
    ]),
  )}
  ${moves.length > shown.length ? html`<p class="hint">And ${moves.length - shown.length} more.</p>` : ''}`
}
