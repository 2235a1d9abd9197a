import { type MandateEnd, settleMandateEnd, takeMandateEnds } from '../../db/queries/actions/mandate-ends.ts'
import type { Deps } from '../../deps.ts'
import { worstCase } from '../../gate/mandates/words.ts'
import { limits } from '../../limits.ts'
import { publicLink } from '../../network/public-link.ts'
import type { Notice } from '../../providers/ports.ts'
import { mapConcurrent } from '../../waiting/map-concurrent.ts'
import { startPolling } from '../../waiting/poll-loop.ts'
import { mailNotice } from '../mail-notice.ts'

const endPollMs = 2_000
const endsAtOnce = 10

/**
 * Tells members by mail that their mandates have expired, or were ended by somebody else, until stopped. Any number of processes may
 * do so. A mail whose process is killed is sent again under its key.
 */
export const startMandateEnds = (deps: Deps): { stop(): Promise<void> } =>
  startPolling(deps, {
    failed: 'telling members of ended mandates failed; will retry',
    pollMs: endPollMs,
    batchMax: endsAtOnce,
    pass: () => tellOfEnds(deps),
  })

async function tellOfEnds(deps: Deps): Promise<number> {
  const due = await takeMandateEnds(deps.db, endsAtOnce, limits.identityNoticeAgainMs)
  await mapConcurrent(endsAtOnce, due, (end) =>
    tellOne(deps, end).catch((error: unknown) =>
      deps.log.warn({ err: error, account: end.account_id }, 'telling a member of an ended mandate failed'),
    ),
  )
  return due.length
}

async function tellOne(deps: Deps, end: MandateEnd): Promise<void> {
  const { ownEmail: channel } = deps
  const { account_id: account, mandate_id: id, uuid, email: address, tries } = end
  const isTold =
    !channel ||
    address === null ||
    (await mailNotice(deps, {
      channel,
      key: `mandate_${uuid}_over`,
      address,
      notice: endNotice(end, publicLink(deps, '/console/mandates')),
      what: 'mail about an ended mandate',
    }))
  if (isTold || tries >= limits.identityNoticeTriesMax) await settleMandateEnd(deps.db, account, id)
}

/** The mail about a mandate that is over. Pure. */
function endNotice({ mandate_id: id, terms, uses, ended_by: by }: MandateEnd, url: string): Notice {
  const how = by === null ? 'has expired' : 'was ended'
  const what = terms.uses === undefined ? '' : ` for ${worstCase(terms as { uses: number })}`
  const used = uses === 0 ? 'It was not used.' : `It was used ${uses === 1 ? 'once' : `${uses} times`}.`
  return {
    subject: `Your mandate #${id} ${how}`,
    text: `Your mandate #${id}${what} ${how}${by === null ? '' : ` ${actorWords(by)}`}. ${used} You are asked about each action that no other mandate covers.`,
    link: { label: 'Mandates', url },
  }
}

/** Who ended it, or what: the service ends one whose place a newer one takes. */
const actorWords = (by: string): string =>
  by === 'system' ? 'because a newer one takes its place' : 'by an administrator'
