import { once } from 'node:events'
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Client, Connection } from '@temporalio/client'
import postgres from 'postgres'
import { type Db, connect } from '../../src/db/connect.ts'
import { migrate } from '../../src/db/migrate.ts'
import { freePort } from '../../dev/embedded/free-port.ts'
import { startEmbeddedPostgres } from '../../dev/embedded/postgres.ts'
import { newKeyRing } from '../../src/secrets/key-ring.ts'
import { startEmbeddedTemporal } from '../../dev/embedded/temporal.ts'
import { bareSchema } from '../bare/schema.ts'
import {
  type Started,
  gateProgram,
  nodeFlags,
  residentMb,
  startNode,
  untilAnswering,
  untilQuiet,
  watchMemory,
} from './processes.ts'
import { type Ledgers, benchLedgers } from './ledgers.ts'
import { type Peer, startPeer } from './peers.ts'
import { familyMs, processorMs } from './processor-time.ts'

export type Part = 'api' | 'worker' | 'bare worker' | 'stand-in' | 'temporal' | 'postgresql'

/** All services that the cases measure, each in its own process as in production. */
export interface Services {
  folder: string
  apiUrl: string
  bareUrl: string
  /** The gate's database, with the service's role: the bare counterparts have their schema there. */
  databaseUrl: string
  sandboxUrl(): string
  /** A connection with the service's role. */
  db: Db
  ledgers: Ledgers
  /** Runs SQL as superuser in the gate's database. */
  asSuperuser(text: string): Promise<Record<string, unknown>[]>
  /** A separate Temporal client, as a simple program would create it. */
  temporal: Client
  directLoop: Started
  /** Stops the API and the worker, and starts them again with these settings beside their own. */
  restart(settings: Record<ServiceName, Record<string, string>>): Promise<void>
  /** Waits until all processes are idle. */
  quiet(boundMs?: number): Promise<void>
  /** The resident memory of the API and the worker, in MB: now, and the largest so far. */
  residentMb(): Record<ServiceName, number>
  maxResidentMb(): Record<ServiceName, number>
  /** The processor time that each part has used so far, in ms. @throws Error without /proc */
  processorMs(): Record<Part, number>
  /** Starts a peer of `bench/peers`, with a database of its own. Undefined where its packages are not installed. */
  startPeer(name: string): Promise<Peer | undefined>
  /** Stops with the services what a case has started itself, also where the run is interrupted. */
  onStop(stop: () => Promise<unknown>): void
  stop(): Promise<void>
}

export type ServiceName = 'api' | 'worker'

export interface ServiceOptions {
  logLevel: string
  /** The folder for CPU profiles of the API and the worker. */
  profileFolder: string | undefined
  log: (line: string) => void
}

const bareProgram = (name: string) => fileURLToPath(new URL(`../bare/${name}.ts`, import.meta.url))

/** Starts the servers, the built gate and the plain implementation, and waits until all are ready. */
export async function startServices(options: ServiceOptions): Promise<Services> {
  const { log } = options
  const folder = mkdtempSync(join(tmpdir(), 'gate-bench-'))
  chmodSync(folder, 0o711)
  mkdirSync(join(folder, 'data'), { mode: 0o711 })
  const stops: (() => Promise<unknown>)[] = []
  const stopAll = async () => {
    for (const one of stops.splice(0).toReversed()) await one().catch((error: unknown) => log(String(error)))
    rmSync(folder, { recursive: true, force: true })
  }
  // A signal and the end of the run may both request the stop: they share one.
  let stopping: Promise<void> | undefined
  const stop = () => (stopping ??= stopAll())
  try {
    return await start(options, folder, stops, stop)
  } catch (error) {
    await stop()
    throw error
  }
}

