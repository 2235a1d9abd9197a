import { escapeInvisible } from '../text/escape-invisible.ts'
import { minuteOf } from './card.ts'

/** How far the approvals of an open action are, for people. */
export interface ApprovalState {
  /** Of the member who acts. */
  memberName: string
  needed: number
  /** The names of those who approved it as it is now, and count. */
  approved: string[]
  /** The names of those who approved it and do not count now. */
  lapsed: string[]
  /** When its member consented; null: not yet. */
  consentedAt: Date | null
  /** Whose approval counts, in words. */
  from: string
  /** Nobody approves before. Null: anybody may now. */
  opensAt: Date | null
  expiresAt: Date
  isReasonRequired: boolean
  /** The one who looks is its member, who decides first. */
  isOwn: boolean
  /** The one who looks approved it. */
  isGiven: boolean
  /** They, or somebody with whom they count as one person, approved it, and others must still approve it. */
  isCounted: boolean
  /** The one who looks would approve for somebody who is away: their name. */
  deputyOf: string | undefined
}

/** Why an approver is asked, who agreed so far, and until when, in sentences. Pure. */
export function whyAsked({
  memberName,
  needed,
  approved,
  lapsed,
  from,
  expiresAt,
  isReasonRequired,
  deputyOf,
}: ApprovalState): string {
  const given =
    approved.length === 0
      ? 'Nobody else approved yet.'
      : `Approved by ${approved.map(escapeInvisible).join(', ')}.`
  return [
    `${escapeInvisible(memberName)} consented to this, and the policy asks ${needed} ${needed === 1 ? 'person' : 'people'} of ${escapeInvisible(from)} to approve it.`,
    given,
    ...(lapsed.length === 0
      ? []
      : [`The approval of ${lapsed.map(escapeInvisible).join(', ')} does not count now.`]),
    ...(deputyOf === undefined ? [] : [`You decide for ${escapeInvisible(deputyOf)}, who is away.`]),
    `It is open until ${minuteOf(expiresAt)}. One decline ends it.`,
    ...(isReasonRequired ? ['Approvers give a reason: approve on the page, not in Slack.'] : []),
  ].join(' ')
}
