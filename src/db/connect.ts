import postgres from 'postgres'
import { GateError, OutcomeUnknown } from '../errors.ts'
import { limits } from '../limits.ts'
import { textArrays } from './arrays.ts'
import { hasWritten, noteWrite } from './writes.ts'

export type Sql = postgres.Sql<{ bigint: number; texts: string[]; uuids: string[] }>
/** A part of a statement. */
export type Fragment = postgres.PendingQuery<postgres.Row[]>
export type Rows<T> = postgres.PendingQuery<(T & postgres.Row)[]>

/**
 * The database, one statement at a time. There is no way to hold a transaction open: a state change is one SQL function.
 * Errors of reaching the database become `unavailable`, as `OutcomeUnknown` where a write may have been done; everything
 * else is thrown as it came.
 */
export interface Db {
  /** Runs a statement that changes nothing. Tried twice at most. */
  read<T>(statement: (sql: Sql) => Rows<T>): Promise<T[]>
  /** Runs a write that may be repeated, since it carries its own event id. Tried twice at most. */
  run<T>(statement: (sql: Sql) => Rows<T>): Promise<T[]>
  /** Runs a statement that may not be repeated. */
  once<T>(statement: (sql: Sql) => Rows<T>): Promise<T[]>
  /** Runs a text of several statements, as migrations are. */
  script(text: string): Promise<void>
  /** Hears what the database notifies of, on a connection of its own that comes back by itself. Some may be missed. */
  listen(channel: string, heard: (payload: string) => void): void
  close(): Promise<void>
}

/** Opens a pool on a PostgreSQL URL. Connects when first used. */
export function connect(url: string, options: { applicationName: string; connectionsMax?: number }): Db {
  const sql = postgres(url, {
    max: options.connectionsMax ?? limits.databaseConnectionsMax,
    connect_timeout: limits.databaseConnectSeconds,
    max_lifetime: 1_800,
    backoff: () => 0.1,
    onnotice: () => {},
    connection: {
      application_name: options.applicationName,
      statement_timeout: limits.databaseStatementMs,
      lock_timeout: limits.databaseStatementMs,
    },
    fetch_types: false,
    types: { bigint: { to: 20, from: [20], serialize: String, parse: safeInteger }, ...textArrays },
  })
  const attempt = async <T>(statement: (sql: Sql) => Rows<T>) =>
    withoutHoles(await withDeadline(Promise.resolve(statement(sql))))
  /** Its repeat, where the connection failed: two errors at most, the last one at the end. */
  const twice = async <T>(statement: (sql: Sql) => Rows<T>, errors: unknown[]): Promise<T[]> => {
    const failed = (error: unknown): never => {
      errors.push(error)
      throw error
    }
    try {
      return await attempt(statement).catch(failed)
    } catch (error) {
      if (!isConnectionError(error)) throw error
    }
    return attempt(statement).catch(failed)
  }
  return {
    read: (statement) => twice(statement, []).catch((error: unknown) => refuse([error], 'read')),
    async run(statement) {
      const errors: unknown[] = []
      const rows = await twice(statement, errors).catch(() => refuse(errors, 'write'))
      noteWrite()
      return rows
    },
    async once(statement) {
      const rows = await attempt(statement).catch((error: unknown) => refuse([error], 'write'))
      noteWrite()
      return rows
    },
    async script(text) {
      await sql.unsafe(text).simple()
    },
    listen(channel, heard) {
      // Where the database is down the driver goes on trying, with its first answer long refused.
      sql.listen(channel, heard).catch(() => undefined)
    },
    close: () => sql.end({ timeout: 2 }),
  }
}

// Raised by the functions that check a credential under the account's lock: it no longer holds, or it may not do this.
const lostState = 'GA401'
const mayNotState = 'GA403'

/** What a refused credential is told. The error stays as its cause. */
function refuseCredential(error: unknown): never {
  if (!(error instanceof postgres.PostgresError) || ![lostState, mayNotState].includes(error.code))
    throw error
  const refusal =
    error.code === lostState
      ? new GateError(
          'unauthenticated',
          'This API key or session is no longer valid: it was revoked, expired or ended. Nothing was changed.',
        )
      : new GateError('forbidden', sentenceOfLack(error.detail ?? ''))
  throw Object.assign(refusal, { cause: error })
}

