import { type Card, cardHash } from '../../consent/card.ts'
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
import { consentTokenHash, newToken } from '../../keys/link-token.ts'
import { eventId } from '../../ledger/digest.ts'
import { limits } from '../../limits.ts'
import { mapConcurrent } from '../../providers/map-concurrent.ts'
import type { DeliveryChannel, DeliveryOutcome, FrozenMessage } from '../../providers/ports.ts'
import { quotaRefusals } from '../../providers/resend/outcome.ts'
import { sendNotice } from '../../providers/send-notice.ts'
import { SlackRefusal } from '../../providers/slack/dialogue.ts'
import { cardOfRow } from './card-of-row.ts'
import { publicLink } from '../integrations/connect-link.ts'
import { decidePath } from '../decisions/decide-by-link.ts'

/** More than `limits.consentAsksPerHourMax` lets be made within `limits.consentSendMs`. */
const unsentMax = 200
/** Requests of one row under way at once. */
const sendingMax = 8

/**
 * Sends the requests of a row that are not out yet, and its reminder once that is due. May be called again after a crash: one of
 * unknown fate is sent again only where the provider knows its key, or its history shows that it is not there.
 * @returns when a reminder is due; null where none is to come
 * @throws Error where a provider is to be tried again, once the others are out; past `limits.consentSendMs` it is given up
 */
export async function sendConsentRequests(
  deps: Deps,
  { account, id }: { account: string; id: number },
  signal: AbortSignal,
): Promise<Date | null> {
  const row = await readAction(deps.db, account, id)
  if (!row) return null
  const unsent = (after: number) => readUnsentRequests(deps.db, account, id, { after, rowsMax: unsentMax })
  const stuck: Stuck[] = []
  let requests = await unsent(0)
  for (let tried = 0; ;) {
    stuck.push(...(await sendEach(deps, row, requests, signal)))
    tried = requests[0]?.n ?? tried
    // Nobody is reminded of what has not reached them.
    const isStuck = stuck.some(({ via }) => via === row.asked_via)
    const remindAt = isStuck ? null : await remind(deps, row)
    requests = await unsent(tried)
    if (requests.length > 0) continue
    if (stuck.length > 0) throw stuck[0]!.error
    return remindAt
  }
}

/** A request that is to be tried again, and why. */
interface Stuck {
  via: UnsentRequest['via']
  error: unknown
}

/** Sends each, whatever becomes of the others: a provider that is down keeps back none of another. */
async function sendEach(
  deps: Deps,
  row: ActionRow,
  requests: UnsentRequest[],
  signal: AbortSignal,
): Promise<Stuck[]> {
  const tries = await mapConcurrent(sendingMax, requests, (request) =>
    sendOne(deps, row, request, signal).then(
      () => [],
      (error: unknown) => [{ via: request.via, error }],
    ),
  )
  return tries.flat()
}

function remind(deps: Deps, row: ActionRow): Promise<Date | null> {
  const token = newToken()
  const via = row.asked_via === 'slack' ? 'slack' : 'email'
  return remindConsent(deps.db, {
    account: row.account_id,
    id: row.id,
    eventId: eventId(row.uuid, 'reminded'),
    via,
    token,
    tokenHash: consentTokenHash(via, token),
    remindMs: limits.consentRemindMs,
  })
}

type Settled = Parameters<typeof endConsentSend>[1]

const isWarned: ReadonlySet<Settled['state']> = new Set(['failed', 'unknown', 'given_up'])

async function sendOne(
  deps: Deps,
  row: ActionRow,
  request: UnsentRequest,
  signal: AbortSignal,
): Promise<void> {
  const isOver = Date.now() - request.created_at.getTime() > limits.consentSendMs
  const settle = (state: Settled['state'], code: string | null, providerId: string | null = null) => {
    const about = { account: row.account_id, action: row.id, n: request.n, state, code }
    if (isWarned.has(state)) deps.log.warn(about, 'a consent request was not sent, or its fate is unknown')
    return endConsentSend(deps.db, { ...about, id: row.id, providerId })
  }
  const ready = await channelOf(deps, row, request).catch((error: unknown) => {
    if (error instanceof SlackRefusal) return error.code
    if (!isOver) throw error
    return 'unreachable'
  })
  // Nothing is known of an attempt before: its buttons may be in front of the member.
  if (typeof ready === 'string') return settle('given_up', ready)
  const begun = await beginConsentSend(deps.db, {
    account: row.account_id,
    id: row.id,
    n: request.n,
    ...ready.frozen,
  })
  if (begun.outcome === 'done') return
  const outcome = await attempt(ready.channel, row, request, begun, signal)
  if (outcome.state === 'ok') return settle('sent', null, outcome.providerId)
  const isNotSent = outcome.state === 'not_done'
  const isFinal = isNotSent ? isRefusal(outcome) : outcome.isFinal
  if (isOver || isFinal) return settle(isNotSent ? 'failed' : 'unknown', outcome.code)
  // Certainly not sent, it is made anew; else it stays as it is, to be looked for or repeated under its key.
  if (isNotSent) await settle('pending', outcome.code)
  throw new Error(`the request to decide is not out yet: ${outcome.code}`)
}

