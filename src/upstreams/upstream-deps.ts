import type { Db } from '../db/connect.ts'
import { type UpstreamConnection, hastenUpstream } from '../db/queries/upstreams/connections.ts'
import { type Kept, kept } from '../waiting/kept.ts'
import type { ObserveCall } from '../waiting/observe-call.ts'
import { limits } from '../limits.ts'
import { type Config, executorAllow } from '../config.ts'
import { checkedFetch } from '../executors/checked-fetch.ts'
import type { KeyProvider } from '../secrets/key-provider.ts'
import type { CheckedFetch } from './upstream-fetch.ts'
import { type Connections, connections } from './connections.ts'
import type { ServedTool } from './served-tool.ts'

/** How long the tools of accounts are kept beside their version, and of how many accounts. */
const upstreamToolsKeptMs = 3_600_000
const upstreamAccountsKeptMax = 200

/** What reading and calling upstreams works with. */
export interface UpstreamDeps {
  db: Db
  upstreams: Upstreams
  /** Counts the calls of tools; undefined: nobody does. */
  onCall?: ObserveCall | undefined
}

/** What a process keeps of the upstreams. */
export interface Upstreams {
  /** The served tools of each account. */
  tools: Kept<ServedTools>
  /** How servers are connected to, by account and name, and the version of the account's servers and tools at that time. */
  places: Kept<{ version: number; place: UpstreamConnection }>
  connections: Connections
}

/** The tools of an account, at a version of its servers and tools. */
export interface ServedTools {
  version: number
  tools: readonly ServedTool[]
}

interface UpstreamOptions {
  db: Db
  /** Decrypts the headers of servers. */
  keys: KeyProvider | undefined
  fetch?: CheckedFetch
}

/** Opens no connection yet. */
export function makeUpstreams(
  config: Config,
  { db, keys, fetch = checkedFetch }: UpstreamOptions,
): Upstreams {
  // A server can say a thousand times in one answer that its list has changed.
  const hastened = new Set<string>()
  const hasten = (account: string, upstream: string) => {
    const key = `${account} ${upstream}`
    if (hastened.has(key)) return
    hastened.add(key)
    // The server is then read sooner than it would be anyway; a failure costs nothing.
    hastenUpstream(db, { account_id: account, upstream }, limits.upstreamHastenMs)
      .catch(() => undefined)
      .finally(() => hastened.delete(key))
  }
  const options = { keys, fetch, allow: executorAllow(config), commands: config.UPSTREAM_COMMANDS }
  return {
    tools: kept({ ms: upstreamToolsKeptMs, max: upstreamAccountsKeptMax }),
    places: kept({ ms: upstreamToolsKeptMs, max: limits.upstreamConnectionsMax }),
    connections: connections(options, ({ account, upstream }) => hasten(account, upstream)),
  }
}
