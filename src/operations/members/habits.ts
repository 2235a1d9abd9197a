import { type HabitsRow, readHabits } from '../../db/queries/members/habits.ts'
import type { Deps } from '../../deps.ts'
import { type Habits, isRubberStamping } from '../../gate/habits.ts'
import { limits } from '../../limits.ts'
import { memberLabel } from './actor.ts'
import { type PolicyDeps, policyFacts } from '../policy/policy-in-force.ts'
import { accountPolicy } from '../policy/account-policy.ts'

/** The decision habits of one member in the last days. */
export interface MemberHabits extends Habits {
  memberId: string
  name: string
  /** The member as shown on actions. */
  label: string
  /** Decided by their mandates: not counted among their decisions. */
  byMandate: number
  isActive: boolean
  /** Their open proposals. */
  open: number
  /** Most confirms are too fast to be reviewed. */
  isRubberStamping: boolean
}

/** The decision habits of an account's members, and the limit of open proposals per member. */
export interface AccountHabits {
  members: MemberHabits[]
  /** Only the members with the most confirms are listed. */
  isCut: boolean
  openMaxPerMember: number
}

/**
 * The decision habits of the last days, members with the most confirms first.
 * @throws GateError `not_found`
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
  const policy = accountPolicy(facts, (await deps.kinds.of(account, facts.kindsVersion)).values())
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
    byMandate: row.by_mandate,
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
