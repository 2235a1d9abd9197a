import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import { type PreviewRow, startPreview as startRow } from '../../db/queries/previews/previews.ts'
import type { Deps } from '../../deps.ts'
import { GateError } from '../../errors.ts'
import { clearance, denialBy } from '../../gate/policy.ts'
import { limits } from '../../limits.ts'
import { endPreview, previewEndings } from '../../previews/end-preview.ts'
import { newPreviewId } from '../../previews/label.ts'
import type { PreviewInput } from '../../temporal/names.ts'
import { viewRow } from '../actions/action-view.ts'
import { awaitPreview } from './await-preview.ts'
import { standingOf } from '../clearance/evaluate-clearance.ts'
import { denyPreview } from './deny-preview.ts'
import { type Answer, type CallContext, defineOperation } from '../operation.ts'
import { previewRow } from './preview-row.ts'
import { viewPreview } from './preview-view.ts'
import { requireKeyKind } from '../require-key-kind.ts'
import { type Stale, retryStale } from '../retry-stale.ts'
import { type Actor, Actor as ActorSchema, ConversationId, StartedPreview } from '../schemas.ts'
import { workspaceNotFound, participantOf } from '../workspaces/workspace-access.ts'

/** How long start waits for `running`. */
const previewStartWaitMs = 8_000
/** When the reconciler starts a missing workflow. */
const previewDueMs = 10_000

/** Starts the preview of a conversation. Where one runs already, its time starts again. */
export const startPreview = defineOperation({
  name: 'start_preview',
  title: 'Start a preview',
  summary:
    'Show the member what was built in a conversation, as a web page. Give them the `url`. While `starting`, call preview_status. A running preview is returned and extended. `denied` is final: do not retry.',
  tool: { group: 'preview', readOnly: false, destructive: false, idempotent: true, openWorld: false },
  input: z.strictObject({ conversation_id: ConversationId, actor: ActorSchema }),
  output: StartedPreview,
  errors: ['not_found', 'forbidden', 'conflict', 'invalid', 'too_many', 'unavailable'],
  powers: ['propose'],
  proposes: ['preview'],
  isKeyed: false,
  async run(context, { conversation_id, actor }) {
    await requireKeyKind(context, 'preview')
    const previewId = newPreviewId()
    return retryStale(
      () => startOnce(context, { previewId, conversationId: conversation_id, actor }),
      keepsChanging,
    )
  },
})

interface StartRequest {
  /** The same at every try. */
  previewId: string
  conversationId: string
  actor: Actor
}

async function startOnce(context: CallContext, request: StartRequest): Promise<Answer | Stale> {
  const { deps } = context
  const { previewId, conversationId, actor } = request
  const acting = await participantOf(context, conversationId, actor)
  const { facts, member } = acting
  if (facts.isSuspended) throw suspended()
  const { policy, tier } = standingOf(deps, facts, member)
  const cleared = clearance(policy, { kind: 'preview' }, tier)
  const start = { previewId, conversationId, acting, policy, tier, rule: cleared.rule }
  if (!cleared.allowed) {
    const denial = denialBy(cleared, tier, member, facts.now)
    const action = await denyPreview(context, { ...start, denial })
    return action === 'stale'
      ? 'stale'
      : { status: 201, body: { action: viewRow(action, context), status: 'denied' } }
  }
  // Without Temporal nothing would run the preview, so no row is made.
  if (!(await deps.workflows.isUp())) throw notNow()
  return startAllowed(context, start)
}

