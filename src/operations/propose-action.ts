import { randomBytes, randomUUID } from 'node:crypto'
import { z } from 'zod'
import { type ActionKind, type Fields } from '../actions/kind.ts'
import { type ActionRow, readAction, readUsedKey } from '../db/queries/actions.ts'
import { propose } from '../db/queries/propose.ts'
import { GateError } from '../errors.ts'
import { canonical } from '../gate/canonical.ts'
import { belowEveryBand, channelChoice, denialReason } from '../gate/policy.ts'
import { type Channel, channels, noReach } from '../gate/reach.ts'
import { standing } from '../gate/tier.ts'
import { digestTail, eventId, payloadDigest } from '../ledger/digest.ts'
import { entryTail } from '../ledger/entry.ts'
import { limits } from '../limits.ts'
import { accountPolicy } from './account-policy.ts'
import { asProposed, viewRow } from './action-view.ts'
import { actingMember, memberLabel } from './actor.ts'
import { clearanceNow } from './clearance-now.ts'
import { type IdempotentRequest, idempotencyOf, keyReused } from './idempotency.ts'
import { type Answer, type CallContext, type Operation, defineOperation } from './operation.ts'
import { parseInput } from './parse.ts'
import { ActionRequest, Actor } from './schemas.ts'

/** The propose operation of the interface: accepts the kinds that HTTP may propose. */
export function proposeAction(kinds: ActionKind[]): Operation {
  const accepted = kinds.filter((kind) => kind.isHttpProposable)
  const names = accepted.map((kind) => kind.kind)
  const payload = accepted.length === 1 ? accepted[0]!.payload : z.record(z.string(), z.unknown())
  const input = z.strictObject({
    kind: z.enum(names, `must be one of: ${names.join(', ')}`),
    actor: Actor,
    payload,
  })
  return defineOperation({
    name: 'request_action',
    title: 'Propose an action',
    summary:
      'Propose an action for the member you act for. Nothing executes. The answer shows the blast radius, or why it is denied; a denial is an answer, not an error: do not retry it.',
    http: { method: 'POST', path: '/api/v1/actions', success: { 201: 'ActionRequest' } },
    tool: { group: 'gate', readOnly: false, destructive: false, idempotent: false, openWorld: false },
    input,
    output: ActionRequest,
    errors: ['not_found', 'forbidden', 'invalid', 'too_many'],
    isKeyed: true,
    run(context, request) {
      const kind = accepted.find((k) => k.kind === request.kind)!
      const { payload: given } =
        accepted.length === 1 ? request : parseInput(z.object({ payload: kind.payload }), request)
      return proposeKind(context, kind, request.actor, given as Payload)
    },
  }) as unknown as Operation
}

/** The operation by which a kind is proposed through its own tool. */
export function proposeByTool(kind: ActionKind & { tool: NonNullable<ActionKind['tool']> }): Operation {
  return defineOperation({
    name: kind.tool.name,
    title: kind.tool.title,
    summary: `${kind.tool.description} Proposes only; nothing happens until confirm_action.`,
    tool: {
      group: kind.tool.group,
      readOnly: false,
      destructive: false,
      idempotent: false,
      openWorld: false,
    },
    input: z.strictObject({ actor: Actor, ...kind.tool.arguments.shape }),
    output: ActionRequest,
    errors: ['not_found', 'forbidden', 'invalid', 'too_many'],
    isKeyed: true,
    run(context, { actor, ...payload }) {
      return proposeKind(context, kind, actor as Actor, parseInput(kind.payload, payload))
    },
  })
}

type Payload = Fields

async function proposeKind(
  context: CallContext,
  kind: ActionKind,
  actor: Actor,
  given: Payload,
): Promise<Answer> {
  const { action, isReplayed } = await proposeRow(context, kind, actor, given)
  return { status: 201, body: viewRow(asProposed(action)), isReplayed }
}

/** Makes the row of a proposal, proposed or denied, and starts its workflow behind the answer. */
export async function proposeRow(
  context: CallContext,
  kind: ActionKind,
  actor: Actor,
  given: Payload,
): Promise<{ action: ActionRow; isReplayed: boolean }> {
  const idempotency = idempotencyOf(context, 'propose', { kind: kind.kind, actor, payload: given })
  const before = kind.freeze && (await answerBefore(context, actor, idempotency))
  if (before) return { action: before, isReplayed: true }
  let freezing: Promise<Payload> | undefined
  const freeze = () => (freezing ??= frozenOf(context, kind, given))
  const uuid = randomUUID()
  for (let tries = 0; tries < limits.staleTriesMax; tries++) {
    const { outcome, action } = await proposeOnce(
      context,
      kind,
      actor,
      { given, freeze },
      uuid,
      idempotency,
    ).catch((error: unknown) => firstAnswer(context, idempotency, error))
    if (outcome === 'stale') continue
    if (outcome === 'reused') throw keyReused()
    if (outcome === 'too_many') {
      throw new GateError(
        'too_many',
        'This member has too many open proposals. Confirm or cancel some of them first.',
        60,
      )
    }
    if (outcome === 'created' && action.status === 'proposed') {
      context.deps.starter.startBehind({
        account: action.account_id,
        id: action.id,
        uuid: action.uuid,
        kind: action.kind,
        expiresAt: action.expires_at!.toISOString(),
      })
    }
    return { action, isReplayed: outcome === 'replayed' }
  }
  throw new GateError(
    'unavailable',
    'The facts about this member keep changing. Nothing was recorded; try again.',
    1,
  )
}

