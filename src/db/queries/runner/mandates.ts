import { limits } from '../../../limits.ts'
import type { Db, Fragment, Sql } from '../../connect.ts'
import { jsonArgument } from '../../json-argument.ts'
import type { ActionRow } from '../actions/actions.ts'
import type { FactVersions } from '../actions/decide.ts'
import type { SpendOutcome, ToolCallToKeep } from './tool-consents.ts'

const mandateCallsReadMax = 100
const mandatesComparedMax = 20

/** A mandate, with its action. */
export interface MandateRow {
  action: ActionRow
  key_id: string
  key_name: string
  member_id: string
  granted_at: Date | null
  expires_at: Date | null
  ended_at: Date | null
  ended_by: string | null
  uses: number
  last_used_at: Date | null
  isInForce: boolean
}

type Stored = Omit<MandateRow, 'action' | 'isInForce'> & {
  mandate_expires_at: Date | null
  is_in_force: boolean
}

/** The mandates of a scope, newest first: in force, or decided or proposed lately. */
export const readMandates = (db: Db, account: string, scope: Buffer): Promise<MandateRow[]> =>
  mandates(
    db,
    account,
    (sql) => sql`where f.account_id = t.id and f.scope = ${scope}
      order by f.action_id desc limit ${mandatesComparedMax}`,
  )

/** The mandate that an action proposes; undefined where it is none. */
export async function readMandate(db: Db, account: string, id: number): Promise<MandateRow | undefined> {
  const [row] = await mandates(db, account, (sql) => sql`where f.account_id = t.id and f.action_id = ${id}`)
  return row
}

/** Lists the mandates in force, the newest first. @param memberId  null: of all members */
export const listMandates = (db: Db, account: string, memberId: string | null): Promise<MandateRow[]> =>
  mandates(
    db,
    account,
    (sql) => sql`where f.account_id = t.id and f.ended_at is null and f.granted_at is not null
      and f.expires_at > clock_timestamp() ${memberId === null ? sql`` : sql`and f.member_id = ${memberId}`}
      order by f.action_id desc limit ${limits.mandatesShownMax}`,
  )

async function mandates(db: Db, account: string, which: (sql: Sql) => Fragment): Promise<MandateRow[]> {
  const rows = await db.read<ActionRow & Stored>(
    (sql) => sql`
      select a.*, m.key_id, k.name as key_name, m.granted_at, m.expires_at as mandate_expires_at, m.ended_at, m.ended_by,
        m.uses, m.last_used_at,
        m.ended_at is null and m.granted_at is not null and m.expires_at > clock_timestamp()
          and a.status = 'executed' and a.salt is not null as is_in_force
      from gate.tenant(${account}) t(id),
      lateral (select f.* from gate.tool_mandate f ${which(sql)} offset 0) m,
      lateral (select * from gate.action r where r.account_id = t.id and r.id = m.action_id offset 0) a,
      lateral (select s.name from gate.api_key s where s.account_id = t.id and s.key_id = m.key_id offset 0) k
      order by m.action_id desc`,
  )
  return rows.map((row) => {
    const {
      key_id,
      key_name,
      granted_at,
      mandate_expires_at,
      ended_at,
      ended_by,
      uses,
      last_used_at,
      is_in_force,
      ...action
    } = row
    return {
      action,
      key_id,
      key_name,
      member_id: action.member_id!,
      granted_at,
      expires_at: mandate_expires_at,
      ended_at,
      ended_by,
      uses,
      last_used_at,
      isInForce: is_in_force,
    }
  })
}

/** A call that a member approved, or was asked about. */
export interface AskedCall {
  runner: string
  tool: string
  decision: 'allow' | 'consent'
  at: Date
  /** What rules read; null: it was too long, or was erased. */
  call: { cwd: string | null; mcp_server: string | null; input: Record<string, unknown> } | null
}

/** The newest calls of a key that its member approved each by itself. */
export const readApprovedCalls = (db: Db, account: string, keyId: string): Promise<AskedCall[]> =>
  db.read<AskedCall>(
    (sql) => sql`
      select c.runner, c.tool, c.decision, c.at, c.call from gate.tenant(${account}) t(id),
      lateral (
        select f.* from gate.tool_call f
        where f.account_id = t.id and f.key_id = ${keyId} and f.decision = 'allow'
        order by f.n desc limit ${mandateCallsReadMax}
      ) c
      where exists (
        select from gate.tool_consent g
        where g.account_id = t.id and g.action_id = c.action_id and g.spent_at is not null)
      order by c.n desc`,
  )

