import { z } from 'zod'
import { consentStrengths } from '../gate/consent.ts'

const cents = z.record(z.string(), z.int())

/** The consent that an action was confirmed with. */
export const ConsentGiven = z.object({
  strength: z.enum(consentStrengths),
  by: z.string().meta({ description: '`mandate` where a mandate of the member consented.' }),
  at: z.iso.datetime(),
  channel: z.string(),
  mandate: z
    .object({
      id: z.int(),
      left: z
        .object({ uses: z.int(), uses_today: z.int(), cents, cents_today: cents })
        .optional()
        .meta({ description: 'What is left of it now. Not in lists.' }),
    })
    .optional(),
})

/** In an answer that has the member asked although they signed a mandate for the agent. */
export const MandateProblem = z.string().meta({
  description: 'Why no mandate of the member covers the action, so that they are asked.',
})

export const AwaitingApprovals = z
  .object({
    needed: z.int(),
    given: z.int(),
    from: z.string().meta({ description: 'Whose approval counts, in words.' }),
    next: z.string().meta({ description: 'What to do now.' }),
  })
  .meta({
    description:
      'Present while the member has consented and others must still approve. After the last approval the action executes automatically.',
  })
