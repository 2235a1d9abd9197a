import type { CurriculumRow } from '../db/queries/members/curricula.ts'
import type { Tier } from '../gate/tier.ts'

/** Passes of modules 1 to `upTo`, taken `daysAgo`. */
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

/** The mailbox that administers the demo account; its mail is read on the sandbox's page. */
export const demoAdmin = 'admin@example.com'

/** Every way to have a tier and every way to be reached, once: what a first look at the gate should show. */
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
  // One module short, and reachable on Slack alone.
  { name: 'Alan Turing', email: null, slack: 'U0ALAN', passes: [all('safe-sending', 3, 5)] },
  // Certified once: the passes are older than the curriculum lets them be.
  {
    name: 'Barbara Liskov',
    email: 'barbara@example.com',
    slack: null,
    passes: [all('money-handling', 3, 400)],
  },
  // An admin's setting wins over a certificate, down as well as up.
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
