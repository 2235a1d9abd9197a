/**
 * What the powers of administration are about, and what each allows there. `erase` and `resume` are powers of their own: the one
 * cannot be undone, the other undoes a stop.
 * @source docs/admin-api.md
 */
export const adminSubjects = {
  members: ['read', 'write', 'erase'],
  groups: ['read', 'write'],
  curricula: ['read', 'write'],
  certifications: ['read', 'write'],
  keys: ['read', 'write'],
  apps: ['read', 'write'],
  policies: ['read', 'write'],
  kinds: ['read', 'write'],
  upstreams: ['read', 'write'],
  integrations: ['read', 'write'],
  conversations: ['read', 'write'],
  endpoints: ['read', 'write'],
  actions: ['read', 'write', 'erase'],
  mandates: ['read', 'write'],
  account: ['write', 'resume'],
  ledger: ['read'],
} as const

type Subjects = typeof adminSubjects

/** A power of an API key to administrate, such as `admin:members.read`. */
export type AdminPower = { [S in keyof Subjects]: `admin:${S}.${Subjects[S][number]}` }[keyof Subjects]

/** In the order of the table. */
export const adminPowers = Object.entries(adminSubjects).flatMap(([subject, verbs]) =>
  verbs.map((verb) => `admin:${subject}.${verb}`),
) as AdminPower[]

/** Whether a power is one of administration. Pure. */
export const isAdminPower = (power: string): power is AdminPower => power.startsWith('admin:')

/** What the person who mints a key with such powers is told. */
export const adminWarning =
  'This key administrates the account: anyone who has it can do so. Give it to a program of your own, never to an agent.'
