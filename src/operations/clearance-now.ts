import { type ActionKind, type Fields } from '../actions/kind.ts'
import { type FactVersions } from '../db/queries/decide.ts'
import { type Facts, type MemberFacts } from '../db/queries/facts.ts'
import { readConfirmed } from '../db/queries/velocity.ts'
import { type Deps } from '../deps.ts'
import {
  type Clearance,
  type Policy,
  type Spent,
  clearance,
  denialReason,
  velocityOf,
} from '../gate/policy.ts'
import { type Tier, standing } from '../gate/tier.ts'
import { limits } from '../limits.ts'
import { accountPolicy } from './account-policy.ts'
import { guardedAfterChange } from './provider-change.ts'

export interface Asked {
  account: string
  facts: Facts
  member: MemberFacts
  kind: ActionKind
  /** As frozen. */
  payload: Fields
  /** The row that is asked about, where it is confirmed already: it does not count against itself. */
  id?: number
}

/** What the facts make of an action, and what that rests on. */
export type ClearedNow = {
  versions: FactVersions
  policy: Policy
  tier: Tier
  /** The count of the member's day that it rests on: null where it rests on none. */
  confirmed: { since: Date; count: number } | null
} & Verdict

/** `reason`: why it is denied, for people. */
type Verdict =
  | { cleared: Extract<Clearance, { allowed: true }>; reason: null }
  | { cleared: Extract<Clearance, { allowed: false }>; reason: string }

/** The policy of the account, and the member's tier, as of the facts. Pure. */
export function standingOf(deps: Deps, facts: Facts, member: MemberFacts): { policy: Policy; tier: Tier } {
  const policy = accountPolicy(facts, deps.kinds.values())
  return { policy, tier: standing({ ...member, now: facts.now }).tier }
}

/** Decides by tier and policy, and by what the member did within a day where the policy limits that. */
export async function clearanceNow(deps: Deps, asked: Asked): Promise<ClearedNow> {
  const { facts, member, kind, payload } = asked
  const { policy, tier } = standingOf(deps, facts, member)
  const weighed = { kind: kind.kind, ...kind.weigh?.(payload) }
  const day = kind.weigh && velocityOf(policy, kind.kind) ? await dayOf(deps, asked) : null
  const cleared = guardedAfterChange(clearance(policy, weighed, tier, day?.spent), kind, facts)
  const restsOn = {
    versions: { member: member.version, curricula: facts.curriculaVersion, policy: facts.policyVersion },
    policy,
    tier,
    confirmed: day && { since: day.since, count: day.count },
  }
  return cleared.allowed
    ? { ...restsOn, cleared, reason: null }
    : { ...restsOn, cleared, reason: denialReason(cleared, tier, member.curricula, facts.now) }
}

/** What the member confirmed of the kind in the last 24 hours, by the database's clock. */
async function dayOf(
  deps: Deps,
  { account, facts, member, kind, payload, id }: Asked,
): Promise<{ since: Date; count: number; spent: Spent }> {
  const since = new Date(facts.now.getTime() - dayMs)
  const rows = await readConfirmed(deps.db, {
    account,
    memberId: member.memberId,
    kind: kind.kind,
    since,
    rowsMax: limits.velocityRowsMax,
  })
  const count = rows.length
  // More than is counted is too much under any policy.
  if (count === limits.velocityRowsMax)
    return { since, count, spent: { actions: count, cents: limits.amountCentsMax } }
  const currency = kind.weigh?.(payload).currency
  const others = rows.filter((row) => row.id !== id && row.isAlive)
  const weights = others.map((row) => kind.weigh!(row.payload as Fields))
  const cents = weights.filter((w) => w.currency === currency).reduce((sum, w) => sum + w.amountCents, 0)
  return { since, count, spent: { actions: others.length, cents } }
}

const dayMs = 86_400_000
