import { z } from 'zod'
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
const perChannel = z.object({ slack: count, email: count })

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
      unreachable: count,
      failed: perChannel,
      unknown: perChannel.meta({ description: 'Perhaps delivered. They are not sent again.' }),
      stopped: z.literal('account_suspended').optional(),
      sandbox: z.boolean().optional(),
    }),
  },
  summary: ({ message }) => ({
    title: 'Message to every active member',
    facts: [],
    written: [['Message', message]],
  }),
  outcome: (_payload, { slack, email }) => {
    const people = Number(slack) + Number(email)
    return `Message sent to ${people} ${people === 1 ? 'person' : 'people'}`
  },
  argumentsOf: ({ message }) => ({ message }),
  performer: broadcastPerformer,
}
