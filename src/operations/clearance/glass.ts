import type { MemberRow } from '../../db/queries/members/members.ts'
import type { Deps } from '../../deps.ts'
import { ruleChangeKind } from '../../gate/approvals/rule-change.ts'
import { glassReasonCharsMin, mayBreakGlass, opensAt } from '../../gate/approvals/rule.ts'
import { limits } from '../../limits.ts'
import { escapeInvisible } from '../../text/escape-invisible.ts'
import { type RuledRow, situationOf } from '../approvers/tally.ts'
import { approversAmong } from '../approvers/among.ts'
import type { Approver, GivenConsent } from './claim-confirm.ts'
import { type Refused, refused } from './refusal.ts'

/** Whether a member is named to execute an action in place of those who must approve it. */
export async function isNamedForGlass(
  deps: Pick<Deps, 'db'>,
  row: RuledRow,
  memberId: string,
  now: Date,
): Promise<boolean> {
  if (row.kind === ruleChangeKind || !row.approval_rule.break_glass) return false
  return mayBreakGlass(row.approval_rule, memberId, await situationOf(deps, row, now))
}

/** Why a member cannot do so now; undefined where they can. */
export async function whyNoGlassBreak(
  deps: Pick<Deps, 'db'>,
  row: RuledRow,
  { now, approver, consent }: { now: Date; approver: Approver; consent: Pick<GivenConsent, 'strength'> },
): Promise<Refused | undefined> {
  if (!(await isNamedForGlass(deps, row, approver.member.memberId, now)))
    return refused(
      'not_approver',
      'The rule of this action does not name you to execute it alone. Nothing was decided.',
    )
  if (row.consented_at === null) return refused('not_consented')
  const from = opensAt(row.approval_rule, row.created_at)
  if (from > now)
    return refused('too_early', `Nobody can execute this before ${from.toISOString().slice(0, 16)}Z.`)
  if (consent.strength !== 'passkey')
    return refused('too_weak', 'To execute this alone, use your passkey, which must have settled.')
  if (seenOf(approver.reason ?? '').length < glassReasonCharsMin)
    return refused(
      'no_reason',
      `Write why it cannot wait for the others, in at least ${glassReasonCharsMin} characters.`,
    )
  return undefined
}

/** The characters of a text that a reader sees, with one space where there are several. */
const seenOf = (text: string): string[] => [
  ...[...text.replaceAll(/\s+/g, ' ')]
    .filter((one) => escapeInvisible(one) === one)
    .join('')
    .trim(),
]

/** Who is told: everybody whose approval could have counted, up to so many for each part of the rule, and the member who acts. */
export async function toldOfGlass(deps: Pick<Deps, 'db'>, row: RuledRow): Promise<string[]> {
  const { from, fallback, escalate_to: to } = row.approval_rule
  const barred = { proposerId: row.member_id, ownerIds: [], limit: limits.approversAskedMax }
  const found: MemberRow[] = []
  for (const source of [from, fallback, to])
    if (source) found.push(...(await approversAmong(deps.db, row, source, barred)))
  return [...new Set([row.member_id, ...found.map(({ memberId }) => memberId)])]
}
