import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { type Fields } from '../actions/kind.ts'
import { type ActionRow, readAction } from '../db/queries/actions.ts'
import { type ClaimOutcome, type FactVersions, claimDecision, denyAction } from '../db/queries/decide.ts'
import { type Facts, type MemberFacts } from '../db/queries/facts.ts'
import { GateError } from '../errors.ts'
import { meetsFloor } from '../gate/consent.ts'
import { eventId } from '../ledger/digest.ts'
import { entryTail } from '../ledger/entry.ts'
import { limits } from '../limits.ts'
import { type ProposalInput } from '../temporal/names.ts'
import { isRunning, viewAction } from './action-view.ts'
import { clearanceNow } from './clearance-now.ts'
import { attestedConsent, findForDecision } from './decision.ts'
import { expiryEntry, expiryOf } from './expiry.ts'
import { type IdempotentRequest, idempotencyOf, keyReused } from './idempotency.ts'
import { kindOf } from './kind-of.ts'
import { type Answer, type CallContext, defineOperation } from './operation.ts'
import { type RefusalReason, refuseDecision } from './refusal.ts'
import { ActionId, ActionRequest, Actor } from './schemas.ts'

/** Executes a proposed action after its proposer consented. Of all that race for it, one wins. */
export const confirmAction = defineOperation({
  name: 'confirm_action',
  title: 'Confirm a proposed action',
  summary:
    'Execute a proposed action. Call it only after the member you act for has seen the blast radius and explicitly consented, with the same actor.',
  http: {
    method: 'POST',
    path: '/api/v1/actions/{id}/confirm',
    integers: ['id'],
    success: {
      200: 'Executed, or denied where tier or policy no longer suffice',
      202: 'Confirmed; the execution goes on',
    },
  },
  tool: { group: 'gate', readOnly: false, destructive: true, idempotent: false, openWorld: true },
  input: z.strictObject({
    id: ActionId,
    actor: Actor,
    digest: z
      .string()
      .regex(/^[0-9a-f]{64}$/, 'must be 64 hex characters')
      .optional()
      .meta({ description: "The row's digest as it was shown: refused if it is no longer that." }),
  }),
  output: ActionRequest,
  errors: ['not_found', 'not_proposer', 'conflict', 'invalid'],
  isKeyed: true,
  async run(context, { id, actor, digest }) {
    const idempotency = idempotencyOf(context, 'confirm', { id, actor, digest })
    const commandId = randomUUID()
    // Whoever confirms at the same time moves the count of the day for all others, once each: that ends by itself.
    for (let tries = 0, moves = 0; tries < limits.staleTriesMax && moves < limits.movedTriesMax;) {
      const found = await findForDecision(context, 'confirm', id, actor, idempotency)
      if (found.isReplay)
        return { ...(await awaitEnd(context, found.row)), isReplayed: !isRunning(found.row) }
      const decided = await decide(context, found, { digest, commandId, idempotency })
      if (decided !== 'again' && decided !== 'moved') return decided
      if (decided === 'moved') moves++
      else tries++
    }
    throw new GateError(
      'unavailable',
      'The facts about this member keep changing. Nothing was confirmed; try again.',
      1,
    )
  },
})

interface Command {
  digest: string | undefined
  commandId: string
  idempotency: IdempotentRequest | null
}

