import { randomUUID } from 'node:crypto'
import { listAdmins } from '../../db/queries/accounts/admins.ts'
import type { Deps } from '../../deps.ts'
import { standInWords } from '../../integrations/account-words.ts'
import { type IntegrationProvider, providerName } from '../../gate/integration-provider.ts'
import { limits } from '../../limits.ts'
import type { Notice } from '../../providers/ports.ts'
import { changedByWords } from './recent-changes.ts'
import { environmentProviders } from './environment-providers.ts'
import type { AccountChange } from './connect-draft.ts'
import type { OpenLink } from './connect-link.ts'
import { publicLink } from '../../network/public-link.ts'
import { mailNotice } from '../mail-notice.ts'
import type { Session } from '../sign-in/session.ts'

/** Administrators who are notified of a change by mail. */
const adminsNotifiedMax = 50

/**
 * Notifies the administrators of an account by mail, except the one who made the change. Sent in the background and
 * through the service's own e-mail, because the account's e-mail provider may be what was changed.
 */
export function notifyAdmins(
  deps: Deps,
  notification: { account: string; exceptAdmin: string | null; notice: Notice; what: string },
): void {
  const { ownEmail: channel } = deps
  if (!channel) return
  const { account, exceptAdmin, notice, what } = notification
  deps.background.start('due', what, async () => {
    const admins = (await listAdmins(deps.db, account)).filter(
      ({ admin_id: id, removed_at: removedAt }) => removedAt === null && id !== exceptAdmin,
    )
    for (const { email } of admins.slice(0, adminsNotifiedMax))
      await mailNotice(deps, { channel, key: `told_${randomUUID()}`, address: email, notice, what })
  })
}

/** Notifies them of a new connection. */
export function notifyOfConnection(
  deps: Deps,
  made: { link: OpenLink; change: AccountChange; by: string; exceptAdmin: string | null },
): void {
  const { link, change, by, exceptAdmin } = made
  notifyAdmins(deps, {
    account: link.account_id,
    exceptAdmin,
    what: 'mail about a connected provider',
    notice: connectionNotice({
      provider: link.provider,
      accountName: link.account_name,
      by,
      ...change,
      url: publicLink(deps, '/console/integrations'),
    }),
  })
}

/** Notifies them of a disconnected provider. */
export async function notifyOfDisconnection(
  deps: Deps,
  session: Session,
  provider: IntegrationProvider,
): Promise<void> {
  const { account, accountName, adminId, address } = session
  notifyAdmins(deps, {
    account,
    exceptAdmin: adminId,
    what: 'mail about a disconnected provider',
    notice: connectionNotice({
      provider,
      accountName,
      by: `admin:${address}`,
      from: `the connected ${providerName[provider]} account`,
      to: standInWords(provider, (await environmentProviders(deps, account))[provider]),
      url: publicLink(deps, '/console/integrations'),
    }),
  })
}

/** The text of the mail. Pure. */
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
    subject: `${name} changed for ${accountName}`,
    text: [
      `The ${name} account that ${accountName} uses was changed by ${changedByWords(by)}.`,
      `From: ${from}\nTo: ${to}`,
      ...(provider === 'stripe' ? [guardSentence] : []),
      'If you did not expect this change, disconnect the provider on the integrations page. If money is at risk, suspend the account.',
    ].join('\n\n'),
    link: { label: 'Open integrations', url },
  }
}

/** The consequence of a change of the Stripe account. */
export const guardSentence = `For ${limits.providerChangeGuardMs / 3_600_000} hours, every refund, payout, checkout and cancellation requires the member's own consent on a page.`
