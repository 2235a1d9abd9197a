import { randomBytes, randomUUID } from 'node:crypto'
import type { FactVersions } from '../../src/db/queries/actions/decide.ts'
import type { Proposal } from '../../src/db/queries/actions/propose.ts'

/** A proposal as an API hands it over, of a member who was read with these facts. */
export function sampleProposal(
  of: { memberId: string; apiKey: Buffer; facts: FactVersions } & Partial<Omit<Proposal, 'facts'>>,
): Proposal {
  const { facts, ...given } = of
  return {
    uuid: randomUUID(),
    eventId: randomUUID(),
    kind: 'broadcast',
    kindVersion: null,
    status: 'proposed',
    denialReason: null,
    denialCode: null,
    denialNeeds: null,
    input: null,
    toolCall: null,
    mandateScope: null,
    rationale: 'they asked',
    consentRequired: 'agent_attested',
    facts: '[["Customer","Ada"]]',
    rule: 'a rule',
    member: 'ada@example.com',
    memberVersion: facts.member!,
    curriculaVersion: facts.curricula!,
    policyVersion: facts.policy!,
    tier: 'guarded_write',
    source: 'api',
    payload: '{"note":"something"}',
    salt: randomBytes(16),
    reach: { slack: 0, email: 0, unreachable: 0 },
    recipients: null,
    ttlMs: 3_600_000,
    openMax: 100,
    dueMs: 60_000,
    idempotency: null,
    ...given,
  }
}
