import {
  type ApprovalRow,
  countApprovals,
  readAgentOwners,
  readApprovals,
  readApproved,
  readGroupsOf,
} from '../../db/queries/actions/approvals.ts'
import type { ActionRow, ShownRow } from '../../db/queries/actions/actions.ts'
import type { JudgedVoter } from '../../db/queries/actions/decide.ts'
import { readSeatsOf } from '../../db/queries/members/delegations.ts'
import { type MemberFacts, readFacts } from '../../db/queries/members/facts.ts'
import type { Deps } from '../../deps.ts'
import { mayApproveFor } from '../../gate/approvals/deputies.ts'
import { type ApprovalRule, type ApprovalSituation, mayApprove } from '../../gate/approvals/rule.ts'
import type { ConsentStrength } from '../../gate/consent.ts'
import { tierOf } from '../../gate/tier.ts'
import { approversAmong } from './among.ts'

/** An action that others must approve. */
export type RuledRow = ActionRow & { approval_rule: ApprovalRule; member_id: string }

export const isRuled = (row: ActionRow): row is RuledRow => (row.approval_rule ?? null) !== null

/** Whether the member consented, and others must still approve. */
export const isAwaitingApprovals = (row: ActionRow): row is RuledRow & { consented_at: Date } =>
  isRuled(row) && awaitsOthers(row)

/** The same of a row of a list. */
export const awaitsOthers = (
  row: Pick<ActionRow | ShownRow, 'status' | 'decision' | 'approval_rule' | 'consented_at'>,
): boolean =>
  row.status === 'proposed' &&
  row.decision === null &&
  (row.approval_rule ?? null) !== null &&
  (row.consented_at ?? null) !== null

/** Reads what decides now whether an approval of an action counts. */
export async function situationOf(
  { db }: Pick<Deps, 'db'>,
  row: RuledRow,
  now: Date,
): Promise<ApprovalSituation> {
  const { account_id: account, approval_rule: rule, proposed_key: key } = row
  const ownerIds = key === null ? [] : await readAgentOwners(db, account, key)
  const barred = { proposerId: row.member_id, ownerIds }
  const isShort =
    rule.fallback !== undefined &&
    (await approversAmong(db, row, rule.from, { ...barred, limit: rule.needed })).length < rule.needed
  return { ...barred, isShort, consentedAt: row.consented_at, now }
}

/** The approvals of an action as it is now, of others than its member, each with whether it counts. */
export interface Tally {
  given: ApprovalRow[]
  voters: JudgedVoter[]
  /** Of its member's consent to it as it is now. */
  ownStrength: ConsentStrength | undefined
  /** Those of `given` that count, each once a person: as the claim counts them. */
  counted: ApprovalRow[]
  /** The one who approves is an approver, but somebody approved for them, or they are the deputy of somebody who did. */
  isTaken: boolean
  /** The name of the one whose deputy they are. */
  forName: string | undefined
}

/**
 * Judges everybody who approved an action as it is now, and the one who approves. One whose member is gone or was demoted does not
 * count; the claim checks that nobody changed since.
 */
export async function tallyOf(
  deps: Pick<Deps, 'db'>,
  row: RuledRow,
  now: Date,
  voter?: MemberFacts,
): Promise<Tally> {
  const { db } = deps
  const { account_id: account, approval_rule: rule, kind } = row
  const all = await readApprovals(db, account, row.id)
  const given = all.filter(({ is_own: own, digest }) => !own && digest === row.digest)
  const ids = given.map(({ member_id: id }) => id)
  const facts = await Promise.all(
    ids.filter((id) => id !== voter?.memberId).map((memberId) => readFacts(db, account, { memberId })),
  )
  const known = [...facts.flatMap((one) => one?.members ?? []), ...(voter ? [voter] : [])]
  const knownIds = known.map(({ memberId }) => memberId)
  const [groups, seats, situation] = await Promise.all([
    readGroupsOf(db, account, knownIds),
    readSeatsOf(db, account, { deputies: knownIds, kind }),
    situationOf(deps, row, now),
  ])
  const isOwnRight = (member: MemberFacts): boolean =>
    mayApprove(
      rule,
      { memberId: member.memberId, tier: tierOf(member, now), groups: groups.get(member.memberId) ?? [] },
      situation,
    )
  const seatsOf = (member: string) =>
    seats.filter((seat) => seat.deputy === member && mayApproveFor(rule, member, seat, situation))
  const judged = given.map(({ member_id: id, for_member: of }): JudgedVoter => {
    const member = known.find(({ memberId }) => memberId === id)
    if (!member) return { member: id, version: 0, counts: false }
    const isDeputy = of !== null && seatsOf(id).some(({ memberId }) => memberId === of)
    const counts = isDeputy || isOwnRight(member)
    return { member: id, version: member.version, counts, ...(isDeputy ? { for: of } : {}) }
  })
  const counting = given.length === 0 ? [] : await countApprovals(db, { account, id: row.id, voters: judged })
  const own = all.find(({ is_own: isOwn, digest }) => isOwn && digest === row.digest)
  const ownStrength = own?.strength as ConsentStrength | undefined
  const tally = {
    given,
    ownStrength,
    voters: judged,
    counted: given.filter(({ member_id: id }) => counting.some(({ member }) => member === id)),
    isTaken: false,
    forName: undefined,
  }
  if (!voter || ids.includes(voter.memberId)) return tally
  const { memberId: id, version } = voter
  const people = new Set(counting.flatMap((one) => [one.member, one.for ?? one.member]))
  const ofVoter = seatsOf(id)
  const [seat = ofVoter[0]] = ofVoter.filter(({ memberId }) => !people.has(memberId))
  const isOwn = isOwnRight(voter)
  const taken = [id, ...(isOwn || !seat ? [] : [seat.memberId])].some((person) => people.has(person))
  const counts = (isOwn || seat !== undefined) && !taken
  const judgedVoter: JudgedVoter = {
    member: id,
    version,
    counts,
    ...(isOwn || !seat ? {} : { for: seat.memberId }),
  }
  return {
    ...tally,
    voters: [...judged, judgedVoter],
    isTaken: (isOwn || seat !== undefined) && taken,
    forName: isOwn ? undefined : seat?.name,
  }
}

/** Whether somebody is an approver of an action, though perhaps another one approved for them. Pure. */
export const isApproverIn = ({ voters, isTaken }: Tally, memberId: string): boolean =>
  isTaken || voters.some(({ member, counts }) => member === memberId && counts)

/**
 * The rows with the number of their approvals that count now. What is stored is the number at the last one: since then somebody may have
 * been deactivated or demoted, or their delegation may be over.
 */
export async function withApprovalsNow<Row extends ActionRow | ShownRow>(
  deps: Pick<Deps, 'db'>,
  account: string,
  rows: readonly Row[],
): Promise<Row[]> {
  const ids = rows.filter(awaitsOthers).map(({ id }) => id)
  if (ids.length === 0) return [...rows]
  const approved = await readApproved(deps.db, account, ids)
  const counts = new Map<number, number>()
  // One after the other: a page of many takes no more than one connection.
  for (const row of approved) counts.set(row.id, (await tallyOf(deps, row, row.now)).counted.length)
  return rows.map((row) =>
    ids.includes(row.id) ? { ...row, approvals_given: counts.get(row.id) ?? 0 } : row,
  )
}
