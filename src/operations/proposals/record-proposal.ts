import { randomUUID } from 'node:crypto'
import type { ActionKind, Fields, FrozenProposal } from '../../actions/kind.ts'
import { type ActionRow, readAction, readUsedKey } from '../../db/queries/actions/actions.ts'
import { GateError } from '../../errors.ts'
import { requireKeyNow } from '../authenticate.ts'
import { askOrUseMandate, asksAtOnce } from '../consent/ask-at-once.ts'
import { workflowInput } from '../../temporal/names.ts'
import { type IdempotentRequest, idempotencyOf, keyReused } from '../idempotency.ts'
import { type ActingMember, actingMember } from '../members/actor.ts'
import type { CallContext } from '../operation.ts'
import { requireKeyKind } from '../require-key-kind.ts'
import { type Stale, keepsChanging, retryStale } from '../retry-stale.ts'
import type { Actor } from '../schemas.ts'
import { standingOf } from '../clearance/evaluate-clearance.ts'
import { isOfKeyMember } from '../actions/action-not-found.ts'
import { judgeProposal } from './judge-proposal.ts'
import { storeProposal } from './store-proposal.ts'

export interface ProposalRequest {
  kind: ActionKind
  actor: Actor
  /** The payload as it was sent. */
  payload: Fields
  /** Why the agent proposes it, as the agent wrote it. */
  rationale?: string | undefined
  /** The action that it answers, which the member declined. */
  replaces?: number | undefined
  /** The member is asked at once, whatever the key and the policy say. */
  ask?: boolean | undefined
}

export interface Recorded {
  action: ActionRow
  isReplayed: boolean
  /** The member is asked at once. */
  isAsked: boolean
  /** Why nobody was asked, for the agent. */
  problem?: string | undefined
  /** Why no mandate of the member covers it. */
  outside?: string | undefined
}

/**
 * Records a proposal as a row, proposed or denied, starts its workflow in the background, and has the member asked where that is
 * done at once. A repeat whose member was not asked before has them asked.
 * @throws GateError `not_found`, `forbidden`, `invalid`, `too_many`, `unavailable`, and what the kind's `freeze` throws
 */
export async function recordProposal(context: CallContext, request: ProposalRequest): Promise<Recorded> {
  const { kind, actor, payload, rationale, replaces, ask } = request
  await requireKeyKind(context, kind.kind)
  const asked = {
    kind: kind.kind,
    actor,
    payload,
    rationale,
    ...(replaces === undefined ? {} : { replaces }),
    ...(ask === true ? { ask } : {}),
  }
  const idempotency = idempotencyOf(context, 'propose', asked)
  let frozen: Promise<FrozenProposal> | undefined
  const command: RecordCommand = {
    uuid: randomUUID(),
    idempotency,
    freeze: () => (frozen ??= freeze(context, request)),
  }
  const { action, isReplayed, acting } = await retryStale(
    () =>
      recordOnce(context, request, command).catch((error: unknown) =>
        replayForFormerMember(context, idempotency, error),
      ),
    () => keepsChanging('Nothing was recorded.'),
  )
  if (!acting) return { action, isReplayed, isAsked: false }
  const { policy } = standingOf(context.deps, acting.facts, acting.member)
  if (!asksAtOnce(context, policy, { ask, required: action.consent_required }))
    return { action, isReplayed, isAsked: false }
  const isWished = ask === true && context.powers.includes('confirm')
  const { row, problem, outside } = await askOrUseMandate(context, acting, action, isWished)
  return { action: row, isReplayed, isAsked: true, problem, outside }
}

/** `acting`: null where the member has left. */
interface Stored {
  action: ActionRow
  isReplayed: boolean
  acting: ActingMember | null
}

/** The same at every try. */
interface RecordCommand {
  uuid: string
  idempotency: IdempotentRequest | null
  /** Completes the payload by its provider, which is asked once. */
  freeze(): Promise<FrozenProposal>
}

async function freeze(context: CallContext, { kind, payload }: ProposalRequest): Promise<FrozenProposal> {
  if (!kind.freeze) return { payload, facts: [] }
  await requireKeyNow(context)
  return kind.freeze(context.deps, context.account, payload)
}

