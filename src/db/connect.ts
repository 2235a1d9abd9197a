import { setTimeout as sleep } from 'node:timers/promises'
import postgres from 'postgres'
import { type ErrorDetail, GateError, OutcomeUnknown } from '../errors.ts'
import { limits } from '../limits.ts'
import { withDeadline } from '../waiting/with-deadline.ts'
import { type PoolOptions, type Sql, openPool } from './pool.ts'
import { hasWritten, noteWrite } from './writes.ts'

/** Before a statement whose connection was lost is sent again. */
const databaseAgainMs = 20

export type { Sql } from './pool.ts'
/** Part of a statement. */
export type Fragment = postgres.PendingQuery<postgres.Row[]>
export type Rows<T> = postgres.PendingQuery<(T & postgres.Row)[]>

/**
 * The database, one statement at a time. Transactions cannot be kept open: every state change is one SQL function.
 * Errors of reaching the database become `unavailable`, as `OutcomeUnknown` where a write may have been done; everything
 * else is thrown as it came.
 */
export interface Db {
  /** Runs a read-only statement. Retried once where the connection failed. */
  read<T>(statement: (sql: Sql) => Rows<T>): Promise<T[]>
  /** Runs an idempotent write, which carries its own event id. Retried once where the connection failed. */
  run<T>(statement: (sql: Sql) => Rows<T>): Promise<T[]>
  /** Runs a statement that must not be repeated. */
  once<T>(statement: (sql: Sql) => Rows<T>): Promise<T[]>
  /** Runs a script of several statements, such as a migration. */
  script(text: string): Promise<void>
  /** Listens to a channel on its own connection, which reconnects automatically. Notifications may be lost. */
  listen(channel: string, onNotify: (payload: string) => void): void
  close(): Promise<void>
}

/** Opens a connection pool. Connects on first use. */
export function connect(url: string, options: PoolOptions): Db {
  const pool = openPool(url, options)
  const attempt = async <T>(statement: (sql: Sql) => Rows<T>): Promise<T[]> => {
    const { done, on } = pool.run(statement)
    try {
      return withoutHoles(complete(await inTime(done)))
    } catch (error) {
      // A connection whose last write was pending when it closed never sends again, not even to connect: the driver goes
      // on waiting for that write (`closed` in connection.js of 3.4.9).
      if (stuckCodes.has(codeOf(error))) pool.replace(on)
      else if (isConnectionError(error) && !notSentCodes.has(codeOf(error))) pool.renew(on)
      throw error
    }
  }
  /** Its repeat, where the connection failed: two errors at most, the last one at the end. */
  const twice = <T>(statement: (sql: Sql) => Rows<T>, errors: unknown[]): Promise<T[]> => {
    const failed = (error: unknown): never => {
      errors.push(error)
      throw error
    }
    return attempt(statement).catch(async (error: unknown) => {
      if (!isConnectionError(error)) return failed(error)
      errors.push(error)
      // The other connections may have been cut too: the driver must see that first, or it sends into a closed one.
      await sleep(databaseAgainMs)
      return attempt(statement).catch(failed)
    })
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
      await pool.run((sql) => sql.unsafe(text).simple()).done
    },
    listen: pool.listen,
    close: pool.close,
  }
}

// Raised by SQL functions that check a credential under the account's lock: it is no longer valid, or lacks a power.
const lostState = 'GA401'
const mayNotState = 'GA403'
// A key has made as many calls as it may in a day; the detail says for how many seconds.
const usedUpState = 'GA429'
// The id that a caller gave to a write is that of another one.
const reusedState = 'GA422'
const credentialStates = [lostState, mayNotState, usedUpState, reusedState]

/** Throws the error for a refused credential, with the database error as its cause. */
function refuseCredential(error: unknown): never {
  if (!(error instanceof postgres.PostgresError) || !credentialStates.includes(error.code)) throw error
  if (error.code === usedUpState) throw Object.assign(usedUp(Number(error.detail)), { cause: error })
  if (error.code === reusedState) throw Object.assign(reused(), { cause: error })
  if (error.detail === 'suspended') throw Object.assign(suspended(), { cause: error })
  const refusal =
    error.code === lostState
      ? new GateError(
          'unauthenticated',
          'This API key or session is no longer valid: it was revoked, expired or ended. Nothing was changed.',
        )
      : new GateError('forbidden', sentenceOfLack(error.detail ?? ''), {
          detail: detailOfLack(error.detail ?? ''),
        })
  throw Object.assign(refusal, { cause: error })
}

const usedUp = (retryAfterSeconds: number): GateError =>
  new GateError(
    'too_many',
    'This API key has reached its daily limit of calls of the administration API. Wait, or ask an administrator for a key with a higher limit.',
    { detail: 'admin_calls_limit', retryAfterSeconds },
  )

const reused = (): GateError =>
  new GateError(
    'invalid',
    'This Idempotency-Key or external id was already used for another request. Use a new one.',
    { detail: 'idempotency_key_reused' },
  )

const suspended = (): GateError =>
  new GateError('conflict', 'This account is suspended. API keys change nothing until it is resumed.', {
    detail: 'account_suspended',
  })

