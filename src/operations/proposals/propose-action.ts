import { z } from 'zod'
import type { ActionKind, Fields } from '../../actions/kind.ts'
import { GateError } from '../../errors.ts'
import { asProposed, viewRow } from './action-view.ts'
import {
  type Answer,
  type CallContext,
  type Operation,
  defineOperation,
  ifProposalLost,
} from '../operation.ts'
import { moneyCard } from '../consent/card-of-row.ts'
import { parseInput } from '../parse.ts'
import { maySee } from '../run-operation.ts'
import { type ProposalRequest, recordProposal } from './record-proposal.ts'
import { ActionRequest, Actor, Rationale } from '../schemas.ts'

/**
 * The operation that proposes every kind that REST may propose.
 * @param others  the operations that propose the other kinds
 */
export function proposeAction(kinds: ActionKind[], others: Operation[] = []): Operation {
  const accepted = kinds.filter((kind) => kind.isHttpProposable)
  const names = accepted.map((kind) => kind.kind)
  const payload = accepted.length === 1 ? accepted[0]!.payload : z.record(z.string(), z.unknown())
  const input = z.strictObject({
    kind: z.enum(names, `must be one of: ${names.join(', ')}`),
    actor: Actor,
    payload,
    rationale: Rationale,
  })
  return defineOperation({
    name: 'request_action',
    title: 'Propose an action',
    summary:
      'Propose an action for the member you act for. Nothing executes until confirm_action. Returns the action: `proposed`, with `blast_radius` (recipients of a broadcast) and `consent_required`; or `denied`, with `denial_reason`. If `agent_attested` is required, show the member the payload and the reach, and confirm after a yes; otherwise confirm at once, and the gate asks the member. A denial is final: tell the member, do not retry.',
    http: { method: 'POST', path: '/api/v1/actions', success: { 201: 'ActionRequest' } },
    tool: { group: 'gate', readOnly: false, destructive: false, idempotent: false, openWorld: false },
    input,
    output: ActionRequest,
    errors: ['not_found', 'forbidden', 'invalid', 'too_many'],
    powers: ['propose'],
    proposes: names,
    isKeyed: true,
    ifLost: ifProposalLost,
    precheck: (context, given) => refuseKindOfTool(context, given, others),
    run(context, request) {
      const kind = accepted.find((k) => k.kind === request.kind)!
      const { payload: given } =
        accepted.length === 1 ? request : parseInput(z.object({ payload: kind.payload }), request)
      return answerRecorded(context, {
        kind,
        actor: request.actor,
        payload: given as Fields,
        rationale: request.rationale,
      })
    },
  }) as unknown as Operation
}

/** The operation that proposes one kind, as its own MCP tool. */
export function proposeByTool(kind: ActionKind & { tool: NonNullable<ActionKind['tool']> }): Operation {
  return defineOperation({
    name: kind.tool.name,
    title: kind.tool.title,
    summary: `${kind.tool.description} Executes nothing until confirm_action.${kind.weigh ? ' Show the member its `card`.' : ''}`,
    tool: {
      group: kind.tool.group,
      readOnly: false,
      destructive: false,
      idempotent: false,
      openWorld: false,
    },
    input: z.strictObject({ actor: Actor, ...kind.tool.arguments.shape, rationale: Rationale }),
    output: ActionRequest,
    errors: ['not_found', 'forbidden', 'invalid', 'too_many'],
    powers: ['propose'],
    proposes: [kind.kind],
    isKeyed: true,
    ifLost: ifProposalLost,
    run(context, { actor, rationale, ...given }) {
      const payload = parseInput(kind.payload, given)
      return answerRecorded(context, {
        kind,
        actor: actor as Actor,
        payload,
        rationale: rationale as string | undefined,
      })
    },
  })
}

/** Names the tool that proposes a kind, if the caller has it. @throws GateError `invalid` */
function refuseKindOfTool(context: CallContext, given: unknown, others: Operation[]): void {
  const kind = (given as { kind?: unknown } | null)?.kind
  const other = others.find(({ proposes = [] }) => proposes.includes(kind as string))
  if (!other || !context.deps.config.TOOLS.includes(other.tool.group) || !maySee(context, other)) return
  throw new GateError('invalid', `${kind as string} cannot be proposed here; use ${other.name}.`, {
    param: 'kind',
  })
}

/** A repeat is answered with the row as it was when it was proposed. */
async function answerRecorded(context: CallContext, request: ProposalRequest): Promise<Answer> {
  const { action, isReplayed } = await recordProposal(context, request)
  const card = await moneyCard(context.deps, action)
  return { status: 201, body: { ...viewRow(asProposed(action)), ...card }, isReplayed }
}
