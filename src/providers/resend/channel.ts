import { Resend } from 'resend'
import { emailContent, isOneAddress, noticeContent } from '../email-content.ts'
import { claimGate } from '../claim-gate.ts'
import { fingerprintOf } from '../fingerprint.ts'
import type { DeliveryChannel, DeliveryOutcome, SliceOutcome, SliceToSend } from '../ports.ts'
import { rateLimiter, takeTurn, type RateLimiter } from '../rate-limiter.ts'
import { resendFailure } from './outcome.ts'
import { limits } from '../../limits.ts'
import { timeLimit } from '../../waiting/time-limit.ts'

export interface ResendOptions {
  apiKey: string
  baseUrl?: string
  /** `Name <address>` on a verified domain. */
  from: string
  /** The time for one HTTP call. */
  timeoutMs?: number
  /** Shared by every channel of one Resend team. */
  rateLimiter?: RateLimiter
}

/**
 * Broadcasts by e-mail: one call and one idempotency key per slice, one e-mail per recipient.
 *
 * The batch is validated permissively: Resend queues the valid e-mails and lists the invalid ones by index, and replays
 * that answer for a retry. Falling back to single sends after a refused batch could deliver twice, if the batch is
 * retried after a crash and is then accepted.
 * @source Resend: batch validation modes; idempotency keys are kept 24 hours, also on /emails/batch
 */
export function resendChannel(options: ResendOptions): DeliveryChannel {
  const { from, timeoutMs = limits.providerCallMs } = options
  // Without an explicit address the SDK would read RESEND_BASE_URL from the environment.
  const baseUrl = (options.baseUrl ?? 'https://api.resend.com').replace(/(?<!\/)\/+$/, '')
  const resend = new Resend(options.apiKey, { baseUrl })
  const limiter = options.rateLimiter ?? rateLimiter({ perSecond: 0 })

  return {
    channel: 'email',
    credential: fingerprintOf(options.apiKey),
    isIdempotent: true,
    mayRepeatNotice: true,
    freeze: (message) => ({
      from,
      ...emailContent(message),
      action_number: String(message.actionNumber),
    }),
    freezeNotice: (notice) => ({
      from,
      ...noticeContent(notice),
      ...(notice.actionNumber === undefined ? {} : { action_number: String(notice.actionNumber) }),
    }),
    // A call sends a whole slice.
    ...(limiter.perSecond === 0
      ? {}
      : { claimGate: claimGate(Math.ceil(limiter.perSecond) * limits.sliceRecipientsMax.email) }),
    async send(slice) {
      const sendable = slice.recipients.filter(({ address }) => isOneAddress(address))
      const missed = sendable.length === 0 ? undefined : await turnFor(slice)
      slice.recipients.forEach(() => slice.onTurn?.())
      const sent = missed ? sendable.map(() => missed) : await sendBatch(slice, sendable)
      const byDelivery = new Map(sendable.map(({ deliveryId }, index) => [deliveryId, sent[index]!]))
      return forEach(slice, (id) => byDelivery.get(id) ?? { state: 'not_done', code: 'invalid_address' })
    },
    /** Resend has no search by key; sending the same slice again gives the stored answer instead. */
    reconcile: async (slice) => forEach(slice, () => ({ state: 'unknown', code: 'cannot_tell' })),
  }

  /** Waits for a turn. @returns why there is none now */
  async function turnFor(slice: SliceToSend): Promise<DeliveryOutcome | undefined> {
    const pausedMs = limiter.pausedMs()
    if (pausedMs > 0) return { state: 'not_done', code: 'ratelimited', retryAfterMs: pausedMs }
    try {
      await takeTurn(limiter, slice)
      return undefined
    } catch {
      return { state: 'not_done', code: 'cancelled', retryAfterMs: 0 }
    }
  }

  async function sendBatch(
    slice: SliceToSend,
    recipients: SliceToSend['recipients'],
  ): Promise<DeliveryOutcome[]> {
    if (recipients.length === 0) return []
    const everyone = (outcome: DeliveryOutcome) => recipients.map(() => outcome)
    const { signal, clear } = timeLimit(timeoutMs, slice.signal)
    const { data, error, headers } = await resend.batch
      .send(
        recipients.map(({ address }) => toEmail(slice.message, address)),
        { idempotencyKey: slice.key, batchValidation: 'permissive', signal },
      )
      .finally(clear)
    if (!error)
      return readAnswer(data, recipients.length) ?? everyone({ state: 'unknown', code: 'unreadable_answer' })
    const failure = resendFailure(error, headers)
    if (failure.state === 'not_done' && failure.retryAfterMs !== undefined)
      limiter.pauseFor(failure.retryAfterMs)
    return everyone(failure)
  }
}

/**
 * A message that was frozen without a number is sent without tags: a retry under the same key must have the same body.
 * @source Resend: tags are ASCII letters, digits, `_` and `-`; also on /emails/batch; they come back in webhook events
 */
function toEmail(message: SliceToSend['message'], to: string) {
  const { from = '', subject = '', text = '', html = '', action_number: number } = message
  const tags = number === undefined ? {} : { tags: [{ name: 'action_number', value: number }] }
  return { from, to, subject, text, html, ...tags }
}

/**
 * The outcome of each e-mail: `data` has the accepted ones in order, `errors` the index of the others.
 * @returns undefined unless the answer accounts for each e-mail exactly once
 */
function readAnswer(answer: unknown, count: number): DeliveryOutcome[] | undefined {
  const { data, errors = [] } = (answer ?? {}) as { data?: unknown; errors?: unknown }
  if (!Array.isArray(data) || !Array.isArray(errors)) return undefined
  const indexes = errors.map((error) => error?.index)
  const refused = new Set(indexes.filter((index) => Number.isInteger(index) && index >= 0 && index < count))
  if (refused.size !== errors.length || data.length + errors.length !== count) return undefined
  if (!data.every((email) => typeof email?.id === 'string' && /^[\w-]{1,100}$/.test(email.id)))
    return undefined
  const ids = data.values()
  return Array.from({ length: count }, (_, index) =>
    refused.has(index)
      ? { state: 'not_done', code: 'validation_error' }
      : { state: 'ok', providerId: ids.next().value.id },
  )
}

function forEach(slice: SliceToSend, outcome: (deliveryId: string) => DeliveryOutcome): SliceOutcome {
  return { outcomes: slice.recipients.map(({ deliveryId }) => outcome(deliveryId)) }
}