/** The calls of a key in the last hour that its member was asked about, or would have been. */
export const readAskedCalls = (db: Db, account: string, keyId: string): Promise<AskedCall[]> =>
  db.read<AskedCall>(
    (sql) => sql`
      select c.runner, c.tool, c.decision, c.at, c.call from gate.tenant(${account}) t(id),
      lateral (
        select f.* from gate.tool_call f
        where f.account_id = t.id and f.key_id = ${keyId} and f.decision = 'consent'
        order by f.n desc limit ${mandateCallsReadMax}
      ) c
      where c.at > clock_timestamp() - interval '1 hour'
      order by c.n desc`,
  )

/** A key has had its member asked as often as is allowed. */
export interface ConsentStop {
  until: Date
  /** The request that told its member so; null: none yet. */
  told_id: number | null
  told_kind: string | null
}

/** Whether a key is stopped; undefined: it may have its member asked. */
export async function readConsentStop(
  db: Db,
  account: string,
  by: { memberId: string; keyId: string },
): Promise<ConsentStop | undefined> {
  const [row] = await db.read<ConsentStop | (Omit<ConsentStop, 'until'> & { until: null })>(
    (sql) => sql`
      select s.until, s.told_id, s.told_kind from gate.consent_stop(
        p_account => ${account}, p_member_id => ${by.memberId}, p_key_id => ${by.keyId},
        p_hour_max => ${limits.consentAsksPerHourMax}, p_day_max => ${limits.consentAsksPerDayMax}) s`,
  )
  return row!.until === null ? undefined : row
}

/** Puts a confirmed mandate in force, once. */
export async function grantMandate(db: Db, account: string, id: number, ttlMs: number): Promise<void> {
  await db.run(
    (sql) => sql`select gate.grant_mandate(p_account => ${account}, p_id => ${id}, p_ttl_ms => ${ttlMs})`,
  )
}

/** Settles a confirmed mandate finally. @returns until when it is in force; null if it never was */
export async function settleMandate(db: Db, account: string, id: number): Promise<Date | null> {
  const rows = await db.run<{ ends_at: Date | null }>(
    (sql) => sql`select gate.settle_mandate(p_account => ${account}, p_id => ${id}) as ends_at`,
  )
  return rows[0]!.ends_at
}

export type UseOutcome = Exclude<SpendOutcome, 'spent'> | 'used'

/**
 * Allows a call by a mandate, and records it.
 * @param use.withinMs  how long it may wait for others. After that it is `late`, and nothing was recorded
 * @param use.hasId  the runner gave the call an id
 */
export async function useMandate(
  db: Db,
  use: {
    account: string
    id: number
    scope: Buffer
    apiKey: Buffer
    memberId: string
    versions: FactVersions
    withinMs: number
    hasId: boolean
    call: ToolCallToKeep
  },
): Promise<UseOutcome> {
  const argument = jsonArgument({
    api_key: use.apiKey,
    member_id: use.memberId,
    member_version: use.versions.member,
    curricula_version: use.versions.curricula,
    policy_version: use.versions.policy,
    within_ms: use.withinMs,
    scope: use.scope,
    has_id: use.hasId,
    same_ms: limits.toolCallSameMs,
    ...use.call,
  })
  const rows = await db.run<{ outcome: UseOutcome }>(
    (sql) => sql`
      select gate.use_mandate(
        p_account => ${use.account}, p_id => ${use.id}, p_call => ${argument}::text::jsonb) as outcome`,
  )
  return rows[0]!.outcome
}

/** Ends a mandate. @returns whether it was in force; null: there is none. @param session  null: the command line */
export async function endMandate(
  db: Db,
  account: string,
  id: number,
  session: Buffer | null,
): Promise<boolean | null> {
  const rows = await db.run<{ was_in_force: boolean | null }>(
    (sql) => sql`
      select gate.end_mandate(p_account => ${account}, p_id => ${id}, p_session => ${session}) as was_in_force`,
  )
  return rows[0]!.was_in_force
}
