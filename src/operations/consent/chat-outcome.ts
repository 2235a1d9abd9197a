import { cardHash } from '../../consent/card.ts'
import { chatCards } from '../../consent/chat-cards.ts'
import { closingLine, isErased } from '../../consent/outcome.ts'
import type { ActionRow } from '../../db/queries/actions/actions.ts'
import { readCardNames } from '../../db/queries/actions/consent.ts'
import type { Deps } from '../../deps.ts'
import type { ChatChannel } from '../../gate/consent.ts'
import type { ChatMessage } from '../../providers/ports.ts'
import { cardOfRow } from './card-of-row.ts'
import { chatOf } from './channel-by.ts'
import { callOf } from '../actions/action-view.ts'
import { kindOfRow } from '../actions/require-kind.ts'

/**
 * Shows a line below the card of a message in a chat, and removes its buttons, unless `token` is given.
 * @param shown.line  absent: the outcome of the action
 * @param shown.isAlone  the line replaces the card
 * @returns whether the chat of the account is there to do so
 */
export async function showOutcome(
  deps: Deps,
  row: ActionRow,
  { via, ...message }: ChatMessage & { via: ChatChannel },
  shown: { line?: string; token?: string | undefined; isAlone?: boolean } = {},
): Promise<boolean> {
  const chat = await chatOf(deps, via, row)
  if (!chat) return false
  const cards = chatCards[via]
  // An erased payload leaves nothing to show: the line replaces the card.
  const card = isErased(row) || shown.isAlone ? undefined : await cardOfRow(deps, row)
  const line = shown.line ?? (await outcomeLine(deps, row))
  await chat.dialogue.replace(message, {
    text: card ? `${card.title}: ${line}` : line,
    blocks: [
      ...((card && cards.card(card)) ?? []),
      cards.line(line),
      ...(shown.token === undefined ? [] : [cards.buttons(shown.token)]),
    ],
  })
  return true
}

/** Whether an open action was changed since that card of it was sent: who has the card cannot decide by it any more. */
export const isOutdated = async (deps: Deps, row: ActionRow, card: Buffer | null): Promise<boolean> =>
  row.former !== null && card !== null && !cardHash(await cardOfRow(deps, row)).equals(card)

/** Replaces the card of a former version: the new version is shown by a request of its own alone. */
export const outdated = {
  line: 'This was changed after it was sent to you, so nothing is decided here. Decide about the new version in its own request, or in the console.',
  isAlone: true,
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
