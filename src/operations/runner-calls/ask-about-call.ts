import { randomUUID } from 'node:crypto'
import type { Fields } from '../../actions/kind.ts'
import type { ActionRow } from '../../db/queries/actions/actions.ts'
import { readApprovedFiles } from '../../db/queries/runner/approved-files.ts'
import { readConsentStop } from '../../db/queries/runner/mandates.ts'
import { type ToolConsent, readToolConsent, spendToolGrant } from '../../db/queries/runner/tool-consents.ts'
import { type ConsentStrength, meetsFloor } from '../../gate/consent.ts'
import { type Denial, denial } from '../../gate/denial.ts'
import { ruleOnCall } from '../../gate/runner-calls/rule-on-call.ts'
import type { ToolVerdict } from '../../gate/runner-calls/rules.ts'
import { runnerKind } from '../../gate/runner-calls/tool-call.ts'
import { GateError } from '../../errors.ts'
import { limits } from '../../limits.ts'
import { refusalSentence } from '../clearance/refusal.ts'
import { workflowInput } from '../../temporal/names.ts'
import type { ActingMember } from '../members/actor.ts'
import { isOpen, isRunning } from '../actions/action-view.ts'
import { standingOf } from '../clearance/evaluate-clearance.ts'
import { judgeProposal } from '../proposals/judge-proposal.ts'
import { requireOwnKind } from '../actions/require-kind.ts'
import { tooManyOpen } from '../proposals/record-proposal.ts'
import { storeProposal } from '../proposals/store-proposal.ts'
import type { DecisionTime } from '../../waiting/until-claimed.ts'
import type { Stale } from '../retry-stale.ts'
import { askMember } from './ask-member.ts'
import { answerByBounded } from './bounded-mandates.ts'
import type { JudgedCall } from './judge-call.ts'
import { type Mandatable, answerByMandate, mandatableOf } from './mandates.ts'
import { type StoppedFields, offerMandate, openMandate } from './offer-mandate.ts'
import { recordAnswer } from './record-answer.ts'
import type { RunnerAnswer, StillWaiting } from './runner-answer.ts'
import type { RunnerContext } from './runner-context.ts'
import { offerInStop, stopDenial, tellOfStop } from './stop-asking.ts'
import { inputWithFiles, payloadOf, toKeep } from './tool-call-view.ts'

type Step = RunnerAnswer | StillWaiting | Stale

/** One decision of a request. */
export interface Turn {
  /** The action that this request has waited for. */
  waitedFor: number | null
  /** An approval is spent within this time or not at all: the runner is told that nothing was decided once it ends. */
  time: DecisionTime
}

/**
 * Answers a call that requires the member's consent: allows it where a mandate of the member covers it, or the member has approved
 * exactly this call and the approval was not used yet; otherwise has the member asked.
 */
export async function askAboutCall(
  context: RunnerContext,
  acting: ActingMember,
  judged: JudgedCall,
  turn: Turn,
): Promise<Step> {
  const wanted = mandatableOf(context, acting, judged)
  const byMandate = wanted && (await answerByMandate(context, acting, { judged, wanted, time: turn.time }))
  return (
    byMandate ??
    (await answerByBounded(context, acting, { judged, time: turn.time })) ??
    askOnce(context, acting, { judged, wanted }, turn)
  )
}

/** A call, and what a mandate for it would cover; null where none can. */
interface Wanted {
  judged: JudgedCall
  wanted: Mandatable | null
}

