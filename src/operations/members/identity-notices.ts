import { identityNotice } from '../../consent/identity-notice.ts'
import {
  type IdentityNotice,
  endIdentityNotice,
  takeIdentityNotices,
} from '../../db/queries/members/identity-notices.ts'
import type { Deps } from '../../deps.ts'
import { limits } from '../../limits.ts'
import { mapConcurrent } from '../../waiting/map-concurrent.ts'
import type { DeliveryChannel } from '../../providers/ports.ts'
import { sendNotice } from '../../providers/send-notice.ts'
import { startPolling } from '../../waiting/poll-loop.ts'
import { channelBy } from '../consent/channel-by.ts'
import { timeLimit } from '../../waiting/time-limit.ts'

const identityNoticePollMs = 1_000
const identityNoticesAtOnce = 10

const identityNoticeSendMs = 30_000

/**
 * Sends notices about changed identities to members, every second, until stopped. Any number of processes may do so. If
 * one is killed, another sends its notices again, so a notice may arrive twice but is not lost.
 */
export const startIdentityNotices = (deps: Deps): { stop(): Promise<void> } =>
  startPolling(deps, {
    failed: 'sending identity change notices failed; will retry',
    pollMs: identityNoticePollMs,
    batchMax: identityNoticesAtOnce,
    pass: (stopping) => sendIdentityNotices(deps, stopping),
  })

/** Sends the notices that are due. Returns their number. */
export async function sendIdentityNotices(deps: Deps, signal: AbortSignal): Promise<number> {
  const due = await takeIdentityNotices(deps.db, identityNoticesAtOnce, limits.identityNoticeAgainMs)
  await mapConcurrent(identityNoticesAtOnce, due, (notice) =>
    sendOne(deps, notice, signal).catch((error: unknown) =>
      deps.log.warn({ err: error, account: notice.account_id }, 'sending an identity change notice failed'),
    ),
  )
  return due.length
}

async function sendOne(deps: Deps, notice: IdentityNotice, signal: AbortSignal): Promise<void> {
  const code = await sendNoticeOf(deps, notice, signal)
  const about = { account: notice.account_id, via: notice.via, tries: notice.tries, code }
  const isLast = notice.tries >= limits.identityNoticeTriesMax
  if (code !== null && !isLast)
    return void deps.log.info(about, 'identity change notice not sent; will retry')
  if (code !== null) deps.log.warn(about, 'identity change notice not sent; giving up')
  await endIdentityNotice(deps.db, notice.account_id, notice.notice_id)
}

/**
 * Sends one notice.
 * @returns null where the provider accepted it, otherwise an error code, also where the outcome is unknown
 */
async function sendNoticeOf(deps: Deps, notice: IdentityNotice, signal: AbortSignal): Promise<string | null> {
  const channel = await channelOf(deps, notice)
  if (typeof channel === 'string') return channel
  const message = channel.freezeNotice(
    identityNotice({
      identity: notice.identity,
      next: notice.next,
      isFirst: notice.is_first,
      by: notice.changed_by,
      at: notice.changed_at,
      accountName: notice.account_name,
      settlesAfterHours: notice.settles_after_hours,
    }),
  )
  const limit = timeLimit(identityNoticeSendMs, signal)
  const outcome = await sendNotice(channel, {
    key: `identity_${notice.notice_id}`,
    message,
    address: notice.address,
    attemptedAt: new Date(),
    signal: limit.signal,
  }).finally(limit.clear)
  return outcome.state === 'ok' ? null : outcome.code
}

/** The service's own e-mail or a chat of the account; an error code where it is not available. */
async function channelOf(deps: Deps, notice: IdentityNotice): Promise<DeliveryChannel | string> {
  const { via, account_id: account, integrations_version: version } = notice
  const channel = await channelBy(deps, via, account, version)
  if (!channel) return 'channel_not_configured'
  return 'unreadable' in channel ? 'credential_unreadable' : channel
}
