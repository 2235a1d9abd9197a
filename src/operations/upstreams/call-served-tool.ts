import { randomUUID } from 'node:crypto'
import type { ActionRow } from '../../db/queries/actions/actions.ts'
import { GateError } from '../../errors.ts'
import type { Json } from '../../gate/canonical.ts'
import { upstreamKind } from '../../gate/declared/upstream-call.ts'
import type { Policy } from '../../gate/policy.ts'
import { readServed } from '../../upstreams/list-served.ts'
import type { ServedTool } from '../../upstreams/served-tool.ts'
import type { ServedTools } from '../../upstreams/upstream-deps.ts'
import { type AskedProposal, askOrUseMandate, asksAtOnce } from '../consent/ask-at-once.ts'
import { moneyCard } from '../consent/card-of-row.ts'
import { workflowInput } from '../../temporal/names.ts'
import type { ActingMember } from '../members/actor.ts'
import type { CallContext } from '../operation.ts'
import { viewRow } from '../actions/action-view.ts'
import type { JudgedProposal } from '../proposals/judge-proposal.ts'
import { tooManyOpen } from '../proposals/record-proposal.ts'
import { storeProposal } from '../proposals/store-proposal.ts'
import { noteKeyRefused } from '../refused-write.ts'
import { isOfKind } from '../require-key-kind.ts'
import { type Stale, keepsChanging, retryStale } from '../retry-stale.ts'
import type { ActionRequest } from '../schemas.ts'
import { actorArgument, splitActor } from './actor-argument.ts'
import { type ToolCaller, callerOfTool } from './caller-of-tool.ts'
import { judgeUpstreamCall } from './judge-upstream-call.ts'
import { type PassedCall, passUpstreamCall } from './pass-upstream-call.ts'

/** The answer to a call: the server's own, or the action that the call became. */
export type ToolAnswer = PassedCall | { action: ActionRequest }

/** A call as an agent makes it. */
export interface CallOfTool {
  /** The tool as it is served: `github__create_issue`. */
  name: string
  /** The arguments of the tool, and the member that it acts for, unless the key is bound to one. */
  given: { [name: string]: Json | undefined }
}

/** Whether a key sees and calls the tools of MCP servers behind the gate. Pure. */
export const mayCallTools = (context: Pick<CallContext, 'powers' | 'kinds'>): boolean =>
  context.powers.includes('propose') && isOfKind(context, upstreamKind)

/** The tools that are shown to a key: those that an administrator reviewed, and whose rule does not deny every call. */
export async function shownTools(context: CallContext): Promise<readonly ServedTool[]> {
  if (!mayCallTools(context)) return []
  const { tools } = await readServed(context.deps, context.account, context.upstreamsVersion)
  return tools.filter(({ state, rule }) => state === 'reviewed' && rule.rule !== 'deny')
}

/**
 * Calls a tool of an MCP server of the account for a member: passed on, proposed, or denied, by the rule of the tool. Every
 * answer is recorded by a statement that checks the key.
 * @returns undefined where the account has no such tool
 * @throws GateError `unavailable`: the server was not reached, or its answer was lost; and as `callerOfTool`
 */
export async function callServedTool(
  context: CallContext,
  call: CallOfTool,
): Promise<ToolAnswer | undefined> {
  const uuid = randomUUID()
  let isFirst = true
  const attempt = () => {
    const mayBeKept = isFirst
    isFirst = false
    return callOnce(context, call, { uuid, mayBeKept })
  }
  try {
    return await retryStale(attempt, () => keepsChanging('The tool was not called.'))
  } catch (error) {
    // The transport authenticates a kept key again, and notes what is to be noted.
    if (error instanceof GateError && error.code === 'unauthenticated' && !context.isKept)
      await noteKeyRefused(context.deps, context.keyHash, upstreamKind, context.source)
    throw error
  }
}

async function callOnce(
  context: CallContext,
  { name, given }: CallOfTool,
  { uuid, mayBeKept }: { uuid: string; mayBeKept: boolean },
): Promise<ToolAnswer | undefined | Stale> {
  const { served, isKept } = await toolsOf(context, mayBeKept)
  const tool = served.tools.find((one) => one.name === name)
  if (!tool) return isKept ? 'stale' : undefined
  const { actor, args } = splitActor(context, tool, given)
  const named = { actor, argument: actorArgument(tool) }
  const caller = await callerOfTool(context, named, mayBeKept).catch((refusal: unknown) => {
    // Another argument may name the member in the tool's new version.
    if (!isKept || !(refusal instanceof GateError) || refusal.code !== 'invalid') throw refusal
  })
  if (!caller) return 'stale'
  const call = { served: tool, arguments: args }
  const ruling = await judgeUpstreamCall(context, caller, call)
  if (ruling.isPassed)
    return passUpstreamCall(context, {
      uuid,
      caller,
      call,
      rule: ruling.rule,
      upstreamsVersion: served.version,
    })
  // A proposal must rest on current facts. Only a call that is passed on is checked again, by its record.
  if (isKept || caller.isKept) return 'stale'
  return record(context, caller, { uuid, proposal: ruling.proposal })
}

/** The tools as they are kept, if they may be; else as they are now. */
async function toolsOf(
  { deps, account, upstreamsVersion }: CallContext,
  mayBeKept: boolean,
): Promise<{ served: ServedTools; isKept: boolean }> {
  const kept = mayBeKept ? deps.upstreams.tools.get(account)?.value : undefined
  if (kept) return { served: kept, isKept: true }
  return { served: await readServed(deps, account, mayBeKept ? upstreamsVersion : undefined), isKept: false }
}

/** Writes the row of a call that is not passed on, proposed or denied. */
async function record(
  context: CallContext,
  acting: ToolCaller,
  { uuid, proposal }: { uuid: string; proposal: JudgedProposal },
): Promise<ToolAnswer | Stale> {
  const { deps } = context
  const { outcome, action } = await storeProposal(context, acting, proposal, { uuid, kind: upstreamKind })
  switch (outcome) {
    case 'created':
    case 'replayed':
      if (action.status === 'proposed') deps.starter.startInBackground(workflowInput(action))
      return { action: await answerProposed(context, acting, { action, policy: proposal.policy }) }
    case 'stale':
      return 'stale'
    case 'too_many':
    case 'too_many_of_key':
      throw tooManyOpen(outcome)
    case 'reused':
      throw new GateError('internal', 'A call without an Idempotency-Key was found under one.')
  }
}

/** The action that a call became, after the member was asked where that is done at once. */
async function answerProposed(
  context: CallContext,
  acting: ActingMember,
  { action, policy }: { action: ActionRow; policy: Policy },
): Promise<ActionRequest> {
  const isAsked = asksAtOnce(context, policy, { required: action.consent_required })
  const { row, problem, outside }: AskedProposal = isAsked
    ? await askOrUseMandate(context, acting, action, false)
    : { row: action }
  return {
    ...viewRow(row, context),
    ...(problem === undefined ? {} : { consent_request_problem: problem }),
    ...(outside === undefined ? {} : { mandate_problem: outside }),
    ...(await moneyCard(context.deps, row)),
  }
}
