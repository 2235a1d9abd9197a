import { closingLine, isErased } from '../../consent/outcome.ts'
import { slackCard, slackLine } from '../../consent/slack-card.ts'
import type { ActionRow } from '../../db/queries/actions/actions.ts'
import { readCardNames } from '../../db/queries/actions/consent.ts'
import type { Deps } from '../../deps.ts'
import type { DeliveryChannel, Dialogue } from '../../providers/ports.ts'
import { cardOfRow } from './card-of-row.ts'
import { callOf } from '../actions/action-view.ts'
import { kindOfRow } from '../actions/require-kind.ts'

/** A message, by its conversation or its user, and its timestamp there. */
export type SlackMessage = { ts: string } & ({ channel: string } | { user: string })

/**
 * Shows a line below the card of a message, and removes its buttons, unless `buttons` are given.
 * @param shown.line  absent: the outcome of the action
 * @returns whether the account's Slack is there to do so
 */
export async function showOutcome(
  deps: Deps,
  row: ActionRow,
  message: SlackMessage,
  shown: { line?: string; buttons?: Record<string, unknown> | undefined } = {},
): Promise<boolean> {
  const slack = await slackOf(deps, row)
  if (!slack) return false
  // An erased payload leaves nothing to show: the line replaces the card.
  const card = isErased(row) ? undefined : await cardOfRow(deps, row)
  const line = shown.line ?? (await outcomeLine(deps, row))
  await slack.dialogue.replace(message, {
    text: card ? `${card.title}: ${line}` : line,
    blocks: [
      ...((card && slackCard(card)) ?? []),
      slackLine(line),
      ...(shown.buttons ? [shown.buttons] : []),
    ],
  })
  return true
}

/** The outcome of an action in words. */
export async function outcomeLine(deps: Deps, row: ActionRow): Promise<string> {
  const names = await readCardNames(deps.db, row.account_id, row.id)
  return closingLine(
    await kindOfRow(deps, row),
    row,
    names?.member_name ?? row.member,
    await callOf(deps, row),
  )
}

/** The Slack of an action's account; undefined where it has none with buttons that can be used now. */
export async function slackOf(
  deps: Deps,
  { account_id: account, id }: Pick<ActionRow, 'account_id' | 'id'>,
): Promise<(DeliveryChannel & { dialogue: Dialogue }) | undefined> {
  const names = await readCardNames(deps.db, account, id)
  const { slack } = await deps.channelsOf(account, names?.integrations_version ?? 0)
  if (!slack || 'unreadable' in slack || !slack.dialogue) return undefined
  return { ...slack, dialogue: slack.dialogue }
}
