import type { AdminWrite } from '../../admin-write.ts'
import type { Db } from '../../connect.ts'
import { jsonArgument } from '../../json-argument.ts'

/** A delegation: one member approves for another one until a time. */
export interface DelegationRow {
  delegation_id: string
  from_member: string
  from_name: string
  to_member: string
  to_name: string
  /** Null: every kind of action. */
  kinds: string[] | null
  until: Date
  /** Null where it was erased. */
  reason: string | null
  created_at: Date
  /** Ended before its time. */
  ended_at: Date | null
  in_force: boolean
}

/** The newest delegations of an account, or those from and to one member: those in force first. */
export async function listDelegations(
  db: Db,
  account: string,
  page: { memberId: string | null; limitRows: number },
): Promise<DelegationRow[]> {
  return db.read(
    (sql) => sql`
      select d.* from gate.tenant(${account}) t(id),
      lateral (
        select d.delegation_id, d.from_member, f.name as from_name, d.to_member, o.name as to_name, d.kinds, d.until, d.reason,
          d.created_at, d.ended_at, d.ended_at is null and d.until > clock_timestamp() as in_force
        from gate.delegation d
        join gate.member f on f.account_id = d.account_id and f.member_id = d.from_member
        join gate.member o on o.account_id = d.account_id and o.member_id = d.to_member
        where d.account_id = t.id ${page.memberId === null ? sql`` : sql`and ${page.memberId} in (d.from_member, d.to_member)`}
        order by d.ended_at is null and d.until > clock_timestamp() desc, d.created_at desc, d.delegation_id
        limit ${page.limitRows}
      ) d`,
  )
}

/** Somebody whose deputy a member is, with the groups that they are in. */
export interface Seat {
  deputy: string
  memberId: string
  name: string
  groups: string[]
}

/** Whose deputies some members are now, for a kind of action: active members, those first who delegated first. */
export async function readSeatsOf(
  db: Db,
  account: string,
  { deputies, kind }: { deputies: string[]; kind: string },
): Promise<Seat[]> {
  if (deputies.length === 0) return []
  return db.read(
    (sql) => sql`
      select s.* from gate.tenant(${account}) t(id),
      lateral (
        select d.to_member as deputy, m.member_id as "memberId", m.name, array(
          select g.group_id from gate.group_membership g where g.account_id = t.id and g.member_id = m.member_id
        ) as groups
        from gate.delegation d
        join gate.member m on m.account_id = d.account_id and m.member_id = d.from_member and m.is_active
        where d.account_id = t.id and d.to_member = any(${deputies}::text[]) and d.ended_at is null
          and d.until > clock_timestamp() and (d.kinds is null or ${kind} = any(d.kinds))
        order by d.created_at, d.delegation_id
      ) s`,
  )
}

/** The deputies of some members now, for a kind of action, each once. */
export async function readDeputiesOf(
  db: Db,
  account: string,
  { memberIds, kind }: { memberIds: string[]; kind: string },
): Promise<string[]> {
  if (memberIds.length === 0) return []
  const rows = await db.read<{ deputy: string }>(
    (sql) => sql`
      select s.* from gate.tenant(${account}) t(id),
      lateral (
        select distinct d.to_member as deputy from gate.delegation d
        where d.account_id = t.id and d.from_member = any(${memberIds}::text[]) and d.ended_at is null
          and d.until > clock_timestamp() and (d.kinds is null or ${kind} = any(d.kinds))
      ) s`,
  )
  return rows.map(({ deputy }) => deputy)
}

export type StartOutcome = 'started' | 'unsettled' | 'missing' | 'same_person' | 'too_many'

/** Starts a delegation of the member of a session. */
export async function startDelegation(
  db: Db,
  d: {
    account: string
    session: Buffer
    eventId: string
    delegationId: string
    deputy: string
    kinds: string[] | null
    until: Date
    reason: string
    givenMax: number
    heldMax: number
  },
): Promise<StartOutcome> {
  const given = jsonArgument({
    event: d.eventId,
    delegation: d.delegationId,
    deputy: d.deputy,
    kinds: d.kinds,
    until: d.until.toISOString(),
    reason: d.reason,
    given_max: d.givenMax,
    held_max: d.heldMax,
  })
  const rows = await db.run<{ outcome: StartOutcome }>(
    (sql) => sql`
      select gate.start_delegation(
        p_account => ${d.account}, p_session => ${d.session}, p_given => ${given}::text::jsonb) as outcome`,
  )
  return rows[0]!.outcome
}

/** Ends a delegation: for either of the two, or for an administrator. */
export async function endDelegation(
  db: Db,
  e: AdminWrite & { delegationId: string },
): Promise<'ended' | 'missing'> {
  const rows = await db.run<{ outcome: 'ended' | 'missing' }>(
    (sql) => sql`
      select gate.end_delegation(
        p_account => ${e.account}, p_session => ${e.session}, p_delegation => ${e.delegationId}, p_event => ${e.eventId}
      ) as outcome`,
  )
  return rows[0]!.outcome
}
