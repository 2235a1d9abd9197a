import type { Fields } from '../../actions/kind.ts'
import { type Card, cardHash } from '../../consent/card.ts'
import { whyAsked } from '../../consent/approvals.ts'
import { decisionNotice } from '../../consent/notice.ts'
import { type ActionRow, readAction } from '../../db/queries/actions/actions.ts'
import {
  type StartedSend,
  type UnsentRequest,
  beginConsentSend,
  endConsentSend,
  readCardNames,
  readUnsentRequests,
  remindConsent,
} from '../../db/queries/actions/consent.ts'
import type { Deps } from '../../deps.ts'
import type { ConsentChannel } from '../../gate/consent.ts'
import { consentTokenHash, consentWorkspaceHash, newToken } from '../../keys/link-token.ts'
import { eventId } from '../../ledger/digest.ts'
import { limits } from '../../limits.ts'
import { mapConcurrent } from '../../waiting/map-concurrent.ts'
import type { DeliveryChannel, DeliveryOutcome, FrozenMessage } from '../../providers/ports.ts'
import { quotaRefusals } from '../../providers/resend/outcome.ts'
import { sendNotice } from '../../providers/send-notice.ts'
import { SlackRefusal } from '../../providers/slack/dialogue.ts'
import { requireKind } from '../actions/require-kind.ts'
import { approvalOf } from './approval-state.ts'
import { type Awaited, askApprovers } from './ask-approvers.ts'
import { cardOfRow } from './card-of-row.ts'
import { channelBy } from './channel-by.ts'
import { tellDevices } from './tell-devices.ts'
import { publicLink } from '../../network/public-link.ts'
import { logStep } from '../../temporal/action-log.ts'

const consentRemindMs = 86_400_000

/** Unsent requests of an action that are read at once: more than `consentAsksPerHourMax` allows within `consentSendMs`. */
const consentUnsentMax = 200
const consentSendsInParallel = 8

/**
 * Sends the pending consent requests of an action, and its reminder when it is due. Safe to repeat after a crash: a request
 * that may have arrived is sent again only if the provider recognizes its key, or if its history shows that it is missing.
 * The devices of the member are told first; where one was, a mail is held: see `limits.pushMailHeldMs`.
 * @param action  `uuid`: another action that has its number since a restore of the database is left to its own workflow
 * @returns when a held mail or a reminder is due, or others are to be asked; null if never; and whose approval it waits for
 * @throws Error if a request must be retried, after the others were sent. After `limits.consentSendMs` it is given up
 */
export async function sendConsentRequests(
  deps: Deps,
  { account, id, uuid }: { account: string; id: number; uuid: string },
  signal: AbortSignal,
): Promise<Awaited> {
  const row = await readAction(deps.db, account, id)
  if (row?.uuid !== uuid) return { lookAt: null, who: undefined }
  const awaited = await askApprovers(deps, row)
  const unsent = (after: number) =>
    readUnsentRequests(deps.db, account, id, { after, rowsMax: consentUnsentMax })
  const stuck: Stuck[] = []
  const held: Date[] = []
  let requests = await unsent(0)
  for (let tried = 0; ;) {
    const ends = await sendEach(deps, row, requests, signal)
    stuck.push(...ends.filter((end) => 'error' in end))
    held.push(...ends.flatMap((end) => ('heldUntil' in end ? [end.heldUntil] : [])))
    tried = requests[0]?.n ?? tried
    // No reminder while the request itself has not been sent.
    const isStuck = held.length > 0 || stuck.some(({ via }) => via === row.asked_via)
    const remindAt = isStuck ? null : await remind(deps, row)
    requests = await unsent(tried)
    if (requests.length > 0) continue
    if (stuck.length > 0) throw stuck[0]!.error
    const heldUntil = held.toSorted((a, b) => a.getTime() - b.getTime())[0] ?? remindAt
    return { ...awaited, lookAt: earlier(heldUntil, awaited.lookAt) }
  }
}

