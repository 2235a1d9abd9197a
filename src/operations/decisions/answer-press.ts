import { randomUUID } from 'node:crypto'
import type { ActionRow } from '../../db/queries/actions/actions.ts'
import type { Deps } from '../../deps.ts'
import { sendNotice } from '../../providers/send-notice.ts'
import type { SlackPress } from './decide-in-slack.ts'
import { slackOf } from '../consent/slack-outcome.ts'

/**
 * Says a sentence to who pressed a button in Slack: where they pressed it, which also reaches people of other workspaces;
 * otherwise as a message of the account's app or, where the press tells no action, of the environment's.
 */
export async function answerPress(
  deps: Deps,
  { responseUrl, userId }: Pick<SlackPress, 'responseUrl' | 'userId'>,
  sentence: string,
  row?: ActionRow,
): Promise<void> {
  if (responseUrl !== undefined && (await deps.providers.answerSlackPress(responseUrl, sentence))) return
  const slack = row ? await slackOf(deps, row) : deps.ownSlack
  if (!slack || userId === undefined)
    return deps.log.warn({ sentence }, 'the outcome of a press in Slack could not be sent to anyone')
  const { state } = await sendNotice(slack, {
    key: randomUUID(),
    message: slack.freezeNotice({ subject: '', text: sentence }),
    address: userId,
    attemptedAt: new Date(),
  })
  if (state !== 'ok')
    deps.log.warn(
      { state, sentence },
      'the outcome of a press in Slack could not be sent to the person who pressed',
    )
}
