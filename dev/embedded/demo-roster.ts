import type { CurriculumRow } from '../../src/db/queries/members/curricula.ts'
import type { Tier } from '../../src/gate/tier.ts'

/** Passes of modules 1 to `upTo`, recorded `daysAgo`. */
interface DemoPasses {
  curriculum: string
  upTo: number
  daysAgo: number
}

export interface DemoMember {
  name: string
  email: string | null
  slack: string | null
  adminTier?: Tier
  passes?: DemoPasses[]
}

export const demoCurricula: CurriculumRow[] = [
  { slug: 'safe-sending', title: 'Safe sending', modules: 4, grants: 'guarded_write', valid_days: null },
  { slug: 'money-handling', title: 'Money handling', modules: 3, grants: 'write', valid_days: 365 },
]

/** The administrator of the demo account; the sandbox's page shows their mail. */
export const demoAdmin = 'admin@example.com'

/** One member for every tier source and every combination of channels. */
export const demoMembers: DemoMember[] = [
  {
    name: 'Grace Hopper',
    email: 'grace@example.com',
    slack: 'U0GRACE',
    passes: [all('safe-sending', 4, 30)],
  },
  { name: 'Ada Lovelace', email: 'ada@example.com', slack: 'U0ADA', adminTier: 'write' },
  {
    name: 'Katherine Johnson',
    email: 'katherine@example.com',
    slack: null,
    passes: [all('safe-sending', 4, 200), all('money-handling', 3, 60)],
  },
  // One module is missing, and Slack is the only channel.
  { name: 'Alan Turing', email: null, slack: 'U0ALAN', passes: [all('safe-sending', 3, 5)] },
  // No longer certified: the passes have expired.
  {
    name: 'Barbara Liskov',
    email: 'barbara@example.com',
    slack: null,
    passes: [all('money-handling', 3, 400)],
  },
  // A tier set by an administrator overrides the certification, here with a lower tier.
  {
    name: 'Edsger Dijkstra',
    email: 'edsger@example.com',
    slack: 'U0EDSGER',
    adminTier: 'read_only',
    passes: [all('safe-sending', 4, 90)],
  },
  { name: 'Donald Knuth', email: null, slack: null },
]

function all(curriculum: string, upTo: number, daysAgo: number): DemoPasses {
  return { curriculum, upTo, daysAgo }
}
