import { readConfig } from '../../src/config.ts'
import { approveReview, readReview, setToolRule } from '../../src/operations/upstreams/review.ts'
import { type Header, addUpstream, readUpstream } from '../../src/operations/upstreams/servers.ts'
import type { ToolRule } from '../../src/gate/declared/tool-rule.ts'
import { parseKeyRing } from '../../src/secrets/key-ring.ts'
import { type CallOutcome, callUpstream } from '../../src/upstreams/call-upstream.ts'
import { listServed } from '../../src/upstreams/list-served.ts'
import { type Refreshed, refreshUpstream } from '../../src/upstreams/refresh.ts'
import type { ServedTool } from '../../src/upstreams/served-tool.ts'
import { type UpstreamDeps, makeUpstreams } from '../../src/upstreams/upstream-deps.ts'
import { freshAccount } from '../support/account.ts'
import { ringOf } from '../support/connect.ts'
import { type TestDatabase, freshDatabase } from '../support/database.ts'
import { entriesOf } from '../support/ledger-entries.ts'

/** A database, and what a process keeps of upstreams, without the rest of a gate. */
export interface UpstreamScene {
  database: TestDatabase
  deps: UpstreamDeps
  /** An account with its administrator. */
  desk(): Promise<UpstreamDesk>
  stop(): Promise<void>
}

export interface UpstreamDesk {
  account: string
  suspend(): Promise<void>
  /** Puts a server behind the gate, under the name `up` if none is given, and reads its tools. */
  put(
    server: { url: string } | { command: string },
    options?: { name?: string; headers?: Header[] },
  ): Promise<Refreshed>
  refresh(name?: string): Promise<Refreshed>
  /** Approves whatever waits. */
  approve(name?: string): Promise<string[]>
  setRule(tool: string, rule: ToolRule): Promise<void>
  served(): Promise<readonly ServedTool[]>
  /** The tool of that served name. */
  tool(name: string): Promise<ServedTool>
  call(name: string, args?: Record<string, unknown>, signal?: AbortSignal): Promise<CallOutcome>
  server(name?: string): ReturnType<typeof readUpstream>
  entries(kind: string): Promise<{ actor: string; data: any }[]>
}

export const admin = (scene: UpstreamScene, account: string) => ({
  db: scene.database.db,
  account,
  session: null,
})

/** @param env  of the process; loopback may be called by default, as in the sandbox */
export async function upstreamScene(env: Record<string, string> = {}): Promise<UpstreamScene> {
  const database = await freshDatabase()
  const { db } = database
  const config = readConfig({ EXECUTOR_ALLOW: '127.0.0.1', ...env })
  const keys = parseKeyRing(ringOf('k1'))
  const deps: UpstreamDeps = { db, upstreams: makeUpstreams(config, { db, keys }) }
  const settings = { allow: ['127.0.0.1'], keys: () => keys }
  const scene: UpstreamScene = {
    database,
    deps,
    async desk() {
      const made = await freshAccount(db)
      const { account } = made
      const context = admin(scene, account)
      const desk: UpstreamDesk = {
        account,
        suspend: () => made.suspend(true),
        async put(server, { name = 'up', headers = [] } = {}) {
          const place = 'url' in server ? { url: server.url, headers } : { command: server.command }
          await addUpstream(context, settings, { name, ...place })
          return desk.refresh(name)
        },
        refresh: (upstream = 'up') => refreshUpstream(deps, { account, upstream }),
        async approve(name = 'up') {
          const { digest } = await readReview(context, name)
          return approveReview(context, name, { only: undefined, digest })
        },
        setRule: (tool, rule) => setToolRule(context, { upstream: 'up', tool, rule }),
        served: () => listServed(deps, account),
        async tool(name) {
          const found = (await desk.served()).find((one) => one.name === name)
          if (!found) throw new Error(`no tool ${name}`)
          return found
        },
        async call(name, args = {}, signal = new AbortController().signal) {
          return callUpstream(deps, await desk.tool(name), args, { signal })
        },
        server: (name = 'up') => readUpstream(context, name),
        entries: async (kind) =>
          (await entriesOf(database, account)).filter((one) => one.kind === kind).map(({ entry }) => entry),
      }
      return desk
    },
    async stop() {
      await deps.upstreams.connections.close()
      await database.drop()
    },
  }
  return scene
}
