import { randomUUID } from 'node:crypto'
import type { Fields } from '../../actions/kind.ts'
import type { RunnerMandatePayload } from '../../actions/runner-mandate/kind.ts'
import type { ActionRow } from '../../db/queries/actions/actions.ts'
import type { MandateRow } from '../../db/queries/actions/mandates.ts'
import { type AskedCall, readApprovedCalls, readMandates } from '../../db/queries/runner/mandates.ts'
import { projectCommands } from '../../gate/runner-calls/project-line.ts'
import { type Runner, type ToolCall, runnerMandateKind } from '../../gate/runner-calls/tool-call.ts'
import { GateError } from '../../errors.ts'
import { limits } from '../../limits.ts'
import { workflowInput } from '../../temporal/names.ts'
import type { ActingMember } from '../members/actor.ts'
import { judgeProposal } from '../proposals/judge-proposal.ts'
import { requireOwnKind } from '../actions/require-kind.ts'
import { storeProposal } from '../proposals/store-proposal.ts'
import { type Pin, pinnedBy } from './bind-files.ts'
import { askMember } from './ask-member.ts'
import { toolCallOf } from '../policy/dry-run-calls.ts'
import type { JudgedCall } from './judge-call.ts'
import { type Mandatable, covers, names } from './mandates.ts'
import type { RunnerContext } from './runner-context.ts'

/** Approvals after which a mandate is proposed. */
const mandateAfterApprovals = 2

const mandateDeclinedMs = 604_800_000

/** That the agent was stopped, for the card. */
export type StoppedFields = Pick<RunnerMandatePayload, 'stopped_until' | 'asked_most'>

/**
 * Proposes a mandate for a project's own tools, once the member has approved such calls one by one, or once they were asked about them so
 * often that the agent is stopped.
 * @returns the proposal about which the member is asked; null where none is made: too few approvals, declined lately, or one is open
 */
export async function offerMandate(
  context: RunnerContext,
  acting: ActingMember,
  judged: JudgedCall,
  { wanted, stopped, asked = [] }: { wanted: Mandatable; stopped?: StoppedFields; asked?: AskedCall[] },
): Promise<ActionRow | null> {
  const { db } = context.deps
  const former = await readMandates(db, context.account, wanted.scope)
  if (former.some(isOpen) || former.some((one) => isDeclined(one, acting.facts.now))) return null
  const approved = await readApprovedCalls(db, context.account, context.keyId)
  // One that is not in force may have been erased.
  const held = former.filter(
    (one) => one.isInForce && covers(one, { ...wanted, commands: [], pins: sharedPins(one, wanted) }),
  )
  const pins = [...new Map([...held.flatMap(pinsOf), ...wanted.pins].map((pin) => [pin.path, pin])).values()]
  const lines = [...asked, ...approved]
    .map((one) => commandsIn(one, judged.asked.call))
    .filter((line) => line !== null && isNew(line, { former, wanted, pins }))
  if (lines.length < mandateAfterApprovals) return null
  const commands = [
    ...new Set([
      ...wanted.commands,
      ...lines.flatMap((line) => line!.commands),
      ...held.flatMap((one) => payloadOf(one).commands),
    ]),
  ]
  const offer = { ...wanted, ...stopped, pins, commands: commands.slice(0, limits.mandateCommandsMax) }
  return propose(context, acting, judged, offer)
}

/** The files that a mandate and a call are both pinned to, as the call found them. */
const sharedPins = (mandate: MandateRow, { pins }: Mandatable): Pin[] =>
  pins.filter(({ path }) => pinsOf(mandate).some((pin) => pin.path === path))

/** Whether no mandate covers a former call, and the digests of its files are known now. */
function isNew(
  { commands, pinned }: Line,
  { former, wanted, pins }: { former: MandateRow[]; wanted: Mandatable; pins: Pin[] },
): boolean {
  const ofLine = pins.filter(({ path }) => pinned.includes(path))
  const isKnown = ofLine.length === pinned.length
  return isKnown && !former.some((one) => covers(one, { ...wanted, commands, pins: ofLine }))
}

