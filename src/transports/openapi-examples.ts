import type { ErrorCode, PublishedCode } from '../errors.ts'
import type { OperationExamples } from '../operations/operation.ts'

/** Examples of requests, answers and errors for the OpenAPI description: one story of Grace, who is certified, and Alan, who is not. */

type Json = Record<string, unknown>

const actor = { email: 'grace@example.com' }
const message = 'Lunch is at noon.'
const digest = '6f1d7f0c2e8b4a915d3c7e60f2b8a4d1c95e3f7082b6d4a1e9c05f3b7d2a8e64'

const proposed = {
  id: 12,
  kind: 'broadcast',
  status: 'proposed',
  member: 'grace@example.com',
  tier_at_request: 'guarded_write',
  source: 'api',
  requested_by: 'support agent',
  payload: { message },
  created_at: '2026-11-22T10:00:00.000Z',
  consent_required: 'agent_attested',
  requires_confirmation: true,
  blast_radius: { slack: 4, email: 2, unreachable: 1 },
  expires_at: '2026-11-29T10:00:00.000Z',
  digest,
  recipients_digest: 'b09c1e4f7a2d5836c1f0e9b8a7d6c5f4e3b2a1908f7e6d5c4b3a29181f0e7d6c',
}
const consent = {
  strength: 'agent_attested',
  by: 'grace@example.com',
  at: '2026-11-22T10:01:00.000Z',
  channel: 'api',
}
const executed = {
  ...proposed,
  status: 'executed',
  result: {
    outcome: 'done',
    slack: 4,
    email: 2,
    unreachable: 1,
    failed: { slack: 0, email: 0 },
    unknown: { slack: 0, email: 0 },
  },
  executed_at: '2026-11-22T10:01:01.000Z',
  consent,
}
const denied = {
  id: 13,
  kind: 'broadcast',
  status: 'denied',
  member: 'alan@example.com',
  tier_at_request: 'read_only',
  source: 'api',
  requested_by: 'support agent',
  payload: { message },
  created_at: '2026-11-22T10:02:00.000Z',
  denial_reason:
    'broadcast needs guarded_write and Alan has read_only: pass "Safe sending" (2 of 4 modules), or ask an administrator',
  denial_code: 'tier_insufficient',
  needed_tier: 'guarded_write',
  curricula: ['safe-sending'],
  requires_confirmation: false,
  blast_radius: { slack: 4, email: 2, unreachable: 1 },
}
const running = { ...proposed, execution: { state: 'running', delivered: 3, remaining: 3 } }
const asked = {
  ...proposed,
  consent_required: 'page',
  consent_request: {
    required: 'page',
    requested_via: 'email',
    requested_at: '2026-11-22T10:01:00.000Z',
    next: 'The gate asks the member by e-mail: tell them. Do not confirm again. Wait with await_action, or GET /api/v1/actions/12?wait=50.',
  },
}
const cancelled = { ...proposed, status: 'cancelled', closed_reason: 'proposer' }
const refund = {
  id: 14,
  kind: 'refund',
  status: 'executed',
  member: 'grace@example.com',
  tier_at_request: 'guarded_write',
  source: 'mcp',
  requested_by: 'support agent',
  payload: { payment: 'pi_3Q1', amount_cents: 1_000, currency: 'eur', reason: 'duplicate' },
  created_at: '2026-11-22T10:03:00.000Z',
  requires_confirmation: true,
  blast_radius: { slack: 0, email: 0, unreachable: 0 },
  result: {
    outcome: 'done',
    provider: 'stripe',
    provider_id: 're_3Q1',
    status: 'succeeded',
    amount_cents: 1_000,
    currency: 'eur',
  },
  executed_at: '2026-11-22T10:04:01.000Z',
}

const claim = 'q1Vb0Z6xYh3nR8tKcLw2dEuSgM5pAoJfTi7yB9kXvNs'
const confirmed = {
  id: 15,
  kind: 'customer_deletion',
  status: 'proposed',
  member: 'grace@example.com',
  tier_at_request: 'write',
  source: 'api',
  requested_by: 'support agent',
  payload: { customer_id: 'cus_81' },
  created_at: '2026-11-22T10:05:00.000Z',
  requires_confirmation: true,
  blast_radius: { slack: 0, email: 0, unreachable: 0 },
  expires_at: '2026-11-23T10:05:00.000Z',
  digest: '5c3b1f0e9a7d2468ace013579bdf02468ace13579bdf02468ace13579bdf0246',
  consent: {
    strength: 'page',
    by: 'grace@example.com',
    at: '2026-11-22T10:06:00.000Z',
    channel: 'email',
  },
}
const claimed = {
  ...confirmed,
  execution: { state: 'running', delivered: 0, remaining: 0 },
  receipt: 'eyJhbGciOiJFZERTQSIs…',
  lease_expires_at: '2026-11-22T10:22:00.000Z',
  claim,
}
const reported = {
  ...confirmed,
  status: 'executed',
  result: { outcome: 'done', reported: 'done', result: { deleted_rows: 3 } },
  executed_at: '2026-11-22T10:08:00.000Z',
}

