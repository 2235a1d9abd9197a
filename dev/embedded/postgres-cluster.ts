import { execFile } from 'node:child_process'
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
import { identify } from '../../src/process/system-process.ts'
import { as, canEnter, postgresUser, type PostgresUser } from './postgres-user.ts'
import { readPrivateJson, writePrivateJson } from '../../src/data-dir/private-file.ts'
import { sharedFolder } from './shared-folder.ts'
import { limits } from '../../src/limits.ts'

/** `DATA_DIR/postgres.json`, mode 0600. */
export type PostgresRecord = {
  superuserPassword: string
  ownerPassword: string
  servicePassword: string
  /** the previous port, used again if it is free */
  port?: number
  /** only if the cluster is outside of DATA_DIR: its folder, and its DATA_DIR */
  outside?: { clusterDir: string; dataDir: string }
}

export const roles = { superuser: 'gate_superuser', owner: 'gate_owner', service: 'gate_service' } as const
export const databaseName = 'gate'

/** @returns the record of this DATA_DIR, and whether its passwords are new */
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
 * Decides the folder and the user of the cluster. It is inside DATA_DIR, unless root starts it and the PostgreSQL user
 * cannot enter DATA_DIR; then it is in a system folder named after DATA_DIR, and the record contains the path.
 * @throws Error if the outside cluster is missing, or belongs to the DATA_DIR that this one was copied from
 */
export function placeCluster(
  dataDir: string,
  record: PostgresRecord,
): { clusterDir: string; user: PostgresUser | undefined } {
  if (record.outside) {
    const { clusterDir } = record.outside
    if (!existsSync(clusterDir))
      throw new Error(
        `The database of ${dataDir} was in ${clusterDir} and is gone. Restore it, or run \`npm run reset\`.`,
      )
    if (isCopy(dataDir, record.outside))
      throw new Error(
        `${dataDir} is a copy of ${record.outside.dataDir}, whose database is ${clusterDir}. They cannot share it. ` +
          `Delete ${recordFile(dataDir)} to give the copy its own database.`,
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

/** Whether DATA_DIR was copied: a moved one no longer exists at its old path. */
function isCopy(dataDir: string, outside: { clusterDir: string; dataDir: string }): boolean {
  if (outside.dataDir === dataDir) return false
  const original = readPrivateJson(recordFile(outside.dataDir)) as PostgresRecord | undefined
  return original?.outside?.clusterDir === outside.clusterDir
}

/** For a reset: deletes the cluster outside of DATA_DIR, if there is one. Its server must be stopped. */
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
 * Creates the cluster with its roles and database if it does not exist. It is created in a temporary folder and renamed at
 * the end, so an existing cluster is always complete.
 */
export async function makeCluster(
  binaries: PostgresBinaries,
  clusterDir: string,
  user: PostgresUser | undefined,
  record: PostgresRecord,
): Promise<void> {
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
    await run(binaries.initdb, ['-D', fresh, '-U', roles.superuser, `--pwfile=${passwordFile}`, ...how], user)
    await runSql(binaries, fresh, user, [
      `create role ${roles.owner} login createrole password '${record.ownerPassword}'`,
      `create role ${roles.service} login password '${record.servicePassword}'`,
      `create database ${databaseName} owner ${roles.owner}`,
    ])
    renameSync(fresh, clusterDir)
  } finally {
    rmSync(making, { recursive: true, force: true })
  }
}

/** Sets the passwords of a new record on an existing cluster whose old record was lost. */
export async function resetPasswords(
  binaries: PostgresBinaries,
  clusterDir: string,
  user: PostgresUser | undefined,
  record: PostgresRecord,
): Promise<void> {
  await runSql(binaries, clusterDir, user, [
    `alter role ${roles.superuser} password '${record.superuserPassword}'`,
    `alter role ${roles.owner} password '${record.ownerPassword}'`,
    `alter role ${roles.service} password '${record.servicePassword}'`,
  ])
}

/** Removes incomplete clusters of killed starts, but not those of running ones. */
function sweep(clusterDir: string): void {
  const folder = dirname(clusterDir)
  const prefix = `${basename(clusterDir)}.making-`
  for (const name of existsSync(folder) ? readdirSync(folder) : []) {
    if (name.startsWith(prefix) && !identify(Number.parseInt(name.slice(prefix.length), 10)))
      rmSync(join(folder, name), { recursive: true, force: true })
  }
}

/**
 * Runs SQL in single-user mode: no port, no password, and it exits when the input ends. A failed statement is reported on
 * stderr, with exit code 0.
 */
async function runSql(
  binaries: PostgresBinaries,
  clusterDir: string,
  user: PostgresUser | undefined,
  statements: readonly string[],
): Promise<void> {
  const input = statements.map((statement) => `${statement};\n\n`).join('')
  const output = await run(binaries.postgres, ['--single', '-j', '-D', clusterDir, 'postgres'], user, input)
  const failure = /^.*(ERROR|FATAL|PANIC): .*$/m.exec(output)
  if (failure) throw new Error(`The embedded database could not be prepared: ${failure[0]}`)
}

/** Beside us: the service loads meanwhile. @returns what it wrote */
function run(
  program: string,
  args: readonly string[],
  user: PostgresUser | undefined,
  input = '',
): Promise<string> {
  const options = { ...as(user), env: postgresEnv, timeout: limits.postgresInitMs } as const
  return new Promise((resolve, reject) => {
    const child = execFile(program, args, options, (error, stdout, stderr) => {
      if (!error) return resolve(stdout + stderr)
      const { code, signal } = error
      const isStarted = typeof code === 'number' || signal
      reject(
        new Error(
          isStarted
            ? `${basename(program)} failed (${code ?? signal}): ${stderr.trim()}`
            : `${basename(program)} could not be started: ${error.message}`,
          { cause: error },
        ),
      )
    })
    // An error about its input is in its output.
    child.stdin?.on('error', () => undefined)
    child.stdin?.end(input)
  })
}

/** A clean environment: PGDATA, PGPORT and others would take effect, and secrets would be readable in /proc. */
export const postgresEnv: NodeJS.ProcessEnv = { PATH: process.env['PATH'], LC_ALL: 'C', TZ: 'UTC' }