async function decide(
  context: CallContext,
  found: { row: ActionRow; facts: Facts; member: MemberFacts },
  command: Command,
): Promise<Answer | 'again' | 'moved'> {
  const { row, facts, member } = found
  const refuse = (reason: RefusalReason) => refuseDecision(context, row, 'confirm', reason, member.memberId)
  if (row.expires_at! <= facts.now) {
    await claimDecision(context.deps.db, expiryOf({ account: context.account, id: row.id, uuid: row.uuid }))
    throw await refuse('expired')
  }
  const kind = kindOf(context.deps, row.kind)
  if (kind.isDecidedByLink) throw await refuse('by_link')
  if (command.digest !== undefined && command.digest !== row.digest) throw await refuse('digest')
  if (facts.isSuspended) throw await refuse('suspended')

  const { versions, policy, tier, cleared, reason, confirmed } = await clearanceNow(context.deps, {
    account: context.account,
    facts,
    member,
    kind,
    payload: row.payload as Fields,
  })
  if (reason !== null) return deny(context, row, reason, versions, command)
  if (!meetsFloor('agent_attested', cleared.consent)) {
    throw new GateError(
      'conflict',
      `${row.kind} asks for ${cleared.consent} consent, which this service cannot obtain.`,
    )
  }
  const claimed = await claimDecision(context.deps.db, {
    account: context.account,
    id: row.id,
    decision: 'confirm',
    commandId: command.commandId,
    eventId: eventId(row.uuid, 'confirmed'),
    entryTail: entryTail({
      kind: 'confirmed',
      actor: member.memberId,
      key: context.keyId,
      data: { strength: 'agent_attested', channel: context.source, tier, policy_version: policy.version },
    }),
    ...expiryEntry(row.uuid),
    dueMs: limits.outboxDueMs,
    versions,
    confirmed,
    consent: attestedConsent(context, row),
    idempotency: command.idempotency,
  })
  const refusal = refusalOf[claimed.outcome]
  if (refusal) throw await refuse(refusal)
  if (claimed.outcome === 'stale') return 'again'
  if (claimed.outcome === 'moved') return 'moved'
  if (claimed.outcome === 'reused') throw keyReused()
  const isReplayed = claimed.outcome === 'replayed'
  return { ...(await awaitEnd(context, claimed.action)), isReplayed }
}

const refusalOf: Partial<Record<ClaimOutcome, RefusalReason>> = {
  lost: 'not_open',
  expired: 'expired',
  suspended: 'suspended',
}

async function deny(
  context: CallContext,
  row: ActionRow,
  reason: string,
  versions: FactVersions,
  { commandId, idempotency }: Command,
): Promise<Answer | 'again'> {
  const { outcome, action } = await denyAction(context.deps.db, {
    account: context.account,
    id: row.id,
    isClaimed: false,
    reason,
    eventId: commandId,
    entryTail: entryTail({
      kind: 'denied',
      actor: row.member_id!,
      key: context.keyId,
      data: { reason, at: 'confirm' },
    }),
    dueMs: limits.outboxDueMs,
    versions,
    idempotency,
  })
  if (outcome === 'reused') throw keyReused()
  if (outcome === 'stale' || outcome === 'lost') return 'again'
  context.deps.starter.closeBehind(workflowOf(action))
  return { status: 200, body: await viewAction(context.deps, action), isReplayed: outcome === 'replayed' }
}

/** Wakes the workflow and waits for the end, within bounds. Whatever dies meanwhile, the claim stands. */
async function awaitEnd(context: CallContext, claimed: ActionRow): Promise<Answer> {
  const { deps } = context
  const row = isRunning(claimed) ? await wakeAndWait(context, claimed) : claimed
  const body = await viewAction(deps, row)
  return isRunning(row) ? { status: 202, body, location: `/api/v1/actions/${row.id}` } : { status: 200, body }
}

/** Wakes the workflow of a claimed confirm, and answers the row as it is at its end, or after `waitMs`. */
export async function wakeAndWait(
  { deps, signal }: Pick<CallContext, 'deps' | 'signal'>,
  claimed: ActionRow,
  waitMs: number = deps.config.CONFIRM_WAIT_MS,
): Promise<ActionRow> {
  const ending = deps.endings.expect(claimed.uuid)
  try {
    const isWoken = await deps.workflows.wake(workflowOf(claimed), 'confirm', limits.temporalSignalMs).then(
      () => true,
      (error: unknown) => {
        const about = { err: error, account: claimed.account_id, action: claimed.id }
        deps.log.warn(about, 'confirmed; the relay will signal')
        return false
      },
    )
    const until = Date.now() + (isWoken ? waitMs : 0)
    for (;;) {
      const leftMs = until - Date.now()
      if (leftMs > 0) await ending.within(Math.min(limits.endingLookMs, leftMs), signal)
      const row = (await readAction(deps.db, claimed.account_id, claimed.id))!
      if (!isRunning(row) || Date.now() >= until || signal?.aborted) return row
    }
  } finally {
    ending.forget()
  }
}

export function workflowOf(row: ActionRow): ProposalInput {
  return {
    account: row.account_id,
    id: row.id,
    uuid: row.uuid,
    kind: row.kind,
    expiresAt: row.expires_at!.toISOString(),
  }
}
