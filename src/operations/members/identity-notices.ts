import { setTimeout as sleep } from 'node:timers/promises'
import { identityNotice } from '../../consent/identity-notice.ts'
import {
  type IdentityNotice,
  endIdentityNotice,
  takeIdentityNotices,
} from '../../db/queries/members/identity-notices.ts'
import type { Deps } from '../../deps.ts'
import { limits } from '../../limits.ts'
import { mapConcurrent } from '../../providers/map-concurrent.ts'
import type { DeliveryChannel } from '../../providers/ports.ts'
import { sendNotice } from '../../providers/send-notice.ts'

/**
 * Sends what tells members that an identity of theirs was changed, every second, until stopped. Any number of processes may do
 * so; one that is killed leaves its messages to be taken again, so a message may come twice and is not lost.
 */
export function startIdentityNotices(deps: Deps): { stop(): Promise<void> } {
  const stopping = new AbortController()
  const run = loop(deps, stopping.signal)
  return {
    async stop() {
      stopping.abort()
      await run
    },
  }
}

async function loop(deps: Deps, stopping: AbortSignal): Promise<void> {
  while (!stopping.aborted) {
    const sent = await sendIdentityNotices(deps, stopping).catch((error: unknown) => {
      deps.log.warn({ err: error }, 'messages about changed identities were not sent; they are tried again')
      return 0
    })
    if (sent < limits.identityNoticesAtOnce)
      await sleep(limits.identityNoticePollMs, undefined, { signal: stopping }).catch(() => undefined)
  }
}

/** Sends those that are due. Returns how many were taken. */
export async function sendIdentityNotices(deps: Deps, signal: AbortSignal): Promise<number> {
  const due = await takeIdentityNotices(deps.db, limits.identityNoticesAtOnce, limits.identityNoticeAgainMs)
  await mapConcurrent(limits.identityNoticesAtOnce, due, (notice) =>
    sendOne(deps, notice, signal).catch((error: unknown) =>
      deps.log.warn({ err: error, account: notice.account_id }, 'a message about a changed identity failed'),
    ),
  )
  return due.length
}

async function sendOne(deps: Deps, notice: IdentityNotice, signal: AbortSignal): Promise<void> {
  const code = await sendNoticeOf(deps, notice, signal)
  const about = { account: notice.account_id, via: notice.via, tries: notice.tries, code }
  const isLast = notice.tries >= limits.identityNoticeTriesMax
  if (code !== null && !isLast)
    return void deps.log.info(about, 'a message about a changed identity did not go out; it is tried again')
  if (code !== null)
    deps.log.warn(about, 'a message about a changed identity did not go out, and is given up')
  await endIdentityNotice(deps.db, notice.account_id, notice.notice_id)
}

/** Sends one. @returns null where the provider took it, otherwise why not; one that was perhaps sent is sent again */
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
  const outcome = await sendNotice(channel, {
    key: `identity_${notice.notice_id}`,
    message,
    address: notice.address,
    attemptedAt: new Date(),
    signal: AbortSignal.any([signal, AbortSignal.timeout(limits.identityNoticeSendMs)]),
  })
  return outcome.state === 'ok' ? null : outcome.code
}

/** The service's own e-mail, or the Slack of the account; a code where it is not there now. */
async function channelOf(deps: Deps, notice: IdentityNotice): Promise<DeliveryChannel | string> {
  const { via, account_id: account, integrations_version: version } = notice
  const channel = via === 'email' ? deps.ownEmail : (await deps.channelsOf(account, version)).slack
  if (!channel) return 'channel_not_configured'
  return 'unreadable' in channel ? 'credential_unreadable' : channel
}
