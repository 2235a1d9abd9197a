import { randomUUID } from 'node:crypto'
import type { Deps } from '../../deps.ts'
import { limits } from '../../limits.ts'
import type { DeliveryChannel, Notice } from '../../providers/ports.ts'
import { mailNotice } from '../mail-notice.ts'

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
  return mailNotice(deps, {
    channel,
    key: `sign_in_${randomUUID()}`,
    address,
    notice: noticeOf(links, new URL(deps.publicUrl()).host),
    what: 'a link to sign in',
  })
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
