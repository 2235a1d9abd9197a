import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { Client, Connection } from '@temporalio/client'
import postgres from 'postgres'
import { type Db, connect } from '../../src/db/connect.ts'
import { migrate } from '../../src/db/migrate.ts'
import { testPort } from './test-port.ts'
import { startEmbeddedPostgres } from '../../dev/embedded/postgres.ts'
import { type Sandbox, startSandbox } from '../../dev/sandbox/sandbox.ts'
import { type EmbeddedTemporal, startEmbeddedTemporal } from '../../dev/embedded/temporal.ts'
import { type TestAccount, freshAccount } from './account.ts'
import { type ApiClient, apiClient } from './api-client.ts'
import { freshDatabase } from './database.ts'
import { type FaultProvider, startFaultProvider } from './fault-provider.ts'
import { freshNamespace } from './namespace.ts'
import { builtProgram } from './program.ts'
import { type Bounds, shortenedIn } from './shorten.ts'
import { type TcpProxy, startTcpProxy } from './tcp-proxy.ts'
import { askAgainMs } from './until.ts'

export type ProcessName = 'api' | 'api2' | 'worker' | 'worker2' | 'sealer'
export type ServerName = 'postgres' | 'temporal'
export type PartName = ProcessName | ServerName

/** The service as it is deployed, in processes that a test may kill, with its own database and its own Temporal. */
export interface Service {
  /** A connection as the service's role. */
  db: Db
  /** The folder of its processes. */
  dataDir: string
  /** The providers live in the test's process and outlive everything else. One of the two is there. */
  provider: FaultProvider
  sandbox: Sandbox
  /** Between the API processes and Temporal, between the worker and the providers. */
  edges: { temporal: TcpProxy; provider: TcpProxy }
  /** An account with a key, and clients of one API process each. */
  account(): Promise<ServiceAccount>
  /** The address of its database, for what `sql` cannot do. */
  superuserUrl: string
  /** One statement as superuser: looks behind row-level security. */
  sql<T = Record<string, any>>(text: string): Promise<T[]>
  /** A client of Temporal itself, straight and not through the edge. */
  temporal(): Promise<Client>
  /** The process id, to measure what a process used. */
  pidOf(name: PartName): number
  /** SIGKILL, awaited. */
  kill(...names: PartName[]): Promise<void>
  /** SIGTERM, awaited. @returns the exit code */
  terminate(name: ProcessName): Promise<number | null>
  /** The address of a process's HTTP server. */
  urlOf(name: ProcessName): string
  /** The database as the service's role, and `host:port` of Temporal: past every edge. */
  serviceUrl: string
  temporalAddress: string
  /** SIGSTOP and SIGCONT. */
  pause(name: PartName): void
  resume(name: PartName): void
  /** Starts what was killed, on the same data and port, and waits until it is ready. */
  start(...names: PartName[]): Promise<void>
  /** The same for a process, which may then wait for what it needs: its readiness is not awaited. */
  spawn(name: ProcessName): void
  /** The command line, with JSON: `gate('repair')`. @returns what it answered */
  gate(...args: string[]): Promise<any>
  /** Starts Temporal with an empty database. */
  wipeTemporal(): Promise<void>
  /** The processes that have ended without being asked to. */
  dead(): ProcessName[]
  /** Whether a server that was started here runs. */
  isUp(name: ServerName): boolean
  /** The end of what a process logged. */
  logOf(name: ProcessName): string
  stop(): Promise<void>
}

export interface ServiceAccount extends TestAccount {
  api: ApiClient
  /** A client of the second API process. */
  api2: ApiClient
}

export interface ServiceOptions {
  /** The folder of the program; by default the one that is compiled once a run. */
  program?: string
  /** Started at once; the others by `start`. */
  processes?: ProcessName[]
  env?: Record<string, string> | ((name: ProcessName) => Record<string, string>)
  /** What `node` is given before the file of a process. */
  nodeArgs?: (name: ProcessName) => string[]
  /** Where the database server of its own keeps its data. */
  postgresDir?: string
  /** A database server of its own, which may be killed. Else a database of its own on the server of the run. */
  hasOwnPostgres?: boolean
  /** A Temporal of its own, which may be killed. Else a namespace of its own on the server of the run. */
  hasOwnTemporal?: boolean
  /** A database that the test has made and migrated, in place of both. */
  database?: { superuserUrl: string; serviceUrl: string }
  /** A Temporal that the test has started, in place of both. */
  temporalAddress?: string
  /** The sandbox in place of the providers that fail on demand. */
  isSandbox?: boolean
  /** Bounds that its processes have in place of their own. */
  bounds?: Bounds
}

