import { randomUUID } from 'node:crypto'
import { listAdmins } from '../../db/queries/accounts/admins.ts'
import type { Deps } from '../../deps.ts'
import { standInWords } from '../../integrations/account-words.ts'
import { type IntegrationProvider, providerName } from '../../gate/integration-provider.ts'
import { limits } from '../../limits.ts'
import type { Notice } from '../../providers/ports.ts'
import { environmentProviders } from '../admin/integrations.ts'
import type { AccountChange } from './connect-draft.ts'
import { type OpenLink, publicLink } from './connect-link.ts'
import { mailNotice } from '../mail-notice.ts'
import type { Session } from '../sign-in/session.ts'

/**
 * Tells the administrators of an account by mail, but for the one who did it. Behind the answer, and by the service's own
 * e-mail: one that the account connected may be what was changed.
 */
export function notifyAdmins(
  deps: Deps,
  notification: { account: string; exceptAdmin: string | null; notice: Notice; what: string },
): void {
  const { ownEmail: channel } = deps
  if (!channel) return
  const { account, exceptAdmin, notice, what } = notification
  deps.background.start(what, async () => {
    const admins = (await listAdmins(deps.db, account)).filter(
      ({ admin_id: id, removed_at: removedAt }) => removedAt === null && id !== exceptAdmin,
    )
    for (const { email } of admins.slice(0, limits.adminsToldMax))
      await mailNotice(deps, { channel, key: `told_${randomUUID()}`, address: email, notice, what })
  })
}

/** Tells them of a connection that was made. */
export function notifyOfConnection(
  deps: Deps,
  made: { link: OpenLink; change: AccountChange; by: string; exceptAdmin: string | null },
): void {
  const { link, change, by, exceptAdmin } = made
  notifyAdmins(deps, {
    account: link.account_id,
    exceptAdmin,
    what: 'a mail about a connected provider',
    notice: connectionNotice({
      provider: link.provider,
      accountName: link.account_name,
      by,
      ...change,
      url: publicLink(deps, '/console/integrations'),
    }),
  })
}

/** Tells them of a connection that an administrator took away. */
export function notifyOfDisconnection(deps: Deps, session: Session, provider: IntegrationProvider): void {
  const { account, accountName, adminId, address } = session
  notifyAdmins(deps, {
    account,
    exceptAdmin: adminId,
    what: 'a mail about a disconnected provider',
    notice: connectionNotice({
      provider,
      accountName,
      by: `admin:${address}`,
      from: `the ${providerName[provider]} account that was connected`,
      to: standInWords(provider, environmentProviders(deps.config, deps.isSandbox)[provider]),
      url: publicLink(deps, '/console/integrations'),
    }),
  })
}

/** The words of the mail. Pure. */
export function connectionNotice(made: {
  provider: IntegrationProvider
  accountName: string
  by: string
  from: string
  to: string
  url: string
}): Notice {
  const { provider, accountName, by, from, to, url } = made
  const name = providerName[provider]
  return {
    subject: `${name} was changed for ${accountName}`,
    text: [
      `${by} changed the ${name} account that ${accountName} uses.`,
      `From: ${from}\nTo: ${to}`,
      ...(provider === 'stripe' ? [guardSentence] : []),
      'If you do not know why, open the integrations page and disconnect it, and suspend the account if money is at risk.',
    ].join('\n\n'),
    link: { label: 'Open integrations', url },
  }
}

/** What follows from a change of the account that money moves through. */
export const guardSentence = `For ${limits.providerChangeGuardMs / 3_600_000} hours each refund, payout, checkout and cancellation needs the member's own consent on a page.`
