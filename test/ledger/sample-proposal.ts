import { randomBytes, randomUUID } from 'node:crypto'
import type { FactVersions } from '../../src/db/queries/actions/decide.ts'
import type { Proposal } from '../../src/db/queries/actions/propose.ts'

/** A proposal as an API hands it over, of a member who was read with these facts. */
export function sampleProposal(
  of: { member_id: string; api_key: Buffer | null; facts: FactVersions } & Partial<Omit<Proposal, 'facts'>>,
): Proposal {
  const { facts, ...given } = of
  return {
    uuid: randomUUID(),
    event: randomUUID(),
    kind: 'broadcast',
    kind_version: null,
    status: 'proposed',
    denial_reason: null,
    denial_code: null,
    denial_needs: null,
    input: null,
    tool_call: null,
    mandate_scope: null,
    session: null,
    replaces: null,
    rationale: 'they asked',
    approval_rule: null,
    consent_required: 'agent_attested',
    facts: '[["Customer","Ada"]]',
    rule: 'a rule',
    member: 'ada@example.com',
    member_version: facts.member!,
    curricula_version: facts.curricula!,
    policy_version: facts.policy!,
    tier_at_request: 'guarded_write',
    source: 'api',
    payload: '{"note":"something"}',
    salt: randomBytes(16),
    reach_slack: 0,
    reach_email: 0,
    reach_unreachable: 0,
    reach_teams: 0,
    recipients: null,
    ttl_ms: 3_600_000,
    open_max: 100,
    due_ms: 60_000,
    key: null,
    request: null,
    ...given,
  }
}
