import { z } from 'zod'
import type { ActionRow } from '../../db/queries/actions/actions.ts'
import { defaultPolicy } from '../../gate/policy.ts'
import { agentText } from '../agent-text.ts'
import { type ActionKind, outcomes } from '../kind.ts'
import { broadcastPerformer } from './perform.ts'

const messageCodePointsMax = 4_000

/**
 * The text of a broadcast: 1 to 4,000 code points.
 * @source docs/rest.md#limits
 */
export const messageText = agentText(
  messageCodePointsMax,
  `Sent as given to every active member, by Slack or e-mail. 1 to ${messageCodePointsMax} characters.`,
)

const count = z.int().min(0)
const perChannel = z.object({ slack: count, email: count, teams: count.optional() })

/** Whom it reaches, in words: every active member, unless the member who approved it left out those of a channel. */
function titleOf({
  former,
  reach_slack: slack,
  reach_email: email,
  reach_teams: teams = 0,
}: Partial<Pick<ActionRow, 'former' | 'reach_slack' | 'reach_email' | 'reach_teams'>>): string {
  const room = teams > 0 ? ', and in Microsoft Teams' : ''
  if (former && slack === 0 && email === 0 && teams > 0)
    return 'Message in Microsoft Teams, to no member directly'
  if (former?.reach_slack !== undefined && former.reach_slack !== slack)
    return 'Message to active members, only by e-mail'
  if (former?.reach_email !== undefined && former.reach_email !== email)
    return 'Message to active members, only in Slack'
  return former && former.reach_teams !== teams
    ? 'Message to every active member'
    : `Message to every active member${room}`
}

/** A message to every active member of the account, through their own channels. */
export const broadcast: ActionKind<{ message: string }> = {
  kind: 'broadcast',
  payload: z.strictObject({ message: messageText }),
  defaultRule: defaultPolicy.kinds['broadcast']!,
  isHttpProposable: true,
  reaches: 'members',
  shows: {
    payload: z.object({ message: z.string() }),
    result: z.object({
      outcome: z.enum(outcomes),
      slack: count.meta({ description: 'Messages delivered in Slack.' }),
      email: count.meta({ description: 'Messages delivered by e-mail.' }),
      teams: count.optional().meta({ description: 'Posts that the Microsoft Teams room took.' }),
      unreachable: count,
      failed: perChannel,
      unknown: perChannel.meta({ description: 'Perhaps delivered. They are not sent again.' }),
      stopped: z.literal('account_suspended').optional(),
      sandbox: z.boolean().optional(),
    }),
  },
  summary: ({ message }, beside) => ({
    title: titleOf(beside),
    facts: [],
    written: [['Message', message]],
  }),
  editable: () => [{ at: '/message', label: 'Message', way: 'text' }],
  outcome: (_payload, { slack, email, teams }) => {
    const people = Number(slack) + Number(email)
    const room = Number(teams ?? 0) > 0 ? ' and Microsoft Teams' : ''
    return `Message sent to ${people} ${people === 1 ? 'person' : 'people'}${room}`
  },
  argumentsOf: ({ message }) => ({ message }),
  performer: broadcastPerformer,
}