async function start(
  options: ServiceOptions,
  folder: string,
  stops: (() => Promise<unknown>)[],
  stop: () => Promise<void>,
): Promise<Services> {
  const { log } = options
  const part = <T>(one: T, end: (one: T) => Promise<unknown>): T => {
    stops.push(() => end(one))
    return one
  }
  log('starting PostgreSQL and Temporal')
  const starting = [
    startEmbeddedPostgres({ dataDir: join(folder, 'data'), log }),
    startEmbeddedTemporal({ dbFile: join(folder, 'temporal.db'), headless: true, log }),
  ] as const
  for (const one of starting) one.then((server) => stops.unshift(() => server.stop())).catch(() => undefined)
  await Promise.allSettled(starting)
  const [database, temporalServer] = await Promise.all(starting)
  await migrate(database.ownerUrl, database.serviceUrl, () => {})
  const superuserUrl = new URL(database.superuserUrl)
  superuserUrl.pathname = new URL(database.serviceUrl).pathname
  const superuser = part(postgres(superuserUrl.href, { max: 1, onnotice: () => {} }), (sql) =>
    sql.end({ timeout: 2 }),
  )
  const serviceRole = new URL(database.serviceUrl).username
  await superuser.unsafe(`${bareSchema}
    grant usage on schema bare to ${serviceRole};
    grant select, insert on all tables in schema bare to ${serviceRole};`)

  const [apiPort, workerPort, barePort] = [await freePort(), await freePort(), await freePort()]
  const sandboxPort = String(await freePort())
  const sandboxUrl = `http://127.0.0.1:${sandboxPort}`
  const shared = { DATABASE_URL: database.serviceUrl, TEMPORAL_ADDRESS: temporalServer.address }
  const gateEnv = {
    ...shared,
    NODE_ENV: 'production',
    // The image sets this too.
    MALLOC_ARENA_MAX: '2',
    SANDBOX: '1',
    SANDBOX_URL: sandboxUrl,
    SANDBOX_PORT: sandboxPort,
    DATA_DIR: join(folder, 'data'),
    RATE_LIMIT_PER_MINUTE: '0',
    PREVIEW_PORT: '0',
    LOG_LEVEL: options.logLevel,
  }
  const profiled = (name: string) =>
    options.profileFolder
      ? [
          '--cpu-prof',
          `--cpu-prof-dir=${options.profileFolder}`,
          `--cpu-prof-name=${name}-${Date.now()}.cpuprofile`,
        ]
      : []
  const secretsKeys = newKeyRing()
  const programs: Started[] = []
  stops.push(() => Promise.all(programs.map((one) => one.stop())))
  const node = (name: string, given: Omit<Parameters<typeof startNode>[0], 'logFile'>): Started => {
    const started = startNode({ ...given, logFile: join(folder, `${name}.log`) })
    programs.push(started)
    return started
  }
  log('starting the gate and its bare counterparts')
  const sandbox = node('sandbox', { program: bareProgram('sandbox'), args: [sandboxPort], env: {} })
  await untilWorking(sandbox)
  const startGate = async (settings: Partial<Record<ServiceName, Record<string, string>>> = {}) => {
    const started = {
      api: node('api', {
        program: gateProgram('api'),
        env: { ...gateEnv, PORT: String(apiPort), ...settings.api },
        nodeArgs: [...nodeFlags('api'), ...profiled('api')],
      }),
      worker: node('worker', {
        program: gateProgram('worker'),
        env: { ...gateEnv, WORKER_PORT: String(workerPort), SECRETS_KEYS: secretsKeys, ...settings.worker },
        nodeArgs: [...nodeFlags('worker'), ...profiled('worker')],
      }),
    }
    await untilAnswering(`http://127.0.0.1:${workerPort}/readyz`, started.worker)
    await untilAnswering(`http://127.0.0.1:${apiPort}/readyz`, started.api)
    return started
  }
  let gate = await startGate()
  const bareWorker = node('bare-worker', {
    program: bareProgram('worker'),
    env: { ...shared, SANDBOX_URL: sandboxUrl },
  })
  const bareApi = node('bare-api', {
    program: bareProgram('api'),
    env: { ...shared, PORT: String(barePort) },
  })
  const directLoop = node('direct-loop', { program: bareProgram('direct-loop'), env: {} })
  await Promise.all([untilWorking(bareWorker), untilWorking(directLoop)])
  await untilAnswering(`http://127.0.0.1:${barePort}/starts-under-way`, bareApi)
  const connection = part(await Connection.connect({ address: temporalServer.address }), (one) => one.close())
  const db = part(connect(database.serviceUrl, { applicationName: 'gate bench', connectionsMax: 4 }), (one) =>
    one.close(),
  )
  const memory = watchMemory({ api: () => gate.api.pid, worker: () => gate.worker.pid })
  stops.push(async () => memory.stop())
  const everyone = () => [gate.api, gate.worker, bareApi, bareWorker, sandbox]

  return {
    folder,
    apiUrl: `http://127.0.0.1:${apiPort}`,
    bareUrl: `http://127.0.0.1:${barePort}`,
    databaseUrl: database.serviceUrl,
    sandboxUrl: () => sandboxUrl,
    db,
    ledgers: benchLedgers(db),
    asSuperuser: async (text) => [...(await superuser.unsafe(text))],
    temporal: new Client({ connection }),
    directLoop,
    async restart(settings) {
      await Promise.all([gate.api.stop(), gate.worker.stop()])
      gate = await startGate(settings)
    },
    async quiet(boundMs) {
      for (const one of everyone()) one.assertRunning()
      const servers = temporalServer.pid === undefined ? [] : [temporalServer.pid]
      await untilQuiet([...everyone().map(({ pid }) => pid), ...servers], boundMs)
    },
    residentMb: () => ({ api: residentMb(gate.api.pid), worker: residentMb(gate.worker.pid) }),
    processorMs: () => ({
      api: processorMs([gate.api.pid]),
      worker: processorMs([gate.worker.pid]),
      'bare worker': processorMs([bareWorker.pid]),
      'stand-in': processorMs([sandbox.pid]),
      temporal: processorMs(temporalServer.pid === undefined ? [] : [temporalServer.pid]),
      postgresql: familyMs(database.pid),
    }),
    startPeer: (name) => startPeer(name, { node, superuser, databaseUrl: superuserUrl, sandboxUrl }),
    maxResidentMb: () => memory.maxMb(),
    onStop: (also) => void stops.push(also),
    stop,
  }
}

async function untilWorking(started: Started): Promise<void> {
  const output = once(started.child, 'message')
  await Promise.race([output, once(started.child, 'exit').then(() => started.assertRunning())])
}
