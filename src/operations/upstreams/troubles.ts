import type { Db } from '../../db/connect.ts'
import { isSuspended } from '../../db/queries/accounts/accounts.ts'
import {
  type UpstreamRow,
  accountsWithUpstreams,
  listUpstreams,
} from '../../db/queries/upstreams/upstreams.ts'
import type { AccountContext } from '../admin-context.ts'

/** Accounts with MCP servers that `gate doctor` looks at. */
const upstreamAccountsSeenMax = 1_000

/** An MCP server that needs an administrator: tools are in quarantine, or it cannot be read. */
export interface UpstreamTrouble extends Pick<UpstreamRow, 'upstream' | 'quarantined' | 'failing_since'> {
  account: string
}

/** How many servers there are, and those that need an administrator. */
export interface UpstreamsSeen {
  servers: number
  troubles: UpstreamTrouble[]
}

/** The servers of the first accounts by id, but not of suspended ones: nothing is read or called there. */
export async function seeUpstreams(db: Db): Promise<UpstreamsSeen> {
  const seen: UpstreamsSeen = { servers: 0, troubles: [] }
  for (const account of await accountsWithUpstreams(db, upstreamAccountsSeenMax)) {
    if (await isSuspended(db, account)) continue
    const { servers, troubles } = await seeUpstreamsOf({ db, account })
    seen.servers += servers
    seen.troubles.push(...troubles)
  }
  return seen
}

/** The servers of one account. */
export async function seeUpstreamsOf({ db, account }: AccountContext): Promise<UpstreamsSeen> {
  const rows = await listUpstreams(db, account)
  return {
    servers: rows.length,
    troubles: rows
      .filter(({ quarantined, failing_since: failing }) => quarantined > 0 || failing !== null)
      .map(({ upstream, quarantined, failing_since }) => ({ account, upstream, quarantined, failing_since })),
  }
}

/** `has 2 tools in quarantine and could not be read since 2026-01-01T12:00:00.000Z`. Pure. */
export const troubleWords = ({
  quarantined,
  failing_since: failing,
}: Pick<UpstreamTrouble, 'quarantined' | 'failing_since'>): string =>
  [
    ...(quarantined > 0 ? [`has ${quarantined} ${quarantined === 1 ? 'tool' : 'tools'} in quarantine`] : []),
    ...(failing === null ? [] : [`could not be read since ${failing.toISOString()}`]),
  ].join(' and ')