async function askOnce(
  context: RunnerContext,
  acting: ActingMember,
  asking: Wanted,
  { waitedFor, time }: Turn,
): Promise<Step> {
  const { db } = context.deps
  const { judged } = asking
  const { binding, ref, call } = judged.asked
  const consent = await readToolConsent(db, context.account, { binding, ref, hasId: call.callId !== null })
  if (!consent) return proposeOrStop(context, acting, asking)
  const { action } = consent
  if (isOpen(action)) {
    if (action.expires_at! <= consent.now) return proposeOrStop(context, acting, asking)
    if (action.asked_at === null) return ask(context, acting, judged, action)
    return { waitsFor: action, offer: asking.wanted && (await openMandate(context, asking.wanted)) }
  }
  if (isRunning(action)) return { waitsFor: action }
  if (isUsable(context, acting, consent, judged)) return use(context, acting, { judged, action, time })
  // The same call, not a repeat of it: its answer may have been lost, but the tool may also have run.
  if (consent.is_spent_by_call) return refuse(context, acting, judged, alreadyUsed(action))
  if (!declinedRecently(consent)) return proposeOrStop(context, acting, asking)
  // The row of the request says that it was declined, and by whom: the call that it was about needs no other.
  return consent.is_asked_by_call || action.id === waitedFor
    ? denied(action, declineSentence(action))
    : refuse(context, acting, judged, declinedBefore(action))
}

function isUsable(
  { deps }: Pick<RunnerContext, 'deps'>,
  { facts, member }: ActingMember,
  { action, expires_at, spent_at, now }: ToolConsent,
  judged: JudgedCall,
): boolean {
  const isInForce =
    action.status === 'executed' && spent_at === null && expires_at !== null && expires_at > now
  if (!isInForce) return false
  // The rule, or what the policy requires of every such call, may have become stricter since.
  const { policy } = standingOf(deps, facts, member)
  const required = ruleOnCall(policy, judged.asked.call, judged.tier).consent
  return required !== null && meetsFloor(action.consent_strength as ConsentStrength, required)
}

/** For as long as a consent could be used, a refusal stands: the same question is not asked again. */
const declinedRecently = ({ action, now }: ToolConsent): boolean =>
  (action.closed_reason === 'member_declined' || action.closed_reason === 'admin') &&
  now.getTime() - action.decided_at!.getTime() < limits.grantMs

function declineSentence({ member, closed_reason: how, decline_reason: why }: ActionRow): string {
  if (how === 'admin') return 'An administrator cancelled the request for this call.'
  return why === null ? `${member} declined this call.` : `${member} declined this call: ${why}`
}

/** A refusal because of how an earlier request ended. `told` is the agent's text, where it differs from the ledger's. */
interface Refusal {
  denial: Denial
  told?: string
}

const alreadyUsed = ({ id }: ActionRow): Refusal => ({
  denial: denial(
    'consent_used',
    `The consent to this very call (action ${id}) was already used. It is not used twice.`,
  ),
})

function declinedBefore(action: ActionRow): Refusal {
  const { id, closed_reason: how } = action
  // Without name and reason, which can be erased: the sentence of a denial stays in the ledger.
  const sentence =
    how === 'admin'
      ? `An administrator cancelled the request for this call (action ${id}).`
      : `The member declined this call (action ${id}).`
  return { denial: denial('consent_declined', sentence), told: declineSentence(action) }
}

/** Denies a call in a row of its own. A repeat of the call gets the same row. */
async function refuse(
  context: RunnerContext,
  acting: ActingMember,
  judged: JudgedCall,
  { denial: why, told }: Refusal,
): Promise<Step> {
  const verdict: ToolVerdict = { ...judged.verdict, decision: 'deny', consent: null }
  const answer = await recordAnswer(context, acting, { ...judged, verdict, denial: why })
  return typeof answer === 'string' || told === undefined
    ? answer
    : { ...answer, reason: `${told} (action ${answer.actionId})` }
}

const denied = ({ id }: ActionRow, sentence: string): RunnerAnswer => ({
  decision: 'deny',
  reason: `${sentence} (action ${id})`,
  actionId: id,
})