async function recordOnce(
  context: CallContext,
  { kind, actor, payload, rationale, replaces }: ProposalRequest,
  { uuid, idempotency, freeze }: RecordCommand,
): Promise<Stored | Stale> {
  const acting = await actingMember(context, actor)
  await requireCurrent(context, kind, acting)
  // The provider may refuse now what it froze before. A repeat still gets the first answer.
  const before = kind.freeze && (await firstAnswer(context, idempotency))
  if (before) return { action: before, isReplayed: true, acting }

  await requireDeclined(context, kind, acting, replaces)
  const judged = await judgeProposal(context, { kind, acting, given: payload, freeze })
  const { outcome, action } = await storeProposal(context, acting, judged, {
    uuid,
    kind: kind.kind,
    kind_version: kind.declared?.version ?? null,
    ttl_ms: kind.expiresAfterMs,
    rationale: rationale ?? null,
    replaces: replaces ?? null,
    ...idempotency,
  })
  switch (outcome) {
    case 'created':
      if (action.status === 'proposed') context.deps.starter.startInBackground(workflowInput(action))
      return { action, isReplayed: false, acting }
    case 'replayed':
      // The identity may have moved from another member meanwhile.
      if (!isOfKeyMember(context, action)) throw keyReused()
      return { action, isReplayed: true, acting }
    case 'stale':
      return 'stale'
    case 'reused':
      throw keyReused()
    case 'too_many':
    case 'too_many_of_key':
      throw tooManyOpen(outcome)
  }
}

/** The payload was checked by one version of a declared kind: it is stored only while that is the one in force. */
async function requireCurrent(
  { deps, account }: CallContext,
  { kind, declared }: ActionKind,
  { facts }: ActingMember,
): Promise<void> {
  if (!declared) return
  const current = (await deps.kinds.of(account, facts.kindsVersion)).get(kind)
  if (current?.isRetired || current?.declared?.version !== declared.version)
    throw new GateError(
      'conflict',
      `The kind ${kind} was changed meanwhile. Nothing was proposed. Try again.`,
      {
        param: 'kind',
      },
    )
}

/** An action can answer one of its own member and kind that they declined. @throws GateError `invalid` */
async function requireDeclined(
  { deps, account }: CallContext,
  { kind }: ActionKind,
  { member }: ActingMember,
  replaces: number | undefined,
): Promise<void> {
  if (replaces === undefined) return
  const row = await readAction(deps.db, account, replaces)
  const isAnswerable =
    row?.member_id === member.memberId && row.kind === kind && row.closed_reason === 'member_declined'
  if (!isAnswerable)
    throw new GateError('invalid', `replaces must be the id of a ${kind} that this member declined.`, {
      param: 'replaces',
    })
}

/** The error of a proposal above the bound of open ones. */
export const tooManyOpen = (outcome: keyof typeof sentenceOfBound): GateError =>
  new GateError('too_many', sentenceOfBound[outcome], {
    detail: 'open_proposals_limit',
    retryAfterSeconds: 60,
  })

const sentenceOfBound = {
  too_many: 'This member has too many open proposals. Wait until some of them are decided, or cancel some.',
  too_many_of_key:
    'This API key already has its half of the open proposals that this member may have. The rest is reserved for other keys. Wait until some of them are decided, or cancel some.',
}

/** A member who has left since the first try is no longer found. A repeat under its key still gets the first answer. */
async function replayForFormerMember(
  context: CallContext,
  idempotency: IdempotentRequest | null,
  error: unknown,
): Promise<Stored> {
  if (!isOfAbsentMember(error)) throw error
  const action = await firstAnswer(context, idempotency).catch((refusal: unknown) => {
    // That the member is gone matters more than that the key was used for another request.
    throw refusal instanceof GateError && refusal.code === 'invalid' ? error : refusal
  })
  if (!action) throw error
  return { action, isReplayed: true, acting: null }
}

/** A key that is bound to members is told that a former one is another member. */
const isOfAbsentMember = (error: unknown): boolean =>
  error instanceof GateError &&
  (error.code === 'not_found' || error.publishedCode === 'key_member_not_allowed')

/**
 * The row that the caller's Idempotency-Key has led to; undefined where the key is free.
 * @throws GateError `invalid` where it led there with another request, or for a member that the key is not bound to
 */
async function firstAnswer(
  context: CallContext,
  idempotency: IdempotentRequest | null,
): Promise<ActionRow | undefined> {
  const { deps, account } = context
  const used = idempotency && (await readUsedKey(deps.db, account, 'propose', idempotency.key))
  if (!used) return undefined
  if (!used.request.equals(idempotency.request)) throw keyReused()
  await requireKeyNow(context)
  const row = await readAction(deps.db, account, used.action_id)
  if (row && !isOfKeyMember(context, row)) throw keyReused()
  return row
}
