import type { Session } from '../operations/sign-in/session.ts'
import { adminsPath } from './admins/path.ts'
import { appsPath } from './apps/path.ts'
import { companySettingsPath } from './company/paths.ts'
import { connectPath } from './connect/connect-path.ts'
import { kindsPath } from './declared-kinds/paths.ts'
import { endpointsPath } from './endpoints/paths.ts'
import { delegationsPath } from './delegations/paths.ts'
import { groupsPath } from './groups/paths.ts'
import { mandatesPath } from './mandates/mandate-parts.ts'
import { type ConsolePage, readsAccount } from './page.ts'
import { upstreamsPath } from './upstreams/paths.ts'

interface Entry extends Pick<ConsolePage, 'path' | 'role'> {
  label: string
  group: string
}

const entry = (group: string, path: string, label: string, role?: 'admin'): Entry => ({
  path,
  label,
  group,
  ...(role ? { role } : {}),
})

/** The main navigation, in this order. A page below an entry's path belongs to that entry. */
const entries: Entry[] = [
  entry('Decide', '/console', 'Overview'),
  entry('Decide', '/console/proposals', 'Proposals'),
  entry('Decide', mandatesPath, 'Mandates'),
  entry('Decide', delegationsPath, 'Deputies'),
  entry('Decide', '/console/me', 'My access'),
  entry('Agents', connectPath, 'Connect an agent', 'admin'),
  entry('Agents', '/console/keys', 'API keys', 'admin'),
  entry('Agents', appsPath, 'Connected apps'),
  entry('Agents', '/console/runners', 'Runners', 'admin'),
  entry('Agents', upstreamsPath, 'MCP servers', 'admin'),
  entry('Agents', '/console/integrations', 'Integrations', 'admin'),
  entry('Agents', endpointsPath, 'Endpoints', 'admin'),
  entry('Agents', '/console/previews', 'Previews', 'admin'),
  entry('Rules', '/console/policies', 'Policy', 'admin'),
  entry('Rules', kindsPath, 'Declared kinds', 'admin'),
  entry('People', '/console/members', 'Members', 'admin'),
  entry('People', groupsPath, 'Groups', 'admin'),
  entry('People', '/console/curricula', 'Curricula', 'admin'),
  entry('People', adminsPath, 'Administrators', 'admin'),
  entry('People', companySettingsPath, 'Company sign-in', 'admin'),
  entry('People', '/console/habits', 'Decision habits', 'admin'),
  entry('Record', '/console/ledger', 'Ledger', 'admin'),
  entry('Record', '/console/audit', 'Audit log', 'admin'),
]

/** The entries that a user may open, with the entry of the page at `path` marked. Pure. */
export function navigationOf(session: Session, path: string): (Entry & { isCurrent: boolean })[] {
  return entries
    .filter(({ role }) => role === undefined || readsAccount(session))
    .map((entry) => ({ ...entry, isCurrent: isBelow(path, entry.path) }))
}

const isBelow = (path: string, entry: string): boolean =>
  path === entry || (entry !== '/console' && path.startsWith(`${entry}/`))
