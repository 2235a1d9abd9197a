import postgres from 'postgres'
import { limits } from '../limits.ts'

export type Sql = postgres.Sql<{ bigint: number; texts: string[]; uuids: string[] }>

export interface PoolOptions {
  applicationName: string
  connectionsMax?: number
}

/** Connections to the database, and one more that listens. */
export interface Pool {
  /** Runs a statement on the connection that has the fewest under way. */
  run<T>(statement: (sql: Sql) => Promise<T>): { done: Promise<T>; on: Sql }
  /** Opens a new connection in the place of one that was lost: the driver may never send on that again. */
  renew(lost: Sql): void
  /** Opens new connections in the place of all, where this is one of them. */
  replace(stuck: Sql): void
  listen(channel: string, onNotify: (payload: string) => void): void
  close(): Promise<void>
}

interface PoolConnection {
  sql: Sql
  underWay: number
}

/**
 * Opens a pool. Connects on first use. Each connection is a pool of the driver of its own: in one with several, the driver keeps a
 * place for each statement that it ever ran, and searches all of them at the next (`queue.js` of postgres.js 3.4.9).
 */
export function openPool(url: string, { applicationName, connectionsMax }: PoolOptions): Pool {
  const open = (): Sql =>
    postgres(url, {
      max: 1,
      connect_timeout: limits.databaseConnectSeconds,
      max_lifetime: 1_800,
      backoff: () => 0.1,
      onnotice: () => {},
      connection: {
        application_name: applicationName,
        statement_timeout: limits.databaseStatementMs,
        lock_timeout: limits.databaseStatementMs,
      },
      fetch_types: false,
      types: { bigint: { to: 20, from: [20], serialize: String, parse: safeInteger }, ...textArrays },
    })
  const newConnection = (): PoolConnection => ({ sql: open(), underWay: 0 })
  let connections = Array.from({ length: connectionsMax ?? limits.databaseConnectionsMax }, newConnection)
  let listener: Sql | undefined
  let isClosed = false

  /** Opens new ones in the place of these, which end when their statements have. */
  function exchange(old: PoolConnection[]): void {
    if (isClosed) return
    connections = connections.map((one) => (old.includes(one) ? newConnection() : one))
    for (const { sql } of old) sql.end({ timeout: limits.databaseCallMs / 1_000 }).catch(() => undefined)
  }

  return {
    run(statement) {
      const chosen = leastUsed(connections)
      const done = statement(chosen.sql)
      chosen.underWay++
      const ended = () => void chosen.underWay--
      done.then(ended, ended)
      return { done, on: chosen.sql }
    },
    renew(lost) {
      exchange(connections.filter(({ sql }) => sql === lost))
    },
    replace(stuck) {
      if (connections.some(({ sql }) => sql === stuck)) exchange(connections)
    },
    listen(channel, onNotify) {
      listener ??= open()
      // If the database is down, this first promise is rejected and the driver keeps retrying.
      listener.listen(channel, onNotify).catch(() => undefined)
    },
    async close() {
      isClosed = true
      const all = [...connections.map(({ sql }) => sql), ...(listener ? [listener] : [])]
      await Promise.all(all.map((sql) => sql.end({ timeout: 2 })))
    },
  }
}

/** The first of the least used: few statements at a time keep to few connections. */
function leastUsed(connections: PoolConnection[]): PoolConnection {
  let least = connections[0]!
  for (const one of connections) {
    if (least.underWay === 0) return least
    if (one.underWay < least.underWay) least = one
  }
  return least
}

function safeInteger(text: string): number {
  const value = Number(text)
  if (!Number.isSafeInteger(value))
    throw new RangeError('the database returned an integer beyond the safe range of JavaScript')
  return value
}

/**
 * One-dimensional text arrays without nulls, in PostgreSQL's notation. The driver can load array types by itself, but does
 * so in a promise that is not awaited: a failing backend would then end the process.
 * @source postgres.js 3.4.9, fetchArrayTypes in connection.js; PostgreSQL manual, Array Input and Output Syntax
 */
const textArrays = {
  texts: { to: 1009, from: [1009], serialize: serializeTexts, parse: parseTexts },
  uuids: { to: 2951, from: [2951], serialize: serializeTexts, parse: parseTexts },
}

export function serializeTexts(texts: string[]): string {
  return `{${texts.map((text) => `"${text.replaceAll(/["\\]/g, String.raw`\$&`)}"`).join(',')}}`
}

export function parseTexts(literal: string): string[] {
  const elements = literal.slice(1, -1).matchAll(/"((?:[^"\\]|\\.)*)"?|([^,]+)/gs)
  return Array.from(elements, ([, quoted, bare]) =>
    quoted === undefined ? bare! : quoted.replaceAll(/\\(.)/gs, '$1'),
  )
}
