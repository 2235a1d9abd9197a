import { type Db } from '../connect.ts'
import { type ActionRow, type Outcome, outcomeOf } from './actions.ts'
import { type Counted } from './velocity.ts'

/** Versions of the facts that a decision was made on. */
export interface FactVersions {
  member: number | null
  curricula: number | null
  policy: number | null
}

export interface Claim {
  account: string
  id: number
  decision: 'confirm' | 'cancel' | 'expire' | 'admin_cancel'
  /** The same at every repeat of one request. */
  commandId: string
  eventId: string
  entryTail: string
  expireEventId: string
  expireEntryTail: string
  dueMs: number
  versions: FactVersions | null
  /** The counts of confirmed actions that the decision rests on; absent: none. */
  counted?: Counted[]
  consent: { strength: string; by: string; channel: string } | null
  idempotency: { key: string; request: Buffer } | null
  /** Of a decision that answers a request: the hash of its token, which is spent by the same claim. */
  token?: Buffer | undefined
  /** Hash of the card that was shown. */
  card?: Buffer | undefined
}

export type ClaimOutcome =
  | 'claimed'
  | 'replayed'
  | 'reused'
  | 'missing'
  | 'lost'
  | 'expired'
  | 'early'
  | 'suspended'
  | 'stale'
  /** A count that the decision rests on is another now. */
  | 'moved'

/** The arbiter: of all that race for a proposal, one is answered `claimed`. */
export async function claimDecision(db: Db, c: Claim): Promise<Outcome<ClaimOutcome>> {
  const rows = await db.run<ActionRow & { outcome: string }>(
    (sql) => sql`
      select r.outcome, (r.action).* from gate.claim_decision(
        p_account => ${c.account}, p_id => ${c.id}, p_decision => ${c.decision}, p_command => ${c.commandId},
        p_event => ${c.eventId}, p_entry_tail => ${c.entryTail},
        p_expire_event => ${c.expireEventId}, p_expire_tail => ${c.expireEntryTail}, p_due_ms => ${c.dueMs},
        p_member_version => ${c.versions?.member ?? null}, p_curricula_version => ${c.versions?.curricula ?? null},
        p_policy_version => ${c.versions?.policy ?? null},
        p_counted => ${JSON.stringify(c.counted ?? [])}::text::jsonb,
        p_consent_strength => ${c.consent?.strength ?? null}, p_consent_by => ${c.consent?.by ?? null},
        p_consent_channel => ${c.consent?.channel ?? null},
        p_key => ${c.idempotency?.key ?? null}, p_request => ${c.idempotency?.request ?? null},
        p_token => ${c.token ?? null}, p_card => ${c.card ?? null}
      ) r`,
  )
  return outcomeOf(rows)
}

export interface Denial {
  account: string
  id: number
  /** True where the confirm was claimed before, and came to be executed too late. */
  isClaimed: boolean
  reason: string
  eventId: string
  entryTail: string
  dueMs: number
  versions: FactVersions
  idempotency: { key: string; request: Buffer } | null
}

export type DenyOutcome = 'denied' | 'replayed' | 'reused' | 'lost' | 'stale'

/** Denies a proposal whose member no longer qualifies, if the facts still hold. */
export async function denyAction(db: Db, d: Denial): Promise<Outcome<DenyOutcome>> {
  const rows = await db.run<ActionRow & { outcome: string }>(
    (sql) => sql`
      select r.outcome, (r.action).* from gate.deny_action(
        p_account => ${d.account}, p_id => ${d.id}, p_claimed => ${d.isClaimed}, p_reason => ${d.reason},
        p_event => ${d.eventId}, p_entry_tail => ${d.entryTail}, p_due_ms => ${d.dueMs},
        p_member_version => ${d.versions.member}, p_curricula_version => ${d.versions.curricula},
        p_policy_version => ${d.versions.policy},
        p_key => ${d.idempotency?.key ?? null}, p_request => ${d.idempotency?.request ?? null}
      ) r`,
  )
  return outcomeOf(rows)
}

/** Notes in the ledger that a confirm or cancel was refused. */
export async function noteRefusal(
  db: Db,
  refusal: { account: string; id: number; eventId: string; entryTail: string },
): Promise<void> {
  await db.run(
    (sql) => sql`
      select gate.note_refusal(
        p_account => ${refusal.account}, p_id => ${refusal.id}, p_event => ${refusal.eventId},
        p_tail => ${refusal.entryTail})`,
  )
}
