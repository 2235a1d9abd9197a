import {
  type GlassNotice,
  settleGlassNotice,
  takeGlassNotices,
} from '../../db/queries/actions/glass-breaks.ts'
import type { Deps } from '../../deps.ts'
import { limits } from '../../limits.ts'
import { publicLink } from '../../network/public-link.ts'
import type { Notice } from '../../providers/ports.ts'
import { escapeInvisible } from '../../text/escape-invisible.ts'
import { mapConcurrent } from '../../waiting/map-concurrent.ts'
import { startPolling } from '../../waiting/poll-loop.ts'
import { wayToTell } from '../delegations/delegation-notices.ts'
import { mailNotice } from '../mail-notice.ts'

const noticePollMs = 2_000
const noticesAtOnce = 10

/**
 * Tells those who could have approved an action, and its member, that somebody executed it alone, until stopped: by mail, or in Slack
 * those who have no mailbox. Any number of processes may do so. A message whose process is killed is sent again under its key.
 */
export const startGlassNotices = (deps: Deps): { stop(): Promise<void> } =>
  startPolling(deps, {
    failed: 'telling members of a break-glass failed; will retry',
    pollMs: noticePollMs,
    batchMax: noticesAtOnce,
    pass: () => tellOfGlass(deps),
  })

async function tellOfGlass(deps: Deps): Promise<number> {
  const due = await takeGlassNotices(deps.db, noticesAtOnce, limits.identityNoticeAgainMs)
  await mapConcurrent(noticesAtOnce, due, (notice) =>
    tellOne(deps, notice).catch((error: unknown) =>
      deps.log.warn({ err: error, account: notice.account_id }, 'telling a member of a break-glass failed'),
    ),
  )
  return due.length
}

async function tellOne(deps: Deps, notice: GlassNotice): Promise<void> {
  const { account_id: account, action_id: id, member_id: member, tries } = notice
  const way = await wayToTell(deps, notice)
  const isTold =
    !way ||
    (await mailNotice(deps, {
      ...way,
      key: `glass_${account}_${id}_${member}`,
      notice: glassNotice(notice, publicLink(deps, `/console/break-glass/${id}`)),
      what: 'a message about a break-glass',
    }))
  if (isTold || tries >= limits.identityNoticeTriesMax) await settleGlassNotice(deps.db, notice)
}

/** The message to one of them. It has none of the agent's words. Pure. */
function glassNotice(notice: GlassNotice, url: string): Notice {
  const by = escapeInvisible(notice.by_name)
  return {
    subject: `${by} executed an action alone in ${notice.account_name}`,
    text: [
      `Action ${notice.action_id} (${notice.kind}), for ${escapeInvisible(notice.for_name)}, needed the approval of others. ${by} executed it alone, by break-glass, with a passkey and a reason.`,
      `Somebody who could have approved it reviews that until ${notice.review_due_at.toISOString().slice(0, 16)}Z.`,
    ].join('\n\n'),
    link: { label: 'Read why', url },
  }
}
