import { z } from 'zod'
import { defaultPolicy } from '../../gate/policy.ts'
import { limits } from '../../limits.ts'
import { agentText } from '../agent-text.ts'
import type { ActionKind } from '../kind.ts'
import { broadcastPerformer } from './perform.ts'

/**
 * The text of a broadcast: 1 to 4,000 code points.
 * @source docs/rest.md#limits
 */
export const messageText = agentText(
  limits.messageCodePointsMax,
  `The message text, 1 to ${limits.messageCodePointsMax} characters, sent as given.`,
)

/** A message to every active member of the account, through their own channels. */
export const broadcast: ActionKind<{ message: string }> = {
  kind: 'broadcast',
  payload: z.strictObject({ message: messageText }),
  defaultRule: defaultPolicy.kinds['broadcast']!,
  isHttpProposable: true,
  reaches: 'members',
  summary: ({ message }) => ({
    title: 'Message to every active member',
    facts: [],
    written: [['Message', message]],
  }),
  outcome: (_payload, { slack, email }) => {
    const people = Number(slack) + Number(email)
    return `Message sent to ${people} ${people === 1 ? 'person' : 'people'}`
  },
  performer: broadcastPerformer,
}
