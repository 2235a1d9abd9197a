import { z } from 'zod'
import type { ActionKind } from '../../actions/kind.ts'
import { moneyCard } from '../consent/card-of-row.ts'
import {
  type Answer,
  type CallContext,
  type Operation,
  defineOperation,
  ifProposalLost,
} from '../operation.ts'
import { parseInput } from '../parse.ts'
import { ActionRequest, Actor, Rationale } from '../schemas.ts'
import { asProposed, viewRow } from './action-view.ts'
import { type ProposalRequest, recordProposal } from './record-proposal.ts'

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

/** A repeat is answered with the row as it was when it was proposed. */
export async function answerRecorded(context: CallContext, request: ProposalRequest): Promise<Answer> {
  const { action, isReplayed } = await recordProposal(context, request)
  const card = await moneyCard(context.deps, action)
  return { status: 201, body: { ...viewRow(asProposed(action)), ...card }, isReplayed }
}
