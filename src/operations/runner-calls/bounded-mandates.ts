import { readAgentMandates } from '../../db/queries/actions/mandates.ts'
import { useMandate } from '../../db/queries/runner/mandates.ts'
import { whyOutside } from '../../gate/mandates/outside.ts'
import type { Allowance } from '../../gate/mandates/terms.ts'
import { askingRule } from '../../gate/runner-calls/asking-rule.ts'
import { ruleOnCall } from '../../gate/runner-calls/rule-on-call.ts'
import { applyRules } from '../../gate/runner-calls/rules.ts'
import { runnerKind } from '../../gate/runner-calls/tool-call.ts'
import type { DecisionTime } from '../../waiting/until-claimed.ts'
import { standingOf } from '../clearance/evaluate-clearance.ts'
import { ceilingFor, standingMandate, useOf } from '../consent/by-mandate.ts'
import { tellOfUse } from '../consent/mandate-notice.ts'
import type { ActingMember } from '../members/actor.ts'
import type { Stale } from '../retry-stale.ts'
import type { JudgedCall } from './judge-call.ts'
import type { RunnerAnswer } from './runner-answer.ts'
import type { RunnerContext } from './runner-context.ts'
import { toKeep } from './tool-call-view.ts'

/**
 * Allows a call that requires consent by a bounded mandate of its member, and debits it. As with mandates for commands, a rule that
 * names what it asks about is never answered by one.
 * @returns null where none covers it
 */
export async function answerByBounded(
  context: RunnerContext,
  { facts, member }: ActingMember,
  { judged, time }: { judged: JudgedCall; time: DecisionTime },
): Promise<RunnerAnswer | Stale | null> {
  const { deps, account, keyId } = context
  const { asked, rules, verdict } = judged
  const { policy } = standingOf(deps, facts, member)
  const { consent } = ruleOnCall(policy, asked.call, judged.tier)
  if (consent === null || askingRule(rules, verdict.rule) === null) return null
  const mandates = await readAgentMandates(deps.db, account, { memberId: member.memberId, keyIds: [keyId] })
  if (mandates.length === 0) return null
  const ceiling = ceilingFor(policy.mandates, runnerKind)
  const action = { kind: runnerKind, arguments: {}, amount: undefined }
  const found = mandates.find((one) => {
    const standing = standingMandate(one)
    return (
      standing.terms.allows.some((allowed) => allowsCall(allowed, judged)) &&
      whyOutside(standing, action, { ceiling, floor: consent }) === undefined
    )
  })
  if (!found) return null
  const { id } = found.action
  const answer = await time.claim(async (withinMs): Promise<RunnerAnswer | undefined> => {
    const outcome = await useMandate(deps.db, {
      account,
      id,
      scope: null,
      bounded: useOf(found, standingMandate(found), { ceiling: ceiling!, amount: undefined }),
      apiKey: context.keyHash,
      memberId: member.memberId,
      versions: { member: member.version, curricula: facts.curriculaVersion, policy: facts.policyVersion },
      withinMs,
      hasId: asked.call.callId !== null,
      call: toKeep(asked, verdict),
    })
    return outcome === 'used'
      ? {
          decision: 'allow',
          reason: `${found.action.member} allowed such calls by a mandate until ${found.expires_at!.toISOString()} (action ${id}).`,
          actionId: id,
        }
      : undefined
  })
  if (answer) tellOfUse(deps, found, { actionId: null, email: member.email })
  // It was used up, frozen or ended meanwhile: the next try is judged as such.
  return answer ?? 'stale'
}

/** Whether the calls of an allowance have this one among them, as a rule that allows would. Pure. */
function allowsCall({ kind, calls }: Allowance, { asked, tier }: JudgedCall): boolean {
  if (kind !== runnerKind || !calls) return false
  const rule = { ...calls, decision: 'allow' as const, note: '' }
  return applyRules({ rules: [rule], record: 'refused' }, asked.call, tier).decision === 'allow'
}
