import { type ActionKind, type Fields } from '../actions/kind.ts'
import { readConfirmed } from '../db/queries/velocity.ts'
import { type Deps } from '../deps.ts'
import { type Clearance, type Policy, type Spent, clearance, velocityOf } from '../gate/policy.ts'
import { type Tier } from '../gate/tier.ts'
import { limits } from '../limits.ts'

export interface Asked {
  account: string
  memberId: string
  tier: Tier
  policy: Policy
  kind: ActionKind
  /** As frozen. */
  payload: Fields
  /** The database's clock, from the read of the facts. */
  now: Date
  /** The row that is asked about, where it is confirmed already: it does not count against itself. */
  id?: number
}

/** Whether an action is allowed, and the count of the member's day that this rests on: null where it rests on none. */
export interface ClearedNow {
  cleared: Clearance
  confirmed: { since: Date; count: number } | null
}

/** Decides by tier and policy, and by what the member did within a day where the policy limits that. */
export async function clearanceNow(deps: Deps, asked: Asked): Promise<ClearedNow> {
  const { account, memberId, tier, policy, kind, payload, now } = asked
  const weight = kind.weigh?.(payload)
  const weighed = { kind: kind.kind, ...weight }
  if (!weight || !velocityOf(policy, kind.kind))
    return { cleared: clearance(policy, weighed, tier), confirmed: null }
  const since = new Date(now.getTime() - dayMs)
  const rows = await readConfirmed(deps.db, {
    account,
    memberId,
    kind: kind.kind,
    since,
    rowsMax: limits.velocityRowsMax,
  })
  if (rows.length === limits.velocityRowsMax) {
    const spent = { actions: rows.length, cents: limits.amountCentsMax }
    return { cleared: clearance(policy, weighed, tier, spent), confirmed: null }
  }
  const others = rows.filter((row) => row.id !== asked.id && row.isAlive)
  const weights = others.map((row) => kind.weigh!(row.payload as typeof payload))
  const spent: Spent = {
    actions: others.length,
    cents: weights.filter((w) => w.currency === weight.currency).reduce((sum, w) => sum + w.amountCents, 0),
  }
  return { cleared: clearance(policy, weighed, tier, spent), confirmed: { since, count: rows.length } }
}

const dayMs = 86_400_000
