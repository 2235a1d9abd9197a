import { type Card, cardLabels, cardOf, cardText } from '../../consent/card.ts'
import type { ActionKind, Fields } from '../../actions/kind.ts'
import { changedWords, differenceWords } from '../../gate/edits/editable-fields.ts'
import { type ActionRow, readAction } from '../../db/queries/actions/actions.ts'
import { readCardNames } from '../../db/queries/actions/consent.ts'
import type { Deps } from '../../deps.ts'
import { requireKind } from '../actions/require-kind.ts'
import { spentOnSubject } from '../clearance/spent.ts'
import { isOpen } from '../actions/action-view.ts'

/** A card in an answer. A longer one is left out, because a cut one would hide something. */
export const cardCharsMax = 8_000

/**
 * The decision card of an action, with the current names of its account and member, and the sum confirmed for the same subject:
 * now, or before this action was confirmed.
 */
export async function cardOfRow(deps: Deps, row: ActionRow): Promise<Card> {
  const [names, same, replaced] = await Promise.all([
    readCardNames(deps.db, row.account_id, row.id),
    sameRow(deps, row),
    replacedRow(deps, row),
  ])
  if (!names) throw new Error(`action ${row.id} is gone`)
  const kind = await requireKind(deps, row)
  return cardOf({
    row,
    kind,
    spent: await spentOnSubject(deps, row, kind),
    accountName: names.account_name,
    memberName: names.member_name,
    same,
    replaced: replaced && {
      ...replaced,
      difference: differenceWords(weighedOf(kind, replaced), weighedOf(kind, row)),
    },
    // It was said of what was proposed, not of what the member made of it.
    outsideMandate: row.former ? null : names.outside_mandate,
    changes: changesOf(kind, row),
  })
}

const weighedOf = (kind: ActionKind, { payload }: ActionRow) => ({
  payload: payload as Fields,
  weight: kind.weigh?.(payload as Fields),
})

/** What its member changed, where they did. */
function changesOf(kind: ActionKind, { former, ...row }: ActionRow): [label: string, words: string][] {
  const was = former?.payload as Fields | undefined
  if (!was) return []
  const { reach_slack: slack, reach_email: email } = former!
  const teams = former!.reach_teams ?? 0
  const isReach = slack !== row.reach_slack || email !== row.reach_email || teams !== row.reach_teams
  const reach: [string, string] = [
    cardLabels.recipients,
    `Recipients, which were ${slack} in Slack, ${email} by e-mail${teams === 0 ? '' : ', 1 post in Microsoft Teams'}`,
  ]
  return [
    ...changedWords(kind.editable?.(was) ?? [], was, row.payload as Fields),
    ...(isReach ? [reach] : []),
  ]
}

/** The action that this one repeats, if it repeats one. */
export const sameRow = async (deps: Pick<Deps, 'db'>, row: ActionRow): Promise<ActionRow | undefined> =>
  row.duplicate_of === null ? undefined : readAction(deps.db, row.account_id, row.duplicate_of)

/** The action that this one answers, if it answers one. */
const replacedRow = async (deps: Pick<Deps, 'db'>, row: ActionRow): Promise<ActionRow | undefined> =>
  (row.replaces ?? null) === null ? undefined : readAction(deps.db, row.account_id, row.replaces!)

/** The card of an open proposal that moves money, as text that an agent can show; nothing of other actions. */
export async function moneyCard(deps: Deps, row: ActionRow): Promise<{ card?: string }> {
  if (!isOpen(row) || !(await requireKind(deps, row)).weigh) return {}
  const card = cardText(await cardOfRow(deps, row))
  return card.length > cardCharsMax ? {} : { card }
}