/** Records a start that is allowed. If the conversation already has a preview, answers that one. */
async function startAllowed(
  context: CallContext,
  start: Omit<Parameters<typeof previewRow>[1], 'operation'>,
): Promise<Answer | Stale> {
  const { deps, account } = context
  const { previewId, conversationId, acting } = start
  const { facts, member } = acting
  const { outcome, preview } = await startRow(deps.db, {
    account,
    previewId,
    conversationId,
    row: previewRow(context, { ...start, operation: 'start' }),
    versions: { member: member.version, curricula: facts.curriculaVersion, policy: facts.policyVersion },
    linkSecret: randomBytes(32),
    hardMs: deps.config.PREVIEW_HARD_MS,
    totalMs: limits.previewTotalMs,
    accountMax: deps.config.PREVIEWS_PER_ACCOUNT,
    hostDeadMs: limits.previewHostDeadMs,
    dueMs: previewDueMs,
    apiKey: context.keyHash,
  })
  switch (outcome) {
    case 'created':
      await begin(deps, preview)
      return answer(context, preview)
    case 'live':
      if (await hasWorkflow(deps, preview)) return answer(context, preview)
      await endPreview(deps.db, account, preview.preview_id, previewEndings.hostLost)
      return 'stale'
    case 'lost':
      await endPreview(deps.db, account, preview.preview_id, previewEndings.hostLost)
      return 'stale'
    case 'stopping':
      await awaitPreview(context, preview, limits.previewStopWaitMs, (row) => row.ended_at !== null)
      return 'stale'
    case 'stale':
      return 'stale'
    case 'suspended':
      throw suspended()
    case 'no_participant':
      throw workspaceNotFound()
    case 'too_many':
      throw tooMany(deps.config.PREVIEWS_PER_ACCOUNT)
  }
}

/** Starts the workflow. Where that fails, the preview is ended. */
async function begin(deps: Deps, preview: PreviewRow): Promise<void> {
  try {
    await deps.workflows.previews.start(previewInput(deps, preview))
  } catch (error) {
    await endPreview(deps.db, preview.account_id, preview.preview_id, previewEndings.notStarted)
    throw Object.assign(notNow(), { cause: error })
  }
}

/**
 * Whether a workflow runs for it; starts one where none was started yet. The workflow gets no signal: its timer reads the new
 * time by itself, and a signal for each call of an agent would fill its history. Where Temporal does not answer, the preview
 * goes on.
 */
const hasWorkflow = (deps: Deps, preview: PreviewRow): Promise<boolean> =>
  deps.workflows.previews.start(previewInput(deps, preview)).catch(() => true)

/** Waits until it runs or has ended: one that is stopped while it boots is waited for, as a stop does. */
async function answer(context: CallContext, preview: PreviewRow): Promise<Answer> {
  const row = await awaitPreview(
    context,
    preview,
    previewStartWaitMs,
    ({ state, ended_at }) => state === 'running' || ended_at !== null,
  )
  return { status: 200, body: viewPreview(row) }
}

/** What a preview's workflow is started with. */
export function previewInput(
  { config }: Pick<Deps, 'config'>,
  preview: Pick<PreviewRow, 'account_id' | 'preview_id' | 'action_id' | 'expires_at'>,
): PreviewInput {
  return {
    account: preview.account_id,
    previewId: preview.preview_id,
    actionId: preview.action_id,
    expiresAt: preview.expires_at.toISOString(),
    bootMs: config.PREVIEW_BOOT_MS,
  }
}

const suspended = () =>
  new GateError(
    'conflict',
    'This account is suspended. No preview can start until an administrator resumes it.',
    { detail: 'account_suspended' },
  )

const tooMany = (most: number) =>
  new GateError(
    'too_many',
    `This account already runs ${most} ${most === 1 ? 'preview' : 'previews'}, the maximum. Stop one first.`,
    { detail: 'previews_limit', retryAfterSeconds: 60 },
  )

// An earlier preview may still be stopping, or its host was lost, or the member or the policy changed: each is tried again.
const keepsChanging = () =>
  new GateError(
    'unavailable',
    'The previous preview has not stopped yet, or the member or the policy keeps changing. Nothing was started. Try again.',
    { retryAfterSeconds: 1 },
  )

const notNow = () =>
  new GateError(
    'unavailable',
    'Previews cannot be started right now. Nothing was started. Try again shortly.',
    { retryAfterSeconds: 5 },
  )
