import { type Card, cardHash } from '../consent/card.ts'
import { decisionNotice } from '../consent/notice.ts'
import { hashOfToken } from '../consent/token.ts'
import { type ActionRow, readAction } from '../db/queries/actions.ts'
import {
  type BegunSend,
  type UnsentRequest,
  beginConsentSend,
  endConsentSend,
  readCardNames,
  readUnsentRequest,
  remindConsent,
} from '../db/queries/consent.ts'
import { type Deps } from '../deps.ts'
import { newToken } from '../keys/link-token.ts'
import { eventId } from '../ledger/digest.ts'
import { entryTail } from '../ledger/entry.ts'
import { limits } from '../limits.ts'
import { type DeliveryChannel, type DeliveryOutcome, type FrozenMessage } from '../providers/ports.ts'
import { sendNotice } from '../providers/send-notice.ts'
import { cardOfRow } from './card-of-row.ts'
import { publicLink } from './connect-link.ts'
import { decidePath } from './decide-by-link.ts'

/**
 * Sends the requests of a row that are not out yet, and its reminder once that is due. May be called again after a crash: each
 * is sent once, one of unknown fate only where the provider knows its key again.
 * @returns when a reminder is due; null where none is to come
 * @throws Error where a provider is to be tried again; past `limits.consentSendMs` it is given up instead
 */
export async function sendConsentRequests(
  deps: Deps,
  { account, id }: { account: string; id: number },
  signal: AbortSignal,
): Promise<Date | null> {
  const row = await readAction(deps.db, account, id)
  if (!row) return null
  for (;;) {
    const request = await readUnsentRequest(deps.db, account, id)
    if (request) {
      await sendOne(deps, row, request, signal)
      continue
    }
    const remindAt = await remind(deps, row)
    if (!(await readUnsentRequest(deps.db, account, id))) return remindAt
  }
}

function remind(deps: Deps, row: ActionRow): Promise<Date | null> {
  const token = newToken()
  const via = row.asked_via === 'slack' ? 'slack' : 'email'
  return remindConsent(deps.db, {
    account: row.account_id,
    id: row.id,
    eventId: eventId(row.uuid, 'reminded'),
    entryTail: entryTail({
      kind: 'consent_requested',
      actor: 'system',
      data: { required: row.asked_required, via, is_reminder: true },
    }),
    via,
    token,
    tokenHash: hashOfToken(via, token),
    remindMs: limits.consentRemindMs,
  })
}

type Settled = Parameters<typeof endConsentSend>[1]

async function sendOne(
  deps: Deps,
  row: ActionRow,
  request: UnsentRequest,
  signal: AbortSignal,
): Promise<void> {
  const isOver = Date.now() - request.created_at.getTime() > limits.consentSendMs
  const settle = (state: Settled['state'], code: string | null, providerId: string | null = null) => {
    const about = { account: row.account_id, action: row.id, n: request.n, state, code }
    if (state === 'failed' || state === 'unknown') deps.log.warn(about, 'a request to decide did not go out')
    return endConsentSend(deps.db, { ...about, id: row.id, providerId })
  }
  const ready = await channelOf(deps, row, request).catch((error: unknown) => {
    if (!isOver) throw error
    return 'unreachable'
  })
  if (typeof ready === 'string') return settle('failed', ready)
  const begun = await beginConsentSend(deps.db, {
    account: row.account_id,
    id: row.id,
    n: request.n,
    ...ready.frozen,
  })
  if (begun.outcome === 'done') return
  const outcome = await attempt(ready.channel, row, request, begun, signal)
  if (outcome.state === 'ok') return settle('sent', null, outcome.providerId)
  const isNotSent = begun.outcome === 'send' && outcome.state === 'not_done'
  if (isNotSent && outcome.retryAfterMs === undefined) return settle('failed', outcome.code)
  const isFinal = 'isFinal' in outcome && outcome.isFinal
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

/** What a look at Slack's history can end with; any other code is of a look that failed. */
const lookedThrough = new Set(['not_in_history', 'history_too_long'])

/** Sends what was frozen, or finds out what an attempt before has done. `isFinal`: nothing more can be learned. */
async function attempt(
  channel: DeliveryChannel,
  row: ActionRow,
  request: UnsentRequest,
  begun: Exclude<BegunSend, { outcome: 'done' }>,
  signal: AbortSignal,
): Promise<DeliveryOutcome & { isFinal?: boolean }> {
  const key = eventId(row.uuid, 'ask', request.n)
  const { message, attemptedAt } = begun
  const notice = { key, message, address: request.address, attemptedAt, signal }
  if (begun.outcome === 'send') return sendNotice(channel, notice)
  if (message['credential'] !== channel.credential)
    return { state: 'unknown', code: 'credential_changed', isFinal: true }
  if (channel.isIdempotent) return sendNotice(channel, notice)
  const recipients = [{ deliveryId: key, address: request.address }]
  const { outcomes } = await channel.reconcile({ key, message, recipients, attemptedAt, signal })
  const [found] = outcomes
  return { ...found!, isFinal: found!.state !== 'ok' && lookedThrough.has(found!.code) }
}
