import { chatCards } from '../../consent/chat-cards.ts'
import {
  type MemberNotice,
  settleMemberNotice,
  takeMemberNotices,
} from '../../db/queries/members/member-notices.ts'
import type { Deps } from '../../deps.ts'
import { type ConsentChannel, chatChannels } from '../../gate/consent.ts'
import { limits } from '../../limits.ts'
import { publicLink } from '../../network/public-link.ts'
import type { DeliveryChannel, Notice } from '../../providers/ports.ts'
import { mapConcurrent } from '../../waiting/map-concurrent.ts'
import { startPolling } from '../../waiting/poll-loop.ts'
import { channelBy } from '../consent/channel-by.ts'
import { mailNotice } from '../mail-notice.ts'
import { memberNotice } from './notice-words.ts'

const noticePollMs = 2_000
const noticesAtOnce = 10

/**
 * Tells members what concerns approvals, until stopped: that a delegation of theirs starts or is over, and that somebody executed an
 * action alone. Any number of processes may do so. A message whose process is killed is sent again under its key.
 */
export const startMemberNotices = (deps: Deps): { stop(): Promise<void> } =>
  startPolling(deps, {
    failed: 'telling members of delegations and break-glass failed; will retry',
    pollMs: noticePollMs,
    batchMax: noticesAtOnce,
    pass: () => tellMembers(deps),
  })

async function tellMembers(deps: Deps): Promise<number> {
  const due = await takeMemberNotices(deps.db, noticesAtOnce, limits.identityNoticeAgainMs)
  await mapConcurrent(noticesAtOnce, due, (notice) =>
    tellOne(deps, notice).catch((error: unknown) =>
      deps.log.warn(
        { err: error, account: notice.account_id, about: notice.about },
        'telling a member of a delegation or a break-glass failed',
      ),
    ),
  )
  return due.length
}

async function tellOne(deps: Deps, notice: MemberNotice): Promise<void> {
  const { account_id: account, about, subject, member_id: member, tries } = notice
  const way = await wayToTell(deps, notice)
  const isTold =
    !way ||
    (await mailNotice(deps, {
      channel: way.channel,
      address: way.address,
      key: `${about}_${account}_${subject}_${member}`,
      notice: inForm(
        way.via,
        memberNotice(notice, (path) => publicLink(deps, path)),
      ),
      what: `a message about a ${about}`,
    }))
  if (isTold || tries >= limits.identityNoticeTriesMax) await settleMemberNotice(deps.db, notice)
}

/** In a chat the link is a part of the message; below a mail its channel shows it. */
function inForm(via: ConsentChannel, notice: Notice): Notice {
  if (via === 'email' || !notice.link) return notice
  const { line, link } = chatCards[via]
  return {
    ...notice,
    blocks: [...notice.text.split('\n\n').map(line), link(notice.link.label, notice.link.url)],
  }
}

/** By mail, or in the first chat where somebody is who has no mailbox; undefined: they cannot be told. */
async function wayToTell(
  deps: Deps,
  notice: MemberNotice,
): Promise<{ via: ConsentChannel; channel: DeliveryChannel; address: string } | undefined> {
  const { account_id: account, integrations_version: version, email } = notice
  if (email !== null && deps.ownEmail) return { via: 'email', channel: deps.ownEmail, address: email }
  for (const via of chatChannels) {
    const address = notice[via]
    const channel = address === null ? undefined : await channelBy(deps, via, account, version)
    if (address !== null && channel && !('unreadable' in channel)) return { via, channel, address }
  }
  return undefined
}