const earlier = (one: Date | null, other: Date | null): Date | null =>
  one && other ? (one < other ? one : other) : (one ?? other)

/** A request that must be retried, and why. */
interface Stuck {
  via: UnsentRequest['via']
  error: unknown
}

/** A mail that waits, because a device of the member was told. */
interface Held {
  heldUntil: Date
}

/** Sends each request. One that fails, for example because its provider is down, does not stop the others. */
async function sendEach(
  deps: Deps,
  row: ActionRow,
  requests: UnsentRequest[],
  signal: AbortSignal,
): Promise<(Stuck | Held)[]> {
  const tries = await mapConcurrent(consentSendsInParallel, requests, (request) =>
    sendOne(deps, row, request, signal).then(
      (held) => (held ? [held] : []),
      (error: unknown) => [{ via: request.via, error }],
    ),
  )
  return tries.flat()
}

function remind(deps: Deps, row: ActionRow): Promise<Date | null> {
  const token = newToken()
  const via = (row.asked_via as ConsentChannel | null) ?? 'email'
  return remindConsent(deps.db, {
    account: row.account_id,
    id: row.id,
    eventId: eventId(row.uuid, 'reminded'),
    via,
    token,
    tokenHash: consentTokenHash(via, token),
    remindMs: consentRemindMs,
  })
}

type Settled = Parameters<typeof endConsentSend>[1]

const isWarned: ReadonlySet<Settled['state']> = new Set(['failed', 'unknown', 'given_up'])

async function sendOne(
  deps: Deps,
  row: ActionRow,
  request: UnsentRequest,
  signal: AbortSignal,
): Promise<Held | void> {
  const heldMs = request.held_ms ?? (await tellDevices(deps, row, request))
  if (heldMs > 0) return { heldUntil: new Date(Date.now() + heldMs) }
  const isOver = Date.now() - request.created_at.getTime() > limits.consentSendMs
  const settle = (state: Settled['state'], code: string | null, providerId: string | null = null) => {
    const about = { account: row.account_id, action: row.id, n: request.n, state, code }
    logStep(deps, row, 'asked', { via: request.via, n: request.n, state, code })
    if (isWarned.has(state)) deps.log.warn(about, 'a consent request was not sent, or its outcome is unknown')
    return endConsentSend(deps.db, { ...about, id: row.id, providerId })
  }
  const ready = await channelOf(deps, row, request).catch((error: unknown) => {
    if (error instanceof SlackRefusal) return error.code
    if (!isOver) throw error
    return 'unreachable'
  })
  // An earlier attempt may have arrived: its buttons may be in front of the member.
  if (typeof ready === 'string') return settle('given_up', ready)
  const begun = await beginConsentSend(deps.db, {
    account: row.account_id,
    id: row.id,
    n: request.n,
    ...ready.frozen,
  })
  if (begun.outcome === 'done') return
  const outcome = await attempt(ready.channel, { row, request }, begun, signal)
  if (outcome.state === 'ok') return settle('sent', null, outcome.providerId)
  const isNotSent = outcome.state === 'not_done'
  const isFinal = isNotSent ? isRefusal(outcome) : outcome.isFinal
  if (isOver || isFinal) return settle(isNotSent ? 'failed' : 'unknown', outcome.code)
  // If it was certainly not sent, it is frozen again. Otherwise it stays as it is, to be looked up or repeated by its key.
  if (isNotSent) await settle('pending', outcome.code)
  throw new Error(`the consent request could not be sent yet: ${outcome.code}`)
}

interface Ready {
  channel: DeliveryChannel
  frozen: { message: FrozenMessage; card: Buffer; workspace: Buffer | null }
}

