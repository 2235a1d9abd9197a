import { spawn } from 'node:child_process'
import { mkdirSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { freePort } from './free-port.ts'
import { readPrivateJson, writePrivateJson } from '../../src/data-dir/private-file.ts'
import {
  identify,
  isRunning,
  stopProcess,
  temporalStopSteps,
  type ProcessIdentity,
} from '../../src/process/system-process.ts'
import { openServerLog } from './server-log.ts'
import {
  allSourcesFailed,
  temporalSources,
  sourceContext,
  warnOfStuckDriver,
  type TemporalSource,
} from './temporal-sources.ts'
import { namespaceWriter, watchWrites, type WriteAnswer } from './temporal-watch.ts'
import type { SourceContext } from './source-context.ts'
import { limits } from '../../src/limits.ts'

export type EmbeddedTemporal = {
  /** host:port for clients */
  address: string
  /** absent without a UI, and with TEMPORAL_ADDRESS */
  uiUrl: string | undefined
  /** of the server as it runs now; absent with TEMPORAL_ADDRESS, whose server is not ours */
  readonly pid: number | undefined
  /** path of the program; absent with TEMPORAL_ADDRESS */
  program: string | undefined
  /** the source of the server, in words */
  source: string
  /** resolves when our server has ended, but for a restart of ours, with a line that says how */
  exited: Promise<string>
  /** shuts our server down and waits; idempotent */
  stop(): Promise<void>
}

export type TemporalOptions = {
  /** SQLite file of the server; its log and pid file are next to it */
  dbFile: string
  /** preferred; another one if it is in use */
  port?: number | undefined
  uiPort?: number | undefined
  namespace?: string | undefined
  headless?: boolean | undefined
  log: (line: string) => void
  env?: NodeJS.ProcessEnv | undefined
  /** hears of a restart, with the pid of the new process */
  restarted?: ((pid: number) => void) | undefined
  /** replaced in tests: the write that tells whether the server is stuck */
  write?: ((signal: AbortSignal) => Promise<WriteAnswer>) | undefined
  /** replaced in tests */
  sources?: readonly TemporalSource[] | undefined
  context?: Partial<SourceContext> | undefined
  /** how long a program can take to answer, in milliseconds */
  startMs?: number | undefined
}

/**
 * Overrides slow defaults of the development server: 20 polls per second and four partitions per task queue. With them a
 * confirm waits 50 ms three times, and a first task sometimes 2 s. Measured: confirm p50 150 ms with them, 19 ms without.
 * Timers shorter than the time shift, 1 s by default, fire only after it.
 */
const dynamicConfig = [
  'history.transferProcessorMaxPollRPS=2000',
  'history.timerProcessorMaxPollRPS=2000',
  'history.visibilityProcessorMaxPollRPS=2000',
  'history.MaxBufferedQueryCount=50',
  'history.timerProcessorMaxTimeShift="20ms"',
  'matching.numTaskqueueReadPartitions=1',
  'matching.numTaskqueueWritePartitions=1',
]
const sqlitePragmas = ['journal_mode=WAL', 'synchronous=NORMAL']
const searchAttributes = ['AccountId=Keyword', 'ActionId=Int', 'ActionKind=Keyword', 'ActionStatus=Keyword']

/**
 * Provides a Temporal server: the one at TEMPORAL_ADDRESS, without checking it, or one started here from the first source
 * whose program starts. First stops a server that a killed start left running on `dbFile`. A server of ours whose database
 * driver gets stuck is restarted on the same data and ports.
 * @throws Error that lists every source with its reason if none works
 * @source docs/quickstart.md#start-the-service
 */
export async function startEmbeddedTemporal(options: TemporalOptions): Promise<EmbeddedTemporal> {
  const { log, sources = temporalSources, env = process.env } = options
  const context = sourceContext({ env, ...options.context, log })
  const failures: { name: string; reason: string }[] = []
  for (const source of sources) {
    try {
      const found = await source.find(context)
      if ('address' in found) return notOurs(found.address, source.name)
      await warnOfStuckDriver(found.program, log)
      try {
        return await startOnFreePorts(found.program, source.name, options)
      } catch (error) {
        log(
          `${found.program} (${source.name}) failed to start, trying the next source. ${(error as Error).message}`,
        )
        throw new Error(`${found.program} failed to start: ${(error as Error).message}`, { cause: error })
      }
    } catch (error) {
      failures.push({ name: source.name, reason: (error as Error).message })
    }
  }
  throw new Error(allSourcesFailed(failures, context))
}

function notOurs(address: string, source: string): EmbeddedTemporal {
  const never = new Promise<string>(() => {})
  return {
    address,
    uiUrl: undefined,
    pid: undefined,
    program: undefined,
    source,
    exited: never,
    stop: async () => {},
  }
}

/** Retries, because another process may use the port before the server listens on it. */
async function startOnFreePorts(
  program: string,
  source: string,
  options: TemporalOptions,
): Promise<EmbeddedTemporal> {
  await stopLeftOver(options)
  for (let attempt = 1; ; attempt++) {
    const isFirst = attempt === 1
    const port = await freePort(isFirst ? options.port : undefined)
    const uiPort = options.headless ? undefined : await freePort(isFirst ? options.uiPort : undefined)
    try {
      const start = (): Promise<Server> => spawnServer(program, port, uiPort, options)
      const address = `127.0.0.1:${port}`
      const uiUrl = uiPort === undefined ? undefined : `http://127.0.0.1:${uiPort}`
      return Object.assign(await keepRunning(start, address, options), { address, uiUrl, program, source })
    } catch (error) {
      const isPortTaken = /address already in use|port .* is not available|can't set .*port/i.test(
        String(error),
      )
      if (!isPortTaken || attempt === limits.embeddedStartAttemptsMax) throw error
    }
  }
}