const frozenOf = async ({ deps, account }: CallContext, kind: ActionKind, given: Payload): Promise<Payload> =>
  kind.freeze ? kind.freeze(deps, account, given) : given

// What a repeat would freeze may be refused by now, and it still gets the first answer. And nobody asks a provider for a
// member who may not be acted for.
async function answerBefore(
  context: CallContext,
  actor: Actor,
  idempotency: IdempotentRequest | null,
): Promise<ActionRow | undefined> {
  try {
    await actingMember(context, actor)
  } catch (error) {
    return (await firstAnswer(context, idempotency, error)).action
  }
  if (!idempotency) return undefined
  const { deps, account } = context
  const used = await readUsedKey(deps.db, account, 'propose', idempotency.key)
  if (!used) return undefined
  if (!used.request.equals(idempotency.request)) throw keyReused()
  return readAction(deps.db, account, used.action_id)
}

// The member has left since the first try: its repeat still gets the first answer.
async function firstAnswer(
  { deps, account }: CallContext,
  idempotency: IdempotentRequest | null,
  error: unknown,
) {
  if (!idempotency || !(error instanceof GateError) || error.code !== 'not_found') throw error
  const used = await readUsedKey(deps.db, account, 'propose', idempotency.key)
  const isSame = used?.request.equals(idempotency.request)
  const action = isSame ? await readAction(deps.db, account, used!.action_id) : undefined
  if (!action) throw error
  return { outcome: 'replayed' as const, action }
}

async function proposeOnce(
  context: CallContext,
  kind: ActionKind,
  actor: Actor,
  { given, freeze }: { given: Payload; freeze: () => Promise<Payload> },
  uuid: string,
  idempotency: IdempotentRequest | null,
) {
  const { deps, account } = context
  const { facts, member } = await actingMember(context, actor)
  const policy = accountPolicy(facts, deps.kinds.values())
  const { tier } = standing({ ...member, now: facts.now })
  // For a member who may do nothing of the kind, no provider is asked: the denial stands without it.
  const hopeless = kind.freeze && belowEveryBand(policy, kind.kind, tier)
  const payload = hopeless ? given : await freeze()
  const cleared =
    hopeless ??
    (
      await clearanceNow(context.deps, {
        account,
        memberId: member.memberId,
        tier,
        policy,
        kind,
        payload,
        now: facts.now,
      })
    ).cleared
  const frozen =
    kind.reaches === 'members'
      ? await deps.recipients.freeze(
          account,
          facts.rosterVersion,
          channelChoice(policy, kind.kind),
          await available(context, facts.integrationsVersion),
        )
      : null
  const status = cleared.allowed ? 'proposed' : 'denied'
  const salt = randomBytes(16)
  const recipients = cleared.allowed ? (frozen?.sha256 ?? null) : null
  const label = memberLabel(member)
  return propose(deps.db, {
    account,
    uuid,
    eventId: eventId(uuid, 'proposed'),
    kind: kind.kind,
    status,
    denialReason: cleared.allowed ? null : denialReason(cleared, tier, member.curricula, facts.now),
    memberId: member.memberId,
    member: label,
    memberVersion: member.version,
    curriculaVersion: facts.curriculaVersion,
    policyVersion: facts.policyVersion,
    tier,
    source: context.source,
    payload: canonical(payload),
    salt,
    reach: frozen?.blastRadius ?? noReach,
    recipients,
    digestTail: digestTail({ kind: kind.kind, member: label, payload, recipients }),
    entryTail: entryTail({
      kind: status,
      actor: member.memberId,
      key: context.keyId,
      data: {
        kind: kind.kind,
        tier,
        policy_version: policy.version,
        rule: cleared.rule,
        source: context.source,
        recipients: recipients?.toString('hex') ?? null,
      },
      payloadDigest: payloadDigest(salt, payload),
    }),
    ttlMs: kind.expiresAfterMs ?? Math.round(policy.expires_after_hours * 3_600_000),
    openMax: policy.open_max_per_member,
    dueMs: limits.outboxDueMs,
    idempotency,
  })
}

async function available({ deps, account }: CallContext, integrationsVersion: number): Promise<Channel[]> {
  const there = await deps.channelsOf(account, integrationsVersion)
  return channels.filter((channel) => there[channel] !== undefined)
}
