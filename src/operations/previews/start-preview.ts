import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import { type PreviewRow, startPreview as startRow } from '../../db/queries/previews/previews.ts'
import type { Deps } from '../../deps.ts'
import { GateError } from '../../errors.ts'
import { clearance, denialReason } from '../../gate/policy.ts'
import { limits } from '../../limits.ts'
import { endPreview, endings } from '../../previews/end-preview.ts'
import { newPreviewId } from '../../previews/label.ts'
import type { PreviewInput } from '../../temporal/names.ts'
import { viewRow } from '../proposals/action-view.ts'
import { awaitPreview } from './await-preview.ts'
import { standingOf } from '../proposals/evaluate-clearance.ts'
import { denyPreview } from './deny-preview.ts'
import { type Answer, type CallContext, defineOperation } from '../operation.ts'
import { previewRow } from './preview-row.ts'
import { viewPreview } from './preview-view.ts'
import { requireKeyKind } from '../require-key-kind.ts'
import { type Stale, keepsChanging, retryStale } from '../retry-stale.ts'
import { ActionRequest, type Actor, Actor as ActorSchema, ConversationId, Preview } from '../schemas.ts'
import { nothingThere, participantOf } from '../workspaces/workspace-access.ts'

/** Starts the preview of a conversation, or finds the one that lives: then its time begins anew. */
export const startPreview = defineOperation({
  name: 'start_preview',
  title: 'Start a preview',
  summary:
    'Show what was built in the workspace of a conversation in which the member takes part, as a page in a browser. Give the member the `url` to open; where the status is still `starting`, ask preview_status. Asking again answers the preview that runs and prolongs it. A denial is an answer: do not retry it.',
  tool: { group: 'preview', readOnly: false, destructive: false, idempotent: true, openWorld: false },
  input: z.strictObject({ conversation_id: ConversationId, actor: ActorSchema }),
  // One object for both answers: of a denial, `action` and `status` alone.
  output: Preview.partial().extend({
    status: z.enum([...Preview.shape.status.options, 'denied']),
    action: ActionRequest.optional().meta({ description: 'The row of a denial.' }),
  }),
  errors: ['not_found', 'forbidden', 'conflict', 'invalid', 'too_many', 'unavailable'],
  powers: ['propose'],
  proposes: ['preview'],
  isKeyed: false,
  async run(context, { conversation_id, actor }) {
    await requireKeyKind(context, 'preview')
    const previewId = newPreviewId()
    return retryStale(
      () => startOnce(context, { previewId, conversationId: conversation_id, actor }),
      () => keepsChanging('Nothing was started.'),
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
    const reason = denialReason(cleared, tier, member.curricula, facts.now)
    const action = await denyPreview(context, { ...start, reason })
    return action === 'stale' ? 'stale' : { status: 201, body: { action: viewRow(action), status: 'denied' } }
  }
  // No row is made of a preview that nobody would run.
  if (!(await deps.workflows.isUp())) throw notNow()
  return startAllowed(context, start)
}

/** Makes the row of a start that is allowed; where the conversation has a preview, answers that one. */
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
    dueMs: limits.previewDueMs,
    apiKey: context.keyHash,
  })
  switch (outcome) {
    case 'created':
      await begin(deps, preview)
      return answer(context, preview)
    case 'live':
      if (await isLed(deps, preview)) return answer(context, preview)
      await endPreview(deps.db, account, preview.preview_id, endings.hostLost)
      return 'stale'
    case 'lost':
      await endPreview(deps.db, account, preview.preview_id, endings.hostLost)
      return 'stale'
    case 'stopping':
      await awaitPreview(context, preview, limits.previewStopWaitMs, (row) => row.ended_at !== null)
      return 'stale'
    case 'stale':
      return 'stale'
    case 'suspended':
      throw suspended()
    case 'no_participant':
      throw nothingThere()
    case 'too_many':
      throw tooMany(deps.config.PREVIEWS_PER_ACCOUNT)
  }
}

/** Starts the workflow. Where that cannot be done, nothing is left that runs. */
async function begin(deps: Deps, preview: PreviewRow): Promise<void> {
  try {
    await deps.workflows.previews.start(previewInput(deps, preview))
  } catch (error) {
    deps.log.warn({ err: error, preview: preview.preview_id }, 'a preview could not be started')
    await endPreview(deps.db, preview.account_id, preview.preview_id, endings.notStarted)
    throw notNow()
  }
}

/**
 * Whether a workflow leads it, which is started where nobody did that yet. It is told nothing: its timer reads the new time
 * by itself, and a signal for each of an agent's many questions would fill its history. Where Temporal does not answer, it
 * lives all the same.
 */
const isLed = (deps: Deps, preview: PreviewRow): Promise<boolean> =>
  deps.workflows.previews.start(previewInput(deps, preview)).catch(() => true)

async function answer(context: CallContext, preview: PreviewRow): Promise<Answer> {
  const row = await awaitPreview(
    context,
    preview,
    limits.previewStartWaitMs,
    ({ state }) => state !== 'starting',
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
  new GateError('conflict', 'This account is suspended: nothing is started until an admin resumes it.')

const tooMany = (most: number) =>
  new GateError(
    'too_many',
    `This account runs ${most} ${most === 1 ? 'preview' : 'previews'}, as many as it may. Stop one first.`,
    60,
  )

const notNow = () =>
  new GateError(
    'unavailable',
    'Previews cannot be started at the moment. Nothing runs; try again shortly.',
    5,
  )