function sentenceOfLack(lack: string): string {
  if (lack === 'admin') return 'Only administrators of the account can do this.'
  if (lack === 'member')
    return 'This API key or session is bound to other members. Use one that is bound to this member.'
  if (lack === 'within')
    return 'An API key cannot make a key that may do more than itself, that administrates, or that has no end or network where it has one. A key with a limit for a day makes none. Mint the key in the console.'
  if (lack === 'session')
    return 'Only a signed-in person can do this, not an API key. Open it in the console.'
  if (lack.startsWith('kind '))
    return `This API key does not allow the kind ${lack.slice(5)}. Use a key that allows this kind.`
  return `This API key does not have the power ${lack}. Use a key that has this power.`
}

function detailOfLack(lack: string): ErrorDetail | undefined {
  if (['admin', 'session', 'within'].includes(lack)) return undefined
  if (lack === 'member') return 'key_member_not_allowed'
  return lack.startsWith('kind ') ? 'key_kind_not_allowed' : 'key_power_missing'
}

/** The SQLSTATE of an error, if it came from the database. */
export function sqlState(error: unknown): string | undefined {
  return error instanceof postgres.PostgresError ? error.code : undefined
}

/** The name of the constraint that a write violated. */
export function brokenConstraint(error: unknown): string | undefined {
  return error instanceof postgres.PostgresError ? error.constraint_name : undefined
}

/** States of a database that does not serve us now; true: the statement is sent once more, on another connection. */
const unavailableStates: Record<string, boolean> = {
  // Shut down by an administrator, crashed, starting up: after a restart or a failover another server answers.
  '57P01': true,
  '57P02': true,
  '57P03': true,
  // Connection lost, connection that does not exist.
  '08006': true,
  '08003': true,
  // Too many connections: others end all the time.
  '53300': true,
  // A read-only standby: it may be promoted now.
  '25006': true,
  // The statement or a lock took longer than `databaseStatementMs`. Again, it would hold connection and caller as long.
  '57014': false,
  '55P03': false,
  // A missing function: this process is older or newer than the schema, and reports that on /readyz.
  '42883': false,
}

const noEndCode = 'NO_END_OF_ANSWER'
/** Codes of the driver and the network: the connection failed, and another one is made. */
const unavailableCodes = new Set([
  noEndCode,
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

const stuckCodes = new Set(['CONNECT_TIMEOUT', 'DEADLINE', noEndCode])

/**
 * An answer without its end is not that of this statement: it would read as "no row", and the next statements of the connection
 * would get the answers of others.
 */
function complete<T extends { command: string }>(rows: T): T {
  if ((rows.command as string | null) !== null) return rows
  throw Object.assign(new Error('the database ended an answer before it was complete'), { code: noEndCode })
}

const codeOf = (error: unknown): string => (error as { code?: string } | undefined)?.code ?? ''

/** Nothing is wrong with the request: the caller is answered `unavailable` and may try again. */
const isDatabaseUnavailable = (error: unknown): boolean =>
  Object.hasOwn(unavailableStates, codeOf(error)) || unavailableCodes.has(codeOf(error))

/** Another connection may be served at once. */
const isConnectionError = (error: unknown): boolean =>
  unavailableStates[codeOf(error)] === true || unavailableCodes.has(codeOf(error))

// After a statement that failed while returning rows, the driver's next result on that connection starts with empty
// places (porsager/postgres#1181, in 3.4.9), which would read as "no row". The rows after them are correct.
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
// 57P01, 57P02: the server ended the connection, possibly after the commit. 08xxx: the connection was lost.
const perhapsDoneStates = new Set(['57P01', '57P02', '08006', '08003'])

function isCertainlyNotDone(error: unknown): boolean {
  const state = sqlState(error)
  if (state !== undefined) return !perhapsDoneStates.has(state)
  return notSentCodes.has(codeOf(error))
}

/** Throws the error for a statement that failed, once or twice. */
function refuse(errors: unknown[], kind: 'read' | 'write'): never {
  const isDone = kind === 'write' && !errors.every(isCertainlyNotDone)
  if (isDone) noteWrite()
  const last = errors.at(-1)
  // A repeat whose credential was refused says nothing about the first, whose answer was lost.
  const isRefusedRepeat = isDone && credentialStates.includes(sqlState(last) ?? '')
  if (!isRefusedRepeat && !isDatabaseUnavailable(last)) return refuseCredential(last)
  throw Object.assign(isDone || hasWritten() ? new OutcomeUnknown() : unavailable(last), { cause: last })
}

const unavailable = (error: unknown) =>
  new GateError(
    'unavailable',
    `${whyUnavailable[sqlState(error) ?? ''] ?? 'The database cannot be reached'}. Nothing was changed; try again shortly.`,
    { retryAfterSeconds: 1 },
  )

const isBusy = 'The database is busy: this waited too long for another change'
/** Where the database answered: a statement, or the lock that it waited for, took longer than it may; it has no such function. */
const whyUnavailable: Record<string, string> = {
  '57014': isBusy,
  '55P03': isBusy,
  '42883': 'The database has the schema of another version of the gate',
}

// A connection that drops packets has no timeout of its own.
const inTime = <T>(work: Promise<T>): Promise<T> =>
  withDeadline(limits.databaseCallMs, work, () =>
    Object.assign(new Error('the database did not answer in time'), { code: 'DEADLINE' }),
  )
