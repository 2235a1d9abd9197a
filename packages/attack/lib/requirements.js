const aisvs = 'OWASP AISVS 1.0'
const adr = 'microsoft/agent-governance-toolkit, ADR-0030 Action-Bound, Fail-Closed Approval Protocol'
const gate = 'docs/security.md'

/**
 * The requirements that attacks test, each in a line of ours; the ids are those of the source.
 * @type {Record<string, { text: string, source: string }>}
 */
export const requirements = {
  'AISVS-9.1.2': { text: 'Budgets of an execution are configured and enforced.', source: aisvs },
  'AISVS-9.2.1': {
    text: 'High-impact actions are blocked until a human approval is received and verified.',
    source: aisvs,
  },
  'AISVS-9.2.2': {
    text: 'Approval requests show the complete, canonical parameters, not cut and not transformed.',
    source: aisvs,
  },
  'AISVS-9.2.8': {
    text: 'Approvals are bound to parameters, requester, context and a nonce that is used once.',
    source: aisvs,
  },
  'AISVS-9.2.9': { text: 'What issues approvals is isolated from the agent.', source: aisvs },
  'AISVS-9.3.1': { text: 'Each tool runs in a sandbox with least privilege.', source: aisvs },
  'AISVS-9.4.1': { text: 'Each agent authenticates as a principal of its own.', source: aisvs },
  'AISVS-9.5.1': {
    text: 'Actions are authorized by fine-grained policies on tools and parameter values.',
    source: aisvs,
  },
  'AISVS-9.5.2': {
    text: 'Acting for a user is limited to what that user may do, on every call.',
    source: aisvs,
  },
  'AISVS-9.5.3': {
    text: 'Access is decided by application logic, never by a model and what it writes.',
    source: aisvs,
  },
  'AISVS-9.5.4': { text: 'Credentials are not exposed in what a model observes.', source: aisvs },
  'AISVS-9.5.6': { text: 'Every privileged action is judged by the policy in force.', source: aisvs },
  'AISVS-9.6.2': { text: 'An approval that is not given within its time blocks the action.', source: aisvs },
  'AISVS-10.2.1': { text: 'Access tokens are validated for each request.', source: aisvs },
  'AISVS-10.2.4': { text: 'tools/list returns only tools that the caller may use.', source: aisvs },
  'AISVS-10.2.5': {
    text: 'Every call of a tool is checked: the tool and its argument values.',
    source: aisvs,
  },
  'AISVS-10.3.3': { text: 'Origin and Host are validated against DNS rebinding.', source: aisvs },
  'AISVS-10.4.3': { text: 'Unrecognized and oversized parameters are rejected.', source: aisvs },
  'AISVS-10.4.4': { text: 'Schemas are validated strictly.', source: aisvs },
  'AISVS-10.4.5': { text: 'The size of a payload is limited on every transport.', source: aisvs },
  'ADR-0030-1': {
    text: 'A suspended decision is neither allow nor deny: execution is impossible until it is resolved.',
    source: adr,
  },
  'ADR-0030-2': { text: 'An approval for one action binding cannot authorize another.', source: adr },
  'ADR-0030-4': { text: 'Repeated submissions are idempotent, conflicting ones are rejected.', source: adr },
  'ADR-0030-5': { text: 'Identity that a body claims and nothing authenticates is rejected.', source: adr },
  'ADR-0030-6.2': { text: 'Before execution: not expired, cancelled, denied or consumed.', source: adr },
  'ADR-0030-6.3': { text: 'Before execution: the digest is the approved one.', source: adr },
  'ADR-0030-6.6': { text: 'Before execution: every approver is valid.', source: adr },
  'ADR-0030-6.7': {
    text: 'Before execution: an approval for one use was not consumed, also under concurrency.',
    source: adr,
  },
  'ADR-0030-7': {
    text: 'Events reconstruct the path from decision through approval to execution.',
    source: adr,
  },
  'ADR-0030-8': { text: 'What a model recommends satisfies no approval.', source: adr },
  'GATE-apart': { text: 'Accounts never see each other, and a key sees what it is for.', source: gate },
  'GATE-apps': {
    text: 'An app gets what a person allowed it, at its own address, and nothing by another way.',
    source: gate,
  },
  'GATE-outside': { text: 'Callers without a key learn nothing of what exists.', source: gate },
  'GATE-text': { text: 'Text is kept as given or refused, and cannot look like the gate’s.', source: gate },
  'GATE-secrets': { text: 'Keys never appear in answers.', source: gate },
  'GATE-faults': { text: 'No input makes a fault: it is refused in the form of an error.', source: gate },
}
