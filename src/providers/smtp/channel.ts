import { emailContent, isOneAddress, noticeContent } from '../email-content.ts'
import { claimGate } from '../claim-gate.ts'
import { fingerprintOf } from '../fingerprint.ts'
import type { DeliveryChannel, DeliveryOutcome, SliceToSend } from '../ports.ts'
import { type RateLimiter, rateLimiter, takeTurn } from '../rate-limiter.ts'
import { limits } from '../../limits.ts'
import { mapConcurrent } from '../../waiting/map-concurrent.ts'
import { timeLimit } from '../../waiting/time-limit.ts'
import { domainOf, messageOf, recipientAddress, senderAddress } from './message.ts'
import { handingOver } from './hand-over.ts'
import { serverBusyMs, smtpFailure } from './outcome.ts'
import { type SmtpOptions, SmtpFailure } from './session.ts'

/** Recipients of a slice that are sent to concurrently. */
const recipientsAtOnce = 3

export interface SmtpChannelOptions extends Omit<SmtpOptions, 'clientName'> {
  /** `Name <address>`. */
  from: string
  /** Shared by every channel of one server. */
  rateLimiter?: RateLimiter
}

/**
 * Broadcasts and notices through a mail server, one message per recipient.
 *
 * SMTP has no idempotency key and cannot be asked what it took: a broadcast whose connection broke while a message was handed
 * over is unknown, and never sent again. A notice may be: its second copy has the same Message-ID and the same link.
 * @source RFC 5321; docs/mail.md
 */
export function smtpChannel(options: SmtpChannelOptions): DeliveryChannel {
  const { from, server, connectMs = limits.providerCallMs, messageMs = limits.smtpMessageMs } = options
  const sender = senderAddress(from)
  if (sender === undefined)
    throw new Error(
      'The sender of mail must be one address, such as gate@example.com or Gate <gate@example.com>.',
    )
  const limiter = options.rateLimiter ?? rateLimiter({ perSecond: 0 })
  const handOver = handingOver({ ...options, clientName: domainOf(sender) })

  return {
    channel: 'email',
    credential: fingerprintOf(`${server.host}:${server.port} ${server.login?.user ?? ''}`),
    isIdempotent: false,
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
    claimGate: claimGate(Math.ceil(limiter.perSecond) || limits.smtpClaimedMax),
    send: async (slice) => ({
      outcomes: await mapConcurrent(recipientsAtOnce, slice.recipients, async (recipient) => {
        const missed = await turnFor(slice)
        slice.onTurn?.()
        return missed ?? sendOne(slice, recipient)
      }),
    }),
    reconcile: async ({ recipients }) => ({
      outcomes: recipients.map(() => ({ state: 'unknown', code: 'cannot_tell' })),
    }),
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

  async function sendOne(
    slice: SliceToSend,
    { address, deliveryId }: SliceToSend['recipients'][number],
  ): Promise<DeliveryOutcome> {
    if (!isOneAddress(address)) return { state: 'not_done', code: 'invalid_address' }
    const to = recipientAddress(address)
    if (to === undefined) return { state: 'not_done', code: 'international_address' }
    const { id, bytes } = await messageOf(slice.message, { to, deliveryId, at: slice.attemptedAt })
    if (bytes.length > limits.mailBytesMax) return { state: 'not_done', code: 'message_too_large' }
    const { signal, clear } = timeLimit(connectMs + messageMs, slice.signal)
    try {
      const refused = await handOver({ from: senderAddress(slice.message['from']!)!, to }, bytes, signal)
      return refused ?? { state: 'ok', providerId: id }
    } catch (error) {
      if (slice.signal?.aborted && !(error instanceof SmtpFailure && error.isPerhapsSent))
        return { state: 'not_done', code: 'cancelled', retryAfterMs: 0 }
      const outcome = smtpFailure(error)
      if (outcome.code === 'ratelimited') limiter.pauseFor(serverBusyMs)
      return outcome
    } finally {
      clear()
    }
  }
}
