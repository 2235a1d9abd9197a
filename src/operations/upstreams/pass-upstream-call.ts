import { randomBytes } from 'node:crypto'
import type { PassedResult } from '../../db/queries/upstreams/passed-calls.ts'
import { GateError } from '../../errors.ts'
import { type Json, canonical } from '../../gate/canonical.ts'
import { eventId } from '../../ledger/digest.ts'
import { type CallOutcome, callUpstream } from '../../upstreams/call-upstream.ts'
import { refusedKey } from '../authenticate.ts'
import { memberLabel } from '../members/actor.ts'
import type { CallContext } from '../operation.ts'
import { standingOf } from '../clearance/evaluate-clearance.ts'
import type { Stale } from '../retry-stale.ts'
import type { ToolCaller } from './caller-of-tool.ts'
import { type UpstreamCall, payloadOf } from './judge-upstream-call.ts'

interface CallToPassOn {
  /** The same at every try. */
  uuid: string
  caller: ToolCaller
  call: UpstreamCall
  /** The rule that passed it on, in words. */
  rule: string
  upstreamsVersion: number
}

/** The answer of a server, and the action of the call. */
export interface PassedCall {
  passed: NonNullable<CallOutcome['result']>
  id: number
}

/**
 * Passes a call on that needs no consent. Its row is committed before the call, with an unknown outcome: that stands where this
 * process dies.
 * @throws GateError `unavailable` where the server was not reached, or its answer was lost
 */
export async function passUpstreamCall(
  context: CallContext,
  { uuid, caller, call, rule, upstreamsVersion }: CallToPassOn,
): Promise<PassedCall | Stale> {
  const { deps, account, keyHash, source } = context
  const { facts, member } = caller
  const recorded = await deps.passedCalls.call(account, {
    uuid,
    rule,
    memberId: member.memberId,
    member: memberLabel(member),
    tier: standingOf(deps, facts, member).tier,
    source,
    payload: canonical(payloadOf(call) as unknown as Json),
    salt: randomBytes(16),
    memberVersion: member.version,
    curriculaVersion: facts.curriculaVersion,
    policyVersion: facts.policyVersion,
    upstreamsVersion,
    apiKey: keyHash,
  })
  if (recorded.outcome === 'stale') return 'stale'
  if (recorded.outcome === 'unauthenticated') throw refusedKey()
  const id = recorded.action_id
  // A caller who hangs up ends waiting, never work.
  const { signal } = new AbortController()
  const made = await callUpstream(deps, call.served, call.arguments, { signal, version: upstreamsVersion })
  const answer = { id, eventId: eventId(uuid, 'answered'), result: resultOf(made) }
  // The answer does not wait for its record: until it is there, the outcome stands as unknown.
  deps.background.start('due', 'record what a tool answered', () => deps.passedCalls.answer(account, answer))
  return answerOf(made, call, id)
}

function resultOf({ fate }: CallOutcome): PassedResult {
  switch (fate) {
    case 'ok':
      return { outcome: 'done' }
    case 'tool_error':
      return { outcome: 'done', is_error: true }
    case 'not_done':
      return { outcome: 'refused', code: 'not_taken' }
    case 'unknown':
      return { outcome: 'unknown', code: 'no_answer' }
  }
}

function answerOf(
  { fate, result, why = 'it gave no reason' }: CallOutcome,
  { served: { upstream, name } }: UpstreamCall,
  id: number,
): PassedCall {
  if (fate === 'not_done')
    throw new GateError(
      'unavailable',
      `The MCP server ${upstream} did not take the call (action ${id}). Nothing was done. Reason: ${why}`,
      { retryAfterSeconds: 10 },
    )
  if (fate === 'unknown')
    throw new GateError(
      'unavailable',
      `The answer of ${name} was lost (action ${id}): it may have been done. Check at ${upstream} before you call it again.`,
      { detail: 'outcome_unknown' },
    )
  if (result) return { passed: result, id }
  return { passed: { content: [{ type: 'text', text: why }], isError: true }, id }
}
