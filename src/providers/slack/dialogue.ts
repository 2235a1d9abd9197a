import type { KnownBlock, WebClient } from '@slack/web-api'
import { escapeSlackText } from '../../text/escape.ts'
import { type Dialogue, MessageGone } from '../ports.ts'
import { type Workspace, directChannelOf } from './direct-message.ts'
import { slackFailure } from './outcome.ts'

/** Messages with buttons: the workspace their answers come from, and how they are updated. */
export function slackDialogue(workspace: Workspace): Dialogue {
  const { client } = workspace
  let installed: Promise<Installed> | undefined
  const read = () =>
    (installed ??= readInstalled(client).catch((error: unknown) => {
      installed = undefined
      throw teamError(error)
    }))
  return {
    team: async () => (await read()).team,
    organization: async () => (await read()).organization,
    async replace({ id: ts, ...where }, { text, blocks }) {
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

interface Installed {
  team: string
  organization: string | undefined
}

/** Where the app is installed. An installation for a whole organization may have no workspace: then it counts as one. */
async function readInstalled(client: WebClient): Promise<Installed> {
  const { team_id: id, enterprise_id, is_enterprise_install: isForAll } = await client.auth.test()
  const organization = isForAll ? enterprise_id : undefined
  const team = id || organization
  if (!team) throw new Error('Slack returned no workspace.')
  return { team, organization }
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