type Server = ProcessIdentity & { exited: Promise<string> }

/**
 * Starts the server, and restarts it when its database driver is stuck. Clients connect again by themselves.
 * @param start  on the same data and ports each time
 */
async function keepRunning(
  start: () => Promise<Server>,
  address: string,
  options: TemporalOptions,
): Promise<Pick<EmbeddedTemporal, 'pid' | 'exited' | 'stop'>> {
  let server = await start()
  let isRestarting = false
  let end: (how: string) => void = () => undefined
  const exited = new Promise<string>((resolve) => void (end = resolve))
  const follow = (followed: Server): void =>
    void followed.exited.then((how) => (isRestarting ? undefined : end(how)))
  follow(server)

  const restart = async (): Promise<void> => {
    options.log(
      `Temporal at ${address} answers \`interrupted (9)\`: its database driver is stuck. Restarting it with the same data.`,
    )
    isRestarting = true
    try {
      await stopProcess(server, temporalStopSteps)
      await server.exited
      server = await start()
      options.log(`Temporal at ${address} was restarted.`)
      options.restarted?.(server.pid)
      follow(server)
    } catch (error) {
      end(`it could not be restarted: ${(error as Error).message}`)
    } finally {
      isRestarting = false
    }
  }
  const writer = await namespaceWriter(address, options.namespace ?? 'default')
  const watch = watchWrites({ write: options.write ?? writer.write, restart })
  const endWatch = (): Promise<void> => watch.end().then(writer.close)
  // A server that has ended is not watched.
  void exited.then(endWatch)
  const stop = async (): Promise<void> => {
    await endWatch()
    await stopProcess(server, temporalStopSteps)
    await server.exited
    rmSync(pidFile(options), { force: true })
  }
  return {
    get pid() {
      return server.pid
    },
    exited,
    stop,
  }
}

/** Runs in its own process group: Ctrl-C reaches only us, and we stop the server after the service has finished. */
async function spawnServer(
  program: string,
  port: number,
  uiPort: number | undefined,
  options: TemporalOptions,
): Promise<Server> {
  const { dbFile, namespace = 'default', startMs = 60_000 } = options
  mkdirSync(dirname(dbFile), { recursive: true })
  const output = openServerLog(`${dbFile}.log`)
  try {
    const child = spawn(program, argumentsFor(dbFile, namespace, port, uiPort), {
      cwd: dirname(dbFile),
      env: serverEnv(options.env ?? process.env),
      detached: true,
      stdio: ['ignore', output.fd, output.fd],
    })
    const exited = new Promise<string>((resolve) => {
      child.once('error', (error) => resolve(`it could not be started: ${error.message}`))
      child.once('exit', (code, signal) => resolve(`it ended (${signal ?? code})`))
    })
    const identity = identify(child.pid ?? 0)
    if (!identity) throw new Error(`${await exited}\n${output.tail()}`)
    writePrivateJson(pidFile(options), identity)
    const outcome = (await whenAnswering(identity, `127.0.0.1:${port}`, namespace, startMs)) ?? (await exited)
    if (outcome === 'answering') return { ...identity, exited }
    await stopProcess(identity, temporalStopSteps)
    throw new Error(`${outcome}\n${output.tail()}`.trim())
  } finally {
    output.close()
  }
}

function argumentsFor(dbFile: string, namespace: string, port: number, uiPort: number | undefined): string[] {
  const each = (flag: string, values: readonly string[]): string[] => values.flatMap((value) => [flag, value])
  const ports = ['--ip', '127.0.0.1', '--port', String(port)]
  const pages = uiPort === undefined ? ['--headless'] : ['--ui-port', String(uiPort)]
  const store = ['--namespace', namespace, '--db-filename', dbFile, '--log-level', 'error']
  const settings = [
    each('--sqlite-pragma', sqlitePragmas),
    each('--dynamic-config-value', dynamicConfig),
    each('--search-attribute', searchAttributes),
  ]
  return ['server', 'start-dev', ...ports, ...pages, ...store, ...settings.flat()]
}

/** An environment without TEMPORAL_*, which the program would read as flags. */
function serverEnv(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith('TEMPORAL_')))
}

/** Waits until the server answers a real request; its port is open before that. */
async function whenAnswering(
  server: ProcessIdentity,
  address: string,
  namespace: string,
  boundMs: number,
): Promise<string | undefined> {
  const end = performance.now() + boundMs
  while (performance.now() < end && isRunning(server)) {
    if (await answers(address, namespace)) return 'answering'
    await delay(50)
  }
  return isRunning(server) ? `no answer on ${address} after ${boundMs / 1000} s` : undefined
}

async function answers(address: string, namespace: string): Promise<boolean> {
  // Loads while the server starts.
  const { Connection } = await import('@temporalio/client')
  const connection = await Connection.connect({ address, connectTimeout: 1_000 }).catch(() => undefined)
  if (!connection) return false
  try {
    const ask = (): Promise<unknown> => connection.workflowService.describeNamespace({ namespace })
    return await connection.withDeadline(Date.now() + 1_000, ask).then(
      () => true,
      () => false,
    )
  } finally {
    await connection.close()
  }
}

async function stopLeftOver(options: TemporalOptions): Promise<void> {
  const found = readPrivateJson(pidFile(options)) as ProcessIdentity | undefined
  if (!found || !isRunning(found)) return
  options.log(`Stopping the Temporal server that an earlier start left running (process ${found.pid}).`)
  await stopProcess(found, temporalStopSteps)
}

function pidFile({ dbFile }: TemporalOptions): string {
  return `${dbFile}.pid`
}
