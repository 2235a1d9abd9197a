import { minuteOf } from '../consent/card.ts'
import { type ApprovalState, whyAsked } from '../consent/approvals.ts'
import { escapeInvisible } from '../text/escape-invisible.ts'
import { type Html, html } from './html.ts'

/** Above a card: why others are asked beside its member, who approved so far, and until when. */
export const approvalPart = (state: ApprovalState): Html =>
  html`<p class="notice">${escapeInvisible(wordsOf(state))}</p>`

function wordsOf(state: ApprovalState): string {
  const { memberName, needed, from, consentedAt, opensAt, isGiven, isCounted } = state
  if (consentedAt === null)
    return `The policy asks ${needed} ${needed === 1 ? 'person' : 'people'} of ${from} to approve this too, after ${memberName} has consented to it as it is.`
  const given = isGiven ? ' You approved it.' : isCounted ? asOnePerson : ''
  const left = isCounted ? ' You can still decline it.' : ''
  const wait = opensAt ? ` Nobody can approve it before ${minuteOf(opensAt)}.` : ''
  return `${whyAsked(state)}${given}${left}${wait}`
}

const asOnePerson = ' A deputy and the one they approve for count as one person, and one of you approved it.'
