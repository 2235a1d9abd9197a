import {
  type MailboxRow,
  type SignInShare,
  dropSignInLink,
  findMailbox,
  makeSignInLink,
} from '../../db/queries/accounts/sign-ins.ts'
import type { Deps } from '../../deps.ts'
import { networkHash, newToken, signInTokenHash } from '../../keys/link-token.ts'
import { signInPath } from './sign-in-path.ts'
import { limits } from '../../limits.ts'
import type { DeliveryChannel } from '../../providers/ports.ts'
import { publicLink } from '../integrations/connect-link.ts'
import type { MailBudget } from './mail-budget.ts'
import { type LinkOfAccount, mailLinks } from './mail-links.ts'

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
 *
 * Anybody can ask for any mailbox, so requests are counted by the network they come from, and no count keeps the owner out:
 * a network from which somebody signed in to the mailbox has a share of its own, and whoever is refused already has a link
 * in the mailbox that still works (gate.make_sign_in_link says why). Of a process's mails a part is kept for such networks.
 * @param asked.email  as typed; the mail goes to the address as it is stored
 * @param asked.network  of the visitor: see `networkOf`
 */
export function requestSignInLink(deps: Deps, mail: SignInMail, request: LinkRequest): void {
  deps.background.start('a link to sign in', () => sendLinks(deps, mail, request))
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
  const accounts = await findMailbox(deps.db, email, limits.signInAccountsMax)
  if (accounts.length === 0) return
  const links: MadeLink[] = []
  for (const row of accounts) {
    const link = await linkTo(deps, row, request)
    if (link) links.push(link)
  }
  if (links.length === 0) return
  const asker = { network, isKnown: links.some(({ share }) => share === 'known') }
  if (!budget.take(asker)) {
    deps.log.warn('a link to sign in was not sent: too many were within an hour')
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
  const url = publicLink(deps, `${signInPath}/${token}`)
  return { accountName: row.account_name, isAdmin: row.is_admin, url, hash, share }
}

// What nobody got must not be one of the few that its mailbox may have.
async function dropLinks(deps: Deps, links: MadeLink[]): Promise<void> {
  for (const { hash } of links) await dropSignInLink(deps.db, hash)
}
