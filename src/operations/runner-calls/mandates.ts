import type { MandateRow } from '../../db/queries/actions/mandates.ts'
import { readMandates, useMandate } from '../../db/queries/runner/mandates.ts'
import type { RunnerMandatePayload } from '../../actions/runner-mandate/kind.ts'
import { type ConsentStrength, type RequestedStrength, meetsFloor } from '../../gate/consent.ts'
import { clearance } from '../../gate/policy.ts'
import { askingRule } from '../../gate/runner-calls/asking-rule.ts'
import { projectCommands } from '../../gate/runner-calls/project-line.ts'
import { ruleOnCall } from '../../gate/runner-calls/rule-on-call.ts'
import { runnerMandateKind } from '../../gate/runner-calls/tool-call.ts'
import { mandateScope, sha256 } from '../../ledger/digest.ts'
import type { DecisionTime } from '../../waiting/until-claimed.ts'
import type { ActingMember } from '../members/actor.ts'
import { standingOf } from '../clearance/evaluate-clearance.ts'
import type { Stale } from '../retry-stale.ts'
import type { JudgedCall } from './judge-call.ts'
import type { Pin } from './bind-files.ts'
import type { RunnerAnswer } from './runner-answer.ts'
import type { RunnerContext } from './runner-context.ts'
import { toKeep } from './tool-call-view.ts'

/** What a call and a mandate that covers it have in common. */
export interface Mandatable {
  commands: string[]
  scope: Buffer
  ruleDigest: string
  /** The programs and manifests that it runs, as they are. */
  pins: Pin[]
  /** The least consent that each such call requires now. */
  required: RequestedStrength
}

/**
 * What a mandate would have to cover for a call that requires consent; null where none can: it does more than to run a project's own
 * tools, or a rule names it. Pure.
 */
export function mandatableOf(
  { deps, keyId, memberId }: Pick<RunnerContext, 'deps' | 'keyId' | 'memberId'>,
  { facts, member }: ActingMember,
  { asked: { call, bound }, rules, verdict, tier }: JudgedCall,
): Mandatable | null {
  const commands = projectCommands(call)
  const rule = askingRule(rules, verdict.rule)
  if (!commands || rule === null || bound.pins === null) return null
  const { policy } = standingOf(deps, facts, member)
  const { consent } = ruleOnCall(policy, call, tier)
  const ofMandates = clearance(policy, { kind: runnerMandateKind }, tier)
  if (consent === null || !ofMandates.allowed) return null
  return {
    commands,
    scope: mandateScope(call, { keyId, memberId }),
    ruleDigest: sha256(rule).toString('hex'),
    pins: bound.pins,
    required: meetsFloor(consent, ofMandates.consent) ? consent : (ofMandates.consent as RequestedStrength),
  }
}

/** Whether a mandate that is in force allows calls with these commands. Pure. */
export function covers(
  { action, isInForce, frozen_at: frozen }: Pick<MandateRow, 'action' | 'isInForce' | 'frozen_at'>,
  { required, ...wanted }: Omit<Mandatable, 'scope'>,
): boolean {
  if (!isInForce || frozen !== null || !meetsFloor(action.consent_strength as ConsentStrength, required))
    return false
  return names(action.payload as RunnerMandatePayload, wanted)
}

/** Whether a mandate names all of these commands and files, under the rule that asks about them. Pure. */
export function names(
  { commands: named, pinned_to: files, rule_digest: ruled }: RunnerMandatePayload,
  { commands, ruleDigest, pins }: Pick<Mandatable, 'commands' | 'ruleDigest' | 'pins'>,
): boolean {
  return (
    ruled === ruleDigest &&
    commands.every((command) => named.includes(command)) &&
    pins.every((pin) => files.some(({ path, sha256: digest }) => path === pin.path && digest === pin.sha256))
  )
}

/** Allows a call that a mandate of its member covers, and records the use. @returns null where none covers it */
export async function answerByMandate(
  context: RunnerContext,
  { facts, member }: ActingMember,
  { judged, wanted, time }: { judged: JudgedCall; wanted: Mandatable; time: DecisionTime },
): Promise<RunnerAnswer | Stale | null> {
  const { deps, account } = context
  const found = (await readMandates(deps.db, account, wanted.scope)).find((one) => covers(one, wanted))
  if (!found) return null
  const { id } = found.action
  const answer = await time.claim(async (withinMs): Promise<RunnerAnswer | undefined> => {
    const outcome = await useMandate(deps.db, {
      account,
      id,
      scope: wanted.scope,
      apiKey: context.keyHash,
      memberId: member.memberId,
      versions: { member: member.version, curricula: facts.curriculaVersion, policy: facts.policyVersion },
      withinMs,
      hasId: judged.asked.call.callId !== null,
      call: toKeep(judged.asked, judged.verdict),
    })
    return outcome === 'used'
      ? {
          decision: 'allow',
          reason: `${found.action.member} allowed this command until ${found.expires_at!.toISOString()} (action ${id}).`,
          actionId: id,
        }
      : undefined
  })
  // It ended, or the account was suspended, meanwhile: the next try is judged as such.
  return answer ?? 'stale'
}
