import type { MandateSpent } from '../../../gate/mandates/outside.ts'
import { limits } from '../../../limits.ts'
import type { Db, Fragment, Sql } from '../../connect.ts'
import type { ActionRow } from './actions.ts'

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
  frozen_at: Date | null
  /** A member's id, `admin`, or `admin:` and an administrator's id. */
  frozen_by: string | null
  epoch: number
  /** What is used of its budget; empty for the mandates of runners. */
  spent: MandateSpent
  /** It has begun and has neither ended nor expired. */
  isInForce: boolean
}

type Stored = Omit<MandateRow, 'action' | 'isInForce'> & {
  mandate_expires_at: Date | null
  is_in_force: boolean
}

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

/** Mandates with their actions, for queries of every subject. */
export async function mandates(
  db: Db,
  account: string,
  which: (sql: Sql) => Fragment,
): Promise<MandateRow[]> {
  const rows = await db.read<ActionRow & Stored>(
    (sql) => sql`
      select a.*, m.key_id, coalesce(k.name, a.payload ->> 'agent_name', m.key_id) as key_name, m.granted_at, m.expires_at as mandate_expires_at, m.ended_at, m.ended_by,
        m.uses, m.last_used_at, m.frozen_at, m.frozen_by, m.epoch, d.spent,
        m.ended_at is null and m.granted_at is not null and m.expires_at > clock_timestamp()
          and a.status = 'executed' and a.salt is not null as is_in_force
      from gate.tenant(${account}) t(id),
      lateral (select f.* from gate.mandate f ${which(sql)} offset 0) m,
      lateral (select * from gate.action r where r.account_id = t.id and r.id = m.action_id offset 0) a
      left join lateral (
        select s.name from gate.api_key s where s.account_id = t.id and s.key_id = m.key_id offset 0) k on true
      cross join lateral (
        select json_build_object(
          'uses', coalesce(sum(u.uses), 0), 'uses_today', coalesce(sum(u.today), 0),
          'cents', coalesce(json_object_agg(u.currency, u.cents) filter (where u.currency is not null), '{}'),
          'cents_today', coalesce(json_object_agg(u.currency, u.cents_today) filter (where u.currency is not null), '{}')) as spent
        from (
          select b.currency, count(*) as uses, sum(b.cents) as cents,
            count(*) filter (where b.at >= date_trunc('day', clock_timestamp(), 'UTC')) as today,
            coalesce(sum(b.cents) filter (where b.at >= date_trunc('day', clock_timestamp(), 'UTC')), 0) as cents_today
          from gate.mandate_debit b
          where b.account_id = t.id and b.mandate_id = m.action_id
          group by b.currency
        ) u
      ) d
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
      frozen_at,
      frozen_by,
      epoch,
      spent,
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
      frozen_at,
      frozen_by,
      epoch,
      spent,
      isInForce: is_in_force,
    }
  })
}

/**
 * The bounded mandates in force that an agent could use for a member, the newest first; frozen ones too.
 * @param of.keyIds  the API keys that propose and confirm: of one agent, or no mandate is for them
 */
export const readAgentMandates = (
  db: Db,
  account: string,
  of: { memberId: string; keyIds: string[] },
): Promise<MandateRow[]> =>
  mandates(
    db,
    account,
    (sql) => sql`where f.account_id = t.id and f.scope is null and f.member_id = ${of.memberId}
      and f.key_id = all (select gate.mandate_agent(t.id, k) from unnest(${of.keyIds}::text[]) k) and f.ended_at is null and f.expires_at > clock_timestamp()
      order by f.action_id desc limit ${limits.mandatesShownMax}`,
  )

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

export type FreezeOutcome = 'done' | 'same' | 'over' | 'others'

/** Freezes a mandate or resumes it. @returns null: there is none. @param session  null: the command line */
export async function freezeMandate(
  db: Db,
  account: string,
  id: number,
  { session, isFrozen }: { session: Buffer | null; isFrozen: boolean },
): Promise<FreezeOutcome | null> {
  const rows = await db.run<{ outcome: FreezeOutcome | null }>(
    (sql) => sql`
      select gate.freeze_mandate(
        p_account => ${account}, p_id => ${id}, p_session => ${session}, p_is_frozen => ${isFrozen}) as outcome`,
  )
  return rows[0]!.outcome
}

/** The name of an agent that acts for a member: of a key, or of the app whose tokens are keys. Undefined: none does. */
export async function readAgentName(
  db: Db,
  account: string,
  { agent, memberId }: { agent: string; memberId: string },
): Promise<string | undefined> {
  return (await listAgents(db, account, memberId)).find((one) => one.agent === agent)?.name
}

/** The agents that can propose for a member: API keys, and apps that act for them. */
export const listAgents = (
  db: Db,
  account: string,
  memberId: string,
): Promise<{ agent: string; name: string }[]> =>
  db.read(
    (sql) => sql`
      select o.agent, o.name from gate.tenant(${account}) t(id),
      lateral (
        select distinct on (a.agent) a.agent, k.name
        from (
          select r.key_id, r.name, r.created_at from gate.api_key r
          where r.account_id = t.id and r.grant_id is null and r.revoked_at is null
            and (r.expires_at is null or r.expires_at > clock_timestamp())
            and r.powers && array['propose', 'runner'] and (r.actors is null or ${memberId} = any (r.actors))
          order by r.created_at desc limit ${limits.mandatesShownMax}
        ) k
        cross join lateral (select gate.mandate_agent(t.id, k.key_id) as agent) a
        order by a.agent, k.created_at desc
      ) o
      union all
      select p.grant_id, p.name from gate.tenant(${account}) t(id),
      lateral (
        select g.grant_id, g.name || ' (' || g.host || ')' as name from gate.app_grant g
        where g.account_id = t.id and g.member_id = ${memberId} and g.ended_at is null and g.expires_at > clock_timestamp()
          and 'propose' = any (g.powers)
        order by g.created_at desc limit ${limits.mandatesShownMax} offset 0
      ) p`,
  )

/** The uses of a bounded mandate, in their order. */
export const readDebits = (
  db: Db,
  account: string,
  id: number,
): Promise<{ action_id: number | null; cents: number | null; currency: string | null }[]> =>
  db.read(
    (sql) => sql`
      select d.* from gate.tenant(${account}) t(id),
      lateral (
        select b.n, b.action_id, b.cents, b.currency from gate.mandate_debit b
        where b.account_id = t.id and b.mandate_id = ${id}
        order by b.n limit ${limits.mandateUsesMax}
      ) d
      order by d.n`,
  )
