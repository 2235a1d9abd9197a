import { slackCard, slackLine } from '../../consent/slack-card.ts'
import type { ActionRow } from '../../db/queries/actions/actions.ts'
import { readCardNames } from '../../db/queries/actions/consent.ts'
import type { Deps } from '../../deps.ts'
import { cardOfRow } from '../consent/card-of-row.ts'

/** A message, by its conversation and its timestamp there. */
export interface SlackMessage {
  channel: string
  ts: string
}

/** Shows a line with the outcome below the card of a message, and removes its buttons, unless `buttons` are given. */
export async function showOutcome(
  deps: Deps,
  row: ActionRow,
  message: SlackMessage,
  { line, buttons }: { line: string; buttons?: Record<string, unknown> | undefined },
): Promise<void> {
  const names = await readCardNames(deps.db, row.account_id, row.id)
  const { slack } = await deps.channelsOf(row.account_id, names?.integrations_version ?? 0)
  if (!slack || 'unreadable' in slack || !slack.dialogue) return
  const card = await cardOfRow(deps, row)
  await slack.dialogue.replace(message, {
    text: `${card.title}: ${line}`,
    blocks: [...(slackCard(card) ?? []), slackLine(line), ...(buttons ? [buttons] : [])],
  })
}
