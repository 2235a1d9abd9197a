import type { Json } from '../../../gate/canonical.ts'
import type { Status } from '../../../gate/lifecycle.ts'
import type { Db } from '../../connect.ts'
import type { FormerVersion } from '../actions/actions.ts'
import type { LedgerHead } from './ledger.ts'
import {
  approvalsOf,
  glassOf,
  entriesOf,
  requestsOf,
  stepsOf,
  deliveriesOf,
  callOf,
  claimOf,
  executorCallOf,
  grantOf,
  mandateOf,
  debitedOf,
} from './verification-parts.ts'

/** A ledger entry that changes an action. */
export interface ActionEntry {
  /** UTC, ISO 8601 with milliseconds. */
  at: string
  entry: string
  /** `admin:` and the address of the administrator who acted; null if none did. */
  by: string | null
}

/** Recipient counts by state. */
export type StateCounts = Record<string, number>

/** An action with its ledger entries, for verification. Times are in UTC, ISO 8601 with milliseconds. */
export interface VerificationRow {
  id: number
  uuid: string
  kind: string
  kind_version: number | null
  status: Status
  member_id: string | null
  member: string
  tier_at_request: string
  source: string
  payload: { [key: string]: Json }
  salt: Buffer | null
  created_at: string
  requires_confirmation: boolean
  denial_reason: string | null
  denial_code: string | null
  denial_needs: { [key: string]: Json } | null
  rationale: string | null
  consent_required: string | null
  approval_rule: { [key: string]: Json } | null
  consented_at: string | null
  approvals_given: number | null
  /** Member, digest, strength, channel, card in hex, time (of UTC, without a zone), whose deputy, and whether it ended, of each in their order. */
  glass: {
    member: string
    digest: string
    channel: string
    card: string
    passkey: Json
    due: string
    at: string
    reason: string | null
    is_justified: boolean | null
    reviewed_by: string | null
    reviewed_at: string | null
    note: string | null
  } | null
  approvals: [string, string, string, string, string | null, string, string | null, boolean][] | null
  facts: Json
  input: string | null
  decline_reason: string | null
  reach_slack: number
  reach_email: number
  reach_unreachable: number
  reach_teams: number
  /** Hex. */
  recipients: string | null
  digest: string | null
  /** Version 1, where its member changed it. */
  former: FormerVersion | null
  expires_at: string | null
  duplicate_of: number | null
  replaces: number | null
  proposed_key: string | null
  requested_by: string | null
  requested_host: string | null
  /** The name of the API key that proposed. */
  key_name: string | null
  decision: string | null
  decided_at: string | null
  decided_key: string | null
  consent_strength: string | null
  consent_by: string | null
  consent_channel: string | null
  consent_tier: string | null
  consent_policy_version: number | null
  mandate_id: number | null
  /** Hex hash of the card that was shown for the decision. */
  card: string | null
  /** Evidence of a consent by passkey: see PasskeyEvidence. */
  consent_passkey: Json
  closed_reason: string | null
  result: { [key: string]: Json } | null
  executed_at: string | null
  asked_required: string | null
  asked_via: string | null
  asked_at: string | null
  /** Its ledger entries, oldest first, without refusals, consent requests and deliveries. */
  entries: ActionEntry[]
  /** Consent requests: how many exist, how many are recorded, and how many match no entry. */
  requests: { made: number; told: number; untold: number; is_asked_told: boolean }
  /** Recipient counts of each broadcast step: in its entry (`told`), and in its deliveries (`made`). */
  steps: { step: string; told: StateCounts; made: StateCounts }[]
  /** By channel. */
  deliveries: Record<string, StateCounts>
  call: { state: string; code: string | null; id: string | null } | null
  executor_call: { state: string; code: string | null; has_body: boolean; result: Json } | null
  /** The claim of an action of a `claim` kind. */
  claim: {
    state: string
    lease_expires_at: string | null
    outcome: string | null
    result: Json
  } | null
  /** The consent to a tool call. */
  grant: {
    is_granted: boolean
    is_used: boolean
    /** Times without a zone, of UTC. */
    granted_at: string | null
    expires_at: string | null
    spent_at: string | null
    /** Whether it has the binding of the calls that it is for. */
    is_of_its_call: boolean
  } | null
  /** Whether subject and amount are those of the payload. */
  is_derived: boolean
  /** Only the entry of a mandate has it. */
  mandate: {
    is_granted: boolean
    is_ended: boolean
    uses: number
    is_frozen: boolean
    /** In hex; null: it is bounded. */
    scope: string | null
    /** Its uses: number, action, cents and currency, in their order. */
    debits: [n: number, action: number | null, cents: number | null, currency: string | null][]
    member_id: string
    key_id: string
    /** Times without a zone, of UTC. */
    granted_at: string | null
    expires_at: string | null
  } | null
  /** The mandates that have a use for this action. */
  debited: number[]
}

