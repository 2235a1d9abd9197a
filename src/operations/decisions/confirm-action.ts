import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import type { ActionRow } from '../../db/queries/actions/actions.ts'
import { requireKeyNow } from '../authenticate.ts'
import { askAtOnce } from '../consent/ask-at-once.ts'
import { confirmByMandate } from '../consent/by-mandate.ts'
import { askInClient, whyNoAnswer } from '../consent/client-question.ts'
import { type AgentConfirm, type Asked, requestConsent } from '../consent/request-consent.ts'
import { idempotencyOf } from '../idempotency.ts'
import { type Answer, type CallContext, defineOperation } from '../operation.ts'
import { ifDecisionLost } from '../actions/if-lost.ts'
import { isOpen, isRunning, viewAction, viewForCaller } from '../actions/action-view.ts'
import { requireKind } from '../actions/require-kind.ts'
import { type Stale, keepsChanging, retryStale } from '../retry-stale.ts'
import { ActionId, ActionRequest, Actor } from '../schemas.ts'
import { type Confirmed, type OpenProposal, type TooWeak, claimConfirm } from '../clearance/claim-confirm.ts'
import { cancelAction } from './cancel-action.ts'
import { type DecisionRequest, loadForDecision } from './load-for-decision.ts'
import { type Refused, refuseDecision, refused } from '../clearance/refusal.ts'
import { workflowInput } from '../../temporal/names.ts'
import { signalAndWait } from '../actions/wait-for-execution.ts'

/** Executes a proposed action after its member consented. Of any number of decisions that race, one wins. */
export const confirmAction = defineOperation({
  name: 'confirm_action',
  title: 'Confirm a proposed action',
  summary:
    'Execute a proposed action. If `consent_required` is `agent_attested`, call it only after the member saw what will be done and said yes. Otherwise call it at once: the gate asks the member. Returns the action: `executed`, with `result`; `denied`, if tier or policy changed; with `consent_request`, while the member decides; with `execution`, while it runs. Those two end by themselves: call await_action (over REST: read it with `wait`), do not confirm again.',
  http: {
    method: 'POST',
    path: '/api/v1/actions/{id}/confirm',
    integers: ['id'],
    success: {
      200: 'Executed, or denied because tier or policy no longer allow it',
      202: 'Confirmed and still executing; or the policy requires consent from the member, who is being asked (`consent_request`)',
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
      .meta({
        description: "The action's `digest` as you showed it. The confirm is refused if it differs.",
      }),
  }),
  output: ActionRequest,
  errors: ['not_found', 'not_proposer', 'conflict', 'invalid', 'too_many'],
  powers: ['confirm'],
  checksKey: true,
  isKeyed: true,
  ifLost: (context, { id }) => ifDecisionLost('this confirm', context, id),
  async run(context, { id, actor, digest }) {
    const idempotency = idempotencyOf(context, 'confirm', { id, actor, digest })
    const command: AgentConfirm = {
      consent: {
        strength: 'agent_attested',
        channel: context.source,
        credential: { apiKey: context.keyHash },
        digest,
      },
      commandId: randomUUID(),
      idempotency,
      key: context,
    }
    const request = { decision: 'confirm', id, actor, idempotency } as const
    const decided = await retryStale(
      () => decideOnce(context, request, command),
      () => keepsChanging('Nothing was decided.'),
    )
    switch (decided.outcome) {
      case 'refused':
        throw await refuseDecision(context, decided.row, { ...decided, decision: 'confirm' })
      case 'asked':
        return answerAsked(context, decided)
      case 'declined':
        return cancelAction.run(context, { id, actor })
      case 'replayed':
        // A repeat under its Idempotency-Key waits for the same end.
        return { ...(await awaitEnd(context, decided.row)), isReplayed: !isRunning(decided.row) }
      case 'claimed':
      case 'denied':
        // The claim finds a repeat before it checks the key.
        if (decided.isReplayed) await requireKeyNow(context)
        return { ...(await awaitEnd(context, decided.row)), isReplayed: decided.isReplayed }
    }
  },
})

