import { z } from 'zod'
import type { ActionKind, Fields } from '../../actions/kind.ts'
import { GateError } from '../../errors.ts'
import { type CallContext, type Operation, defineOperation } from '../operation.ts'
import { ifProposalLost } from '../actions/if-lost.ts'
import { parseInput } from '../parse.ts'
import { maySee } from '../key-powers.ts'
import { answerRecorded, asksTheMember } from './propose-by-tool.ts'
import { forDeclaredKind } from './propose-declared.ts'
import { Replaces } from './replaces.ts'
import { ActionRequest, Actor, Ask, Rationale } from '../schemas.ts'

/**
 * The operation that proposes every kind that REST may propose.
 * @param others  the operations that propose the other kinds
 */
export function proposeAction(kinds: ActionKind[], others: Operation[] = []): Operation {
  const accepted = kinds.filter((kind) => kind.isHttpProposable)
  const names = accepted.map((kind) => kind.kind)
  const payload = accepted.length === 1 ? accepted[0]!.payload : z.record(z.string(), z.unknown())
  const input = z.strictObject({
    kind: z.enum(names, {
      error: ({ input: given }) => (given === undefined ? 'is required' : 'must be the name of a kind'),
    }),
    actor: Actor,
    payload,
    rationale: Rationale,
    replaces: Replaces,
    ask: Ask,
  })
  const operation: Operation = defineOperation({
    name: 'request_action',
    title: 'Propose an action',
    summary:
      'Propose an action for the member you act for. Nothing executes until confirm_action. Returns the action: `proposed`, with `blast_radius` (recipients of a broadcast) and `consent_required`; or `denied`, with `denial_reason`. If `agent_attested` is required, show the member the payload and the reach, and confirm after a yes; otherwise confirm at once, and the gate asks the member. A denial is final: tell the member, do not retry.',
    summaryUnconfirmed: `Propose an action for the member you act for. ${asksTheMember} Returns the action: \`proposed\`; or \`denied\`, with \`denial_reason\`. A denial is final: tell the member, do not retry.`,
    http: { method: 'POST', path: '/api/v1/actions', success: { 201: 'ActionRequest' } },
    tool: { group: 'gate', readOnly: false, destructive: false, idempotent: false, openWorld: false },
    input,
    output: ActionRequest,
    errors: ['not_found', 'forbidden', 'invalid', 'too_many'],
    powers: ['propose'],
    proposes: names,
    checksKey: true,
    isKeyed: true,
    ifLost: ifProposalLost,
    async forCall(context, given) {
      const kind = (given as { kind?: unknown } | null)?.kind
      if (typeof kind !== 'string' || names.includes(kind)) return undefined
      refuseKindOfTool(context, kind, others)
      return forDeclaredKind(operation, context, kind)
    },
    run(context, request) {
      const kind = accepted.find((k) => k.kind === request.kind)!
      const { payload: given } =
        accepted.length === 1 ? request : parseInput(z.object({ payload: kind.payload }), request)
      return answerRecorded(context, {
        kind,
        actor: request.actor,
        payload: given as Fields,
        rationale: request.rationale,
        replaces: request.replaces,
        ask: request.ask,
      })
    },
  }) as unknown as Operation
  return operation
}

/** Names the tool that proposes a kind, if the caller has it. @throws GateError `invalid` */
function refuseKindOfTool(context: CallContext, kind: string, others: Operation[]): void {
  const other = others.find(({ proposes = [] }) => proposes.includes(kind))
  if (!other || !context.deps.config.TOOLS.includes(other.tool.group) || !maySee(context, other)) return
  const how =
    context.source === 'mcp'
      ? `use ${other.name}`
      : `use the MCP tool ${other.name}, with the same key at POST /api/mcp`
  throw new GateError('invalid', `${kind} cannot be proposed here; ${how}.`, { param: 'kind' })
}
