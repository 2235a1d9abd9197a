import { z } from 'zod'

/** The action that a proposal answers. */
export const Replaces = z
  .int('must be a whole number')
  .positive('must be a positive whole number')
  .optional()
  .meta({ description: 'The declined action that this answers.' })
