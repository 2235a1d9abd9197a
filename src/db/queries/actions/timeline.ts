import type { Db } from '../../connect.ts'
import type { DeliveryState } from './deliveries.ts'

/** The number of recipients of a channel in a state, for one reason. */
export interface DeliveryTally {
  channel: 'slack' | 'email'
  state: DeliveryState
  /** The provider's code; empty if there is none. */
  code: string
  count: number
}

/** Recipient counts by channel, state and reason, up to `limitRows`. */
export async function tallyDeliveries(
  db: Db,
  account: string,
  id: number,
  limitRows: number,
): Promise<DeliveryTally[]> {
  return db.read<DeliveryTally>(
    (sql) => sql`
      select d.* from gate.tenant(${account}) t(id),
      lateral (
        select d.channel, u.state, u.code, count(*) as count
        from gate.delivery d cross join unnest(d.states, d.codes) u(state, code)
        where d.account_id = t.id and d.action_id = ${id}
        group by d.channel, u.state, u.code
        order by d.channel desc, u.state, u.code
        limit ${limitRows}
      ) d`,
  )
}

/** A change in how a call of an action went. Its end is a ledger entry. */
export interface CallChangeRow {
  at: Date
  state: 'pending' | 'sending' | 'accepted' | 'asking'
  code: string | null
  /** How many attempts there had been. */
  attempts: number
}

/** The changes of an action's calls in their order, up to `limitRows`. */
export async function listCallChanges(
  db: Db,
  account: string,
  id: number,
  limitRows: number,
): Promise<CallChangeRow[]> {
  return db.read<CallChangeRow>(
    (sql) => sql`
      select c.* from gate.tenant(${account}) t(id),
      lateral (
        select at, state, code, attempts from gate.call_change
        where account_id = t.id and action_id = ${id}
        order by at, n
        limit ${limitRows}
      ) c
      order by c.at`,
  )
}

/** A consent request of an action, without its address and its text. */
export interface AskedRow {
  n: number
  is_reminder: boolean
  required: string
  via: string
  state: string
  code: string | null
  created_at: Date
  attempted_at: Date | null
}

/** The consent requests of an action in their order, up to `limitRows`. */
export async function listAsked(db: Db, account: string, id: number, limitRows: number): Promise<AskedRow[]> {
  return db.read<AskedRow>(
    (sql) => sql`
      select q.* from gate.tenant(${account}) t(id),
      lateral (
        select n, is_reminder, required, via, state, code, created_at, attempted_at from gate.consent_request
        where account_id = t.id and action_id = ${id}
        order by n
        limit ${limitRows}
      ) q
      order by q.n`,
  )
}

/** A recipient without a confirmed delivery. */
export interface UndeliveredRow {
  channel: 'slack' | 'email'
  member_id: string
  state: DeliveryState
  code: string
}

/** Recipients of an action without a confirmed delivery, in the order of their slices, up to `limitRows`. */
export async function listUndelivered(
  db: Db,
  account: string,
  id: number,
  limitRows: number,
): Promise<UndeliveredRow[]> {
  return db.read<UndeliveredRow>(
    (sql) => sql`
      select d.* from gate.tenant(${account}) t(id),
      lateral (
        select d.channel, u.member_id, u.state, u.code
        from gate.delivery d
        cross join unnest(d.members, d.states, d.codes) with ordinality u(member_id, state, code, n)
        where d.account_id = t.id and d.action_id = ${id} and u.state in ('failed', 'unknown', 'unreachable')
        order by d.channel desc, d.slice, u.n
        limit ${limitRows}
      ) d`,
  )
}

/** The names of members, keys and administrators, by id, and the hosts of apps, which anyone can give any name. */
export async function listNames(
  db: Db,
  account: string,
  ids: string[],
): Promise<{ id: string; name: string }[]> {
  return db.read<{ id: string; name: string }>(
    (sql) => sql`
      select n.* from gate.tenant(${account}) t(id),
      lateral (
        select member_id as id, name from gate.member
        where account_id = t.id and member_id = any(${ids}::text[])
        union all
        select key_id, name from gate.api_key
        where account_id = t.id and key_id = any(${ids}::text[])
        union all
        select grant_id, host from gate.app_grant
        where account_id = t.id and grant_id = any(${ids}::text[])
        union all
        select admin_id, email from gate.admin
        where account_id = t.id and admin_id = any(${ids}::text[])
        union all
        select group_id, name from gate.member_group
        where account_id = t.id and group_id = any(${ids}::text[])
      ) n`,
  )
}