interface Ready {
  channel: DeliveryChannel
  frozen: { message: FrozenMessage; card: Buffer; team: string | null }
}

/** The channel, and what is to be sent by it; a code where there is none. Throws where that may change. */
async function channelOf(deps: Deps, row: ActionRow, request: UnsentRequest): Promise<Ready | string> {
  const names = await readCardNames(deps.db, row.account_id, row.id)
  const channel =
    request.via === 'email'
      ? deps.ownEmail
      : (await deps.channelsOf(row.account_id, names?.integrations_version ?? 0)).slack
  if (!channel) return 'channel_not_configured'
  if ('unreadable' in channel) throw channel.unreadable
  const card: Card = await cardOfRow(deps, row)
  const url = publicLink(deps, `${decidePath}/${request.token}`)
  const notice = decisionNotice(card, { ...request, url, isReminder: request.is_reminder })
  if (!notice) return 'too_long_for_slack'
  if (request.via === 'slack' && !channel.dialogue) return 'no_dialogue'
  const team = request.via === 'slack' ? await channel.dialogue!.team() : null
  const message = { ...channel.freezeNotice(notice), credential: channel.credential }
  return { channel, frozen: { message, card: cardHash(card), team } }
}

/** Over for good. A quota is not: the member is still to be asked when there is room again. */
const isRefusal = ({ code, retryAfterMs }: { code: string; retryAfterMs?: number }): boolean =>
  retryAfterMs === undefined && !quotaRefusals.has(code)

/** What became of a request in all its attempts. `isFinal`: nothing more can be learned. */
type Fate =
  | Exclude<DeliveryOutcome, { state: 'unknown' }>
  | { state: 'unknown'; code: string; isFinal: boolean }

/** Sends what was frozen, or finds out what an attempt before has done. */
async function attempt(
  channel: DeliveryChannel,
  row: ActionRow,
  request: UnsentRequest,
  begun: Exclude<StartedSend, { outcome: 'done' }>,
  signal: AbortSignal,
): Promise<Fate> {
  const key = eventId(row.uuid, 'ask', request.n)
  const { message, attemptedAt } = begun
  const notice = { key, message, address: request.address, attemptedAt, signal }
  if (begun.outcome === 'send') return fateOf(await sendNotice(channel, notice))
  if (message['credential'] !== channel.credential)
    return { state: 'unknown', code: 'credential_changed', isFinal: true }
  if (channel.isIdempotent) return fateOfRepeat(await sendNotice(channel, notice))
  const recipients = [{ deliveryId: key, address: request.address }]
  const { outcomes } = await channel.reconcile({ key, message, recipients, attemptedAt, signal })
  return fateOfLook(outcomes[0]!)
}

const fateOf = (outcome: DeliveryOutcome): Fate =>
  outcome.state === 'unknown' ? { ...outcome, isFinal: false } : outcome

/** A repeat that is refused says nothing of the attempt before. */
const fateOfRepeat = (outcome: DeliveryOutcome): Fate =>
  outcome.state === 'ok' ? outcome : { state: 'unknown', code: outcome.code, isFinal: false }

/**
 * Looked through and not there, it is sent again: should it turn up after all, one of the two decides. A history that is too
 * long to be looked through proves nothing, and will not; any other code is of a look that failed.
 */
function fateOfLook(outcome: DeliveryOutcome): Fate {
  if (outcome.state === 'ok') return outcome
  const { code } = outcome
  if (code === 'not_in_history') return { state: 'not_done', code, retryAfterMs: 0 }
  return { state: 'unknown', code, isFinal: code === 'history_too_long' }
}
