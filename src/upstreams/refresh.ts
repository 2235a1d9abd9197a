import {
  type UpstreamConnection,
  readUpstreamConnection,
  recordListing,
  hastenUpstream,
  recordListingFailure,
} from '../db/queries/upstreams/connections.ts'
import { limits } from '../limits.ts'
import type { UpstreamName } from './connect.ts'
import { listTools } from './list-tools.ts'
import { pinTools } from './pin.ts'
import type { UpstreamDeps } from './upstream-deps.ts'
import { sentenceOf } from './what-failed.ts'

const upstreamFailureCharsMax = 300

/** What came of reading the tools of a server. */
export type Refreshed =
  | { state: 'read'; tools: number; quarantined: string[] }
  | { state: 'failed'; why: string }
  /** It was removed or changed meanwhile, or its account is suspended. */
  | { state: 'skipped' }

/** Reads the tools of a server and pins them. One that differs from its review goes into quarantine. */
export async function refreshUpstream(deps: UpstreamDeps, name: UpstreamName): Promise<Refreshed> {
  const place = await readUpstreamConnection(deps.db, name.account, name.upstream)
  if (!place || place.isSuspended) return { state: 'skipped' }
  const listed = await list(deps, name, place)
  const row = { account_id: name.account, upstream: name.upstream, connection: place.connection }
  if ('why' in listed) {
    await recordListingFailure(deps.db, { ...row, failure: listed.why, putOffMs: limits.upstreamPutOffMs })
    return { state: 'failed', why: listed.why }
  }
  const { tools, refused } = await pinTools(name.upstream, listed)
  const quarantined = await recordListing(deps.db, {
    ...row,
    tools: [...tools.keys()],
    definitions: [...tools.values()],
    server: listed.server,
    refused,
  })
  if (quarantined === null) return { state: 'skipped' }
  // It can have been put off while it could not be read.
  await hastenUpstream(deps.db, row, limits.upstreamRefreshMs)
  return { state: 'read', tools: tools.size, quarantined }
}

async function list({ upstreams }: UpstreamDeps, name: UpstreamName, place: UpstreamConnection) {
  // Another attempt where the session was kept from before: the server may have forgotten it.
  for (;;) {
    let used: Awaited<ReturnType<typeof upstreams.connections.to>> | undefined
    try {
      used = await upstreams.connections.to(name, place, 'reading')
      return { ...(await listTools(used.open)), server: used.open.server }
    } catch (error) {
      if (used) upstreams.connections.drop(name, used.open)
      if (!used || used.isNew) return { why: sentenceOf(error).slice(0, upstreamFailureCharsMax) }
    }
  }
}