type Decided =
  | Exclude<Confirmed, TooWeak | Refused>
  | Asked
  | { outcome: 'replayed'; row: ActionRow }
  /** By the user of the client. */
  | { outcome: 'declined' }
  | (Refused & { row: ActionRow; actor: string })

/** Claims the confirm; where the policy demands a stronger consent, has the member asked for it. */
async function decideOnce(
  context: CallContext,
  request: DecisionRequest,
  command: AgentConfirm,
): Promise<Decided | Stale> {
  const loaded = await loadForDecision(context, request)
  if (loaded.isReplay) return { outcome: 'replayed', row: loaded.row }
  const decided = await claimOrAsk(context, loaded, command)
  if (typeof decided === 'string' || decided.outcome !== 'refused') return decided
  return { ...decided, row: loaded.row, actor: loaded.member.memberId }
}

async function claimOrAsk(
  context: CallContext,
  proposal: OpenProposal,
  command: AgentConfirm,
): Promise<Exclude<Confirmed, TooWeak> | Asked | { outcome: 'declined' } | Stale> {
  const { deps, client } = context
  const answer = client?.answer
  const reason = answer && (await whyNoAnswer(deps, proposal, answer))
  if (reason) return refused(reason)
  if (answer?.choice === 'decline') return { outcome: 'declined' }
  // Nothing is claimed: the user has not agreed, whatever the current policy says.
  if (answer?.choice === 'none')
    return { outcome: 'asked', ...(await askAtOnce(context, proposal, proposal.row)) }
  const consent = answer?.of
    ? { ...command.consent, strength: 'client_attested' as const, card: answer.of.card }
    : command.consent
  const confirmed = await claimConfirm(deps, proposal, { ...command, consent })
  if (typeof confirmed === 'string' || confirmed.outcome !== 'too_weak') return confirmed
  const byMandate = await confirmByMandate(context, proposal, command, confirmed.floor)
  if (typeof byMandate === 'string' || byMandate.outcome !== 'outside') return byMandate
  const isAsked = client && !answer && confirmed.isForClient && (await askInClient(deps, client, proposal))
  if (isAsked) return { outcome: 'asked', row: proposal.row, outside: byMandate.why }
  return requestConsent(deps, proposal, command, { ...confirmed, outsideMandate: byMandate.why })
}

/** The member is being asked. Their decision will appear on the action. */
async function answerAsked(
  context: CallContext,
  { row, problem, outside }: Omit<Asked, 'outcome'>,
): Promise<Answer> {
  const body = {
    ...(await viewAction(context.deps, row, context)),
    ...(problem === undefined ? {} : { consent_request_problem: problem }),
    ...(outside === undefined ? {} : { mandate_problem: outside }),
  }
  return { status: 202, body, location: locationOf(row) }
}

/** Wakes the workflow and waits for its end, within bounds. The claim stands, whatever fails meanwhile. */
async function awaitEnd(context: CallContext, claimed: ActionRow): Promise<Answer> {
  const row = isRunning(claimed) ? await execute(context, claimed) : claimed
  // Others must approve it.
  if (isOpen(row)) context.deps.starter.askInBackground(workflowInput(row), null)
  const body = await viewForCaller(context, row)
  const isUnderWay = isRunning(row) || isOpen(row)
  return isUnderWay ? { status: 202, body, location: locationOf(row) } : { status: 200, body }
}

/** Wakes the workflow and waits, unless the action itself waits for somebody else. */
async function execute(context: CallContext, confirmed: ActionRow): Promise<ActionRow> {
  const { performer } = await requireKind(context.deps, confirmed)
  return signalAndWait(context, confirmed, performer.waitsForOthers ? { waitMs: 0 } : {})
}

const locationOf = (row: ActionRow) => `/api/v1/actions/${row.id}`
