import { limits } from '../../../limits.ts'
import type { Db } from '../../connect.ts'

/** What a member decided themselves about a proposal of an agent. */
export interface PastDecisionRow {
  /** As `gate.mandate_agent` names it. */
  agent: string
  agent_name: string
  kind: string
  kind_version: number | null
  payload: Record<string, unknown>
  is_approved: boolean
  took_ms: number
  decided_at: Date
}

/** The newest decisions of a member since a time, without those that a mandate made, and without erased payloads. */
export const readPastDecisions = (
  db: Db,
  account: string,
  of: { memberId: string; since: Date },
): Promise<PastDecisionRow[]> =>
  db.read<PastDecisionRow>(
    (sql) => sql`
      select gate.mandate_agent(t.id, a.proposed_key) as agent, coalesce(a.requested_by, a.proposed_key) as agent_name, a.kind,
        a.kind_version, a.payload, a.decision = 'confirm' as is_approved, a.decided_at,
        (extract(epoch from a.decided_at - coalesce(a.asked_at, a.created_at)) * 1000)::float8 as took_ms
      from gate.tenant(${account}) t(id),
      lateral (
        select r.* from gate.action r
        where r.account_id = t.id and r.decision in ('confirm', 'cancel') and r.decided_at > ${of.since}
          and r.member_id = ${of.memberId} and r.consent_channel in ('slack', 'teams', 'email', 'console') and r.mandate_id is null
          and r.proposed_key is not null and r.salt is not null and r.kind not in ('runner_tool', 'runner_mandate', 'mandate')
        order by r.decided_at desc
        limit ${limits.mandateDecisionsReadMax}
      ) a`,
  )
