import type { ActionRow } from '../../db/queries/actions/actions.ts'
import { asOneRequest } from '../../db/writes.ts'
import { type ToolCall, runnerMandateKind } from '../../gate/runner-calls/tool-call.ts'
import { limits } from '../../limits.ts'
import { untilClaimed } from '../../waiting/until-claimed.ts'
import { GateError, OutcomeUnknown } from '../../errors.ts'
import { awaitEnd } from '../proposals/await-end.ts'
import type { ActingMember } from '../members/actor.ts'
import { type Stale, keepsChanging, retryStale } from '../retry-stale.ts'
import { type Turn, askAboutCall } from './ask-about-call.ts'
import { type BoundFiles, type FilesWanted, type HookFiles, bindFiles } from './bind-files.ts'
import { enterFolder } from './enter-folder.ts'
import { type JudgedCall, judgeCall } from './judge-call.ts'
import { type RunnerContext, memberOfRunner } from './runner-context.ts'
import { recordAnswer } from './record-answer.ts'
import { digested } from './tool-call-view.ts'
import type { RunnerAnswer, StillWaiting } from './runner-answer.ts'

/** What the hook can do. */
export interface Hook {
  /** How long it can wait for a member. */
  waitMs: number
  /** How long the gate may take for each decision. */
  decideMs: number
  /** The runner can end its turn and ask again later, so nothing needs to wait. */
  canDefer: boolean
  /** What it reports about files. */
  files: HookFiles
}

/**
 * Decides a tool call of an agent runner: allowed or denied by the rules of the account's policy, or by the consent of the
 * member whom the key acts for. While the member decides, the answer waits; then the call is to be repeated unchanged.
 * @throws GateError `unauthenticated`, `forbidden`, `too_many`, `unavailable`: then nothing may run either
 * @source docs/runners.md
 */
export async function decideToolCall(
  context: RunnerContext,
  call: ToolCall,
  { waitMs, decideMs, canDefer, files }: Hook,
): Promise<RunnerAnswer | FilesWanted> {
  const endsAt = performance.now() + waitMs
  let waitedFor: number | null = null
  try {
    for (;;) {
      const decided: RunnerAnswer | StillWaiting | FilesWanted = await untilClaimed(
        decideMs,
        (time) => decideNow(context, { call, files }, { waitedFor, time }),
        tooSlow,
      )
      if (!('waitsFor' in decided)) return decided
      waitedFor = decided.waitsFor.id
      const leftMs = endsAt - performance.now()
      if (canDefer || leftMs <= 0) return callAgain(decided, canDefer)
      const awaited = await awaitEither(context, decided, leftMs)
      if (awaited.status === 'proposed') return callAgain(decided, canDefer)
    }
  } catch (error) {
    // The member was asked: it would be wrong to say that nothing was changed.
    throw waitedFor !== null && isOfDatabase(error)
      ? new OutcomeUnknown('this tool call', 'Call again unchanged.')
      : error
  }
}

/** Waits until the member has decided about the call, or about the mandate that was offered with it. */
async function awaitEither(
  context: RunnerContext,
  { waitsFor, offer }: StillWaiting,
  waitMs: number,
): Promise<ActionRow> {
  if (!offer) return awaitEnd(context, waitsFor, waitMs)
  const decided = new AbortController()
  const hungUp = () => AbortSignal.any([decided.signal, ...(context.hungUp ? [context.hungUp()] : [])])
  try {
    return await Promise.race([waitsFor, offer].map((row) => awaitEnd({ ...context, hungUp }, row, waitMs)))
  } finally {
    decided.abort()
  }
}

const isOfDatabase = (error: unknown): boolean =>
  error instanceof GateError && error.code === 'unavailable' && error.cause !== undefined

/** One decision, without waiting for the member. */
async function decideNow(
  context: RunnerContext,
  { call, files }: { call: ToolCall; files: HookFiles },
  turn: Turn,
): Promise<RunnerAnswer | StillWaiting | FilesWanted> {
  // Without an id of the runner, a repeat is another call.
  if (call.callId === null) await context.takeNonce?.()
  const byRules = await whileStale(async () => {
    const { acting, judged } = await judge(context, call)
    if (judged.verdict.decision !== 'consent') return recordAnswer(context, acting, judged)
    const entering = enterFolder(acting, judged, files)
    return !entering || 'wants' in entering ? (entering ?? 'asks') : recordAnswer(context, acting, entering)
  })
  if (byRules !== 'asks') return byRules
  const bound = bindFiles(call, files)
  if ('wants' in bound) return bound
  await context.takeNonce?.()
  return asOneRequest(() =>
    whileStale(async () => {
      // With facts of now, because those that came with the key were used above: to ask, and to tell about a consent, takes them.
      const { acting, judged } = await judge(context, call, bound)
      const isAsking = judged.verdict.decision === 'consent'
      return isAsking ? askAboutCall(context, acting, judged, turn) : recordAnswer(context, acting, judged)
    }),
  )
}

async function judge(
  context: RunnerContext,
  call: ToolCall,
  bound?: BoundFiles,
): Promise<{ acting: ActingMember; judged: JudgedCall }> {
  const acting = await memberOfRunner(context)
  const asked = digested(call, { keyId: context.keyId, memberId: acting.member.memberId }, bound)
  return { acting, judged: judgeCall(acting, asked) }
}

const whileStale = <T>(attempt: () => Promise<T | Stale>): Promise<T> =>
  retryStale(attempt, () => keepsChanging('The tool call was not allowed.'))

const callAgain = ({ waitsFor }: StillWaiting, canDefer: boolean): RunnerAnswer => ({
  decision: canDefer ? 'defer' : 'deny',
  reason: `${stoppedWords(waitsFor)}Waiting for the consent of ${waitsFor.member}, action ${waitsFor.id}: call again unchanged.`,
  actionId: waitsFor.id,
})

function stoppedWords({ kind, payload: { stopped_until: until } }: ActionRow): string {
  if (until === undefined) return ''
  const may =
    kind === runnerMandateKind ? 'can allow these commands in advance' : 'can decide about this call'
  return `You asked the member too often: until ${String(until)} calls that require consent are denied. The member was told, and ${may}. `
}

const tooSlow = (): GateError =>
  new GateError(
    'unavailable',
    `The gate did not decide within ${limits.toolCallMs / 1_000} seconds. Try again.`,
    {
      retryAfterSeconds: 5,
    },
  )
