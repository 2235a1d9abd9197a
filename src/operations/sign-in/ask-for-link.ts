import { type MailboxRow, findMailbox, makeSignInLink } from '../../db/queries/sign-ins.ts'
import { type Deps } from '../../deps.ts'
import { limits } from '../../limits.ts'
import { type DeliveryChannel } from '../../providers/ports.ts'
import { newToken, publicLink } from '../connect-link.ts'
import { type LinkOfAccount, mailLinks } from './mail-links.ts'
import { linkHash, signInPath } from './tokens.ts'

/**
 * Sends links to sign in to whoever reads that mailbox, behind the answer: what is answered, and when, is the same for an
 * address that nobody has.
 * @param email  as typed; the mail goes to the address as it is stored
 */
export function askForLink(deps: Deps, email: string): void {
  deps.behind.start('a link to sign in', () => sendLinks(deps, email))
}

async function sendLinks(deps: Deps, email: string): Promise<void> {
  const accounts = await findMailbox(deps.db, email, limits.signInAccountsMax)
  for (const [channel, rows] of await byChannel(deps, accounts)) {
    const links: LinkOfAccount[] = []
    for (const row of rows) {
      const url = await linkTo(deps, row, email)
      if (url !== undefined) links.push({ accountName: row.account_name, isAdmin: row.is_admin, url })
    }
    if (links.length > 0) await mailLinks(deps, { channel, address: rows[0]!.address, links })
  }
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

/**
 * The service's own e-mail comes first: what an account has connected is read by whoever holds it at the provider, who
 * must not become an administrator by that. Accounts that have nothing else get a mail each, through their own.
 */
async function byChannel(deps: Deps, accounts: MailboxRow[]): Promise<[DeliveryChannel, MailboxRow[]][]> {
  const ours = await usableEmail(deps, '', 0)
  if (ours) return accounts.length === 0 ? [] : [[ours, accounts]]
  const sent: [DeliveryChannel, MailboxRow[]][] = []
  for (const row of accounts) {
    const own = await usableEmail(deps, row.account_id, row.integrations_version)
    if (own) sent.push([own, [row]])
    else deps.log.warn({ account: row.account_id }, 'no e-mail channel: a link to sign in cannot be sent')
  }
  return sent
}

/** An account's e-mail channel; the service's own where it has connected none (version 0). */
async function usableEmail(
  deps: Deps,
  account: string,
  integrationsVersion: number,
): Promise<DeliveryChannel | undefined> {
  const { email } = await deps.channelsOf(account, integrationsVersion)
  return email && 'send' in email ? email : undefined
}
