import { escapeInvisible } from '../../text/escape-invisible.ts'
import { limits } from '../../limits.ts'
import type { DeliveryOutcome } from '../ports.ts'
import { SmtpFailure } from './session.ts'

/** How long a server that asks to wait, or that deferred a message (greylisting is about minutes), is left alone. */
export const serverBusyMs = 10_000
const deferredMs = 60_000

const wordsCharsMax = 200

export type SmtpOutcome = Exclude<DeliveryOutcome, { state: 'ok' }>

/**
 * Translates a failure to the outcome of the message. Pure.
 *
 * A refusal counts at any stage: 4xx, it may be sent again; 5xx, never. Without one, the message may have been taken from
 * the moment on that it was handed over.
 * @source RFC 5321 4.2.1 (replies), 4.5.3.2 and 6.1 (a connection lost after the last dot); errors of nodemailer 10
 */
export function smtpFailure(error: unknown): SmtpOutcome {
  const { cause, isPerhapsSent } =
    error instanceof SmtpFailure ? error : { cause: error, isPerhapsSent: true }
  const { code, originalCode, name } = (cause ?? {}) as Record<string, unknown>
  const isLate = code === 'ETIMEDOUT' || name === 'AbortError'
  if (isPerhapsSent) return { state: 'unknown', code: isLate ? 'timeout' : 'connection_lost' }
  const response = replyOf(cause) ?? ''
  const says = wordsOf(response)
  const notDone = (outcome: { code: string; retryAfterMs?: number }): SmtpOutcome => ({
    state: 'not_done',
    ...outcome,
    ...(says === '' ? {} : { says }),
  })
  const again = { retryAfterMs: limits.providerConnectRetryMs }
  const isForNow = response.startsWith('4')
  if (response.startsWith(serviceClosing)) return notDone({ code: 'ratelimited', retryAfterMs: serverBusyMs })
  if (code === 'ETLS' || isOfTls(originalCode))
    return notDone({ code: 'not_secure', retryAfterMs: deferredMs })
  if (code === 'EAUTH' && !isForNow) return notDone({ code: 'login_refused' })
  if (isForNow) return notDone({ code: codeOf(response), retryAfterMs: deferredMs })
  if (response.startsWith('5')) return notDone({ code: codeOf(response) })
  if (code === 'EMESSAGE') return notDone({ code: 'message_too_large' })
  if (code === 'address_refused') return notDone({ code: 'address_refused' })
  if (isLate) return notDone({ code: 'timeout', ...again })
  if (response !== '' || code === 'EPROTOCOL') return notDone({ code: 'unreadable_answer', ...again })
  return notDone({ code: 'unreachable', ...again })
}

/** The service closes, whatever it was asked: RFC 5321 3.8. */
const serviceClosing = '421'

/** `smtp_550`, or with the server's own detail `smtp_550_5.1.1`. @source RFC 3463: enhanced status codes */
function codeOf(response: string): string {
  const [, code = '', detail] = /^([45]\d\d)(?:[ -]([45]\.\d{1,3}\.\d{1,3})\b)?/.exec(response) ?? []
  return `smtp_${code}${detail === undefined ? '' : `_${detail}`}`
}

/** A reply of SMTP begins with its code. Anything else is no reply. */
const isReply = (response: string): boolean => /^[2-5]\d\d(?:[ -]|$)/.test(response)

function replyOf(cause: unknown): string | undefined {
  const { response } = (cause ?? {}) as { response?: unknown }
  return typeof response === 'string' ? (isReply(response) ? response : ` ${response}`) : undefined
}

/**
 * The server's own words, for people: one bounded line without a glyph that misleads. Addresses are left out, because logs
 * hold none. Pure.
 */
function wordsOf(response: string): string {
  const line = response
    .slice(0, 4 * wordsCharsMax)
    .trim()
    .split(/\s+/)
    .map((word) => (word.includes('@') ? '…' : word))
    .join(' ')
  return escapeInvisible([...line].slice(0, wordsCharsMax).join(''))
}

/** A certificate that Node refuses: of another name, expired, or of nobody that is trusted; or TLS that failed otherwise. */
const isOfTls = (code: unknown): boolean =>
  typeof code === 'string' && /CERT|^ERR_TLS|^ERR_SSL|^EPROTO$|^UNABLE_TO_|^HOSTNAME_/.test(code)