const readyMs = 120_000

/** Starts all of it; what it started is ended by `stop`, and by the reaper where the test's own process is killed. */
export async function startService(options: ServiceOptions = {}): Promise<Service> {
  const runDir = runFolder()
  const folder = mkdtempSync(join(runDir, 'service-'))
  chmodSync(folder, 0o711)
  const stops: (() => Promise<unknown>)[] = []
  const program = options.program ?? (await builtProgram(runDir))
  const [database, temporalServer] = await bothOrNone(
    databaseFor(options, folder),
    temporalFor(options, folder),
  )
  const servers = { postgres: database, temporal: temporalServer }
  const { namespace } = temporalServer
  stops.push(() => servers.postgres.stop())
  stops.push(() => servers.temporal.stop())

  const provider = await startFaultProvider()
  const sandbox = await startSandbox()
  const origin = new URL(options.isSandbox ? sandbox.url : provider.slackApiUrl).host
  const edges = {
    temporal: await startTcpProxy(servers.temporal.address),
    provider: await startTcpProxy(origin),
  }
  stops.push(() =>
    Promise.all([provider.stop(), sandbox.stop(), edges.temporal.stop(), edges.provider.stop()]),
  )

  const ports = {
    api: await testPort(),
    api2: await testPort(),
    worker: await testPort(),
    worker2: await testPort(),
    sealer: await testPort(),
  }
  const isApi = (name: ProcessName) => name === 'api' || name === 'api2'
  const children = new Map<ProcessName, ChildProcess>()
  stops.push(() => Promise.all([...children.keys()].map((name) => end(children.get(name), 'SIGTERM'))))
  const db = connect(servers.postgres.serviceUrl, { applicationName: 'gate test', connectionsMax: 5 })
  const superuser = postgres(servers.postgres.superuserUrl, {
    max: 1,
    onnotice: noop,
    backoff: () => 0.1,
    fetch_types: false,
  })
  stops.push(() => Promise.all([db.close(), superuser.end({ timeout: 2 })]))
  let temporal: Connection | undefined
  stops.push(async () => temporal?.close())

  const environment = (name: ProcessName): Record<string, string> => ({
    PATH: process.env['PATH'] ?? '',
    HOME: process.env['HOME'] ?? '',
    LOG_LEVEL: 'info',
    DATA_DIR: folder,
    DATABASE_URL: servers.postgres.serviceUrl,
    TEMPORAL_ADDRESS: isApi(name) ? edges.temporal.address : servers.temporal.address,
    TEMPORAL_NAMESPACE: namespace,
    RATE_LIMIT_PER_MINUTE: '0',
    DRAIN_SECONDS: '0',
    PREVIEW_PORT: '0',
    PUBLIC_URL: `http://127.0.0.1:${ports.api}`,
    [isApi(name) ? 'PORT' : 'WORKER_PORT']: String(ports[name]),
    ...(options.isSandbox
      ? {
          SANDBOX: '1',
          SANDBOX_URL: `http://${edges.provider.address}`,
          SANDBOX_PORT: edges.provider.address.split(':')[1]!,
        }
      : providerEnvironment(edges.provider.address)),
    ...(typeof options.env === 'function' ? options.env(name) : options.env),
  })

  function spawnProcess(name: ProcessName): ChildProcess {
    const file = join(program, 'dist', 'src', `${name.replace('2', '')}.js`)
    const output = openSync(join(folder, `${name}.log`), 'a')
    const before = [...shortenedIn(program, options.bounds ?? {}), ...(options.nodeArgs?.(name) ?? [])]
    const child = spawn(process.execPath, [...before, file], {
      env: environment(name),
      stdio: ['ignore', output, output],
    })
    closeSync(output)
    children.set(name, child)
    return child
  }

  async function startProcess(name: ProcessName): Promise<void> {
    const child = spawnProcess(name)
    await until(`${name} is ready`, readyMs, async () => {
      if (child.exitCode !== null)
        throw new Error(`${name} ended (${child.exitCode}):\n${service.logOf(name)}`)
      const answer = await fetch(`${service.urlOf(name)}/readyz`).catch(() => undefined)
      return answer?.status === 200
    })
  }

  const pidOf = (name: PartName): number =>
    (name === 'postgres' || name === 'temporal' ? servers[name].pid : children.get(name)?.pid) ?? 0

  const service: Service = {
    db,
    dataDir: folder,
    provider,
    sandbox,
    edges,
    async account() {
      const account = await freshAccount(db)
      const client = (name: 'api' | 'api2') => apiClient(service.urlOf(name), account.key)
      return { ...account, api: client('api'), api2: client('api2') }
    },
    superuserUrl: servers.postgres.superuserUrl,
    serviceUrl: servers.postgres.serviceUrl,
    temporalAddress: servers.temporal.address,
    sql: async <T>(text: string) => [...(await superuser.unsafe(text))] as unknown as T[],
    async temporal() {
      temporal ??= await Connection.connect({ address: servers.temporal.address })
      return new Client({ connection: temporal, namespace })
    },
    pidOf,
    async kill(...names) {
      await Promise.all(
        names.map(async (name) => {
          if (name !== 'postgres' && name !== 'temporal') return end(children.get(name), 'SIGKILL')
          const { pid, exited } = servers[name]
          if (!pid) throw new Error(`${name} is not of this service alone.`)
          process.kill(pid, 'SIGKILL')
          await exited
        }),
      )
    },
    async terminate(name) {
      const child = children.get(name)!
      await end(child, 'SIGTERM')
      return child.exitCode
    },
    urlOf: (name) => `http://127.0.0.1:${ports[name]}`,
    pause: (name) => void process.kill(pidOf(name), 'SIGSTOP'),
    resume: (name) => void process.kill(pidOf(name), 'SIGCONT'),
    async start(...names) {
      await Promise.all(
        names.map(async (name) => {
          if (name === 'postgres') servers.postgres = await ownDatabase(folder, options.postgresDir)
          else if (name === 'temporal')
            servers.temporal = await ownTemporal(folder, { before: servers.temporal })
          else await startProcess(name)
        }),
      )
    },
    spawn: (name) => void spawnProcess(name),
    async gate(...args) {
      const cli = join(program, 'dist', 'src', 'cli.js')
      const { stdout } = await promisify(execFile)(process.execPath, [cli, ...args, '--json'], {
        env: environment('worker'),
      })
      return JSON.parse(stdout)
    },
    async wipeTemporal() {
      await service.kill('temporal')
      for (const suffix of ['', '-wal', '-shm']) rmSync(join(folder, `temporal.db${suffix}`), { force: true })
      await service.start('temporal')
    },
    dead: () =>
      [...children].flatMap(([name, child]) =>
        child.exitCode === null && child.signalCode === null ? [] : [name],
      ),
    isUp: (name) => isRunning(pidOf(name)),
    logOf: (name) => readFileSync(join(folder, `${name}.log`), 'utf8').slice(-4_000),
    async stop() {
      edges.temporal.release()
      edges.provider.release()
      const faults: unknown[] = []
      for (const step of stops.splice(0).reverse()) await step().catch((error: unknown) => faults.push(error))
      rmSync(folder, { recursive: true, force: true })
      if (faults.length > 0) throw faults[0]
    },
  }
  try {
    await service.start(...(options.processes ?? ['api', 'worker']))
    return service
  } catch (error) {
    await service.stop().catch(() => undefined)
    throw error
  }
}

