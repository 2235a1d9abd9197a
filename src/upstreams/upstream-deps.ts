import type { Db } from '../db/connect.ts'
import { type Kept, kept } from '../kept.ts'
import { limits } from '../limits.ts'
import type { ServedTool } from './served-tool.ts'

/** What reading and calling upstreams works with. */
export interface UpstreamDeps {
  db: Db
  upstreams: Upstreams
}

/** What a process keeps of the upstreams. */
export interface Upstreams {
  /** By account. */
  tools: Kept<ServedTools>
}

/** The tools of an account, at a version of its servers and tools. */
export interface ServedTools {
  version: number
  tools: readonly ServedTool[]
}

/** Keeps nothing yet, and opens no connection. */
export const makeUpstreams = (): Upstreams => ({
  tools: kept({ ms: limits.upstreamToolsKeptMs, max: limits.upstreamAccountsKeptMax }),
})
