import type { MemberRow } from '../../db/queries/members/members.ts'
import { type Tier, type TierSource, standing } from '../../gate/tier.ts'

/** A member in the output of the command line. */
export interface MemberView {
  member_id: string
  name: string
  email: string | null
  slack: string | null
  teams: string | null
  tier: Tier
  tier_source: TierSource
  active: boolean
}

export function viewMember(member: MemberRow): MemberView {
  const { tier, tierSource } = standing(member)
  return {
    member_id: member.memberId,
    name: member.name,
    email: member.email,
    slack: member.slack,
    teams: member.teams,
    tier,
    tier_source: tierSource,
    active: member.isActive,
  }
}