/** Asks until it is so. @throws Error naming what was waited for, after `boundMs` */
export async function until(
  what: string,
  boundMs: number,
  isSo: () => Promise<unknown> | unknown,
): Promise<number> {
  const begin = performance.now()
  for (;;) {
    if (await isSo()) return Math.round(performance.now() - begin)
    const waitedMs = performance.now() - begin
    if (waitedMs > boundMs) throw new Error(`Not within ${boundMs} ms: ${what}.`)
    await sleep(askAgainMs(waitedMs))
  }
}

/** The folder of this run: jest's, or else one of its own. */
export const runFolder = (): string => process.env['TEST_RUN_DIR'] ?? ownRunDir()

function ownRunDir(): string {
  const made = mkdtempSync(join(tmpdir(), 'gate-test-'))
  chmodSync(made, 0o711)
  process.once('exit', () => rmSync(made, { recursive: true, force: true }))
  process.env['TEST_RUN_DIR'] = made
  return made
}

/** Both run to their end before one of them may fail: what was started must be stopped. */
async function bothOrNone<A extends Stoppable, B extends Stoppable>(
  a: Promise<A>,
  b: Promise<B>,
): Promise<[A, B]> {
  const settled = await Promise.allSettled([a, b])
  if (settled.some((part) => part.status === 'rejected')) {
    for (const part of settled) if (part.status === 'fulfilled') await part.value.stop()
  }
  return Promise.all([a, b])
}

