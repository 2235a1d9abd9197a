import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { startApi } from '../src/api.ts'
import { type Config, addressOf, dataFile, isSandbox } from '../src/config.ts'
import { type Deps, makeDeps } from '../src/deps.ts'
import { freePort } from './embedded/free-port.ts'
import { type DemoFile, ensureDemo } from './embedded/seed.ts'
import { publicLink } from '../src/network/public-link.ts'
import { hostedUrl } from '../src/operations/apps/addresses.ts'
import { readiness } from '../src/operations/readiness.ts'
import { startSandbox } from './sandbox/sandbox.ts'
import { loadTelemetry } from '../src/telemetry/telemetry.ts'
import { startWorkers } from '../src/workers/start-workers.ts'

const startReadyMs = 60_000

export interface WholeService {
  addresses: {
    base_url: string
    console_url: string
    temporal_ui_url: string | undefined
    sandbox_url: string | undefined
    preview_url: string | undefined
    /** What hosted agents are given: only where OAUTH_URL is set. */
    hosted_url: string | undefined
  }
  /** Absent where the database is not ours. */
  demo: DemoFile | undefined
  /** Rejects if a worker fails. */
  failed: Promise<never>
}

interface Parts {
  /** With the addresses of the servers that were started. */
  config: Config
  log: Logger
  /** The demo account is made in our own database alone. */
  isOurDatabase: boolean
  /** The workflow bundle of the build. */
  bundled: Promise<unknown>
  /** Remembers a part that was started, so that it is stopped. */
  register<T extends { stop(): Promise<void> }>(name: string, part: T): T
}

/** API, workers and stand-ins in this process. `npm start` loads this while its servers start. */
export async function startWholeService({ config, log, ...parts }: Parts): Promise<WholeService> {
  // The address for clicks on buttons in the sandbox; the actual port is known once the API listens.
  const gateAt = { url: addressOf(config.HOST, config.PORT) }
  const sandbox = isSandbox(config)
    ? parts.register(
        'sandbox',
        await startSandbox({
          port: await freePort(config.SANDBOX_PORT),
          dataFile: dataFile(config, 'sandbox.jsonl'),
          gateUrl: () => gateAt.url,
          publicUrl: () => config.PUBLIC_URL ?? gateAt.url,
        }),
      )
    : undefined
  const telemetry = await loadTelemetry(config, 'all')
  const deps = makeDeps(config, { sandboxUrl: sandbox?.url, log, telemetry })
  parts.register('connections', { stop: () => deps.close() })
  // Before the workers: with PORT 0 their links need the port that it took.
  const api = parts.register('api', await startApi(deps))
  gateAt.url = api.url
  parts.register('metrics', await telemetry.serve(deps))
  const starting = parts.bundled.then(() => startWorkers(deps))
  const knowingAddresses = starting.then(({ previewUrl }) => ({
    base_url: deps.publicUrl(),
    console_url: publicLink(deps, '/console'),
    temporal_ui_url: config.TEMPORAL_UI_URL,
    sandbox_url: sandbox?.url,
    preview_url: previewUrl,
    hosted_url: hostedUrl(deps),
  }))
  const { DATA_DIR: dataDir, WORKSPACE_ROOT: workspaceRoot } = config
  const [workers, addresses, demo] = await Promise.all([
    starting.then((running) => parts.register('workers', running)),
    knowingAddresses,
    parts.isOurDatabase
      ? ensureDemo({
          db: deps.db,
          dataDir,
          workspaceRoot,
          addresses: knowingAddresses,
          secretsKeys: deps.secretsKeys,
        })
      : undefined,
    starting.then(() => untilReady(deps)),
  ])
  return { addresses, demo, failed: workers.failed }
}

async function untilReady(deps: Deps): Promise<void> {
  const until = Date.now() + startReadyMs
  for (;;) {
    const state = await readiness(deps, true)
    if (state.isReady) return
    if (Date.now() > until)
      throw new Error(`The service did not become ready in time: ${JSON.stringify(state.body)}`)
    await sleep(100)
  }
}
