import { z } from 'zod'
import { limits } from '../../limits.ts'

// C0 and C1 control characters, except newline and tab; DEL.
// eslint-disable-next-line no-control-regex
const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/

/** Why a member declines, in their words. Empty and white space: undefined. CR LF becomes LF. */
export const declineReason = z
  .string()
  .transform((text) => text.replaceAll('\r\n', '\n').trim())
  .refine(
    (text) => [...text].length <= limits.reasonCharsMax,
    `must have at most ${limits.reasonCharsMax} characters`,
  )
  .refine(
    (text) => text.isWellFormed() && !controls.test(text),
    'must be text without control characters other than newline and tab',
  )
  .transform((text) => (text === '' ? undefined : text))
  .optional()