/** By the name of the operation. */
export const operationExamples: Record<string, OperationExamples> = {
  check_capability: {
    parameters: { email: 'grace@example.com' },
    answers: {
      200: {
        certified: {
          member: { name: 'Grace Hopper', email: 'grace@example.com', providers: ['email', 'slack'] },
          tier: 'guarded_write',
          tier_source: 'certification',
          certified: true,
          certifications: [
            {
              curriculum: 'safe-sending',
              title: 'Safe sending',
              certified: true,
              modules_passed: 4,
              modules_total: 4,
              last_passed_at: '2026-10-01T09:00:00.000Z',
            },
          ],
        },
      },
    },
  },
  request_action: {
    body: { kind: 'broadcast', actor, payload: { message } },
    answers: { 201: { proposed, denied } },
  },
  confirm_action: {
    parameters: { id: 12 },
    body: { actor, digest },
    answers: { 200: { executed, denied: { ...denied, id: 12 } }, 202: { running, asked } },
  },
  cancel_action: { parameters: { id: 12 }, body: { actor }, answers: { 200: { cancelled } } },
  claim_action: { parameters: { id: 15 }, answers: { 200: { claimed } } },
  report_outcome: {
    parameters: { id: 15 },
    body: { claim, outcome: 'done', result: { deleted_rows: 3 } },
    answers: { 200: { reported }, 202: { ending: { ...confirmed, execution: claimed.execution } } },
  },
  get_action: { parameters: { id: 12 }, answers: { 200: { proposed, executed, refund } } },
  list_actions: {
    parameters: { limit: 2, kind: 'broadcast', status: 'executed' },
    answers: { 200: { page: { actions: [executed, denied], next_after: 13 } } },
  },
  list_workspace_files: {
    parameters: { conversation_id: 'site', email: 'grace@example.com' },
    answers: {
      200: {
        files: {
          conversation_id: 'site',
          files: [{ path: 'index.html', size: 512, modified_at: '2026-11-22T09:00:00.000Z' }],
          truncated: false,
        },
      },
    },
  },
  read_workspace_file: {
    parameters: { conversation_id: 'site', path: 'index.html', email: 'grace@example.com' },
    answers: {
      200: {
        text: {
          conversation_id: 'site',
          path: 'index.html',
          size: 20,
          offset: 0,
          content: '<h1>Lunch menu</h1>\n',
          encoding: 'utf-8',
          next_offset: null,
          truncated: false,
        },
      },
    },
  },
}

const request_id = '1f0c9a52-6a0e-4c0e-9d43-0a2f6c1e7b88'
const refusal = (code: PublishedCode, error: string, param?: string): Json => ({
  error,
  code,
  ...(param === undefined ? {} : { param }),
  request_id,
})

/** An example of each error that an operation declares. */
export const errorExamples: Partial<Record<ErrorCode, Json>> = {
  malformed: refusal('malformed', 'The request is malformed: the body must be valid JSON.'),
  unauthenticated: refusal('unauthenticated', 'Send a valid API key as Authorization: Bearer <key>.'),
  not_proposer: refusal('not_proposer', 'Only the member who proposed this action can confirm it.'),
  forbidden: refusal(
    'key_member_not_allowed',
    'This API key is bound to other members. Use a key for this member.',
  ),
  not_found: refusal('not_found', 'Action 99 was not found in this account.'),
  conflict: refusal('already_decided', 'Action 12 is already executed.'),
  gone: refusal('gone', 'Entry 3 is archived: prove it from the archive.'),
  too_large: refusal('too_large', 'The body is larger than 1 MiB.'),
  unsupported_media: refusal('unsupported_media', 'Send JSON: Content-Type: application/json.'),
  invalid: refusal('invalid', 'payload.message must not be empty.', 'payload.message'),
  too_many: refusal(
    'rate_limited',
    'This API key is limited to 1200 requests per minute. Try again in 20 s.',
  ),
  internal: refusal('internal', 'Internal error. The log has details under this X-Request-Id.'),
  unavailable: refusal('unavailable', 'The database is not available. Nothing was changed. Try again.'),
}
