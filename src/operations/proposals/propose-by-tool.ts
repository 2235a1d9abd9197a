import { z } from 'zod'
import type { ActionKind } from '../../actions/kind.ts'
import { moneyCard } from '../consent/card-of-row.ts'
import { type Answer, type CallContext, type Operation, defineOperation } from '../operation.ts'
import { ifProposalLost } from '../actions/if-lost.ts'
import { parseInput } from '../parse.ts'
import { Replaces } from './replaces.ts'
import { ActionRequest, Actor, Ask, Rationale } from '../schemas.ts'
import { viewRow } from '../actions/action-view.ts'
import { asProposed } from '../actions/as-proposed.ts'
import { type ProposalRequest, recordProposal } from './record-proposal.ts'

/** The operation that proposes one kind, as its own MCP tool. */
export function proposeByTool(kind: ActionKind & { tool: NonNullable<ActionKind['tool']> }): Operation {
  return defineOperation({
    name: kind.tool.name,
    title: kind.tool.title,
    summary: `${kind.tool.description} Executes nothing until confirm_action.${kind.weigh ? ' Show the member its `card`.' : ''}`,
    summaryUnconfirmed: `${kind.tool.description} ${asksTheMember}`,
    tool: {
      group: kind.tool.group,
      readOnly: false,
      destructive: false,
      idempotent: false,
      openWorld: false,
    },
    // A declared kind may have fields of the same names: those stay what they are.
    input: z.strictObject({
      actor: Actor,
      ask: Ask,
      replaces: Replaces,
      ...kind.tool.arguments.shape,
      rationale: Rationale,
    }),
    output: ActionRequest,
    errors: ['not_found', 'forbidden', 'invalid', 'too_many'],
    powers: ['propose'],
    proposes: [kind.kind],
    isKeyed: true,
    ifLost: ifProposalLost,
    run(context, { actor, rationale, ...given }) {
      const { shape } = kind.tool.arguments
      const isGates = ([name]: [string, unknown]) => ['ask', 'replaces'].includes(name) && !(name in shape)
      const beside = Object.fromEntries(Object.entries(given).filter(isGates))
      const payload = parseInput(
        kind.payload,
        Object.fromEntries(Object.entries(given).filter((field) => !isGates(field))),
      )
      return answerRecorded(context, {
        kind,
        actor: actor as Actor,
        payload,
        rationale: rationale as string | undefined,
        replaces: beside['replaces'] as number | undefined,
        ask: beside['ask'] as boolean | undefined,
      })
    },
  })
}

/** What a proposal does by a key that cannot confirm. */
export const asksTheMember =
  'The gate asks the member at once, and executes it after their approval. The answer has `consent_request`, or `consent_request_problem`: why nobody was asked.'

/** A repeat is answered with the row as it was when it was proposed. */
export async function answerRecorded(context: CallContext, request: ProposalRequest): Promise<Answer> {
  const { action, isReplayed, isAsked, problem, outside } = await recordProposal(context, request)
  const card = await moneyCard(context.deps, action)
  const body = {
    ...viewRow(asProposed(action, isAsked), context),
    ...(problem === undefined ? {} : { consent_request_problem: problem }),
    ...(outside === undefined ? {} : { mandate_problem: outside }),
    ...card,
  }
  return { status: 201, body, isReplayed }
}
