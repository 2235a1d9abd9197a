import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Config, dataFile, readConfig } from '../src/config.ts'
import { readPrivateJson, writePrivateJson } from '../src/data-dir/private-file.ts'
import { type RunClaim, claimRunFile } from '../src/data-dir/run-file.ts'
import { ensureSecretsKeys } from '../src/data-dir/secrets-file.ts'
import { migrate } from '../src/db/migrate.ts'
import { banner } from './embedded/banner.ts'
import { startEmbeddedPostgres } from './embedded/postgres.ts'
import { startEmbeddedTemporal } from './embedded/temporal.ts'
import { limits } from '../src/limits.ts'
import { makeLog } from '../src/log.ts'
import { requireChannel } from '../src/providers/environment-providers.ts'
import { isProgram } from '../src/process/root.ts'
import { stopOnSignal } from '../src/process/shutdown.ts'
import { workflowsUrl } from '../src/temporal/names.ts'
import type { WholeService } from './whole-service.ts'

/** The ports of Temporal at the last start on this DATA_DIR, so that addresses stay; at the first its own, which its tools know. */
function temporalPorts(file: string): { port: number; uiPort: number } {
  const { port, uiPort } = (readPrivateJson(file) ?? {}) as { port?: unknown; uiPort?: unknown }
  const known = (given: unknown, first: number) =>
    Number.isInteger(given) && (given as number) > 0 && (given as number) < 65_536 ? (given as number) : first
  return { port: known(port, 7233), uiPort: known(uiPort, 8233) }
}

const portIn = (address: string): number => Number(/:(\d+)$/.exec(address)?.[1])

const say = (line: string) => void process.stdout.write(`${line}\n`)

/** The started parts, in order; stopped in the reverse order. */
const started: { name: string; stop: () => Promise<void> }[] = []
const register = <T extends { stop(): Promise<void> }>(name: string, part: T): T => {
  started.push({ name, stop: () => part.stop() })
  return part
}

/** Servers that are starting. A stop must wait for them, or they would keep running. */
const starting: Promise<unknown>[] = []
let stopping: Promise<void> | undefined

/**
 * `npm start`: the whole service in one process and two embedded servers.
 * @param bundled  the workflow bundle of the build
 */
export async function start(bundled: Promise<unknown> = Promise.resolve()): Promise<void> {
  try {
    await startAll(bundled)
  } catch (error) {
    if (stopping) return
    process.stderr.write(`${(error as Error).message}\n`)
    await stopInOrder().catch(() => undefined)
    process.exit(1)
  }
}

async function startAll(bundled: Promise<unknown>): Promise<void> {
  const config = readConfig()
  const log = makeLog(config)
  let fail: (died: Error) => void = () => undefined
  stopOnSignal(log, stopInOrder, new Promise((_, reject) => void (fail = reject)))
  await refuseTakenPort(config)
  requireChannel(config)
  const run = await claimRunFile(config.DATA_DIR, say)
  started.push({ name: 'run file', stop: async () => run.release() })
  const died: Promise<unknown>[] = []

  const servers = [startDatabase(config, run, died), startTemporal(config, run, died)] as const
  starting.push(...servers)
  // Loads while the servers start: a second that nobody waits for.
  const [database, temporal, { startWholeService }] = await Promise.all([
    ...servers,
    import('./whole-service.ts'),
  ])
  const service = await startWholeService({
    config: {
      ...config,
      DATABASE_URL: database.serviceUrl,
      // The key file of DATA_DIR is only for the database in DATA_DIR.
      SECRETS_KEYS: config.SECRETS_KEYS ?? (database.isOurs ? ensureSecretsKeys(config.DATA_DIR) : undefined),
      TEMPORAL_ADDRESS: temporal.address,
      TEMPORAL_UI_URL: config.TEMPORAL_UI_URL ?? temporal.uiUrl,
    },
    isOurDatabase: database.isOurs,
    log,
    bundled,
    register,
  })
  died.push(service.failed)
  sayReady(config, run, { ...service, temporalSource: temporal.source })
  for (const end of died) end.then((how) => fail(new Error(String(how))), fail)
}