type Stoppable = { stop(): Promise<void> }
type ServiceDatabase = Stoppable & {
  superuserUrl: string
  serviceUrl: string
  pid?: number
  exited?: Promise<string>
}

async function databaseFor(options: ServiceOptions, folder: string): Promise<ServiceDatabase> {
  if (options.database) return { ...options.database, stop: async () => {} }
  const hasOwnPostgres = options.hasOwnPostgres ?? !process.env['TEST_PG_SERVICE_URL']
  return hasOwnPostgres ? ownDatabase(folder, options.postgresDir) : sharedDatabase()
}

/** On the server of the run, which nobody may kill. */
async function sharedDatabase(): Promise<ServiceDatabase> {
  const { superuserUrl, serviceUrl, drop } = await freshDatabase()
  return { superuserUrl, serviceUrl, stop: drop }
}

/** A server of its own, on the data and the port it had before. */
async function ownDatabase(folder: string, dataDir = join(folder, 'data')): Promise<ServiceDatabase> {
  const server = await startEmbeddedPostgres({ dataDir, log: noop })
  await migrate(server.ownerUrl, server.serviceUrl, noop)
  const superuserUrl = Object.assign(new URL(server.superuserUrl), { pathname: '/gate' }).href
  return { ...server, superuserUrl }
}

type ServiceTemporal = EmbeddedTemporal & { namespace: string }

async function temporalFor(
  { temporalAddress, hasOwnTemporal }: ServiceOptions,
  folder: string,
): Promise<ServiceTemporal> {
  const ofRun = process.env['TEST_TEMPORAL_ADDRESS']
  if (temporalAddress !== undefined || !ofRun || hasOwnTemporal)
    return ownTemporal(folder, { address: temporalAddress })
  const server = await ownTemporal(folder, { address: ofRun })
  return { ...server, namespace: await freshNamespace() }
}

/** On the port it had before. `address`: of one that is not to be started here. */
async function ownTemporal(
  folder: string,
  { before, address = '' }: { before?: EmbeddedTemporal; address?: string | undefined },
): Promise<ServiceTemporal> {
  const port = before ? Number(before.address.split(':')[1]) : undefined
  const env = { ...process.env, TEMPORAL_ADDRESS: address }
  const server = await startEmbeddedTemporal({
    dbFile: join(folder, 'temporal.db'),
    headless: true,
    log: noop,
    env,
    port,
  })
  if (before && server.address !== before.address) throw new Error('Temporal came back on another port.')
  return { ...server, namespace: 'default' }
}

const noop = () => {}

/** Signal 0 only asks. */
function isRunning(pid: number): boolean {
  try {
    return pid > 0 && process.kill(pid, 0)
  } catch {
    return false
  }
}

const providerEnvironment = (address: string) => ({
  SLACK_BOT_TOKEN: 'xoxb-test',
  SLACK_API_URL: `http://${address}/slack/`,
  SLACK_RATE_PER_SECOND: '0',
  RESEND_API_KEY: 're_test',
  RESEND_BASE_URL: `http://${address}/resend`,
  RESEND_RATE_PER_SECOND: '0',
  MAIL_FROM: 'Gate <gate@gate.example>',
})

async function end(child: ChildProcess | undefined, signal: NodeJS.Signals): Promise<void> {
  if (!child || child.exitCode !== null || child.signalCode !== null) return
  const gone = once(child, 'exit')
  if (signal !== 'SIGKILL') child.kill('SIGCONT')
  child.kill(signal)
  const late = setTimeout(() => child.kill('SIGKILL'), 20_000)
  await gone
  clearTimeout(late)
}
