import { randomBytes, randomUUID } from 'node:crypto'
import type { ToolRow } from '../../db/queries/runner/tool-calls.ts'
import { GateError } from '../../errors.ts'
import { type Json, canonical } from '../../gate/canonical.ts'
import { type ActingMember, memberLabel } from '../members/actor.ts'
import type { Stale } from '../retry-stale.ts'
import type { JudgedCall } from './judge-call.ts'
import type { RunnerAnswer } from './runner-answer.ts'
import type { RunnerContext } from './runner-context.ts'
import { payloadOf, readAgain } from './tool-call-view.ts'

/** Records a call that the rules allow or deny, and answers it. A refused call gets a row in the ledger. */
export async function recordAnswer(
  { deps, account, keyId, keyHash }: RunnerContext,
  { facts, member }: ActingMember,
  judged: JudgedCall,
): Promise<RunnerAnswer | Stale> {
  const { asked, tier, verdict, denial } = judged
  const { call } = asked
  const { outcome, action_id: actionId } = await deps.toolCalls.record(account, {
    asker: {
      keyId,
      apiKey: keyHash,
      memberId: member.memberId,
      member: memberLabel(member),
      tier,
      memberVersion: member.version,
      curriculaVersion: facts.curriculaVersion,
      policyVersion: facts.policyVersion,
      isSuspended: facts.isSuspended,
    },
    runner: call.runner,
    tool: call.tool,
    effect: verdict.effect,
    ref: asked.ref,
    binding: asked.binding,
    hasId: call.callId !== null,
    decision: denial ? 'deny' : 'allow',
    rule: verdict.rule,
    call: readAgain(call, asked.input),
    row: rowOf(judged),
  })
  switch (outcome) {
    case 'stale':
      return 'stale'
    case 'unauthenticated':
      deps.kept.dropKey(keyHash)
      throw new GateError('unauthenticated', 'This API key is no longer valid: it was revoked or expired.')
    case 'recorded':
    case 'replayed':
      return denial
        ? { decision: 'deny', reason: `${denial.sentence} (action ${actionId})`, actionId }
        : { decision: 'allow', reason: `Rule ${verdict.rule}: ${verdict.note}`, actionId }
  }
}

function rowOf({ asked, rules, verdict, denial }: JudgedCall): ToolRow | null {
  if (!denial && rules.record !== 'all') return null
  return {
    uuid: randomUUID(),
    payload: canonical(payloadOf(asked, verdict) as unknown as Json),
    salt: randomBytes(16),
    input: asked.input,
    rule: denial?.sentence ?? `Rule ${verdict.rule} allows this ${asked.call.tool} call: ${verdict.note}`,
    denialReason: denial?.sentence ?? null,
    denialCode: denial?.code ?? null,
    denialNeeds: denial?.needs ?? null,
  }
}
