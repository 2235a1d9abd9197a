import { closingLine, isErased } from '../../consent/outcome.ts'
import { slackCard, slackLine } from '../../consent/slack-card.ts'
import type { ActionRow } from '../../db/queries/actions/actions.ts'
import { readCardNames } from '../../db/queries/actions/consent.ts'
import type { Deps } from '../../deps.ts'
import { cardOfRow } from '../consent/card-of-row.ts'
import { callOf } from '../proposals/action-view.ts'
import { kindOfRow } from '../proposals/require-kind.ts'

/** A message, by its conversation or its user, and its timestamp there. `team`: only in that workspace. */
export type SlackMessage = { ts: string; team?: string } & ({ channel: string } | { user: string })

/**
 * Shows a line below the card of a message, and removes its buttons, unless `buttons` are given.
 * @param shown.line  absent: the outcome of the action
 * @returns whether the account's Slack is there to do so
 */
export async function showOutcome(
  deps: Deps,
  row: ActionRow,
  { team, ...message }: SlackMessage,
  shown: { line?: string; buttons?: Record<string, unknown> | undefined } = {},
): Promise<boolean> {
  const names = await readCardNames(deps.db, row.account_id, row.id)
  const { slack } = await deps.channelsOf(row.account_id, names?.integrations_version ?? 0)
  if (!slack || 'unreadable' in slack || !slack.dialogue) return false
  if (team !== undefined && (await slack.dialogue.team()) !== team) return false
  // Of an erased payload nothing is left to show: the line replaces the card.
  const card = isErased(row) ? undefined : await cardOfRow(deps, row)
  const kind = await kindOfRow(deps, row)
  const line = shown.line ?? closingLine(kind, row, names?.member_name ?? row.member, await callOf(deps, row))
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
