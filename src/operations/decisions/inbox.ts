import { type Card, cardHash, cardLabels } from '../../consent/card.ts'
import type { ActionRow } from '../../db/queries/actions/actions.ts'
import { listEndedWithoutMember, listWaiting } from '../../db/queries/actions/overview.ts'
import type { Deps } from '../../deps.ts'
import { whyAlone } from '../../gate/policy.ts'
import { limits } from '../../limits.ts'
import { mapConcurrent } from '../../waiting/map-concurrent.ts'
import { type ShownAction, showAll } from '../actions/shown-action.ts'
import { cardOfRow } from '../consent/card-of-row.ts'
import { policyInForce } from '../policy/policy-in-force.ts'
import type { Session } from '../sign-in/session.ts'
import { needsPasskey } from './ask-passkey.ts'
import { type ShownProposal, mayDecide } from './decide-in-console.ts'

const cardsAtOnce = 4

/** A proposal that waits for its member, with the card that they decide about. */
export interface WaitingProposal extends ShownAction {
  /** `shown`: the card's hash, hex. Null where this program does not know the kind, and cannot show it. */
  open: { card: Card; shown: string } | null
  yours: Exclude<ShownProposal['yours'], 'nothing'>
  /** Why it is not approved together with others. */
  alone: string | undefined
  /** What the gate did for the same payment or customer since it was proposed, in words. */
  changed: string | undefined
  /** It was proposed after the member last looked. */
  isNew: boolean
}

export interface Inbox {
  /** Those first that expire first. */
  waiting: WaitingProposal[]
  /** How many stand before them. */
  skipped: number
  /** How many wait in all. */
  count: number
  /** What ended since the member last looked, without an answer of theirs. Newest first. */
  ended: ShownAction[]
}

/** The first of what waits for the member who is signed in, without cards, and how many wait in all. */
export async function readFirstWaiting(
  deps: Deps,
  session: Session,
  limitRows: number,
): Promise<{ waiting: ShownAction[]; count: number }> {
  const { account, memberId } = session
  if (memberId === null) return { waiting: [], count: 0 }
  const rows = await listWaiting(deps.db, account, { memberId, skipRows: 0, limitRows })
  return { waiting: await showAll(deps, session, rows), count: rows[0]?.waiting ?? 0 }
}

/**
 * What waits for the decision of the member who is signed in.
 * @param page.since  when they last looked; undefined: never, so nothing is new to them
 */
export async function readInbox(
  deps: Deps,
  session: Session,
  page: { skipRows: number; since: Date | undefined },
): Promise<Inbox> {
  const { account, memberId } = session
  if (memberId === null) return { waiting: [], skipped: 0, count: 0, ended: [] }
  const { since, skipRows } = page
  const read = (skipped: number) =>
    listWaiting(deps.db, account, { memberId, skipRows: skipped, limitRows: limits.inboxRowsMax })
  const [asked, policy, ended] = await Promise.all([
    read(skipRows),
    policyInForce(deps, account),
    since === undefined
      ? []
      : listEndedWithoutMember(deps.db, account, { memberId, since, limitRows: limits.inboxEndedShownMax }),
  ])
  // All of a later page may be decided while others still wait.
  const isBeyond = skipRows > 0 && asked.length === 0
  const rows = isBeyond ? await read(0) : asked
  const shown = await showAll(deps, session, rows)
  const waiting = await mapConcurrent(cardsAtOnce, rows, (row) => withCard(deps, session, row))
  return {
    waiting: shown.map((action, at) => ({
      ...action,
      ...waiting[at]!,
      alone: whyAlone(policy, { kind: action.row.kind, weight: action.weight }),
      isNew: since !== undefined && rows[at]!.created_at > since,
    })),
    skipped: isBeyond ? 0 : skipRows,
    count: rows[0]?.waiting ?? 0,
    ended: await showAll(deps, session, ended),
  }
}

async function withCard(
  deps: Deps,
  session: Session,
  row: ActionRow,
): Promise<Pick<WaitingProposal, 'open' | 'yours' | 'changed'>> {
  try {
    const card = await cardOfRow(deps, row)
    return {
      open: { card, shown: cardHash(card).toString('hex') },
      yours: await mayDecideInList(deps, session, row),
      changed: changedOn(card),
    }
  } catch (error) {
    // One that cannot be shown must not hide the others.
    deps.log.warn({ err: error, account: row.account_id, action: row.id }, 'a card could not be shown')
    return { open: null, yours: 'both', changed: undefined }
  }
}

/** A passkey signs on the page of its proposal alone. */
async function mayDecideInList(
  deps: Deps,
  session: Session,
  row: ActionRow,
): Promise<WaitingProposal['yours']> {
  const yours = await mayDecide(deps, session, row)
  if (session.memberId !== row.member_id && yours === 'both') return ofApprover(row)
  return yours === 'both' && needsPasskey(row) ? 'decline_or_open' : yours
}

/** What signs, or says why, on the page of its proposal alone. */
const ofApprover = ({ approval_rule: rule }: ActionRow): WaitingProposal['yours'] =>
  rule?.min_strength === 'passkey' || rule?.reason_required === true ? 'decline_or_open' : 'both'

const changedOn = ({ facts }: Card): string | undefined =>
  facts.find(({ label }) => label === cardLabels.since)?.value
