import { type MailboxRow, findMailbox, makeSignInLink } from '../../db/queries/sign-ins.ts'
import { type Deps } from '../../deps.ts'
import { newToken } from '../../keys/link-token.ts'
import { limits } from '../../limits.ts'
import { type DeliveryChannel } from '../../providers/ports.ts'
import { publicLink } from '../connect-link.ts'
import { type LinkOfAccount, mailLinks } from './mail-links.ts'
import { linkHash, signInPath } from './tokens.ts'

/**
 * Sends links to sign in to whoever reads that mailbox, behind the answer: what is answered, and when, is the same for an
 * address that nobody has.
 * @param channel  `deps.ownEmail`: what an account has connected is read by whoever connected it, who must not become an
 * administrator by that
 * @param email  as typed; the mail goes to the address as it is stored
 */
export function askForLink(deps: Deps, channel: DeliveryChannel, email: string): void {
  deps.behind.start('a link to sign in', () => sendLinks(deps, channel, email))
}

async function sendLinks(deps: Deps, channel: DeliveryChannel, email: string): Promise<void> {
  const accounts = await findMailbox(deps.db, email, limits.signInAccountsMax)
  if (accounts.length === 0) return
  const links: LinkOfAccount[] = []
  for (const row of accounts) {
    const url = await linkTo(deps, row, email)
    if (url !== undefined) links.push({ accountName: row.account_name, isAdmin: row.is_admin, url })
  }
  if (links.length > 0) await mailLinks(deps, { channel, address: accounts[0]!.address, links })
}

async function linkTo(deps: Deps, row: MailboxRow, email: string): Promise<string | undefined> {
  const token = newToken()
  const isMade = await makeSignInLink(deps.db, {
    token: linkHash(token),
    account: row.account_id,
    email,
    lastsMs: limits.signInLinkMs,
    linksMax: limits.signInLinksMax,
  })
  return isMade ? publicLink(deps, `${signInPath}/${token}`) : undefined
}
