import { z } from 'zod'
import { defaultPolicy } from '../../gate/policy.ts'
import { limits } from '../../limits.ts'
import type { ActionKind } from '../kind.ts'
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