async function use(
  context: RunnerContext,
  { facts, member }: ActingMember,
  { judged, action, time }: { judged: JudgedCall; action: ActionRow; time: DecisionTime },
): Promise<Step> {
  const answer = await time.claim(async (withinMs): Promise<RunnerAnswer | undefined> => {
    const outcome = await spendToolGrant(context.deps.db, {
      account: context.account,
      id: action.id,
      apiKey: context.keyHash,
      memberId: member.memberId,
      versions: { member: member.version, curricula: facts.curriculaVersion, policy: facts.policyVersion },
      withinMs,
      call: toKeep(judged.asked, judged.verdict),
    })
    return outcome === 'spent'
      ? {
          decision: 'allow',
          reason: `${action.member} approved this call (action ${action.id}).`,
          actionId: action.id,
        }
      : undefined
  })
  // Another call used it, or it ended, or the account was suspended: the next try is judged as such.
  return answer ?? 'stale'
}

/**
 * Has the member asked, unless they were asked as often as is allowed: then they are told so once, and calls are denied. A mandate is
 * offered where it would spare questions.
 */
async function proposeOrStop(
  context: RunnerContext,
  acting: ActingMember,
  { judged, wanted }: Wanted,
): Promise<Step> {
  const { deps, account } = context
  const stop = await readConsentStop(deps.db, account, context)
  if (!stop) {
    const step = await propose(context, acting, judged)
    if (!wanted || typeof step === 'string' || !('waitsFor' in step)) return step
    return { ...step, offer: await offerMandate(context, acting, judged, { wanted }) }
  }
  if (stop.told_id === null) {
    const { offer, stopped } = await tellOfStop(context, acting, { judged, wanted }, stop)
    if (!offer) return propose(context, acting, judged, stopped)
    stop.told_id = offer.id
    stop.told_kind = offer.kind
  }
  const offered = wanted && (await offerInStop(context, acting, { judged, wanted }))
  return offered ? { waitsFor: offered } : refuse(context, acting, judged, { denial: stopDenial(stop) })
}

/** Records the call as a proposal, and has its member asked. */
async function propose(
  context: RunnerContext,
  acting: ActingMember,
  call: JudgedCall,
  stopped: StoppedFields = {},
): Promise<Step> {
  const { deps } = context
  const { asked, verdict } = call
  const kind = requireOwnKind(deps, runnerKind)
  const approved = await readApprovedFiles(deps.db, context.account, {
    memberId: acting.member.memberId,
    cwd: asked.call.cwd,
    paths: asked.bound.files.map(({ path }) => path),
  })
  const payload = { ...payloadOf(asked, verdict, approved), ...stopped } as unknown as Fields
  const freeze = async () => ({ payload, facts: [] })
  const judged = await judgeProposal(context, { kind, acting, given: payload, freeze })
  const { outcome, action } = await storeProposal(context, acting, judged, {
    uuid: randomUUID(),
    kind: runnerKind,
    ttl_ms: kind.expiresAfterMs,
    input: inputWithFiles(asked, approved),
    tool_call: toKeep(asked, verdict),
  })
  if (outcome === 'stale') return 'stale'
  if (outcome === 'too_many' || outcome === 'too_many_of_key') throw tooManyOpen(outcome)
  if (action.status === 'denied') return denied(action, action.denial_reason!)
  deps.starter.startInBackground(workflowInput(action))
  return ask(context, acting, call, action)
}

/** Has the member asked. A row that nobody could be asked about stays open, and is asked about at the next repeat. */
async function ask(
  context: RunnerContext,
  acting: ActingMember,
  judged: JudgedCall,
  row: ActionRow,
): Promise<Step> {
  const asked = await askMember(
    context,
    acting,
    row,
    'This tool call requires the consent of its member',
  ).catch(async (error: unknown) => {
    if (!(error instanceof GateError) || error.code !== 'too_many') throw error
    // Other requests came first.
    const stop = await readConsentStop(context.deps.db, context.account, context)
    return stop ?? ('stale' as const)
  })
  if (typeof asked === 'string') return asked
  if ('until' in asked) return refuse(context, acting, judged, { denial: stopDenial(asked) })
  switch (asked.outcome) {
    case 'asked':
      return { waitsFor: asked.row }
    case 'denied':
      return denied(asked.row, asked.row.denial_reason!)
    case 'refused':
      return denied(
        row,
        asked.sentence ?? refusalSentence(row, 'confirm', { reason: asked.reason, reader: null }),
      )
  }
}
