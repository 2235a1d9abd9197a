import { spawnSync } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import {
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { PostgresBinaries } from './postgres-binaries.ts'
import { identify } from '../system-process.ts'
import { as, canEnter, postgresUser, type PostgresUser } from './postgres-user.ts'
import { readPrivateJson, writePrivateJson } from '../data-dir/private-file.ts'
import { sharedFolder } from './shared-folder.ts'

/** `DATA_DIR/postgres.json`, mode 0600. */
export type PostgresRecord = {
  superuserPassword: string
  ownerPassword: string
  servicePassword: string
  /** the port of last time, kept while it is free */
  port?: number
  /** only where the cluster had to be placed outside of DATA_DIR: where it lies, and for which DATA_DIR */
  outside?: { clusterDir: string; dataDir: string }
}

export const roles = { superuser: 'gate_superuser', owner: 'gate_owner', service: 'gate_service' } as const
export const databaseName = 'gate'

const initdbMs = 120_000

/** @returns the record of this DATA_DIR, and whether its passwords were made just now */
export function openRecord(dataDir: string): { record: PostgresRecord; isNew: boolean } {
  const found = readPrivateJson(recordFile(dataDir)) as PostgresRecord | undefined
  if (found) return { record: found, isNew: false }
  const record = {
    superuserPassword: newPassword(),
    ownerPassword: newPassword(),
    servicePassword: newPassword(),
  }
  saveRecord(dataDir, record)
  return { record, isNew: true }
}

export function saveRecord(dataDir: string, record: PostgresRecord): void {
  writePrivateJson(recordFile(dataDir), record)
}

function recordFile(dataDir: string): string {
  return join(dataDir, 'postgres.json')
}

/** Base64url: needs no quoting in a URL or in SQL. */
function newPassword(): string {
  return randomBytes(24).toString('base64url')
}

/**
 * Decides where the cluster lies and who serves it. Inside DATA_DIR, unless root starts it and the user who serves
 * it cannot enter DATA_DIR; then in a folder of the system named after DATA_DIR, and the record says where.
 * @throws Error when the cluster outside is gone, or belongs to the DATA_DIR that this one was copied from
 */
export function placeCluster(
  dataDir: string,
  record: PostgresRecord,
): { clusterDir: string; user: PostgresUser | undefined } {
  if (record.outside) {
    const { clusterDir } = record.outside
    if (!existsSync(clusterDir))
      throw new Error(
        `The database of ${dataDir} was in ${clusterDir} and is gone: bring it back, or \`npm run reset\`.`,
      )
    if (isCopy(dataDir, record.outside))
      throw new Error(
        `${dataDir} is a copy of ${record.outside.dataDir}, whose database is ${clusterDir}: two cannot share it. ` +
          `Delete ${recordFile(dataDir)} to give the copy a database of its own.`,
      )
    return { clusterDir, user: postgresUser(clusterDir) }
  }
  const inside = join(dataDir, 'postgres')
  const user = postgresUser(inside)
  if (!user || canEnter(user, dataDir)) return { clusterDir: inside, user }
  const name = createHash('sha256').update(dataDir).digest('hex').slice(0, 16)
  const clusterDir = join(sharedFolder(), `data-${name}`)
  return { clusterDir, user: postgresUser(clusterDir) }
}

/** A DATA_DIR that was moved is at its old place no more. */
function isCopy(dataDir: string, outside: { clusterDir: string; dataDir: string }): boolean {
  if (outside.dataDir === dataDir) return false
  const original = readPrivateJson(recordFile(outside.dataDir)) as PostgresRecord | undefined
  return original?.outside?.clusterDir === outside.clusterDir
}

/** For a reset: deletes the cluster that lies outside of DATA_DIR, if there is one. Its server must be stopped. */
export function removeOutsideCluster(dataDir: string): void {
  const { outside } = (readPrivateJson(recordFile(dataDir)) ?? {}) as Partial<PostgresRecord>
  if (
    outside &&
    existsSync(join(outside.clusterDir, 'PG_VERSION')) &&
    !isCopy(realpathSync(dataDir), outside)
  )
    rmSync(outside.clusterDir, { recursive: true })
}

/**
 * Makes the cluster with its roles and its database where there is none. All of it happens in a folder beside,
 * renamed at the end: a cluster that is there is complete, whatever was killed before.
 */
export function makeCluster(
  binaries: PostgresBinaries,
  clusterDir: string,
  user: PostgresUser | undefined,
  record: PostgresRecord,
): void {
  sweep(clusterDir)
  mkdirSync(dirname(clusterDir), { recursive: true })
  const making = mkdtempSync(`${clusterDir}.making-${process.pid}-`)
  try {
    const passwordFile = join(making, 'password')
    writeFileSync(passwordFile, record.superuserPassword, { mode: 0o600 })
    if (user) for (const path of [making, passwordFile]) chownSync(path, user.uid, user.gid)
    const fresh = join(making, 'data')
    const how = [
      '--encoding=UTF8',
      '--locale=C',
      '--auth=scram-sha-256',
      '--data-checksums',
      '--no-instructions',
    ]
    run(binaries.initdb, ['-D', fresh, '-U', roles.superuser, `--pwfile=${passwordFile}`, ...how], user)
    runSql(binaries, fresh, user, [
      `create role ${roles.owner} login createrole password '${record.ownerPassword}'`,
      `create role ${roles.service} login password '${record.servicePassword}'`,
      `create database ${databaseName} owner ${roles.owner}`,
    ])
    renameSync(fresh, clusterDir)
  } finally {
    rmSync(making, { recursive: true, force: true })
  }
}

/** Gives the roles of an existing cluster the passwords of a new record: the old record was lost. */
export function resetPasswords(
  binaries: PostgresBinaries,
  clusterDir: string,
  user: PostgresUser | undefined,
  record: PostgresRecord,
): void {
  runSql(binaries, clusterDir, user, [
    `alter role ${roles.superuser} password '${record.superuserPassword}'`,
    `alter role ${roles.owner} password '${record.ownerPassword}'`,
    `alter role ${roles.service} password '${record.servicePassword}'`,
  ])
}

/** Removes what a killed start left half made; another start may be making its own right now. */
function sweep(clusterDir: string): void {
  const folder = dirname(clusterDir)
  const prefix = `${basename(clusterDir)}.making-`
  for (const name of existsSync(folder) ? readdirSync(folder) : []) {
    if (name.startsWith(prefix) && !identify(Number.parseInt(name.slice(prefix.length), 10)))
      rmSync(join(folder, name), { recursive: true, force: true })
  }
}

/**
 * Single-user mode: no port, no password, and it is over when the input ends.
 * It reports a failed statement on stderr and still ends with 0.
 */
function runSql(
  binaries: PostgresBinaries,
  clusterDir: string,
  user: PostgresUser | undefined,
  statements: readonly string[],
): void {
  const input = statements.map((statement) => `${statement};\n\n`).join('')
  const output = run(binaries.postgres, ['--single', '-j', '-D', clusterDir, 'postgres'], user, input)
  const failure = /^.*(ERROR|FATAL|PANIC): .*$/m.exec(output)
  if (failure) throw new Error(`The embedded database cannot be prepared: ${failure[0]}`)
}

function run(program: string, args: readonly string[], user: PostgresUser | undefined, input = ''): string {
  const options = { ...as(user), env: postgresEnv, input, encoding: 'utf8', timeout: initdbMs } as const
  const done = spawnSync(program, args, options)
  if (done.error) throw new Error(`${basename(program)} does not run: ${done.error.message}`)
  if (done.status !== 0)
    throw new Error(`${basename(program)} failed (${done.status ?? done.signal}): ${done.stderr.trim()}`)
  return done.stdout + done.stderr
}

/** Nothing of ours: PGDATA, PGPORT and the like would be obeyed, and secrets would be readable in /proc. */
export const postgresEnv: NodeJS.ProcessEnv = { PATH: process.env['PATH'], LC_ALL: 'C', TZ: 'UTC' }
