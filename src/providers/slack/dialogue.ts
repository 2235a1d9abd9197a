import type { KnownBlock, WebClient } from '@slack/web-api'
import { escapeSlackText } from '../../text/escape.ts'
import type { Dialogue } from '../ports.ts'
import { slackFailure } from './outcome.ts'

/** Messages with buttons: the workspace their answers come from, and how they are updated. */
export function slackDialogue(client: WebClient): Dialogue {
  let team: Promise<string> | undefined
  return {
    team: () =>
      (team ??= readTeam(client).catch((error: unknown) => {
        team = undefined
        throw teamError(error)
      })),
    async replace({ channel, ts }, { text, blocks }) {
      await client.chat.update({
        channel,
        ts,
        text: escapeSlackText(text),
        blocks: blocks as unknown as KnownBlock[],
        link_names: false,
      })
    },
  }
}

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
