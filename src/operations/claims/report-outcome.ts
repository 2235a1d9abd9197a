import { createHash, randomUUID } from 'node:crypto'
import { z } from 'zod'
import { type ClaimReportOutcome, reportClaim, reportedOutcomes } from '../../db/queries/actions/claims.ts'
import type { ActionRow } from '../../db/queries/actions/actions.ts'
import { GateError } from '../../errors.ts'
import { type Json, canonical } from '../../gate/canonical.ts'
import { isStorableJson } from '../../gate/json/json-shape.ts'
import { claimTokenHash, isTokenForm } from '../../keys/link-token.ts'
import { eventId } from '../../ledger/digest.ts'
import { limits } from '../../limits.ts'
import { recordRefusal } from '../clearance/refusal.ts'
import { signalAndWait } from '../actions/wait-for-execution.ts'
import { type CallContext, defineOperation } from '../operation.ts'
import { isRunning, viewWithReceipt } from '../actions/action-view.ts'
import { actionNotFound } from '../actions/action-not-found.ts'
import { ActionId, ActionRequest } from '../schemas.ts'
import { canExecute, readActionToExecute } from './executing.ts'

const reportedResultDepthMax = 64

const bytesMax = limits.reportedResultBytesMax

/** Ends a claimed action with the outcome that its executor reports. */
export const reportOutcome = defineOperation({
  name: 'report_outcome',
  title: 'Report the outcome of a claimed action',
  summary:
    'Report the outcome of an action that you claimed, before its lease ends. `done`: all of it was done. `refused`: nothing was done. `failed`: you tried, and a part may be done. `unknown`: you cannot tell. It can be reported once; the same report again changes nothing and answers the same. Returns the action as it ended.',
  http: {
    method: 'POST',
    path: '/api/v1/actions/{id}/outcome',
    integers: ['id'],
    success: { 200: 'Recorded, and the action has ended', 202: 'Recorded; the action ends in a moment' },
  },
  tool: {
    group: 'executor',
    readOnly: false,
    destructive: false,
    idempotent: true,
    openWorld: false,
    isListed: canExecute,
  },
  input: z.strictObject({
    id: ActionId,
    claim: z.string().refine(isTokenForm, 'must be the claim that claim_action returned').meta({
      description: 'From claim_action.',
    }),
    outcome: z.enum(reportedOutcomes, `must be one of ${reportedOutcomes.join(', ')}`).meta({
      description: 'The outcome.',
    }),
    result: z
      .record(z.string(), z.unknown())
      .refine(
        isStorable,
        `must be valid Unicode without NUL, at most ${bytesMax} bytes as JSON, and at most ${reportedResultDepthMax} levels deep`,
      )
      .optional()
      .meta({
        description: `What the member and other callers should know of it, such as an id. At most ${bytesMax} bytes as JSON. Not stored in the ledger, only its digest.`,
      }),
  }),
  output: ActionRequest,
  errors: ['not_found', 'forbidden', 'conflict', 'invalid', 'too_many'],
  powers: ['execute', 'confirm'],
  isKeyed: false,
  ifLost: () => ({ what: 'this report', advice: 'Send the same report again.' }),
  async run(context, { id, claim, outcome, result }) {
    const row = await readActionToExecute(context, id, 'report_outcome')
    const text = result === undefined ? null : canonical(result as Json)
    const reported = await reportClaim(context.deps.db, {
      account: context.account,
      id,
      apiKey: context.keyHash,
      token: claimTokenHash(claim),
      outcome,
      result: text,
      report: createHash('sha256').update(`${claim} ${outcome} ${text}`).digest(),
      eventId: randomUUID(),
      dueMs: limits.outboxDueMs,
    })
    if (reported.outcome !== 'reported') throw await refuse(context, row, reported.outcome)
    const ended = isRunning(reported.action)
      ? await signalAndWait(context, reported.action, { signal: 'wake' })
      : reported.action
    return {
      status: isRunning(ended) ? 202 : 200,
      body: await viewWithReceipt(context.deps, ended, context),
      ...(isRunning(ended) ? { location: `/api/v1/actions/${id}` } : {}),
    }
  },
})

/** Whether PostgreSQL and JSON can store a result, and it is not too large. */
function isStorable(result: Record<string, unknown>): boolean {
  if (!isStorableJson(result, reportedResultDepthMax)) return false
  try {
    return Buffer.byteLength(canonical(result as Json)) <= bytesMax
  } catch {
    return false
  }
}

/** The error for the caller. What the ledger should tell of a claim leaves an entry, once. */
async function refuse(
  { deps, keyHash: apiKey, source }: CallContext,
  row: ActionRow,
  outcome: Exclude<ClaimReportOutcome, 'reported'>,
): Promise<GateError> {
  if (outcome === 'missing') return actionNotFound(row.id)
  const { reason, error } = refusals[outcome](row)
  await recordRefusal(deps, row, {
    decision: 'report',
    reason,
    actor: 'executor',
    source,
    apiKey,
    eventId: eventId(row.uuid, 'report refused', reason, apiKey.toString('hex')),
  })
  return error
}

const refusals = {
  unclaimed: ({ id }: ActionRow) => ({
    reason: 'other_claim' as const,
    error: new GateError('forbidden', `This is not the claim of action ${id}. Nothing was recorded.`, {
      detail: 'claim_not_held',
      param: 'claim',
    }),
  }),
  lapsed: ({ id }: ActionRow) => ({
    reason: 'lease_ended' as const,
    error: new GateError(
      'conflict',
      `The lease of action ${id} ended before this report: its outcome is recorded as unknown. Tell an administrator what was done.`,
      { detail: 'claim_ended' },
    ),
  }),
  changed: ({ id }: ActionRow) => ({
    reason: 'other_report' as const,
    error: new GateError(
      'conflict',
      `Another outcome or result of action ${id} was already reported. It stays as it is.`,
      { detail: 'claim_ended' },
    ),
  }),
}
