import type { Db } from '../../connect.ts'
import { jsonArgument } from '../../json-argument.ts'
import type { ToolCallToKeep } from '../runner/tool-consents.ts'
import { type ActionRow, type DenialNeeds, type Outcome, outcomeOf } from './actions.ts'

/** The argument of `gate.propose`. Fields that are columns of `gate.action` are stored there as they are. */
export interface Proposal {
  uuid: string
  /** The id of its ledger entry. */
  event: string
  kind: string
  /** Only an action of a declared kind has it: the version that it was judged by. */
  kind_version: number | null
  status: 'proposed' | 'denied'
  denial_reason: string | null
  denial_code: string | null
  denial_needs: DenialNeeds | null
  /** The rule that was applied, in words. */
  rule: string
  member_id: string
  member: string
  member_version: number
  curricula_version: number
  policy_version: number
  tier_at_request: string
  source: string
  /** Canonical JSON text, from which `digest` and the payload digest are computed. */
  payload: string
  salt: Buffer
  rationale: string | null
  /** Only a runner's tool call has it; else null. */
  input: string | null
  tool_call: ToolCallToKeep | null
  /** Only a mandate has it: what its calls have in common; else null. */
  mandate_scope: Buffer | null
  /** The declined action that it answers; null: none. */
  replaces: number | null
  consent_required: string | null
  /** Canonical JSON text; null: nobody else must approve. */
  approval_rule: string | null
  /** Canonical JSON text of labels and values. */
  facts: string | null
  reach_slack: number
  reach_email: number
  reach_unreachable: number
  reach_teams: number
  recipients: Buffer | null
  ttl_ms: number
  open_max: number
  due_ms: number
  /** Hash of the API key. It must still be valid, and may use up only a share of the member's open proposals. */
  api_key: Buffer | null
  /** Hash of the member's session, of a mandate that they propose themselves; else null. */
  session: Buffer | null
  /** The Idempotency-Key and the hash of its request; null: the request had none. */
  key: string | null
  request: Buffer | null
}

export type ProposeOutcome = 'created' | 'replayed' | 'reused' | 'stale' | 'too_many' | 'too_many_of_key'

/**
 * Writes actions of one account in one transaction, in their order, each with its ledger entry and its outbox row, if the
 * facts have not changed. If one throws, none is written.
 */
export async function propose(
  db: Db,
  account: string,
  proposals: Proposal[],
): Promise<Outcome<ProposeOutcome>[]> {
  const given = `[${proposals.map((one) => jsonArgument({ ...one })).join(',')}]`
  const rows = await db.run<ActionRow & { outcome: string }>(
    (sql) => sql`
      select r.outcome, (r.action).*
      from jsonb_array_elements(${given}::text::jsonb) with ordinality as given(proposal, place),
      lateral gate.propose(p_account => ${account}, p_proposal => given.proposal) r
      order by given.place`,
  )
  return rows.map((row) => outcomeOf([row]))
}
