import type { Db } from '../../connect.ts'
import { type Outcome, type ActionRow, outcomeOf } from './actions.ts'

export interface Proposal {
  account: string
  uuid: string
  eventId: string
  kind: string
  status: 'proposed' | 'denied'
  denialReason: string | null
  /** The rule that was applied, in words. */
  rule: string
  memberId: string
  member: string
  memberVersion: number
  curriculaVersion: number
  policyVersion: number
  tier: string
  source: string
  /** Canonical JSON text, from which `digest` and the payload digest are computed. */
  payload: string
  salt: Buffer
  reach: { slack: number; email: number; unreachable: number }
  recipients: Buffer | null
  ttlMs: number
  openMax: number
  dueMs: number
  /** Hash of the API key. It must still be valid, and may use up only a share of the member's open proposals. */
  apiKey: Buffer
  idempotency: { key: string; request: Buffer } | null
}

export type ProposeOutcome = 'created' | 'replayed' | 'reused' | 'stale' | 'too_many' | 'too_many_of_key'

/** Writes the action, its ledger entry and its outbox row, if the facts have not changed. */
export async function propose(db: Db, p: Proposal): Promise<Outcome<ProposeOutcome>> {
  const rows = await db.run<ActionRow & { outcome: string }>(
    (sql) => sql`
      select r.outcome, (r.action).* from gate.propose(
        p_account => ${p.account}, p_uuid => ${p.uuid}, p_event => ${p.eventId}, p_kind => ${p.kind},
        p_status => ${p.status}, p_denial_reason => ${p.denialReason}, p_rule => ${p.rule},
        p_member_id => ${p.memberId}, p_member => ${p.member}, p_member_version => ${p.memberVersion},
        p_curricula_version => ${p.curriculaVersion}, p_policy_version => ${p.policyVersion},
        p_tier => ${p.tier}, p_source => ${p.source}, p_payload => ${p.payload}, p_salt => ${p.salt},
        p_reach_slack => ${p.reach.slack}, p_reach_email => ${p.reach.email},
        p_reach_unreachable => ${p.reach.unreachable}, p_recipients => ${p.recipients},
        p_ttl_ms => ${p.ttlMs}, p_open_max => ${p.openMax}, p_due_ms => ${p.dueMs}, p_api_key => ${p.apiKey},
        p_key => ${p.idempotency?.key ?? null}, p_request => ${p.idempotency?.request ?? null}
      ) r`,
  )
  return outcomeOf(rows)
}
