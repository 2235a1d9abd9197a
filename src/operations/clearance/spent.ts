import type { ActionKind, Fields } from '../../actions/kind.ts'
import type { SpentOnSubject } from '../../consent/card.ts'
import type { ActionRow } from '../../db/queries/actions/actions.ts'
import {
  type ConfirmedRow,
  type CountScope,
  type Counted,
  readConfirmed,
} from '../../db/queries/actions/velocity.ts'
import type { CeilingsRow } from '../../db/queries/accounts/authenticate.ts'
import type { Deps } from '../../deps.ts'
import type { CeilingTally } from '../../gate/ceilings.ts'
import { type Policy, ruleOfKind } from '../../gate/policy.ts'
import type { SubjectSums } from '../../gate/subject.ts'
import { type DayLimits, type Spent, type Tally, velocityOf } from '../../gate/velocity.ts'
import { amountOf } from '../actions/action-summary.ts'

/** Confirmed actions that are counted for daily limits; more are too many under any policy. */
const velocityRowsMax = 10_000

/** A confirmed action. Neither itself nor what was confirmed after it counts against it. */
export interface ConfirmedBefore {
  id: number
  at: Date
}

/** An action that is judged, and the keys whose day it counts towards. */
export interface Weighed {
  account: string
  memberId: string
  kind: ActionKind
  /** The frozen payload. */
  payload: Fields
  /** The API keys that proposed and confirm it. */
  keys: (string | null | undefined)[]
  ceilings: (CeilingsRow | null | undefined)[]
  confirmed?: ConfirmedBefore | undefined
}

/**
 * Reads what was confirmed in the last 24 hours, as far as a limit of the policy or of a key counts it for an action.
 * @param now  the database's clock
 * @returns the sums, and the counts that they rest on: the claim checks that they have not changed
 */
export async function spentToday(
  deps: Pick<Deps, 'db' | 'kinds'>,
  policy: Policy,
  now: Date,
  weighed: Weighed,
): Promise<{ spent: Spent; counted: Counted[]; ofCeilings: CeilingTally[] }> {
  const ofPolicy = scopesOf(policy, weighed)
  const ceilings = weighed.ceilings.filter((of) => of !== null && of !== undefined)
  const scopes = [...ofPolicy, ...ceilings.map(ceilingScope)]
  const since = new Date(now.getTime() - dayMs)
  const rows = await readConfirmed(deps.db, {
    account: weighed.account,
    scopes,
    since,
    rowsMax: velocityRowsMax,
  })
  const byScope = scopes.map((_, n) => rows.filter((row) => row.n === n))
  const tallies = byScope.map((of) => tallyOf(deps, weighed, of))
  const of = (scope: CountScope['scope']): Tally[] =>
    ofPolicy.flatMap((one, n) => (one.scope === scope ? [tallies[n]!] : []))
  return {
    spent: {
      member: most(of('member')),
      account: most(of('account')),
      key: most(of('key')),
      subjectCents: most(of('subject')).cents,
      customerCents: most(of('customer')).cents,
      isUncounted: byScope.some((rows) => rows.length >= velocityRowsMax),
    },
    ofCeilings: ceilings.map((of, n) => ({
      actionsPerDay: of.actions_per_day,
      centsPerDay: of.cents_per_day,
      spent: tallies[ofPolicy.length + n]!,
    })),
    counted: scopes.map((scope, n) => ({ ...scope, since, count: byScope[n]!.length })),
  }
}

/**
 * What was confirmed for an action's subject and customer, in its currency: in the 24 hours before it was proposed, and since then;
 * if it is confirmed, before it was.
 */
export async function spentOnSubject(
  deps: Pick<Deps, 'db' | 'kinds'>,
  { account_id: account, id, payload, decision, decided_at: at, created_at: proposedAt }: ActionRow,
  kind: ActionKind,
): Promise<SpentOnSubject> {
  const scopes = subjectScopes(kind, payload as Fields)
  const since = new Date(proposedAt.getTime() - dayMs)
  const rows = await readConfirmed(deps.db, { account, scopes, since, rowsMax: velocityRowsMax })
  const confirmed = decision === 'confirm' ? { id, at: at! } : undefined
  const sumsOf = (counted: ConfirmedRow[]): SubjectSums => {
    const centsOf = (scope: CountScope['scope']): number => {
      const n = scopes.findIndex((one) => one.scope === scope)
      const ofScope = counted.filter((row) => row.n === n)
      return tallyOf(deps, { kind, payload: payload as Fields, confirmed }, ofScope).cents
    }
    return { subjectCents: centsOf('subject'), customerCents: centsOf('customer') }
  }
  return {
    before: sumsOf(rows.filter(({ decidedAt }) => decidedAt <= proposedAt)),
    since: sumsOf(rows.filter(({ decidedAt }) => decidedAt > proposedAt)),
  }
}

/** What amounts of an action are added up by, whoever confirmed them. */
const subjectScopes = ({ kind, ...does }: ActionKind, payload: Fields): CountScope[] =>
  (['subject', 'customer'] as const).flatMap((scope) => {
    const value = does[scope]?.(payload)
    return value === undefined ? [] : [{ scope, value, kind }]
  })

/** The scopes that have a limit: nothing else is counted. */
function scopesOf(policy: Policy, { kind: of, payload, memberId, keys }: Weighed): CountScope[] {
  const { kind } = of
  const rule = ruleOfKind(policy, kind)
  if (!rule || !('bands' in rule) || !of.weigh) return []
  const velocity = velocityOf(rule)
  const keyIds = new Set(keys.filter((key) => typeof key === 'string'))
  return [
    ...(isLimited(velocity) ? [{ scope: 'member' as const, value: memberId, kind }] : []),
    ...subjectScopes(of, payload),
    ...(isLimited(velocity.account) ? [{ scope: 'account' as const, value: '', kind }] : []),
    ...(isLimited(velocity.key) ? [...keyIds].map((value) => ({ scope: 'key' as const, value, kind })) : []),
  ]
}

// A key's ceilings count actions of every kind.
const ceilingScope = ({ keys }: CeilingsRow): CountScope => ({
  scope: 'key',
  value: keys.join(','),
  kind: null,
})

const isLimited = (limits: DayLimits | undefined): boolean =>
  typeof limits?.actions_per_day === 'number' || Boolean(limits?.cents_per_day)

function tallyOf(
  { kinds }: Pick<Deps, 'kinds'>,
  { kind, payload, confirmed }: Pick<Weighed, 'kind' | 'payload' | 'confirmed'>,
  rows: ConfirmedRow[],
): Tally {
  const currency = kind.weigh?.(payload)?.currency
  const counts = rows.filter(
    (row) => row.mayBeDone && !(confirmed && (row.id === confirmed.id || row.decidedAt > confirmed.at)),
  )
  const amounts = counts.flatMap((row) => amountOf(kinds.own.get(row.kind), row) ?? [])
  const cents = amounts
    .filter((one) => one.currency === currency)
    .reduce((sum, one) => sum + one.amountCents, 0)
  return { actions: counts.length, cents }
}

// Two keys may act on one action, one proposing and one confirming: the higher count decides.
const most = (tallies: Tally[]): Tally => ({
  actions: Math.max(0, ...tallies.map(({ actions }) => actions)),
  cents: Math.max(0, ...tallies.map(({ cents }) => cents)),
})

const dayMs = 86_400_000
