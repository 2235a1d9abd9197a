import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import type { ActionRow } from '../../db/queries/actions/actions.ts'
import { isRunning, viewAction } from '../proposals/action-view.ts'
import { requestConsent } from '../consent/request-consent.ts'
import { signalAndWait } from './wait-for-execution.ts'
import { type AttestedConfirm, type Confirm, claimConfirm, untilFactsHold } from './claim-confirm.ts'
import { type LoadedDecision, loadForDecision } from './load-for-decision.ts'
import { idempotencyOf } from '../idempotency.ts'
import { type Answer, type CallContext, defineOperation, ifDecisionLost } from '../operation.ts'
import { refuseDecision } from './refusal.ts'
import { ActionId, ActionRequest, Actor } from '../schemas.ts'

/** Executes a proposed action after its proposer consented. Of all that race for it, one wins. */
export const confirmAction = defineOperation({
  name: 'confirm_action',
  title: 'Confirm a proposed action',
  summary:
    'Execute a proposed action. Call it only after the member you act for has seen the blast radius and explicitly consented, with the same actor. Where the policy asks for more than your word, the answer has consent_request: the member is asked themselves, and nothing more is to be called.',
  http: {
    method: 'POST',
    path: '/api/v1/actions/{id}/confirm',
    integers: ['id'],
    success: {
      200: 'Executed, or denied where tier or policy no longer suffice',
      202: 'Confirmed, and the execution goes on; or the policy asks for the consent of the member, who is being asked (`consent_request`)',
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
  errors: ['not_found', 'not_proposer', 'conflict', 'invalid', 'too_many'],
  powers: ['confirm'],
  isKeyed: true,
  ifLost: (context, { id }) => ifDecisionLost('this confirm', context, id),
  async run(context, { id, actor, digest }) {
    const idempotency = idempotencyOf(context, 'confirm', { id, actor, digest })
    const commandId = randomUUID()
    return untilFactsHold(async () => {
      const found = await loadForDecision(context, 'confirm', id, actor, idempotency)
      return found.isReplay
        ? answerReplayed(context, found.row)
        : decide(context, found, { digest, commandId, idempotency })
    })
  },
})

async function decide(
  context: CallContext,
  { row, facts, member }: Extract<LoadedDecision, { isReplay: false }>,
  command: Pick<Confirm, 'digest' | 'commandId' | 'idempotency'>,
): Promise<Answer | 'again' | 'moved'> {
  const { deps, account, keyHash, source: channel } = context
  const confirm: AttestedConfirm = {
    deps,
    account,
    credential: { apiKey: keyHash },
    key: context,
    channel,
    row,
    facts,
    member,
    ...command,
    strength: 'agent_attested',
    refuse: (reason) => refuseDecision(context, row, 'confirm', reason, member.memberId),
  }
  const claimed = await claimConfirm(confirm)
  const decided =
    typeof claimed === 'object' && claimed.outcome === 'too_weak'
      ? await requestConsent(confirm, claimed)
      : claimed
  if (typeof decided === 'string') return decided
  if (decided.outcome === 'too_weak') throw new Error('a member is asked or not, and no third')
  if (decided.outcome === 'asked') return answerAsked(context, decided.row)
  return { ...(await awaitEnd(context, decided.row)), isReplayed: decided.isReplayed }
}

/** A repeat under its key joins: it waits with the first, and is answered with what there is. */
async function answerReplayed(context: CallContext, row: ActionRow): Promise<Answer> {
  return { ...(await awaitEnd(context, row)), isReplayed: !isRunning(row) }
}

/** The member is being asked: what they decide is seen on the row. */
async function answerAsked({ deps }: CallContext, row: ActionRow): Promise<Answer> {
  return { status: 202, body: await viewAction(deps, row), location: locationOf(row) }
}

/** Wakes the workflow and waits for the end, within bounds. Whatever dies meanwhile, the claim stands. */
async function awaitEnd(context: CallContext, claimed: ActionRow): Promise<Answer> {
  const { deps } = context
  const row = isRunning(claimed) ? await signalAndWait(context, claimed) : claimed
  const body = await viewAction(deps, row)
  return isRunning(row) ? { status: 202, body, location: locationOf(row) } : { status: 200, body }
}

const locationOf = (row: ActionRow) => `/api/v1/actions/${row.id}`
