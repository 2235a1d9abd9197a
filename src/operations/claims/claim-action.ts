import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { type ActionClaimOutcome, claimConfirmedAction } from '../../db/queries/actions/claims.ts'
import type { ActionRow } from '../../db/queries/actions/actions.ts'
import { type ErrorDetail, GateError, KeyUnreadable } from '../../errors.ts'
import { claimTokenHash, newToken } from '../../keys/link-token.ts'
import { limits } from '../../limits.ts'
import { isAltered } from '../../receipts/receipt.ts'
import { workflowInput } from '../../temporal/names.ts'
import { type CallContext, defineOperation } from '../operation.ts'
import { isOpen, viewWithReceipt } from '../actions/action-view.ts'
import { actionNotFound } from '../actions/action-not-found.ts'
import { ActionId, ClaimedAction } from '../schemas.ts'
import { canExecute, leaseMsOf, readActionToExecute } from './executing.ts'
import { logStep } from '../../temporal/action-log.ts'

/** Gives a confirmed action to its executor, once. If several claim it at the same time, one gets it. */
export const claimAction = defineOperation({
  name: 'claim_action',
  title: 'Claim a confirmed action to execute it',
  summary:
    'Take a confirmed action that you execute yourself. Answers it once, with its frozen `payload`, its `receipt` and a `claim`. Check the receipt, do exactly what the payload says, and call report_outcome before `lease_expires_at`. Without a report by then the action ends as unknown, and nobody can claim it again.',
  http: {
    method: 'POST',
    path: '/api/v1/actions/{id}/claim',
    integers: ['id'],
    success: { 200: 'Claimed: execute it now' },
  },
  tool: {
    group: 'executor',
    readOnly: false,
    destructive: false,
    idempotent: false,
    openWorld: false,
    isListed: canExecute,
  },
  input: z.strictObject({ id: ActionId }),
  output: ClaimedAction,
  errors: ['not_found', 'forbidden', 'conflict', 'invalid', 'too_many'],
  powers: ['execute', 'confirm'],
  isKeyed: false,
  ifLost: (_context, { id }) => ({
    what: 'this claim',
    advice: `If action ${id} was claimed, nobody has its claim: do not execute it. It ends as unknown after its lease.`,
  }),
  async run(context, { id }) {
    const row = await readActionToExecute(context, id, 'claim_action')
    if (isAltered(row)) throw notClaimable(row, 'was changed after its consent')
    const leaseMs = await leaseMsOf(context.deps, row)
    if (leaseMs === undefined) throw notClaimable(row, 'is not executed by claim')
    if (isOpen(row)) throw notClaimable(row, whyNot.unconfirmed)
    const receipt = await receiptBeforeClaim(context, row)
    const claim = newToken()
    const claimed = await claimConfirmedAction(context.deps.db, {
      account: context.account,
      id,
      apiKey: context.keyHash,
      token: claimTokenHash(claim),
      leaseMs,
      windowMs: limits.claimWindowMs,
      eventId: randomUUID(),
      dueMs: limits.outboxDueMs,
    })
    if (claimed.outcome !== 'claimed') throw refusal(row, claimed.outcome)
    logStep(context.deps, claimed.action, 'claimed', { by: 'executor', key: context.keyId })
    context.deps.starter.wakeInBackground(workflowInput(claimed.action), claimed.dueAt)
    const shown = await viewWithReceipt(context.deps, claimed.action, context)
    const body: ClaimedAction = {
      ...shown,
      ...(receipt === undefined || shown.receipt_problem ? {} : { receipt }),
      lease_expires_at: claimed.leaseExpiresAt!.toISOString(),
      claim,
    }
    return { status: 200, body }
  },
})

/**
 * The receipt, made before the claim: an action is claimed once, and its executor may refuse it without a receipt.
 * @returns undefined where this service makes no receipts
 * @throws GateError `unavailable` where its key cannot be decrypted now
 */
async function receiptBeforeClaim({ deps }: CallContext, row: ActionRow): Promise<string | undefined> {
  try {
    return await deps.receipts.receiptToSend(row)
  } catch (error) {
    if (!(error instanceof KeyUnreadable)) throw error
    throw new GateError(
      'unavailable',
      `The receipt of action ${row.id} cannot be signed: its key cannot be decrypted. Nothing was claimed: try again. If it lasts, ask the operator of the service; the log has the reason.`,
      { retryAfterSeconds: limits.receiptKeysKeptMs / 1_000 },
    )
  }
}

function refusal(row: ActionRow, outcome: Exclude<ActionClaimOutcome, 'claimed'>): GateError {
  switch (outcome) {
    case 'missing':
      return actionNotFound(row.id)
    case 'held':
      return new GateError('conflict', `Action ${row.id} is already claimed. Do not execute it.`, {
        detail: 'already_claimed',
      })
    case 'suspended':
      return new GateError(
        'conflict',
        'This account is suspended. Nothing can be claimed until an administrator resumes it.',
        { detail: 'account_suspended' },
      )
    default:
      return notClaimable(row, whyNot[outcome])
  }
}

const whyNot = {
  unconfirmed: 'is not confirmed yet',
  closed: 'has ended, or its claim has',
  late: 'was not claimed within 24 hours of its consent, and ends without being executed',
  unchecked: 'is being checked again, because its consent came late. Try again in a few seconds',
} as const

const notClaimable = ({ id }: ActionRow, why: string): GateError =>
  new GateError('conflict', `Action ${id} ${why}. Do not execute it.`, {
    detail: 'not_claimable' satisfies ErrorDetail,
  })