function sayReady(
  config: Config,
  run: RunClaim,
  { addresses, demo, temporalSource }: WholeService & { temporalSource: string },
): void {
  const ui = addresses.temporal_ui_url
  run.record({ addresses: onlyStrings(addresses) })
  say(
    banner({
      addresses,
      workflowsUrl: ui && workflowsUrl(ui, config.TEMPORAL_NAMESPACE),
      demo,
      demoFile: dataFile(config, 'demo.json'),
      isTerminal: process.stdout.isTTY === true,
      temporalSource,
    }),
  )
}

const onlyStrings = (given: Record<string, string | undefined>): Record<string, string> =>
  Object.fromEntries(Object.entries(given).filter(([, text]) => text !== undefined)) as Record<string, string>

async function startDatabase(config: Config, run: RunClaim, died: Promise<unknown>[]) {
  if (config.DATABASE_URL) return { serviceUrl: config.DATABASE_URL, isOurs: false }
  say('PostgreSQL: starting')
  const postgres = register('PostgreSQL', await startEmbeddedPostgres({ dataDir: config.DATA_DIR, log: say }))
  const { port, superuserUrl, ownerUrl, serviceUrl } = postgres
  run.record({ pids: { postgres: postgres.pid }, postgres: { port, superuserUrl, ownerUrl, serviceUrl } })
  died.push(postgres.exited)
  await migrate(ownerUrl, serviceUrl, say)
  return { serviceUrl, isOurs: true }
}

async function startTemporal(config: Config, run: RunClaim, died: Promise<unknown>[]) {
  say('Temporal: starting')
  const portsFile = dataFile(config, 'ports.json')
  const temporal = await startEmbeddedTemporal({
    dbFile: dataFile(config, 'temporal.db'),
    namespace: config.TEMPORAL_NAMESPACE,
    ...temporalPorts(portsFile),
    log: say,
    restarted: (pid) => run.record({ pids: { temporal: pid } }),
  })
  if (temporal.pid !== undefined) {
    register('Temporal', temporal)
    const { address, uiUrl = '' } = temporal
    writePrivateJson(portsFile, { port: portIn(address), uiPort: portIn(uiUrl) })
    run.record({ pids: { temporal: temporal.pid } })
    died.push(temporal.exited)
  }
  run.record({ temporal: { address: temporal.address, uiUrl: temporal.uiUrl } })
  return temporal
}

/** Stops once, also during a start: waits, within the grace period, for servers that are starting. */
function stopInOrder(): Promise<void> {
  stopping ??= Promise.race([Promise.allSettled(starting), sleep(limits.shutdownGraceMs)]).then(stopAll)
  return stopping
}

async function stopAll(): Promise<void> {
  // Servers last, and then the run file: after a kill in between, the next start can clean up.
  const order = ['api', 'workers', 'metrics', 'connections', 'sandbox', 'Temporal', 'PostgreSQL', 'run file']
  const parts = started.splice(0).toSorted((a, b) => order.indexOf(a.name) - order.indexOf(b.name))
  const faults: unknown[] = []
  for (const part of parts) await part.stop().catch((error: unknown) => faults.push(error))
  if (faults.length > 0) throw faults[0]
}

/** Checks PORT before anything slow starts. @throws Error that names PORT */
async function refuseTakenPort({ HOST, PORT }: Config): Promise<void> {
  if (PORT === 0) return
  await new Promise<void>((resolve, reject) => {
    const probe = createServer()
    probe.once('error', (error: NodeJS.ErrnoException) =>
      reject(
        error.code === 'EADDRINUSE'
          ? new Error(
              `PORT ${PORT} on ${HOST} is in use. Stop the process that uses it, or set PORT (PORT=0 selects any free port).`,
            )
          : error,
      ),
    )
    probe.listen(PORT, HOST, () => probe.close(() => resolve()))
  })
}

if (isProgram(import.meta.url)) await start()
