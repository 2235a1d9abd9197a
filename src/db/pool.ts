import postgres from 'postgres'
import { limits } from '../limits.ts'

export type Sql = postgres.Sql<{ bigint: number; texts: string[]; uuids: string[] }>

export interface PoolOptions {
  applicationName: string
  connectionsMax?: number
}

/** Connections to the database, and one more that listens. */
export interface Pool {
  /** The connections that statements run on now. */
  current(): Sql
  /** Opens new connections in the place of those, which end when their statements have. */
  replace(stuck: Sql): void
  listen(channel: string, onNotify: (payload: string) => void): void
  close(): Promise<void>
}

/** Opens a pool. Connects on first use. */
export function openPool(url: string, { applicationName, connectionsMax }: PoolOptions): Pool {
  const open = (max: number = limits.databaseConnectionsMax): Sql =>
    postgres(url, {
      max,
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
  let pool = open(connectionsMax)
  let listener: Sql | undefined
  let isClosed = false
  return {
    current: () => pool,
    replace(stuck) {
      if (stuck !== pool || isClosed) return
      pool = open(connectionsMax)
      stuck.end({ timeout: limits.databaseCallMs / 1_000 }).catch(() => undefined)
    },
    listen(channel, onNotify) {
      listener ??= open(1)
      // If the database is down, this first promise is rejected and the driver keeps retrying.
      listener.listen(channel, onNotify).catch(() => undefined)
    },
    async close() {
      isClosed = true
      await Promise.all([pool.end({ timeout: 2 }), listener?.end({ timeout: 2 })])
    },
  }
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
