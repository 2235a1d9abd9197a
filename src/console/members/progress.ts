import {
  type CertificationEntry,
  type CurriculumRecord,
  certification,
  certifiedUntil,
  expiredSince,
} from '../../gate/tier.ts'
import type { MemberRow } from '../../operations/members/read-member.ts'
import { type Html, type Part, html } from '../../web/html.ts'
import { moment } from '../parts.ts'

/** Curricula whose progress one row of the list of members shows. */
const curriculaPerRowMax = 3

/** How many modules are passed, as a bar and in words. */
export const modulesBar = ({
  title,
  modules_passed: passed,
  modules_total: total,
}: CertificationEntry): Html =>
  html`<span class="modules"
    ><progress max="${total}" value="${passed}" aria-label="${title}"></progress>
    <span class="number">${passed} of ${total}</span></span
  >`

/** Whether a member is certified in a curriculum, and until when. */
export function certifiedPart(curriculum: CurriculumRecord, now: Date): Html {
  if (!certification(curriculum, now).certified) return html`<span class="badge over">not certified</span>`
  const until = certifiedUntil(curriculum, now)
  return html`<span class="badge good">certified</span>
    ${until === null ? 'no expiry' : html`until ${moment(until)}`}`
}

/** The curricula that a member has begun, for one row of a list, and since when passes no longer count. */
export function progressPart({ curricula, now }: MemberRow): Part {
  const begun = curricula
    .map((one) => ({ ...certification(one, now), lapsed: expiredSince(one, now) }))
    .filter(({ modules_passed, lapsed }) => modules_passed > 0 || lapsed !== null)
  if (begun.length === 0) return html`<span class="none">none</span>`
  const more = begun.length - curriculaPerRowMax
  return html`<ul class="progress">
    ${begun
      .slice(0, curriculaPerRowMax)
      .map(
        (entry) =>
          html`<li>
            <span>${entry.title}${entry.certified ? ': certified' : ''}</span> ${modulesBar(entry)}
            ${entry.lapsed === null ? '' : html`<span class="hint">lapsed ${moment(entry.lapsed)}</span>`}
          </li>`,
      )}
    ${more > 0 ? html`<li class="none">${more} more</li>` : ''}
  </ul>`
}
