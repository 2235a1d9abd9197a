import type { Db } from '../../connect.ts'
import { jsonArgument } from '../../json-argument.ts'
import { type ToolCallToKeep, toolCallFields } from '../runner/tool-consents.ts'
import { type ActionRow, type DenialNeeds, type Outcome, outcomeOf } from './actions.ts'

export interface Proposal {
  uuid: string
  eventId: string
  kind: string
  /** Only an action of a declared kind has it: the version that it was judged by. */
  kindVersion: number | null
  status: 'proposed' | 'denied'
  denialReason: string | null
  denialCode: string | null
  denialNeeds: DenialNeeds | null
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
  rationale: string | null
  /** Of a runner's tool call; else null. */
  input: string | null
  toolCall: ToolCallToKeep | null
  /** Only a mandate has it: what its calls have in common; else null. */
  mandateScope: Buffer | null
  consentRequired: string | null
  /** Canonical JSON text of labels and values. */
  facts: string | null
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

/**
 * Writes actions of one account in one transaction, in their order, each with its ledger entry and its outbox row, if the
 * facts have not changed. If one throws, none is written.
 */
export async function propose(
  db: Db,
  account: string,
  proposals: Proposal[],
): Promise<Outcome<ProposeOutcome>[]> {
  const given = `[${proposals.map(proposalArgument).join(',')}]`
  const rows = await db.run<ActionRow & { outcome: string }>(
    (sql) => sql`
      select r.outcome, (r.action).*
      from jsonb_array_elements(${given}::text::jsonb) with ordinality as given(proposal, place),
      lateral gate.propose(p_account => ${account}, p_proposal => given.proposal) r
      order by given.place`,
  )
  return rows.map((row) => outcomeOf([row]))
}

const proposalArgument = (p: Proposal): string =>
  jsonArgument({
    uuid: p.uuid,
    event: p.eventId,
    kind: p.kind,
    kind_version: p.kindVersion,
    status: p.status,
    denial_reason: p.denialReason,
    denial_code: p.denialCode,
    denial_needs: p.denialNeeds,
    rationale: p.rationale,
    input: p.input,
    tool_call: p.toolCall && toolCallFields(p.toolCall),
    mandate_scope: p.mandateScope,
    consent_required: p.consentRequired,
    facts: p.facts,
    rule: p.rule,
    member_id: p.memberId,
    member: p.member,
    tier: p.tier,
    source: p.source,
    payload: p.payload,
    salt: p.salt,
    member_version: p.memberVersion,
    curricula_version: p.curriculaVersion,
    policy_version: p.policyVersion,
    reach_slack: p.reach.slack,
    reach_email: p.reach.email,
    reach_unreachable: p.reach.unreachable,
    recipients: p.recipients,
    ttl_ms: p.ttlMs,
    open_max: p.openMax,
    due_ms: p.dueMs,
    api_key: p.apiKey,
    key: p.idempotency?.key ?? null,
    request: p.idempotency?.request ?? null,
  })
