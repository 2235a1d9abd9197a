import { readAction } from '../../db/queries/actions/actions.ts'
import {
  type MessageUpdate,
  endMessageUpdate,
  readSentRequest,
  takeMessageUpdates,
} from '../../db/queries/actions/message-updates.ts'
import type { Deps } from '../../deps.ts'
import { mapConcurrent } from '../../waiting/map-concurrent.ts'
import { MessageGone } from '../../providers/ports.ts'
import { startPolling } from '../../waiting/poll-loop.ts'
import { isOpen } from '../actions/action-view.ts'
import { isOutdated, outdated, showOutcome } from './chat-outcome.ts'

// Messages to providers, and calls to them.
/** How often messages in chats are looked for that are to show the outcome of their action; how many at once. */
const messageUpdatePollMs = 1_000
const messageUpdatesAtOnce = 10

/** After a failed update: the first delay, which doubles, and how many tries there are: about an hour. */
const messageUpdateAgainMs = 15_000
const messageUpdateTriesMax = 8

/**
 * Replaces the buttons of consent requests in chats by the outcome of their actions, however they were decided, and requests about a
 * former version by a line that says so: every second, until stopped. Any number of processes may do so. No decision waits for it, and after some tries a message is left as it is.
 */
export const startMessageUpdates = (deps: Deps): { stop(): Promise<void> } =>
  startPolling(deps, {
    failed: 'updating messages in chats failed; will retry',
    pollMs: messageUpdatePollMs,
    batchMax: messageUpdatesAtOnce,
    pass: () => updateMessages(deps),
  })

/** Updates the messages that are due. Returns their number. */
export async function updateMessages(deps: Deps): Promise<number> {
  const due = await takeMessageUpdates(deps.db, messageUpdatesAtOnce, messageUpdateAgainMs)
  await mapConcurrent(messageUpdatesAtOnce, due, (update) =>
    updateOne(deps, update).catch((error: unknown) => failed(deps, update, error)),
  )
  return due.length
}

async function updateOne(deps: Deps, update: MessageUpdate): Promise<void> {
  const [row, request] = await Promise.all([
    readAction(deps.db, update.account_id, update.action_id),
    readSentRequest(deps.db, update),
  ])
  if (row && request) {
    const { via, address: user, provider_id: id, card } = request
    if (!isOpen(row)) await showOutcome(deps, row, { via, user, id })
    else if (await isOutdated(deps, row, card)) await showOutcome(deps, row, { via, user, id }, outdated)
  }
  await endMessageUpdate(deps.db, update)
}

async function failed(deps: Deps, update: MessageUpdate, error: unknown): Promise<void> {
  const about = { err: error, account: update.account_id, action: update.action_id, tries: update.tries }
  const isLast = error instanceof MessageGone || update.tries >= messageUpdateTriesMax
  if (!isLast) return void deps.log.info(about, 'a message in a chat could not be updated; will retry')
  deps.log.warn(about, 'a message in a chat could not be updated; it still shows its buttons')
  await endMessageUpdate(deps.db, update).catch(() => undefined)
}
