import { setTimeout as sleep } from 'node:timers/promises'
import type { Deps } from '../deps.ts'
import { limits } from '../limits.ts'
import type { DeliveryChannel, DeliveryOutcome, Notice } from '../providers/ports.ts'
import { sendNotice } from '../providers/send-notice.ts'

/** Attempts to send a mail under its key, and the longest delay between them. */
const signInMailTriesMax = 3
const signInMailAgainMsMax = 10_000

/**
 * Sends a mail to one person, with a few retries if it was certainly not sent or can be repeated safely. A failure is
 * logged, without the address.
 * @param mail.key  unique per mail
 * @param mail.what  for the log, such as `a sign-in link`
 * @returns false if it was certainly not sent
 */
export async function mailNotice(
  deps: Pick<Deps, 'log'>,
  mail: { channel: DeliveryChannel; key: string; address: string; notice: Notice; what: string },
): Promise<boolean> {
  const { channel, key, address, what } = mail
  const sent = { key, message: channel.freezeNotice(mail.notice), address, attemptedAt: new Date() }
  let isPerhapsSent = false
  for (let tries = 1; ; tries++) {
    const outcome = await sendNotice(channel, sent)
    if (outcome.state === 'ok') return true
    isPerhapsSent ||= outcome.state === 'unknown'
    const againMs = tries < signInMailTriesMax ? waitBefore(outcome, channel) : undefined
    if (againMs === undefined) {
      deps.log.warn({ what, ...outcome }, 'mail was not sent')
      return isPerhapsSent
    }
    await sleep(againMs)
  }
}

/** The delay before the same mail is sent again under its key; undefined if it must not be repeated. */
function waitBefore(outcome: DeliveryOutcome, { mayRepeatNotice }: DeliveryChannel): number | undefined {
  if (outcome.state === 'ok') return undefined
  if (outcome.state === 'unknown') return mayRepeatNotice ? limits.sliceUnknownAgainMs : undefined
  const { retryAfterMs } = outcome
  return retryAfterMs !== undefined && retryAfterMs <= signInMailAgainMsMax ? retryAfterMs : undefined
}