const times = ['created_at', 'expires_at', 'consented_at', 'decided_at', 'executed_at', 'asked_at'] as const
type StoredRow = Omit<VerificationRow, (typeof times)[number]> & Record<(typeof times)[number], Date | null>

/**
 * A page of actions after `after`, by id, and the ledger head of the same snapshot.
 * @param page.archived  entries of these actions that the database no longer has: a JSON object of lists by id
 */
export async function pageVerificationRows(
  db: Db,
  account: string,
  page: { after: number; limitRows: number; archived: string },
): Promise<{ head: LedgerHead; rows: VerificationRow[] }> {
  const rows = await db.read<LedgerHead & StoredRow>(
    (sql) => sql`
      select h.*, a.* from gate.tenant(${account}) t(id),
      lateral (
        select seq, encode(hash, 'hex') as hash, at, action_seq, clock_timestamp() as now,
          (select coalesce(max(l.seq), 0) from gate.ledger l where l.account_id = t.id) as last_seq
        from gate.ledger_head where account_id = t.id offset 0
      ) h
      cross join lateral (select ${page.archived}::text::jsonb as entries offset 0) archived
      left join lateral (
        select r.id, r.uuid, r.kind, r.kind_version, r.status, r.member_id, r.member, r.tier_at_request, r.source, r.payload, r.salt,
          r.created_at, r.requires_confirmation, r.denial_reason, r.denial_code, r.denial_needs, r.rationale, r.consent_required,
          r.approval_rule, r.consented_at, r.approvals_given, ${approvalsOf(sql)} as approvals, ${glassOf(sql)} as glass,
          r.facts, r.input, r.decline_reason, r.reach_slack, r.reach_email, r.reach_unreachable, r.reach_teams,
          encode(r.recipients, 'hex') as recipients, r.digest, r.former, r.expires_at, r.duplicate_of, r.replaces,
          r.proposed_key, r.requested_by, r.requested_host,
          (select k.name from gate.api_key k where k.account_id = t.id and k.key_id = r.proposed_key) as key_name,
          r.decision, r.decided_at, r.decided_key, r.consent_strength, r.consent_by, r.consent_channel,
          r.consent_tier, r.consent_policy_version, r.mandate_id,
          encode(r.card, 'hex') as card, r.consent_passkey, r.closed_reason, r.result, r.executed_at,
          r.asked_required, r.asked_via, r.asked_at,
          ${entriesOf(sql)} as entries,
          ${requestsOf(sql)} as requests,
          ${stepsOf(sql)} as steps,
          ${deliveriesOf(sql)} as deliveries,
          ${callOf(sql)} as call,
          ${claimOf(sql)} as claim,
          ${executorCallOf(sql)} as executor_call,
          ${grantOf(sql)} as grant, gate.is_derived(r) as is_derived,
          ${mandateOf(sql)} as mandate, ${debitedOf(sql)} as debited
        from gate.action r
        where r.account_id = t.id and r.id > ${page.after}
        order by r.id
        limit ${page.limitRows}
      ) a on true
      order by a.id`,
  )
  return { head: rows[0]!, rows: rows.filter((row) => row.id !== null).map(toVerificationRow) }
}

function toVerificationRow(row: StoredRow): VerificationRow {
  const iso = Object.fromEntries(times.map((name) => [name, row[name]?.toISOString() ?? null]))
  return {
    ...row,
    ...(iso as Pick<VerificationRow, (typeof times)[number]>),
    entries: (row.entries ?? []).map((entry) => ({ ...entry, at: new Date(`${entry.at}Z`).toISOString() })),
    requests: row.requests ?? { made: 0, told: 0, untold: 0, is_asked_told: false },
    steps: row.steps ?? [],
    deliveries: row.deliveries ?? {},
    debited: row.debited ?? [],
  }
}
