import { type Db } from '../connect.ts'
import { type Outcome, type ActionRow, outcomeOf } from './actions.ts'

export interface Proposal {
  account: string
  uuid: string
  eventId: string
  kind: string
  status: 'proposed' | 'denied'
  denialReason: string | null
  memberId: string
  member: string
  memberVersion: number
  curriculaVersion: number
  policyVersion: number
  tier: string
  source: string
  /** JSON text. */
  payload: string
  salt: Buffer
  reach: { slack: number; email: number; unreachable: number }
  recipients: Buffer | null
  digestTail: string
  entryTail: string
  ttlMs: number
  openMax: number
  dueMs: number
  idempotency: { key: string; request: Buffer } | null
  /** The API key that proposes: it has a share of the member's open proposals. */
  keyId: string | null
}

export type ProposeOutcome = 'created' | 'replayed' | 'reused' | 'stale' | 'too_many' | 'too_many_of_key'

/** Writes the row, its event and its outbox row, if the facts still hold. */
export async function propose(db: Db, p: Proposal): Promise<Outcome<ProposeOutcome>> {
  const rows = await db.run<ActionRow & { outcome: string }>(
    (sql) => sql`
      select r.outcome, (r.action).* from gate.propose(
        p_account => ${p.account}, p_uuid => ${p.uuid}, p_event => ${p.eventId}, p_kind => ${p.kind},
        p_status => ${p.status}, p_denial_reason => ${p.denialReason},
        p_member_id => ${p.memberId}, p_member => ${p.member}, p_member_version => ${p.memberVersion},
        p_curricula_version => ${p.curriculaVersion}, p_policy_version => ${p.policyVersion},
        p_tier => ${p.tier}, p_source => ${p.source}, p_payload => ${p.payload}, p_salt => ${p.salt},
        p_reach_slack => ${p.reach.slack}, p_reach_email => ${p.reach.email},
        p_reach_unreachable => ${p.reach.unreachable}, p_recipients => ${p.recipients},
        p_digest_tail => ${p.digestTail}, p_entry_tail => ${p.entryTail}, p_ttl_ms => ${p.ttlMs},
        p_open_max => ${p.openMax}, p_due_ms => ${p.dueMs},
        p_key => ${p.idempotency?.key ?? null}, p_request => ${p.idempotency?.request ?? null},
        p_key_id => ${p.keyId}
      ) r`,
  )
  return outcomeOf(rows)
}
