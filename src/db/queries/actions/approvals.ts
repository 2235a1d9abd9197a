import type { ConsentChannel } from '../../../gate/consent.ts'
import type { ApprovalRule } from '../../../gate/approvals/rule.ts'
import type { Db } from '../../connect.ts'
import { jsonArgument } from '../../json-argument.ts'
import type { ActionRow } from './actions.ts'
import type { JudgedVoter } from './decide.ts'

/** The consent of the member who acts, or an approval, of an action as a digest names it. */
export interface ApprovalRow {
  n: number
  member_id: string
  /** Of the member now. */
  name: string
  /** For whom a deputy approved; null: for themselves. */
  for_member: string | null
  for_name: string | null
  is_own: boolean
  digest: string
  strength: string
  channel: string
  reason: string | null
  at: Date
}

/** Every consent and approval of an action that counts, in their order. */
export async function readApprovals(db: Db, account: string, id: number): Promise<ApprovalRow[]> {
  return db.read<ApprovalRow>(
    (sql) => sql`
      select v.* from gate.tenant(${account}) t(id),
      lateral (
        select v.n, v.member_id, m.name, v.for_member, f.name as for_name, v.is_own, v.digest, v.strength, v.channel, v.reason, v.at
        from gate.approval v
        join gate.member m on m.account_id = v.account_id and m.member_id = v.member_id
        left join gate.member f on f.account_id = v.account_id and f.member_id = v.for_member
        where v.account_id = t.id and v.action_id = ${id} and v.ended_at is null
        offset 0
      ) v
      order by v.n`,
  )
}

/** The approvals of an action that count now, each once a person, in their order. `voters`: those who approved it, as they were judged. */
export async function countApprovals(
  db: Db,
  { account, id, voters }: { account: string; id: number; voters: JudgedVoter[] },
): Promise<{ member: string; for?: string }[]> {
  const given = `[${voters.map((one) => jsonArgument({ ...one })).join(',')}]`
  const rows = await db.read<{ counted: { member: string; for?: string }[] }>(
    (sql) => sql`
      select gate.approvals_counted(p_account => ${account}, p_id => ${id}, p_voters => ${given}::text::jsonb) as counted`,
  )
  return rows[0]!.counted
}

type ApprovedRow = ActionRow & { approval_rule: ApprovalRule; member_id: string; now: Date }

/** Those of some actions that others approved as they are now, and the time. */
export async function readApproved(db: Db, account: string, ids: number[]): Promise<ApprovedRow[]> {
  return db.read<ApprovedRow>(
    (sql) => sql`
      select a.*, clock_timestamp() as now from gate.tenant(${account}) t(id),
      lateral (
        select * from gate.action a
        where a.account_id = t.id and a.id = any(${ids.map(String)}::text[]::bigint[]) and exists (
          select from gate.approval v
          where v.account_id = a.account_id and v.action_id = a.id and v.digest = a.digest and not v.is_own and v.ended_at is null)
        offset 0
      ) a`,
  )
}

/** Whether a member approved an action at any time, or declined it. */
export async function tookPart(db: Db, account: string, id: number, memberId: string): Promise<boolean> {
  const rows = await db.read(
    (sql) => sql`
      select from gate.tenant(${account}) t(id)
      where exists (
        select from gate.approval v where v.account_id = t.id and v.action_id = ${id} and v.member_id = ${memberId})
      or exists (
        select from gate.glass_break b where b.account_id = t.id and b.action_id = ${id} and b.member_id = ${memberId})
      or exists (
        select from gate.ledger l
        where l.account_id = t.id and l.action_id = ${id} and l.kind = 'cancelled' and l.actor = ${memberId})`,
  )
  return rows.length > 0
}

/** The groups of each of some members. */
export async function readGroupsOf(
  db: Db,
  account: string,
  memberIds: string[],
): Promise<Map<string, string[]>> {
  const rows = await db.read<{ member_id: string; groups: string[] }>(
    (sql) => sql`
      select g.* from gate.tenant(${account}) t(id),
      lateral (
        select m.member_id, array_agg(m.group_id) as groups from gate.group_membership m
        where m.account_id = t.id and m.member_id = any(${memberIds}::text[])
          and (m.counts_from is null or m.counts_from <= clock_timestamp())
        group by m.member_id
      ) g`,
  )
  return new Map(rows.map(({ member_id: id, groups }) => [id, groups]))
}

/** The members that an API key is bound to, or whose app it is a token of. */
export async function readAgentOwners(db: Db, account: string, keyId: string): Promise<string[]> {
  const rows = await db.read<{ owners: string[] | null }>(
    (sql) => sql`
      select k.owners from gate.tenant(${account}) t(id),
      lateral (
        select actors as owners from gate.api_key where account_id = t.id and key_id = ${keyId} offset 0
      ) k`,
  )
  return rows[0]?.owners ?? []
}

/** The names of groups, by id. */
export async function readGroupNames(db: Db, account: string, ids: string[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map()
  const rows = await db.read<{ group_id: string; name: string }>(
    (sql) => sql`
      select g.* from gate.tenant(${account}) t(id),
      lateral (
        select group_id, name from gate.member_group where account_id = t.id and group_id = any(${ids}::text[])
      ) g`,
  )
  return new Map(rows.map(({ group_id: id, name }) => [id, name]))
}

/** A request to an approver. */
export interface ApproverAsk {
  eventId: string
  memberId: string
  via: ConsentChannel
  address: string
  required: string
  token: string
  tokenHash: Buffer
  isReminder: boolean
}

/** Asks approvers of an action, each once. Returns how many were asked. */
export async function askApprovers(
  db: Db,
  { account, id, asks, hourMax }: { account: string; id: number; asks: ApproverAsk[]; hourMax: number },
): Promise<number> {
  const given = asks.map((ask) =>
    jsonArgument({
      event: ask.eventId,
      member: ask.memberId,
      via: ask.via,
      address: ask.address,
      required: ask.required,
      token: ask.token,
      token_hash: ask.tokenHash,
      is_reminder: ask.isReminder,
    }),
  )
  const rows = await db.run<{ asked: number }>(
    (sql) => sql`
      select gate.ask_approvers(
        p_account => ${account}, p_id => ${id}, p_asks => ${`[${given.join(',')}]`}::text::jsonb, p_hour_max => ${hourMax}) as asked`,
  )
  return rows[0]!.asked
}