/** The channel and the message to send; a code if there is none. Throws if that may change. */
async function channelOf(deps: Deps, row: ActionRow, request: UnsentRequest): Promise<Ready | string> {
  const names = await readCardNames(deps.db, row.account_id, row.id)
  const channel = await channelBy(deps, request.via, row.account_id, names?.integrations_version ?? 0)
  if (!channel) return 'channel_not_configured'
  if ('unreadable' in channel) throw channel.unreadable
  const card: Card = await cardOfRow(deps, row)
  const url = publicLink(deps, `${decidePath}/${request.token}`)
  const fields = (await requireKind(deps, row)).editable?.(row.payload as Fields) ?? []
  const changeUrl = fields.length === 0 ? undefined : publicLink(deps, `/console/proposals/${row.id}`)
  const isApprover = request.member_id !== null && request.member_id !== row.member_id
  const approval = isApprover ? await approvalOf(deps, row, request.member_id) : undefined
  const notice = decisionNotice(card, {
    ...request,
    url,
    changeUrl,
    isReminder: request.is_reminder,
    ...(approval ? { why: whyAsked(approval) } : {}),
  })
  if (!notice) return `too_long_for_${request.via}`
  const isChat = request.via !== 'email'
  if (isChat && !channel.dialogue) return 'no_dialogue'
  const workspace = isChat ? consentWorkspaceHash(request.token, await channel.dialogue!.team()) : null
  const message = {
    ...channel.freezeNotice({ ...notice, actionNumber: row.id }),
    credential: channel.credential,
  }
  return { channel, frozen: { message, card: cardHash(card), workspace } }
}

/** Whether a failure is final. A full quota is not: the request is sent when there is room again. */
const isRefusal = ({ code, retryAfterMs }: { code: string; retryAfterMs?: number }): boolean =>
  retryAfterMs === undefined && !quotaRefusals.has(code)

/** The outcome of a request after all its attempts. `isFinal`: nothing more can be learned. */
type Fate =
  | Exclude<DeliveryOutcome, { state: 'unknown' }>
  | { state: 'unknown'; code: string; isFinal: boolean }

/** Sends the frozen message, or finds out what an earlier attempt did. */
async function attempt(
  channel: DeliveryChannel,
  { row, request }: { row: ActionRow; request: UnsentRequest },
  begun: Exclude<StartedSend, { outcome: 'done' }>,
  signal: AbortSignal,
): Promise<Fate> {
  const key = eventId(row.uuid, 'ask', request.n)
  const { message, attemptedAt } = begun
  const notice = { key, message, address: request.address, attemptedAt, signal }
  if (begun.outcome === 'send') return fateOf(await sendNotice(channel, notice))
  if (message['credential'] !== channel.credential)
    return { state: 'unknown', code: 'credential_changed', isFinal: true }
  if (channel.mayRepeatNotice) return fateOfRepeat(await sendNotice(channel, notice), channel)
  const recipients = [{ deliveryId: key, address: request.address }]
  const { outcomes } = await channel.reconcile({ key, message, recipients, attemptedAt, signal })
  return fateOfLookup(outcomes[0]!)
}

const fateOf = (outcome: DeliveryOutcome): Fate =>
  outcome.state === 'unknown' ? { ...outcome, isFinal: false } : outcome

/**
 * A refused repeat says nothing about the earlier attempt. Without a key by which the provider knows it, one second copy is
 * sent, and no third.
 */
function fateOfRepeat(outcome: DeliveryOutcome, { isIdempotent }: DeliveryChannel): Fate {
  if (outcome.state === 'ok') return outcome
  const isFinal = !isIdempotent && (outcome.state === 'unknown' || isRefusal(outcome))
  return { state: 'unknown', code: outcome.code, isFinal }
}

/**
 * A request that the history does not contain is sent again; if it appears later, only one of the two can decide. A history
 * that is too long to search proves nothing, now or later. Any other code means that the lookup failed.
 */
function fateOfLookup(outcome: DeliveryOutcome): Fate {
  if (outcome.state === 'ok') return outcome
  const { code } = outcome
  if (code === 'not_in_history') return { state: 'not_done', code, retryAfterMs: 0 }
  return { state: 'unknown', code, isFinal: code === 'history_too_long' }
}

export const decidePath = '/decide'
