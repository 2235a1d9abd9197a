import type { Logger } from 'pino'
import type { Config } from '../config.ts'
import type { Db } from '../db/connect.ts'
import type { Executors } from '../executors/executors.ts'
import type { ProviderFactory } from '../providers/provider-factory.ts'
import type { StepObserver } from '../temporal/action-log.ts'
import type { Workflows } from '../temporal/client.ts'
import type { WorkflowStarter } from '../temporal/start-action.ts'
import type { ObserveCall } from '../waiting/observe-call.ts'
import type { Metrics, ProcessName } from './metrics.ts'
import type { ServedMetrics } from './serve-metrics.ts'
import type { Tracing } from './traces/tracing.ts'

/** What a process tells about itself. What is not configured is undefined, and its modules are not loaded. */
export interface Telemetry {
  metrics: Metrics | undefined
  tracing: Tracing | undefined
  /** What steps of actions and calls of MCP servers are told to. */
  observers: { onStep?: StepObserver; onCall?: ObserveCall }
  // Each returns what it is given, or the same observed.
  db(db: Db): Db
  providers(factory: ProviderFactory): ProviderFactory
  executors(made: Executors): Executors
  workflows(made: Workflows): Workflows
  starter(made: WorkflowStarter): WorkflowStarter
  /** Serves `/metrics`, where METRICS_PORT is set. `stop` sends the last spans too. */
  serve(deps: {
    db: Db
    log: Pick<Logger, 'info'>
  }): Promise<{ port: number | undefined; stop(): Promise<void> }>
}

export const noTelemetry: Telemetry = {
  metrics: undefined,
  tracing: undefined,
  observers: {},
  db: (db) => db,
  providers: (factory) => factory,
  executors: (made) => made,
  workflows: (made) => made,
  starter: (made) => made,
  serve: async () => ({ port: undefined, stop: async () => undefined }),
}

/** Loads what is configured. */
export async function loadTelemetry(config: Config, process: ProcessName): Promise<Telemetry> {
  const url = collectorOf(config)
  const { METRICS_PORT: port } = config
  if (url === undefined && port === undefined) return noTelemetry
  const tracing =
    url === undefined
      ? undefined
      : (await import('./traces/load-tracing.ts')).loadTracing({
          url,
          service: `qualification-gate-${process}`,
        })
  const metrics = port === undefined ? undefined : (await import('./metrics.ts')).makeMetrics(process)
  return telemetryOf(config, { metrics, tracing })
}

/** @param parts  at least one of them */
export async function telemetryOf(
  { METRICS_HOST: host, METRICS_PORT: port = 0 }: Config,
  { metrics, tracing }: Pick<Telemetry, 'metrics' | 'tracing'>,
): Promise<Telemetry> {
  const [{ observedExecutors, observedProviders }, { databaseMetrics }, { serveMetrics }] = await Promise.all(
    [import('./observed-providers.ts'), import('./database-metrics.ts'), import('./serve-metrics.ts')],
  )
  const onCall = bothOf(metrics?.call, tracing?.call)
  return {
    metrics,
    tracing,
    observers: { onCall, ...(metrics ? { onStep: metrics.step } : {}) },
    db(db) {
      const counted = metrics?.db(db) ?? db
      return tracing?.db(counted) ?? counted
    },
    providers: (factory) => observedProviders(factory, onCall),
    executors: (made) => observedExecutors(made, onCall),
    workflows: (made) => tracing?.workflows(made) ?? made,
    starter: (made) => tracing?.starter(made) ?? made,
    async serve({ db, log }) {
      if (!metrics) return { port: undefined, stop: async () => tracing?.stop() }
      const readDatabase = databaseMetrics(db, metrics.register)
      const served: ServedMetrics = await serveMetrics({ host, port }, async () => {
        await readDatabase()
        return metrics.text()
      })
      log.info(`metrics on port ${served.port} of ${host}`)
      return {
        port: served.port,
        async stop() {
          await served.stop()
          await tracing?.stop()
        },
      }
    },
  }
}

/** Where traces are sent: as every tool of OpenTelemetry reads it. */
function collectorOf(config: Config): string | undefined {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: base, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: traces } = config
  return traces ?? (base === undefined ? undefined : `${base.replace(/(?<!\/)\/+$/, '')}/v1/traces`)
}

const bothOf = (first: ObserveCall | undefined, second: ObserveCall | undefined): ObserveCall => {
  if (first && second)
    return (provider, call, outcomes) => first(provider, () => second(provider, call, outcomes), outcomes)
  return first ?? second ?? ((_provider, call) => call())
}