/** An open proposal that would cover these commands; null where there is none. */
export async function openMandate(
  { deps, account }: RunnerContext,
  wanted: Mandatable,
): Promise<ActionRow | null> {
  const rows = await readMandates(deps.db, account, wanted.scope)
  return (
    rows.find((one) => isOpen(one) && names(one.action.payload as RunnerMandatePayload, wanted))?.action ??
    null
  )
}

const payloadOf = ({ action }: MandateRow): RunnerMandatePayload => action.payload as RunnerMandatePayload
const pinsOf = (mandate: MandateRow): Pin[] => payloadOf(mandate).pinned_to

const isOpen = ({ action }: MandateRow): boolean =>
  action.status === 'proposed' && (action.decision !== null || action.expires_at!.getTime() > Date.now())

const isDeclined = ({ action }: MandateRow, now: Date): boolean =>
  (action.closed_reason === 'member_declined' || action.closed_reason === 'admin') &&
  now.getTime() - action.decided_at!.getTime() < mandateDeclinedMs

interface Line {
  commands: string[]
  /** The paths of the files that it is pinned to. */
  pinned: string[]
}

/** The commands of an earlier call in the same folder by the same tool; null where it was another or did more. */
function commandsIn({ runner, tool, call }: AskedCall, now: ToolCall): Line | null {
  if (!call || runner !== now.runner || tool !== now.tool) return null
  if (call.cwd !== now.cwd || call.mcp_server !== now.mcpServer) return null
  const { cwd, mcp_server: mcpServer, input } = call
  const former = {
    ...toolCallOf({ runner: runner as Runner, tool, cwd, mcpServer }),
    input: input as ToolCall['input'],
  }
  const commands = projectCommands(former)
  // There can be a hundred of these calls, so only short lines are read.
  const pinned = commands && pinnedBy(former)
  return commands && pinned && { commands, pinned }
}

async function propose(
  context: RunnerContext,
  acting: ActingMember,
  { asked: { call }, rules, verdict }: JudgedCall,
  { commands, scope, ruleDigest, pins, required, ...stopped }: Mandatable & StoppedFields,
): Promise<ActionRow | null> {
  const { deps } = context
  const kind = requireOwnKind(deps, runnerMandateKind)
  const tier = verdict.rule === null ? undefined : rules.rules[verdict.rule - 1]!.tier
  const payload: RunnerMandatePayload = {
    runner: call.runner,
    tool: call.tool,
    cwd: call.cwd!,
    commands,
    days: limits.mandateMs / 86_400_000,
    pinned_to: pins,
    rule_digest: ruleDigest,
    ...(tier && { required_tier: tier }),
    required_consent: required,
    ...stopped,
  }
  const freeze = async () => ({ payload: payload as unknown as Fields, facts: [] })
  const judged = await judgeProposal(context, { kind, acting, given: payload as unknown as Fields, freeze })
  // Nobody asked for it: a denial would be about nothing.
  if (judged.denial) return null
  const { outcome, action } = await storeProposal(context, acting, judged, {
    uuid: randomUUID(),
    kind: runnerMandateKind,
    ttl_ms: kind.expiresAfterMs,
    mandate_scope: scope,
  })
  // Another request has offered it meanwhile, or the member has enough to decide.
  if (outcome !== 'created') return null
  deps.starter.startInBackground(workflowInput(action))
  const asked = await askMember(
    context,
    acting,
    action,
    'A mandate requires the consent of its member',
  ).catch((error: unknown) => {
    // It stays open, and stands in the console.
    if (error instanceof GateError && error.code === 'too_many') return 'not asked' as const
    throw error
  })
  return typeof asked === 'string' || asked.outcome !== 'asked' ? null : asked.row
}
