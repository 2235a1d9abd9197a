import { type MailboxRow, dropSignInLink, findMailbox, makeSignInLink } from '../../db/queries/sign-ins.ts'
import { type Deps } from '../../deps.ts'
import { newToken } from '../../keys/link-token.ts'
import { limits } from '../../limits.ts'
import { type DeliveryChannel } from '../../providers/ports.ts'
import { publicLink } from '../connect-link.ts'
import { type MailBudget } from './mail-budget.ts'
import { type LinkOfAccount, mailLinks } from './mail-links.ts'
import { linkHash, signInPath } from './tokens.ts'

/** By what links are mailed. */
export interface SignInMail {
  /**
   * `deps.ownEmail`: what an account has connected is read by whoever connected it, who must not become an administrator
   * by that.
   */
  channel: DeliveryChannel
  budget: MailBudget
}

/**
 * Sends links to sign in to whoever reads that mailbox, behind the answer: what is answered, and when, is the same for an
 * address that nobody has, and for one that was sent enough.
 * @param email  as typed; the mail goes to the address as it is stored
 */
export function askForLink(deps: Deps, mail: SignInMail, email: string): void {
  deps.behind.start('a link to sign in', () => sendLinks(deps, mail, email))
}

interface MadeLink extends LinkOfAccount {
  hash: Buffer
}

async function sendLinks(deps: Deps, { channel, budget }: SignInMail, email: string): Promise<void> {
  const accounts = await findMailbox(deps.db, email, limits.signInAccountsMax)
  if (accounts.length === 0) return
  const links: MadeLink[] = []
  for (const row of accounts) {
    const link = await linkTo(deps, row, email)
    if (link) links.push(link)
  }
  if (links.length === 0) return
  if (!budget.take()) {
    deps.log.warn('a link to sign in was not sent: too many were within an hour')
    return dropLinks(deps, links)
  }
  if (await mailLinks(deps, { channel, address: accounts[0]!.address, links })) return
  budget.giveBack()
  await dropLinks(deps, links)
}

async function linkTo(deps: Deps, row: MailboxRow, email: string): Promise<MadeLink | undefined> {
  const token = newToken()
  const hash = linkHash(token)
  const isMade = await makeSignInLink(deps.db, {
    token: hash,
    account: row.account_id,
    email,
    lastsMs: limits.signInLinkMs,
    linksMax: limits.signInLinksMax,
    linksPerDayMax: limits.signInLinksPerDayMax,
  })
  if (!isMade) return undefined
  const url = publicLink(deps, `${signInPath}/${token}`)
  return { accountName: row.account_name, isAdmin: row.is_admin, url, hash }
}

// What nobody got must not be one of the few that its mailbox may have.
async function dropLinks(deps: Deps, links: MadeLink[]): Promise<void> {
  for (const { hash } of links) await dropSignInLink(deps.db, hash)
}
