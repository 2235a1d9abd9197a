import { z } from 'zod'

const count = z.int().min(0)

/** Whom an action reaches. */
export const BlastRadius = z
  .object({
    slack: count,
    email: count,
    unreachable: count,
    teams: count
      .optional()
      .meta({ description: 'Posts in the Microsoft Teams room of the account, which anyone there reads.' }),
  })
  .meta({ description: 'How many members a broadcast reaches, by channel. Zeros for other kinds.' })
