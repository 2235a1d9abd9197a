import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Deps } from '../../deps.ts'
import { limits } from '../../limits.ts'
import { type DeliveryChannel, type DeliveryOutcome, type Notice } from '../../providers/ports.ts'
import { sendNotice } from '../../providers/send-notice.ts'

export interface LinkOfAccount {
  accountName: string
  isAdmin: boolean
  url: string
}

/**
 * Sends one mail with a link for each account. What becomes of it is logged, without the address.
 * @returns false where it was certainly not sent
 */
export async function mailLinks(
  deps: Deps,
  mail: { channel: DeliveryChannel; address: string; links: LinkOfAccount[] },
): Promise<boolean> {
  const { channel, address, links } = mail
  const notice = {
    key: `sign_in_${randomUUID()}`,
    message: channel.freezeNotice(noticeOf(links, new URL(deps.publicUrl).host)),
    address,
    attemptedAt: new Date(),
  }
  let isPerhapsSent = false
  for (let tries = 1; ; tries++) {
    const outcome = await sendNotice(channel, notice)
    if (outcome.state === 'ok') return true
    isPerhapsSent ||= outcome.state === 'unknown'
    const againMs = tries < limits.signInMailTriesMax ? waitBefore(outcome, channel) : undefined
    if (againMs === undefined) {
      deps.log.warn({ state: outcome.state, code: outcome.code }, 'a link to sign in was not sent')
      return isPerhapsSent
    }
    await sleep(againMs)
  }
}

/** How long to wait before the same mail is sent again under its key; undefined where it should not be. */
function waitBefore(outcome: DeliveryOutcome, { isIdempotent }: DeliveryChannel): number | undefined {
  if (outcome.state === 'ok') return undefined
  if (outcome.state === 'unknown') return isIdempotent ? limits.sliceUnknownAgainMs : undefined
  const { retryAfterMs } = outcome
  return retryAfterMs !== undefined && retryAfterMs <= limits.signInMailAgainMsMax ? retryAfterMs : undefined
}

/** The words of the mail. Pure. */
export function noticeOf(links: LinkOfAccount[], host: string): Notice {
  const [only] = links
  const minutes = limits.signInLinkMs / 60_000
  const caution = `It works once, for ${minutes} minutes. If you did not ask for it, do nothing: nobody is signed in until the link is opened and its button is pressed.`
  if (links.length === 1) {
    return {
      subject: `Sign in to ${only!.accountName}`,
      text: `Here is your link to sign in to ${roleIn(only!)} at ${host}. ${caution}`,
      link: { label: 'Sign in', url: only!.url },
    }
  }
  const lines = links.map((link) => `${roleIn(link)}:\n${link.url}`)
  return {
    subject: 'Sign in to the Qualification Gate',
    text: `Here are your links to sign in at ${host}, one for each account. Each link is for one account alone. ${caution}\n\n${lines.join('\n\n')}`,
  }
}

const roleIn = ({ accountName, isAdmin }: LinkOfAccount): string =>
  isAdmin ? `${accountName} (as an administrator)` : accountName
