import { z } from 'zod'

// C0 and C1 control characters, except newline and tab; DEL.
// eslint-disable-next-line no-control-regex
const forbiddenControls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/

/** Lines of text that an agent writes: valid Unicode, not only white space. CR LF becomes LF. */
export const agentText = (codePointsMax: number, what: string) =>
  z
    .string()
    .max(codePointsMax * 4, `must have at most ${codePointsMax} characters`)
    .transform((text) => text.replaceAll('\r\n', '\n'))
    .refine((text) => text.isWellFormed(), 'must be valid Unicode')
    .refine((text) => text.trim().length > 0, 'must not be empty')
    .refine(
      (text) => !forbiddenControls.test(text),
      'must not contain control characters other than newline and tab',
    )
    .refine((text) => [...text].length <= codePointsMax, `must have at most ${codePointsMax} characters`)
    .meta({ description: what, minLength: 1, maxLength: codePointsMax })
