import type { Session } from '../operations/sign-in/session.ts'
import { kindsPath } from './declared-kinds/paths.ts'
import { type ConsolePage, isAdmin } from './page.ts'
import { upstreamsPath } from './upstreams/paths.ts'

interface Entry extends Pick<ConsolePage, 'path' | 'role'> {
  label: string
}

/** The main navigation, in this order. A page below an entry's path belongs to that entry. */
const entries: Entry[] = [
  { path: '/console', label: 'Overview' },
  { path: '/console/proposals', label: 'Proposals' },
  { path: '/console/me', label: 'My access' },
  { path: '/console/ledger', label: 'Ledger', role: 'admin' },
  { path: '/console/audit', label: 'Audit log', role: 'admin' },
  { path: '/console/habits', label: 'Decision habits', role: 'admin' },
  { path: '/console/runners', label: 'Runners', role: 'admin' },
  { path: '/console/previews', label: 'Previews', role: 'admin' },
  { path: '/console/policies', label: 'Policy', role: 'admin' },
  { path: kindsPath, label: 'Declared kinds', role: 'admin' },
  { path: upstreamsPath, label: 'MCP servers', role: 'admin' },
  { path: '/console/members', label: 'Members', role: 'admin' },
  { path: '/console/curricula', label: 'Curricula', role: 'admin' },
  { path: '/console/keys', label: 'API keys', role: 'admin' },
  { path: '/console/integrations', label: 'Integrations', role: 'admin' },
]

/** The entries that a user may open, with the entry of the page at `path` marked. Pure. */
export function navigationOf(session: Session, path: string): (Entry & { isCurrent: boolean })[] {
  return entries
    .filter(({ role }) => role === undefined || isAdmin(session))
    .map((entry) => ({ ...entry, isCurrent: isBelow(path, entry.path) }))
}

const isBelow = (path: string, entry: string): boolean =>
  path === entry || (entry !== '/console' && path.startsWith(`${entry}/`))
