import { z } from 'zod'

/** The action that a proposal answers. */
export const Replaces = z
  .int('must be a whole number')
  .positive('must be a positive whole number')
  .optional()
  .meta({
    description: 'The id of an action of this kind that the member declined, which this one answers.',
  })
