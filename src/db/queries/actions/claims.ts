import type { Db } from '../../connect.ts'
import { jsonArgument } from '../../json-argument.ts'
import { type ActionRow, outcomeOf } from './actions.ts'

/** What the executor of a claimed action reports. `failed`: a part of it may be done. */
export const reportedOutcomes = ['done', 'refused', 'failed', 'unknown'] as const
export type ReportedOutcome = (typeof reportedOutcomes)[number]

export interface ActionClaim {
  account: string
  id: number
  apiKey: Buffer
  /** SHA-256 of the token that reports the outcome. */
  token: Buffer
  leaseMs: number
  /** How long after the consent it can be claimed. */
  windowMs: number
  eventId: string
  dueMs: number
}

export type ActionClaimOutcome =
  | 'claimed'
  | 'missing'
  | 'unconfirmed'
  | 'suspended'
  /** Somebody else has claimed it. */
  | 'held'
  /** It has ended, or its claim has. */
  | 'closed'
  /** The time to claim it is over. */
  | 'late'
  /** Its confirm came after its expiry, and is checked again before anything executes. */
  | 'unchecked'

interface Claimed {
  outcome: ActionClaimOutcome
  action: ActionRow
  leaseExpiresAt: Date | null
  /** See Signalled. */
  dueAt: string | null
}

/** Claims a confirmed action. A repeat with the same token answers the same claim. */
export async function claimConfirmedAction(db: Db, c: ActionClaim): Promise<Claimed> {
  const rows = await db.run<
    ActionRow & { outcome: string; lease_expires_at: Date | null; due_at: string | null }
  >(
    (sql) => sql`
      select r.outcome, r.lease_expires_at, r.due_at, (r.action).* from gate.claim_action(
        p_account => ${c.account}, p_id => ${c.id}, p_api_key => ${c.apiKey}, p_token => ${c.token},
        p_lease_ms => ${c.leaseMs}, p_window_ms => ${c.windowMs}, p_event => ${c.eventId}, p_due_ms => ${c.dueMs}) r`,
  )
  const { lease_expires_at: leaseExpiresAt, due_at: dueAt, ...row } = rows[0]!
  return { ...outcomeOf<ActionClaimOutcome>([row]), leaseExpiresAt, dueAt }
}

export interface ClaimReport {
  account: string
  id: number
  apiKey: Buffer
  token: Buffer
  outcome: ReportedOutcome
  /** What the executor reported, in RFC 8785 form. */
  result: string | null
  /** SHA-256 over token, outcome and result. */
  report: Buffer
  eventId: string
  dueMs: number
}

export type ClaimReportOutcome =
  | 'reported'
  /** Another outcome or result was reported before. */
  | 'changed'
  | 'lapsed'
  /** The token is not that of this action's claim. */
  | 'unclaimed'
  | 'missing'

/** Records what was reported of a claimed action. A repeat changes nothing. */
export async function reportClaim(
  db: Db,
  r: ClaimReport,
): Promise<{ outcome: ClaimReportOutcome; action: ActionRow }> {
  const report = jsonArgument({
    api_key: r.apiKey,
    token: r.token,
    outcome: r.outcome,
    result: r.result,
    report: r.report,
    event: r.eventId,
    due_ms: r.dueMs,
  })
  const rows = await db.run<ActionRow & { outcome: string }>(
    (sql) => sql`
      select r.outcome, (r.action).* from gate.report_claim(
        p_account => ${r.account}, p_id => ${r.id}, p_report => ${report}::text::jsonb) r`,
  )
  return outcomeOf(rows)
}

/** Where a claim stands. `open`: nobody has claimed it yet. */
export type ClaimStanding =
  | { state: 'open' | 'held'; waitMs: number }
  | { state: 'reported'; reported: ReportedOutcome }
  /** The lease ended without a report. */
  | { state: 'lapsed' }
  /** Nobody claimed it in time. */
  | { state: 'unclaimed' }

/** Reads where the claim of a confirmed action stands, and ends it where its time is over; with `isForced`, at once. */
export async function settleClaim(
  db: Db,
  c: { account: string; id: number; windowMs: number; isForced: boolean },
): Promise<ClaimStanding> {
  const rows = await db.run<{
    state: ClaimStanding['state']
    reported: ReportedOutcome | null
    wait_ms: number | null
  }>(
    (sql) => sql`
      select * from gate.settle_claim(
        p_account => ${c.account}, p_id => ${c.id}, p_window_ms => ${c.windowMs}, p_force => ${c.isForced})`,
  )
  const { state, reported, wait_ms: waitMs } = rows[0]!
  if (state === 'open' || state === 'held') return { state, waitMs: waitMs! }
  return state === 'reported' ? { state, reported: reported! } : { state }
}

/** What was reported beside the outcome; undefined where there is nothing, or it was erased. */
export async function readReportedResult(
  db: Db,
  account: string,
  id: number,
): Promise<Record<string, unknown> | undefined> {
  const rows = await db.read<{ result: Record<string, unknown> | null }>(
    (sql) => sql`
      select c.result from gate.tenant(${account}) t(id),
      lateral (select result from gate.claim where account_id = t.id and action_id = ${id} offset 0) c`,
  )
  return rows[0]?.result ?? undefined
}
