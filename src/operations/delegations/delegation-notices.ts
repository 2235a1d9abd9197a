import {
  type DelegationNotice,
  settleDelegationNotice,
  takeDelegationNotices,
} from '../../db/queries/members/delegations.ts'
import type { Deps } from '../../deps.ts'
import { limits } from '../../limits.ts'
import { publicLink } from '../../network/public-link.ts'
import type { DeliveryChannel, Notice } from '../../providers/ports.ts'
import { escapeInvisible } from '../../text/escape-invisible.ts'
import { mapConcurrent } from '../../waiting/map-concurrent.ts'
import { startPolling } from '../../waiting/poll-loop.ts'
import { mailNotice } from '../mail-notice.ts'

const noticePollMs = 2_000
const noticesAtOnce = 10

/**
 * Tells both people that a delegation starts, and that it is over, until stopped: by mail, or in Slack those who have no mailbox. Any
 * number of processes may do so. A message whose process is killed is sent again under its key.
 */
export const startDelegationNotices = (deps: Deps): { stop(): Promise<void> } =>
  startPolling(deps, {
    failed: 'telling members of a delegation failed; will retry',
    pollMs: noticePollMs,
    batchMax: noticesAtOnce,
    pass: () => tellOfDelegations(deps),
  })

async function tellOfDelegations(deps: Deps): Promise<number> {
  const due = await takeDelegationNotices(deps.db, noticesAtOnce, limits.identityNoticeAgainMs)
  await mapConcurrent(noticesAtOnce, due, (notice) =>
    tellOne(deps, notice).catch((error: unknown) =>
      deps.log.warn({ err: error, account: notice.account_id }, 'telling a member of a delegation failed'),
    ),
  )
  return due.length
}

async function tellOne(deps: Deps, notice: DelegationNotice): Promise<void> {
  const { delegation_id: id, member_id: member, is_end: isEnd, tries } = notice
  const way = await wayToTell(deps, notice)
  const isTold =
    !way ||
    (await mailNotice(deps, {
      ...way,
      key: `${id}_${member}_${isEnd ? 'end' : 'start'}`,
      notice: delegationNotice(notice, publicLink(deps, '/console/delegations')),
      what: 'a message about a delegation',
    }))
  if (isTold || tries >= limits.identityNoticeTriesMax) await settleDelegationNotice(deps.db, notice)
}

/** How somebody is told of what concerns approvals; undefined: they cannot be. */
export async function wayToTell(
  deps: Deps,
  {
    account_id: account,
    integrations_version: version,
    email,
    slack,
  }: Pick<DelegationNotice, 'account_id' | 'integrations_version' | 'email' | 'slack'>,
): Promise<{ channel: DeliveryChannel; address: string } | undefined> {
  if (email !== null && deps.ownEmail) return { channel: deps.ownEmail, address: email }
  if (slack === null) return undefined
  const { slack: channel } = await deps.channelsOf(account, version)
  return channel && !('unreadable' in channel) ? { channel, address: slack } : undefined
}

/** The message to one of the two. Pure. */
function delegationNotice(notice: DelegationNotice, url: string): Notice {
  const { is_end: isEnd, is_deputy: isDeputy, other_name: name, account_name: account, kinds, until } = notice
  const other = escapeInvisible(name)
  const what = kinds === null ? 'everything' : kinds.join(', ')
  const [who, whom] = isDeputy ? ['You approve', other] : [`${other} approves`, 'you']
  if (isEnd)
    return {
      subject: isDeputy
        ? `You are no longer a deputy in ${account}`
        : `Your deputy in ${account} no longer approves`,
      text: `${isDeputy ? `You no longer approve for ${other}` : `${other} no longer approves for you`} in ${account}. ${notice.ended_by === null ? 'The time is over.' : 'It was ended.'}`,
      link: { label: 'Deputies', url },
    }
  return {
    subject: isDeputy ? `You are a deputy in ${account}` : `You have a deputy in ${account}`,
    text: [
      `${who} for ${whom} in ${account} until ${until.toISOString().slice(0, 16)}Z: ${what}.`,
      'The two of you count as one person: the first of you to approve counts.',
      isDeputy
        ? 'You can end this at any time.'
        : 'If you did not expect this, withdraw it now, and tell an administrator.',
    ].join('\n\n'),
    link: { label: 'Deputies', url },
  }
}
