import { type HabitsRow, readHabits } from '../../db/queries/members/habits.ts'
import type { Deps } from '../../deps.ts'
import { type Habits, isRubberStamping } from '../../gate/habits.ts'
import { limits } from '../../limits.ts'
import { memberLabel } from '../members/actor.ts'
import { policyFacts, type PolicyDeps } from './policy.ts'
import { accountPolicy } from '../proposals/account-policy.ts'

/** How one member decided in the last days. */
export interface MemberHabits extends Habits {
  memberId: string
  name: string
  /** As in the ledger's rows. */
  label: string
  isActive: boolean
  /** Proposals that wait for them now. */
  open: number
  /** They seem to confirm without looking. */
  isRubberStamping: boolean
}

/** How the members of an account decide, and how many may wait for each. */
export interface AccountHabits {
  members: MemberHabits[]
  /** There are more members than are told of: those who confirm most are. */
  isCut: boolean
  openMaxPerMember: number
}

/**
 * How members decided in the last days: those who confirmed most first.
 * @throws GateError `not_found` where there is no such account
 */
export async function accountHabits(
  deps: PolicyDeps & Pick<Deps, 'db'>,
  account: string,
): Promise<AccountHabits> {
  const facts = await policyFacts(deps, account)
  const since = new Date(facts.now.getTime() - limits.habitsDays * dayMs)
  const rows = await readHabits(deps.db, account, {
    since,
    hastyMs: limits.hastyDecisionMs,
    limitRows: limits.habitsMembersMax + 1,
  })
  const policy = accountPolicy(facts, deps.kinds.values())
  return {
    members: rows.slice(0, limits.habitsMembersMax).map(viewHabits),
    isCut: rows.length > limits.habitsMembersMax,
    openMaxPerMember: policy.open_max_per_member,
  }
}

function viewHabits(row: HabitsRow): MemberHabits {
  const { confirmed, declined, hasty } = row
  return {
    memberId: row.member_id,
    name: row.name,
    label: memberLabel({ email: row.email, slack: row.slack, memberId: row.member_id }),
    isActive: row.is_active,
    open: row.open,
    confirmed,
    declined,
    hasty,
    medianMs: row.median_ms,
    p90Ms: row.p90_ms,
    isRubberStamping: isRubberStamping(
      { confirmed, hasty },
      { confirmsMin: limits.hastyConfirmsMin, sharePercentMin: limits.hastySharePercentMin },
    ),
  }
}

const dayMs = 86_400_000
