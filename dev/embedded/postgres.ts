import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { freePort } from './free-port.ts'
import { postgresBinaries } from './postgres-binaries.ts'
import {
  databaseName,
  makeCluster,
  openRecord,
  placeCluster,
  postgresEnv,
  resetPasswords,
  roles,
  saveRecord,
} from './postgres-cluster.ts'
import { as, type PostgresUser } from './postgres-user.ts'
import {
  commandOf,
  identify,
  orphanStopSteps,
  postgresStopSteps,
  processesIn,
  stopProcess,
  type ProcessIdentity,
} from '../../src/process/system-process.ts'
import { openServerLog } from './server-log.ts'
import { limits } from '../../src/limits.ts'

export type EmbeddedPostgres = {
  port: number
  /** database `postgres`, superuser: for tests and repairs */
  superuserUrl: string
  /** database `gate`, the role for migrations: owns the database, can create roles, is not a superuser */
  ownerUrl: string
  /** database `gate`, the role of the service: has no rights until they are granted */
  serviceUrl: string
  pid: number
  /** resolves when the server has ended, for any reason, with a line that says how */
  exited: Promise<string>
  /** shuts it down and waits; idempotent */
  stop(): Promise<void>
}

const settings = ['listen_addresses=127.0.0.1', 'unix_socket_directories=', 'max_connections=100']
settings.push('shared_buffers=128MB', 'fsync=on', 'log_checkpoints=off')

/**
 * Starts the PostgreSQL that npm installed, on 127.0.0.1 only, with its data below `dataDir`; creates database and logins
 * the first time. First stops a server that a killed start left running. The caller must own the run file.
 * @param port  preferred; by default the previous port; another one if it is in use
 * @param log  gets a line if something takes long or is unexpected
 * @throws Error that says what to do
 * @source docs/quickstart.md#start-the-service
 */
export async function startEmbeddedPostgres(options: {
  dataDir: string
  port?: number | undefined
  log: (line: string) => void
}): Promise<EmbeddedPostgres> {
  const { log } = options
  mkdirSync(options.dataDir, { recursive: true, mode: 0o711 })
  const dataDir = realpathSync(options.dataDir)
  const { record, isNew } = openRecord(dataDir)
  const { clusterDir, user } = placeCluster(dataDir, record)
  const binaries = postgresBinaries(user)
  if (!existsSync(clusterDir)) {
    log('Preparing the embedded database (once).')
    await makeCluster(binaries, clusterDir, user, record)
  } else {
    await stopLeftOver(clusterDir, log)
    if (isNew) {
      log(`The passwords of the database in ${clusterDir} are missing; setting new ones.`)
      await resetPasswords(binaries, clusterDir, user, record)
    }
  }
  const logFile = join(dataDir, 'postgres.log')
  const { port, server } = await spawnOnFreePort(options.port ?? record.port, (candidate) =>
    spawnServer({ program: binaries.postgres, clusterDir, user, port: candidate, logFile, log }),
  )
  const isOutside = clusterDir !== join(dataDir, 'postgres')
  saveRecord(dataDir, { ...record, port, ...(isOutside ? { outside: { clusterDir, dataDir } } : {}) })
  const url = (role: string, password: string, database: string): string =>
    `postgres://${role}:${password}@127.0.0.1:${port}/${database}`
  return {
    port,
    superuserUrl: url(roles.superuser, record.superuserPassword, 'postgres'),
    ownerUrl: url(roles.owner, record.ownerPassword, databaseName),
    serviceUrl: url(roles.service, record.servicePassword, databaseName),
    pid: server.pid,
    exited: server.exited,
    stop: async () => {
      await stopProcess(server, postgresStopSteps)
      await server.exited
    },
  }
}

type Server = ProcessIdentity & { exited: Promise<string> }

/** Retries, because another process may use the port before the server listens on it. */
async function spawnOnFreePort(
  preferred: number | undefined,
  spawnOn: (port: number) => Promise<Server>,
): Promise<{ port: number; server: Server }> {
  for (let attempt = 1; ; attempt++) {
    const port = await freePort(attempt === 1 ? preferred : undefined)
    try {
      return { port, server: await spawnOn(port) }
    } catch (error) {
      const isPortTaken = /could not create any TCP\/IP sockets|could not bind/.test(saidBefore(error))
      if (!isPortTaken || attempt === limits.embeddedStartAttemptsMax) throw error
    }
  }
}

type ServerOptions = {
  program: string
  clusterDir: string
  user: PostgresUser | undefined
  port: number
  logFile: string
  log: (line: string) => void
}

