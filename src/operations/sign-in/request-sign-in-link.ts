import {
  type MailboxRow,
  type SignInShare,
  dropSignInLink,
  findMailbox,
  makeSignInLink,
} from '../../db/queries/accounts/sign-ins.ts'
import type { Deps } from '../../deps.ts'
import { networkHash, newToken, signInTokenHash } from '../../keys/link-token.ts'
import { companyPath, signInPath } from './sign-in-path.ts'
import { limits } from '../../limits.ts'
import type { DeliveryChannel } from '../../providers/ports.ts'
import { publicLink } from '../../network/public-link.ts'
import type { MailBudget } from './mail-budget.ts'
import { type LinkOfAccount, mailLinks } from './mail-links.ts'

/** Accounts of one mailbox in a sign-in mail. */
const signInAccountsMax = 20

/** How links are mailed. */
export interface SignInMail {
  /**
   * `deps.ownEmail`: mails sent through a provider that an account connected can be read by the person who connected
   * it, and that person must not become an administrator this way.
   */
  channel: DeliveryChannel
  budget: MailBudget
}

/**
 * Sends sign-in links to a mailbox in the background: the answer and its timing are the same for an unknown address,
 * and for one that was already sent too many links.
 *
 * Anyone can request links for any mailbox, so requests are counted by network. The owner is never locked out: a
 * network from which somebody signed in to the mailbox has its own share, and where a request is refused, the newest
 * link in the mailbox still works (see gate.make_sign_in_link). Part of a process's mails is reserved for such
 * networks.
 * @param request.email  as typed; the mail goes to the stored address
 * @param request.network  of the client: see `networkOf`
 */
export function requestSignInLink(deps: Deps, mail: SignInMail, request: LinkRequest): void {
  deps.background.start('sign_in', 'sign-in link', () => sendLinks(deps, mail, request))
}

interface LinkRequest {
  email: string
  network: string
}

interface MadeLink extends LinkOfAccount {
  hash: Buffer
  share: SignInShare
}

async function sendLinks(deps: Deps, { channel, budget }: SignInMail, request: LinkRequest): Promise<void> {
  const { email, network } = request
  const accounts = await findMailbox(deps.db, email, signInAccountsMax)
  if (accounts.length === 0) return
  const links: MadeLink[] = []
  for (const row of accounts) {
    const link = await linkTo(deps, row, request)
    if (link) links.push(link)
  }
  if (links.length === 0) return
  const asker = { network, isKnown: links.some(({ share }) => share === 'known') }
  if (!budget.take(asker)) {
    deps.log.warn('sign-in link not sent: hourly limit reached')
    return dropLinks(deps, links)
  }
  if (await mailLinks(deps, { channel, address: accounts[0]!.address, links })) return
  budget.giveBack(asker)
  await dropLinks(deps, links)
}

async function linkTo(
  deps: Deps,
  row: MailboxRow,
  { email, network }: LinkRequest,
): Promise<MadeLink | undefined> {
  const token = newToken()
  const hash = signInTokenHash(token)
  const share = await makeSignInLink(deps.db, {
    token: hash,
    account: row.account_id,
    email,
    asker: networkHash(network),
    lastsMs: limits.signInLinkMs,
    askerMax: limits.signInMailsPerAskerMax,
    strangersMax: limits.signInMailsOfStrangersMax,
    standingMs: limits.signInStandingMs,
  })
  if (share === null) return undefined
  // Where only the company signs in, the mail says so: its token opens nothing.
  const path = row.is_company_only ? companyPath(row.account_id) : `${signInPath}/${token}`
  const url = publicLink(deps, path)
  return { accountName: row.account_name, isAdmin: row.is_admin, url, hash, share }
}

// A link that was not sent must not count towards the limit of its mailbox.
async function dropLinks(deps: Deps, links: MadeLink[]): Promise<void> {
  for (const { hash } of links) await dropSignInLink(deps.db, hash)
}
