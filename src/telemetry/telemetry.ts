import type { Config } from '../config.ts'
import type { Db } from '../db/connect.ts'
import type { Logger } from 'pino'
import type { Executors } from '../executors/executors.ts'
import type { ProviderFactory } from '../providers/provider-factory.ts'
import type { StepObserver } from '../temporal/action-log.ts'
import type { ObserveCall } from '../waiting/observe-call.ts'
import type { Metrics, ProcessName } from './metrics.ts'
import type { ServedMetrics } from './serve-metrics.ts'

/** What a process tells about itself. What is not configured is undefined, and its modules are not loaded. */
export interface Telemetry {
  metrics: Metrics | undefined
  /** What steps of actions and calls of MCP servers are told to. */
  observers: { onStep?: StepObserver; onCall?: ObserveCall }
  // Each returns what it is given, or the same observed.
  db(db: Db): Db
  providers(factory: ProviderFactory): ProviderFactory
  executors(made: Executors): Executors
  /** Serves `/metrics`, where METRICS_PORT is set. */
  serve(deps: { db: Db; log: Pick<Logger, 'info'> }): Promise<ServedMetrics | undefined>
}

export const noTelemetry: Telemetry = {
  metrics: undefined,
  observers: {},
  db: (db) => db,
  providers: (factory) => factory,
  executors: (made) => made,
  serve: async () => undefined,
}

/** Loads what is configured. */
export async function loadTelemetry(config: Config, process: ProcessName): Promise<Telemetry> {
  const { METRICS_PORT: port, METRICS_HOST: host } = config
  if (port === undefined) return noTelemetry
  const [{ makeMetrics }, { observedExecutors, observedProviders }, { databaseMetrics }, { serveMetrics }] =
    await Promise.all([
      import('./metrics.ts'),
      import('./observed-providers.ts'),
      import('./database-metrics.ts'),
      import('./serve-metrics.ts'),
    ])
  const metrics = makeMetrics(process)
  return {
    metrics,
    observers: { onStep: metrics.step, onCall: metrics.call },
    db: metrics.db,
    providers: (factory) => observedProviders(factory, metrics.call),
    executors: (made) => observedExecutors(made, metrics.call),
    async serve({ db, log }) {
      const readDatabase = databaseMetrics(db, metrics.register)
      const served = await serveMetrics({ host, port }, async () => {
        await readDatabase()
        return metrics.register.text()
      })
      log.info(`metrics on port ${served.port} of ${host}`)
      return served
    },
  }
}