function sentenceOfLack(lack: string): string {
  if (lack === 'admin') return 'This is for administrators of the account.'
  if (lack === 'member')
    return 'This API key or session is bound to other members. Use one of the member concerned.'
  if (lack === 'session')
    return 'Only a signed-in person can do this, not an API key. Open it in the console.'
  if (lack.startsWith('kind '))
    return `This API key does not allow the kind ${lack.slice(5)}. Use a key that allows it.`
  return `This API key does not have the power ${lack}. Use a key that has it.`
}

/** The SQLSTATE of a refused statement, if it was the database that refused it. */
export function sqlState(error: unknown): string | undefined {
  return error instanceof postgres.PostgresError ? error.code : undefined
}

/** The constraint that a refused write would have broken. */
export function brokenConstraint(error: unknown): string | undefined {
  return error instanceof postgres.PostgresError ? error.constraint_name : undefined
}

// 57P0x: shut down, crashed, starting up. 53300: no connection free. 25006: a standby that cannot write.
const unreachableStates = new Set([
  '57P01',
  '57P02',
  '57P03',
  '53300',
  '25006',
  // A function of another schema: this process is older or newer than the database, and says so on /readyz.
  '42883',
  '57014',
  '55P03',
  '08006',
  '08003',
])
const unreachableCodes = new Set([
  'CONNECT_TIMEOUT',
  'CONNECTION_CLOSED',
  'CONNECTION_ENDED',
  'CONNECTION_DESTROYED',
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ENOTFOUND',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'DEADLINE',
])

function isConnectionError(error: unknown): boolean {
  const code = (error as { code?: string } | undefined)?.code ?? ''
  return unreachableStates.has(code) || unreachableCodes.has(code)
}

// After a statement that failed among its rows the driver counts on from them: the next result on that connection begins
// with as many holes, which read as "no row" (porsager/postgres#1181, in 3.4.9). The rows behind the holes are the right ones.
function withoutHoles<T>(rows: T[]): T[] {
  return rows.length > 0 && !(0 in rows) ? rows.filter(() => true) : rows
}

// Connections that were never made, and statements that the database itself refused: nothing of them was done.
const notSentCodes = new Set([
  'CONNECT_TIMEOUT',
  'ECONNREFUSED',
  'ENOTFOUND',
  'EHOSTUNREACH',
  'CONNECTION_ENDED',
])
// 57P01, 57P02: the server ended the connection, perhaps behind the commit. 08xxx: it was lost.
const perhapsDoneStates = new Set(['57P01', '57P02', '08006', '08003'])

function isCertainlyNotDone(error: unknown): boolean {
  const state = sqlState(error)
  if (state !== undefined) return !perhapsDoneStates.has(state)
  return notSentCodes.has((error as { code?: string } | undefined)?.code ?? '')
}

/** Throws what is to be said of a statement that failed, in one try or in two. */
function refuse(errors: unknown[], kind: 'read' | 'write'): never {
  const isDone = kind === 'write' && !errors.every(isCertainlyNotDone)
  if (isDone) noteWrite()
  const last = errors.at(-1)
  if (!isConnectionError(last)) return refuseCredential(last)
  if (isDone || hasWritten()) throw new OutcomeUnknown()
  throw new GateError(
    'unavailable',
    'The database cannot be reached. Nothing was changed; try again shortly.',
    1,
  )
}

// A socket that swallows packets has no time-out of its own.
function withDeadline<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(Object.assign(new Error('the database did not answer'), { code: 'DEADLINE' })),
      limits.databaseCallMs,
    )
  })
  return Promise.race([work, late]).finally(() => clearTimeout(timer))
}

function safeInteger(text: string): number {
  const value = Number(text)
  if (!Number.isSafeInteger(value))
    throw new RangeError('the database sent an integer that JavaScript cannot hold')
  return value
}
