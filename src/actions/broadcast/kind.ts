import { z } from 'zod'
import { defaultPolicy } from '../../gate/policy.ts'
import { limits } from '../../limits.ts'
import { type ActionKind, outcomes } from '../kind.ts'
import { broadcastPerformer } from './perform.ts'

// C0 and C1 control characters, except newline and tab; DEL.
// eslint-disable-next-line no-control-regex
const forbiddenControls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/

/**
 * The text of a broadcast: 1 to 4,000 code points, valid Unicode, not only white space. CR LF becomes LF.
 * @source docs/rest.md#limits
 */
export const messageText = z
  .string()
  .max(limits.messageCodePointsMax * 4, `must have at most ${limits.messageCodePointsMax} characters`)
  .transform((text) => text.replaceAll('\r\n', '\n'))
  .refine((text) => text.isWellFormed(), 'must be valid Unicode')
  .refine((text) => text.trim().length > 0, 'must not be empty')
  .refine(
    (text) => !forbiddenControls.test(text),
    'must not contain control characters other than newline and tab',
  )
  .refine(
    (text) => [...text].length <= limits.messageCodePointsMax,
    `must have at most ${limits.messageCodePointsMax} characters`,
  )
  .meta({
    description: `The message text, 1 to ${limits.messageCodePointsMax} characters, sent as given.`,
    minLength: 1,
    maxLength: limits.messageCodePointsMax,
  })

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
  performer: broadcastPerformer,
}