/** Ends backends that a killed server left: they can compute for hours, and a new server refuses to start until then. */
async function spawnServer(options: ServerOptions): Promise<Server> {
  const end = performance.now() + limits.postgresOrphansMs
  for (;;) {
    try {
      return await spawnOnce(options)
    } catch (error) {
      const isHeld = saidBefore(error).includes('pre-existing shared memory block')
      if (!isHeld || performance.now() > end) throw error
      options.log('Ending the last connections of a killed database server.')
      await endOrphans(options.clusterDir)
      await delay(200)
    }
  }
}

/**
 * Each backend works in the folder of its cluster. Only called once a new server has found that the old one is gone; what was
 * committed is on disk. Where the system does not tell who works in a folder, they end with their statement.
 */
async function endOrphans(clusterDir: string): Promise<void> {
  const orphans = processesIn(realpathSync(clusterDir)).filter(({ pid }) =>
    commandOf(pid).startsWith('postgres: '),
  )
  await Promise.all(orphans.map((orphan) => stopProcess(orphan, orphanStopSteps)))
}

/** The log before a failed start: the lines that are shown may all be of backends of a killed server. */
const saidBefore = (error: unknown): string => (error instanceof Error ? String(error.cause) : '')

/** Runs in its own process group: Ctrl-C reaches only us, and we stop the server after the service has finished. */
async function spawnOnce({ program, clusterDir, user, port, logFile }: ServerOptions): Promise<Server> {
  const output = openServerLog(logFile)
  try {
    const args = ['-D', clusterDir, ...settings.flatMap((setting) => ['-c', setting]), '-c', `port=${port}`]
    const stdio = ['ignore', output.fd, output.fd] as const
    const child = spawn(program, args, { ...as(user), env: postgresEnv, detached: true, stdio: [...stdio] })
    const exited = new Promise<string>((resolve) => {
      child.once('error', (error) => resolve(`postgres could not be started: ${error.message}`))
      child.once('exit', (code, signal) => resolve(`postgres ended (${signal ?? code})`))
    })
    const identity = identify(child.pid ?? 0)
    // Without an identity it has ended already, as fast as a server does that must wait for others.
    const outcome = (identity && (await whenReady(clusterDir, identity.pid))) ?? (await exited)
    if (identity && outcome === 'ready') return { ...identity, exited }
    if (identity) await stopProcess(identity, postgresStopSteps)
    throw new Error(`The embedded database failed to start: ${outcome}\n${output.tail()}`, {
      cause: output.written(),
    })
  } finally {
    output.close()
  }
}

/**
 * Waits for the server to accept connections, which it reports in line 8 of postmaster.pid, as `pg_ctl -w` does.
 * @returns 'ready', or why not, or undefined if the server has ended
 * @source src/include/utils/pidfile.h
 */
async function whenReady(clusterDir: string, pid: number): Promise<string | undefined> {
  const end = performance.now() + limits.postgresStartMs
  while (performance.now() < end) {
    const lines = pidFileLines(clusterDir)
    if (lines[0] === String(pid) && lines[7]?.startsWith('ready')) return 'ready'
    if (!identify(pid)) return undefined
    await delay(20)
  }
  return `not ready after ${limits.postgresStartMs / 1000} s`
}

/**
 * Stops the server that a killed start left running on this cluster. postmaster.pid is never deleted: its other lines stop
 * a new server from starting while old backends run. If its pid now belongs to another process, a new server would refuse
 * to start, so our own pid is written there: a server ignores the pid of its parent.
 * @source CreateLockFile in src/backend/utils/init/miscinit.c
 */
async function stopLeftOver(clusterDir: string, log: (line: string) => void): Promise<void> {
  const lines = pidFileLines(clusterDir)
  const found = identify(Number(lines[0]))
  if (!found) return
  if (isServerOf(found.pid, clusterDir)) {
    log(`Stopping the database server that an earlier start left running (process ${found.pid}).`)
    await stopProcess(found, postgresStopSteps)
  } else {
    writeFileSync(join(clusterDir, 'postmaster.pid'), [process.pid, ...lines.slice(1)].join('\n'))
  }
}

function isServerOf(pid: number, clusterDir: string): boolean {
  return commandOf(pid).includes(`postgres -D ${clusterDir} `)
}

function pidFileLines(clusterDir: string): string[] {
  const file = join(clusterDir, 'postmaster.pid')
  return existsSync(file) ? readFileSync(file, 'utf8').split('\n') : []
}
