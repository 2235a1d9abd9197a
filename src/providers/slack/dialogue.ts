import type { KnownBlock, WebClient } from '@slack/web-api'
import { escapeSlackText } from '../../text/escape.ts'
import { type Dialogue, MessageGone } from '../ports.ts'
import { type Workspace, directChannelOf } from './direct-message.ts'
import { slackFailure } from './outcome.ts'

/** Messages with buttons: the workspace their answers come from, and how they are updated. */
export function slackDialogue(workspace: Workspace): Dialogue {
  const { client } = workspace
  let team: Promise<string> | undefined
  return {
    team: () =>
      (team ??= readTeam(client).catch((error: unknown) => {
        team = undefined
        throw teamError(error)
      })),
    async replace({ ts, ...where }, { text, blocks }) {
      try {
        await client.chat.update({
          channel: 'channel' in where ? where.channel : await directChannelOf(workspace, where.user),
          ts,
          text: escapeSlackText(text),
          blocks: blocks as unknown as KnownBlock[],
          link_names: false,
        })
      } catch (error) {
        const { state, code } = slackFailure(error)
        const isFinal = (state === 'not_done' && !isRateLimit(code)) || goneCodes.has(code)
        throw isFinal ? new MessageGone(`Slack does not update the message: ${code}`) : error
      }
    },
  }
}

const isRateLimit = (code: string): boolean => code === 'ratelimited' || code === 'unreachable'

/** Deleted, or not to be edited any more. @source Slack: chat.update */
const goneCodes = new Set(['message_not_found', 'cant_update_message', 'edit_window_closed', 'is_inactive'])

async function readTeam(client: WebClient): Promise<string> {
  const { team_id: id } = await client.auth.test()
  if (!id) throw new Error('Slack returned no workspace.')
  return id
}

function teamError(error: unknown): Error {
  const failure = slackFailure(error)
  return failure.state === 'not_done' && failure.retryAfterMs === undefined
    ? new SlackRefusal(failure.code)
    : new Error(`Slack did not return the workspace: ${failure.code}`)
}

/** Thrown by `team` where Slack refuses the token: a retry would not help. `code`: short and safe. */
export class SlackRefusal extends Error {
  readonly code: string

  constructor(code: string) {
    super(`Slack refused: ${code}`)
    this.name = 'SlackRefusal'
    this.code = code
  }
}
